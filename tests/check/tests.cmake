# The programs of tests/check with their twins, the ten cases of the paper, and the command line.
foreach(part programs table3 command robust mutants)
  add_test(NAME check.${part} COMMAND ${PROJECT_SOURCE_DIR}/tests/check/run.sh ${PROJECT_BINARY_DIR} ${part})
  set_tests_properties(check.${part} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 1200)
endforeach()
