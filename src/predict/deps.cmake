# Z3 solves what the linear-time pass leaves open. Without it everything else of predict still works.
option(SNAG_Z3 "predict asks Z3, when it is there" ON)
find_path(SNAG_Z3_INCLUDE z3.h PATH_SUFFIXES z3)
find_library(SNAG_Z3_LIBRARY z3)
if(SNAG_Z3 AND SNAG_Z3_INCLUDE AND SNAG_Z3_LIBRARY)
  target_include_directories(snag-command PRIVATE ${SNAG_Z3_INCLUDE})
  target_compile_definitions(snag-command PRIVATE SNAG_HAVE_Z3)
  target_link_libraries(snag-command PUBLIC ${SNAG_Z3_LIBRARY})
else()
  message(WARNING "libz3 is not used (Debian: libz3-dev). snag is built without it: `snag predict` "
          "finds sync-preserving races and deadlocks only, and counts the rest as unknown.")
endif()
