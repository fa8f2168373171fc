# Run after a GoogleTest binary is linked: asks it for its suites and writes one add_test per suite for ctest.
# A process per test would spend most of its time starting, one per binary would use one core; and a list that comes
# from the binary cannot forget a test.
#
# A suite whose name ends in Long is labelled long, others fast; one with Threads in its name also threads (these run
# under ThreadSanitizer).
#   cmake -DBINARY= -DNAME= -DOUTPUT= -DWORKING_DIRECTORY= -P DiscoverSuites.cmake

execute_process(COMMAND ${BINARY} --gtest_list_tests OUTPUT_VARIABLE listing RESULT_VARIABLE status
  WORKING_DIRECTORY ${WORKING_DIRECTORY})
if(status)
  message(FATAL_ERROR "${BINARY} --gtest_list_tests failed: ${status}\n${listing}")
endif()

set(script "")
string(REGEX MATCHALL "(^|\n)[A-Za-z0-9_/<>, ]+\\.[^\n]*" suites "\n${listing}")
foreach(suite IN LISTS suites)
  string(REGEX REPLACE "^\n*([A-Za-z0-9_/]+)\\..*$" "\\1" suite "${suite}")
  set(labels fast)
  if(suite MATCHES "Long(/|$)")
    set(labels long)
  endif()
  if(suite MATCHES "Threads")
    list(APPEND labels threads)
  endif()
  string(APPEND script "add_test([=[${NAME}.${suite}]=] [=[${BINARY}]=] [=[--gtest_filter=${suite}.*]=] --gtest_brief=1)\n"
    "set_tests_properties([=[${NAME}.${suite}]=] PROPERTIES LABELS \"${labels}\" TIMEOUT 600 "
    "WORKING_DIRECTORY [=[${WORKING_DIRECTORY}]=])\n")
endforeach()
if(script STREQUAL "")
  message(FATAL_ERROR "${BINARY} lists no test")
endif()
file(WRITE ${OUTPUT} "${script}")
