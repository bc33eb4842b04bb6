# libsnag-llvm.so: reads LLVM IR for `snag check`. Loaded at run time, so that the other commands do
# not load LLVM. The newest LLVM whose development files are there is taken; without any, snag is
# built all the same, and `snag check` says what to install.
find_program(SNAG_LLVM_CONFIG NAMES llvm-config-22 llvm-config-21 llvm-config-20 llvm-config-19 llvm-config-18
             llvm-config-17 llvm-config-16 llvm-config-15 llvm-config-14 llvm-config)
set(SNAG_LLVM_INCLUDE "")
if(SNAG_LLVM_CONFIG)
  execute_process(COMMAND ${SNAG_LLVM_CONFIG} --includedir OUTPUT_VARIABLE SNAG_LLVM_INCLUDE
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  execute_process(COMMAND ${SNAG_LLVM_CONFIG} --libdir OUTPUT_VARIABLE SNAG_LLVM_LIBDIR
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  execute_process(COMMAND ${SNAG_LLVM_CONFIG} --version OUTPUT_VARIABLE SNAG_LLVM_VERSION
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REGEX MATCH "^[0-9]+" SNAG_LLVM_MAJOR "${SNAG_LLVM_VERSION}")
  find_library(SNAG_LLVM_LIBRARY NAMES LLVM-${SNAG_LLVM_MAJOR} LLVM HINTS ${SNAG_LLVM_LIBDIR}
               NO_DEFAULT_PATH)
endif()
if(EXISTS "${SNAG_LLVM_INCLUDE}/llvm-c/Core.h" AND SNAG_LLVM_LIBRARY)
  message(STATUS "snag check: LLVM ${SNAG_LLVM_VERSION} (${SNAG_LLVM_CONFIG})")
  file(GLOB llvm_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/check/llvm/*.c)
  add_library(snag-llvm MODULE ${llvm_sources})
  target_include_directories(snag-llvm PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_include_directories(snag-llvm SYSTEM PRIVATE ${SNAG_LLVM_INCLUDE})
  target_compile_definitions(snag-llvm PRIVATE _GNU_SOURCE)
  target_link_libraries(snag-llvm PRIVATE ${SNAG_LLVM_LIBRARY})
  set_target_properties(snag-llvm PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
else()
  message(STATUS "snag check: no LLVM development files found: built without it")
endif()
target_link_libraries(snag-command PUBLIC m ${CMAKE_DL_LIBS})
# Direct threaded code: the compiler must not merge its indirect jumps again.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/check/interp.c PROPERTIES COMPILE_OPTIONS
  "$<$<C_COMPILER_ID:GNU>:-fno-gcse;-fno-crossjumping>")
