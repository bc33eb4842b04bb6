# Every tests/campaign/*.sh but the helpers is one test; 77 means skipped. They run as those of the command
# line do, each in an empty folder.
file(GLOB campaign_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/campaign/*.sh)
list(FILTER campaign_tests EXCLUDE REGEX "/(run|lib)\\.sh$")
foreach(script ${campaign_tests})
  get_filename_component(name ${script} NAME_WE)
  add_test(NAME campaign.${name}
           COMMAND ${PROJECT_SOURCE_DIR}/tests/campaign/run.sh ${PROJECT_BINARY_DIR} ${name})
  set_tests_properties(campaign.${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900)
endforeach()
