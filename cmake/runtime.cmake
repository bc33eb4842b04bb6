# libsnag-NAME.so for every engine. All have the same SONAME, so that whichever is preloaded takes
# the place of the libsnag.so that programs are linked with (the engine `none`).
file(GLOB SNAG_CORE CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/core/*.c)
file(GLOB SNAG_RUNTIME CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/runtime/*.c
     ${PROJECT_SOURCE_DIR}/src/runtime/*.S)
list(FILTER SNAG_CORE EXCLUDE REGEX "_test\\.c$")
list(FILTER SNAG_RUNTIME EXCLUDE REGEX "_test\\.c$")

# A loop that copies or fills must not become a call of memcpy or memset, which are hooks here.
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
  set(no_loops_to_calls -fno-tree-loop-distribute-patterns)
else()
  set(no_loops_to_calls -fno-builtin-memcpy -fno-builtin-memmove -fno-builtin-memset
      -fno-builtin-strlen -fno-builtin-bcmp)
endif()

foreach(engine ${SNAG_ENGINES})
  file(GLOB engine_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/engine/${engine}/*.c)
  list(FILTER engine_sources EXCLUDE REGEX "_test\\.c$")
  include(${PROJECT_SOURCE_DIR}/src/engine/${engine}/flags.cmake OPTIONAL)
  set(lib snag-${engine})
  add_library(${lib} SHARED ${SNAG_CORE} ${SNAG_RUNTIME} ${engine_sources})
  target_include_directories(${lib} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include
                             ${PROJECT_SOURCE_DIR}/src/engine/${engine})
  target_compile_options(${lib} PRIVATE -fPIC -ftls-model=initial-exec -fno-stack-protector
                         -fomit-frame-pointer -fno-builtin-malloc ${no_loops_to_calls}
                         -fcf-protection=none)
  target_compile_definitions(${lib} PRIVATE _GNU_SOURCE)
  # access.h of the engine is found first on its include path.
  target_link_options(${lib} PRIVATE -Wl,-soname,libsnag.so.0 -Wl,-z,now -Wl,-z,relro
                      -Wl,--version-script=${PROJECT_SOURCE_DIR}/src/runtime/compat.map
                      -Wl,--no-undefined -Wl,-z,nodelete -Wl,-z,initfirst)
  set_target_properties(${lib} PROPERTIES NO_SONAME ON LIBRARY_OUTPUT_DIRECTORY
                        ${PROJECT_BINARY_DIR}/lib)
endforeach()

# libsnag.so: what programs link with. libtsan.so: the same under gcc's name, for `snag cc`.
add_custom_target(snag-links ALL
  COMMAND ${CMAKE_COMMAND} -E create_symlink libsnag-none.so libsnag.so
  COMMAND ${CMAKE_COMMAND} -E create_symlink libsnag-none.so libsnag.so.0
  COMMAND ${CMAKE_COMMAND} -E make_directory gcc
  COMMAND ${CMAKE_COMMAND} -E create_symlink ../libsnag-none.so gcc/libtsan.so
  WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
foreach(engine ${SNAG_ENGINES})
  add_custom_command(TARGET snag-links POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E make_directory tsan-${engine}
    COMMAND ${CMAKE_COMMAND} -E create_symlink ../libsnag-${engine}.so tsan-${engine}/libtsan.so.2
    COMMAND ${CMAKE_COMMAND} -E create_symlink ../libsnag-${engine}.so tsan-${engine}/libtsan.so.0
    WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
endforeach()
add_dependencies(snag-links snag-none)
# <snag.h> beside the libraries, where `snag cc` finds it.
configure_file(${PROJECT_SOURCE_DIR}/include/snag.h ${PROJECT_BINARY_DIR}/lib/include/snag.h COPYONLY)
