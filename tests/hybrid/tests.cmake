# All programs of tests/race with three filters: it takes its minutes.
add_test(NAME hybrid COMMAND ${PROJECT_SOURCE_DIR}/tests/hybrid/run.sh ${PROJECT_BINARY_DIR})
set_tests_properties(hybrid PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 1800)
