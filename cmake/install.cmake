# `make install PREFIX=…`: the same shape as the build folder, so that snag finds its parts beside
# itself: bin/snag, lib/snag/*.so, share/snag/contracts.
include(GNUInstallDirs)
install(TARGETS snag RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_BINARY_DIR}/lib/ DESTINATION lib/snag USE_SOURCE_PERMISSIONS)
install(FILES ${PROJECT_SOURCE_DIR}/include/snag.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/contracts/ DESTINATION share/snag/contracts
        FILES_MATCHING PATTERN "*.contract")
