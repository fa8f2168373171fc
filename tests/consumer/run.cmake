# Installs a build into an empty folder, builds the consumer against it, runs it and the installed tool.
#   cmake -DBUILD=DIR -DSOURCE=DIR -DCOMPILER=PATH -DVERSION=X -P run.cmake

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(status)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${output}\nended with ${status}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

set(work ${BUILD}/consumer)
file(REMOVE_RECURSE ${work})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/prefix)
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE} -B ${work}/build -DCMAKE_PREFIX_PATH=${work}/prefix
  -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/consumer ${work}/train.log)
run(${work}/prefix/bin/assay version)
if(NOT output MATCHES "${VERSION}")
  message(FATAL_ERROR "the installed assay does not say that it is ${VERSION}:\n${output}")
endif()
