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

# What does not see the engine's access.h or locking.h is compiled once, for all engines.
set(SNAG_COMMON ${SNAG_CORE})
set(SNAG_PER_ENGINE)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${SNAG_RUNTIME})
foreach(source ${SNAG_RUNTIME})
  file(STRINGS ${source} sees_access REGEX "^#include \"(access|runtime/touch|runtime/lock_event)\\.h\"")
  if(sees_access)
    list(APPEND SNAG_PER_ENGINE ${source})
  else()
    list(APPEND SNAG_COMMON ${source})
  endif()
endforeach()

function(snag_runtime_options target)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src
                             ${PROJECT_SOURCE_DIR}/include)
  target_compile_options(${target} PRIVATE -fPIC -ftls-model=initial-exec -fno-stack-protector
                         -fomit-frame-pointer -fno-builtin-malloc ${no_loops_to_calls}
                         -fcf-protection=none)
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
endfunction()

add_library(snag-runtime OBJECT ${SNAG_COMMON})
snag_runtime_options(snag-runtime)

foreach(engine ${SNAG_ENGINES})
  file(GLOB engine_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/engine/${engine}/*.c)
  list(FILTER engine_sources EXCLUDE REGEX "_test\\.c$")
  include(${PROJECT_SOURCE_DIR}/src/engine/${engine}/flags.cmake OPTIONAL)
  set(lib snag-${engine})
  add_library(${lib} SHARED $<TARGET_OBJECTS:snag-runtime> ${SNAG_PER_ENGINE} ${engine_sources})
  # access.h of the engine is found first on its include path.
  target_include_directories(${lib} PRIVATE ${PROJECT_SOURCE_DIR}/src/engine/${engine})
  snag_runtime_options(${lib})
  target_link_options(${lib} PRIVATE -Wl,-soname,libsnag.so.0 -Wl,-z,now -Wl,-z,relro
                      -Wl,--version-script=${PROJECT_SOURCE_DIR}/src/runtime/compat.map
                      -Wl,--no-undefined -Wl,-z,nodelete -Wl,-z,initfirst
                      -Wl,--sort-section=name) # SN_LARGE comes last
  set_target_properties(${lib} PROPERTIES NO_SONAME ON LIBRARY_OUTPUT_DIRECTORY
                        ${PROJECT_BINARY_DIR}/lib)
endforeach()

# The part that `snag cc` links into programs (snag-fast-program.o) and into shared libraries.
set(fast_objects)
foreach(fast snag-fast snag-fast-program)
  add_library(${fast} OBJECT ${PROJECT_SOURCE_DIR}/src/fast/fast.c)
  target_include_directories(${fast} PRIVATE ${PROJECT_SOURCE_DIR}/src
                             ${PROJECT_SOURCE_DIR}/src/engine/race)
  target_compile_options(${fast} PRIVATE -O2 -g0 -fPIC -fno-plt -fno-stack-protector
                         -fomit-frame-pointer -fcf-protection=none -falign-functions=64)
  set(object ${PROJECT_BINARY_DIR}/lib/${fast}.o)
  add_custom_command(OUTPUT ${object}
    COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_OBJECTS:${fast}> ${object}
    DEPENDS ${fast} $<TARGET_OBJECTS:${fast}> VERBATIM)
  list(APPEND fast_objects ${object})
endforeach()
target_compile_definitions(snag-fast-program PRIVATE SN_FAST_PROGRAM)
add_custom_target(snag-fast-object ALL DEPENDS ${fast_objects})

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
