# Every tests/cli/*.sh but the helpers is one test of the command line; 77 means skipped.
file(GLOB cli_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/cli/*.sh)
list(FILTER cli_tests EXCLUDE REGEX "/(run|lib)\\.sh$")
foreach(script ${cli_tests})
  get_filename_component(name ${script} NAME_WE)
  add_test(NAME cli.${name}
           COMMAND ${PROJECT_SOURCE_DIR}/tests/cli/run.sh ${PROJECT_BINARY_DIR} ${name})
  set_tests_properties(cli.${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)
endforeach()
