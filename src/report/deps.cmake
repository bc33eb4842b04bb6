# The style and the script of the HTML report are in the command itself: one array of bytes each.
set(page_dir ${PROJECT_SOURCE_DIR}/src/report/page)
set(page_c ${PROJECT_BINARY_DIR}/report_page.c)
add_custom_command(OUTPUT ${page_c}
  COMMAND ${CMAKE_COMMAND} -DOUT=${page_c} -DDIR=${page_dir} -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
  DEPENDS ${page_dir}/page.css ${page_dir}/page.js ${PROJECT_SOURCE_DIR}/cmake/embed.cmake)
target_sources(snag-command PRIVATE ${page_c})
