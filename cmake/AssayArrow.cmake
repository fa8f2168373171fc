# Apache Arrow and Parquet, where they are: Debian has no packages, but pyarrow brings headers and libraries. It is asked
# of the Python of build/venv (./dev puts pyarrow there), else of the one that is found, or of ASSAY_ARROW_PYTHON.
# Without it everything else is built, and assay says what to install when it meets a Parquet file.

set(ASSAY_ARROW_PYTHON "" CACHE FILEPATH "Python with pyarrow; empty: build/venv, then any")

function(assay_find_arrow)
  set(candidates ${ASSAY_ARROW_PYTHON})
  if(NOT candidates)
    find_package(Python3 COMPONENTS Interpreter QUIET)
    set(candidates ${PROJECT_SOURCE_DIR}/build/venv/bin/python ${Python3_EXECUTABLE})
  endif()
  foreach(python IN LISTS candidates)
    if(NOT EXISTS ${python})
      continue()
    endif()
    execute_process(
      COMMAND ${python} -c "import pyarrow as p; print(p.get_include(), p.get_library_dirs()[0], p.__version__, sep=';')"
      OUTPUT_VARIABLE told ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
      continue()
    endif()
    list(GET told 0 include)
    list(GET told 1 folder)
    list(GET told 2 version)
    file(GLOB arrow ${folder}/libarrow.so.*)
    file(GLOB parquet ${folder}/libparquet.so.*)
    if(NOT arrow OR NOT parquet OR NOT EXISTS ${include}/arrow/api.h)
      continue()
    endif()
    list(GET arrow 0 arrow)
    list(GET parquet 0 parquet)
    add_library(assay_arrow_libraries INTERFACE IMPORTED GLOBAL)
    target_include_directories(assay_arrow_libraries SYSTEM INTERFACE ${include})
    target_link_libraries(assay_arrow_libraries INTERFACE ${arrow} ${parquet})
    set(ASSAY_ARROW_FOLDER ${folder} PARENT_SCOPE)
    set(ASSAY_ARROW_TEST_PYTHON ${python} PARENT_SCOPE)
    message(STATUS "Apache Arrow ${version}: ${folder}")
    return()
  endforeach()
  message(STATUS "pyarrow not found: Parquet and Arrow files are not read (pip install pyarrow)")
endfunction()

assay_find_arrow()
if(TARGET assay_arrow_libraries)
  # A module, loaded when the first such file is opened (src/format/documents/column_source.h says why). It uses headers
  # of the library alone.
  file(GLOB arrow_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/format/arrow/*.cpp)
  add_library(assay_arrow MODULE ${arrow_sources})
  set_target_properties(assay_arrow PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR} BUILD_RPATH ${ASSAY_ARROW_FOLDER}
    INSTALL_RPATH "$ORIGIN;${ASSAY_ARROW_FOLDER}")
  target_include_directories(assay_arrow PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(assay_arrow PRIVATE assay_flags assay_arrow_libraries)
  install(TARGETS assay_arrow LIBRARY DESTINATION lib/assay)  # assay looks for it in ../lib/assay
endif()
