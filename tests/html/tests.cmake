# The HTML report in a browser: skipped, and said so, when there is none (make check-html installs it).
add_test(NAME html.browser COMMAND ${CMAKE_CURRENT_LIST_DIR}/run.sh ${PROJECT_BINARY_DIR})
set_tests_properties(html.browser PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600)
