# Text traces with their expectations, for every algorithm of `snag predict`.
add_test(NAME trace.predict
         COMMAND ${PROJECT_SOURCE_DIR}/tests/trace/run.sh ${PROJECT_BINARY_DIR})
set_tests_properties(trace.predict PROPERTIES TIMEOUT 600)
