# Programs that are recorded and predicted, with each compiler.
add_test(NAME predict COMMAND ${PROJECT_SOURCE_DIR}/tests/predict/run.sh ${PROJECT_BINARY_DIR})
set_tests_properties(predict PROPERTIES TIMEOUT 600)
if(SNAG_TEST_CLANG)
  add_test(NAME predict.clang
           COMMAND ${PROJECT_SOURCE_DIR}/tests/predict/run.sh ${PROJECT_BINARY_DIR})
  set_tests_properties(predict.clang PROPERTIES TIMEOUT 600 ENVIRONMENT SNAG_CC=clang)
endif()
