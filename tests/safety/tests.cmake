# The programs of tests/safety under `snag run`: a test per folder, the libraries in one.
foreach(folder libc glib sqlite zlib intercept lock own)
  add_test(NAME safety.${folder}
           COMMAND ${PROJECT_SOURCE_DIR}/tests/safety/run --build ${PROJECT_BINARY_DIR} ${folder}/)
  set_tests_properties(safety.${folder} PROPERTIES TIMEOUT 600)
endforeach()
add_test(NAME safety.libraries
         COMMAND ${PROJECT_SOURCE_DIR}/tests/safety/run --build ${PROJECT_BINARY_DIR} archive/ bzip2/
                 cares/ cjson/ curl/ event/ expat/ fftw/ git2/ hiredis/ jansson/ json-c/ lmdb/ lua/
                 mariadb/ openssl/ pcre2/ pq/ uv/ xml2/ xz/ zmq/ zstd/)
set_tests_properties(safety.libraries PROPERTIES TIMEOUT 600)
