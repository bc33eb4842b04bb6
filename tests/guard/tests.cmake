# The guard's tests: the 35 kernels in four parts, so that they run side by side, and the commands.
foreach(part 1 2 3 4)
  add_test(NAME guard.kernels.${part}
           COMMAND ${CMAKE_CURRENT_LIST_DIR}/kernels.sh ${PROJECT_BINARY_DIR} ${part} 4)
  set_tests_properties(guard.kernels.${part} PROPERTIES TIMEOUT 900 LABELS guard)
endforeach()
file(GLOB guard_tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/[a-z]*_test.sh)
foreach(script ${guard_tests})
  get_filename_component(name ${script} NAME_WE)
  string(REPLACE "_test" "" name ${name})
  add_test(NAME guard.${name} COMMAND ${script} ${PROJECT_BINARY_DIR})
  set_tests_properties(guard.${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600 LABELS guard)
endforeach()
