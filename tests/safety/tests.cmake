# The programs of tests/safety under `snag run`, a test per folder.
foreach(folder libc glib sqlite zlib intercept lock)
  add_test(NAME safety.${folder}
           COMMAND ${PROJECT_SOURCE_DIR}/tests/safety/run --build ${PROJECT_BINARY_DIR} ${folder}/)
  set_tests_properties(safety.${folder} PROPERTIES TIMEOUT 600)
endforeach()
