# `make install PREFIX=…`: the same shape as the build folder, so that snag finds its parts beside
# itself: bin/snag, lib/snag/*.so, share/snag/contracts. Manual pages and completions are made by the
# command itself, from the tables that it reads its arguments with.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(pages ${PROJECT_BINARY_DIR}/share)
add_custom_command(OUTPUT ${pages}/stamp
  COMMAND ${CMAKE_COMMAND} -DSNAG=$<TARGET_FILE:snag> -DOUT=${pages} -P ${PROJECT_SOURCE_DIR}/cmake/pages.cmake
  DEPENDS snag ${PROJECT_SOURCE_DIR}/cmake/pages.cmake)
add_custom_target(snag-pages ALL DEPENDS ${pages}/stamp)

configure_file(${PROJECT_SOURCE_DIR}/cmake/snag-config.cmake ${PROJECT_BINARY_DIR}/snag-config.cmake COPYONLY)
configure_file(${PROJECT_SOURCE_DIR}/cmake/snag.pc.in ${PROJECT_BINARY_DIR}/snag.pc @ONLY)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/snag-config-version.cmake VERSION ${PROJECT_VERSION}
                                 COMPATIBILITY SameMinorVersion)

install(TARGETS snag RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_BINARY_DIR}/lib/ DESTINATION lib/snag USE_SOURCE_PERMISSIONS)
install(FILES ${PROJECT_SOURCE_DIR}/include/snag.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/contracts/ DESTINATION share/snag/contracts
        FILES_MATCHING PATTERN "*.contract")
install(FILES ${PROJECT_BINARY_DIR}/snag-config.cmake ${PROJECT_BINARY_DIR}/snag-config-version.cmake
        DESTINATION lib/cmake/snag)
install(FILES ${PROJECT_BINARY_DIR}/snag.pc DESTINATION lib/pkgconfig)
install(DIRECTORY ${pages}/man ${pages}/bash-completion ${pages}/zsh ${pages}/fish DESTINATION share)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION share/doc/snag)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/doc/ DESTINATION share/doc/snag FILES_MATCHING PATTERN "*.md")
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION share/doc/snag)
