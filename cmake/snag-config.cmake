# snag-config.cmake: find_package(snag). Works from an installation and, with -Dsnag_DIR=…/build, from the
# build folder.
#
#   snag_instrument(TARGET…)
#       builds and links these targets as `snag cc` does.
#   snag_add_test(NAME name COMMAND program [ARGS…] [ENGINE race|run|hunt|fuzz|predict] [OPTIONS …]
#                 [STORE folder])
#       a test that runs the program under snag: it fails when something was found (status 66), or when
#       the program itself fails. The program may be a target, which is to be instrumented unless the
#       engine is `run`. All tests share one store, so `snag report --html` shows them together.
#
# SNAG_EXECUTABLE is the command, snag::snag the same as a target, SNAG_STORE the default store.
if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/snag)
  set(SNAG_EXECUTABLE ${CMAKE_CURRENT_LIST_DIR}/snag)
  set(_snag_lib ${CMAKE_CURRENT_LIST_DIR}/lib)
else()
  get_filename_component(_snag_prefix ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)
  set(SNAG_EXECUTABLE ${_snag_prefix}/bin/snag)
  set(_snag_lib ${_snag_prefix}/lib/snag)
endif()
if(NOT EXISTS ${SNAG_EXECUTABLE} OR NOT EXISTS ${_snag_lib}/libsnag-none.so)
  set(snag_FOUND FALSE)
  set(snag_NOT_FOUND_MESSAGE "snag's command or library is not at ${SNAG_EXECUTABLE}: install snag again")
  return()
endif()
set(SNAG_STORE ${CMAKE_BINARY_DIR}/.snag CACHE PATH "where snag_add_test keeps its findings")

if(NOT TARGET snag::snag)
  add_executable(snag::snag IMPORTED)
  set_target_properties(snag::snag PROPERTIES IMPORTED_LOCATION ${SNAG_EXECUTABLE})
  add_library(snag::instrumented INTERFACE IMPORTED)
  set_property(TARGET snag::instrumented PROPERTY INTERFACE_COMPILE_OPTIONS -fsanitize=thread -g
    "SHELL:-idirafter ${_snag_lib}/include")
  if(CMAKE_C_COMPILER_ID MATCHES Clang OR CMAKE_CXX_COMPILER_ID MATCHES Clang)
    set_property(TARGET snag::instrumented PROPERTY INTERFACE_LINK_OPTIONS -fsanitize=thread
      -fno-sanitize-link-runtime "SHELL:-Wl,--push-state,--no-as-needed ${_snag_lib}/libsnag.so -Wl,--pop-state"
      -Wl,-rpath,${_snag_lib})
  else()
    set_property(TARGET snag::instrumented PROPERTY INTERFACE_LINK_OPTIONS -L${_snag_lib}/gcc
      -fsanitize=thread -Wl,-rpath,${_snag_lib})
  endif()
endif()

function(snag_instrument)
  foreach(target ${ARGN})
    # not by target_link_libraries: a project may use either of its two signatures, but not both
    target_compile_options(${target} PRIVATE $<TARGET_PROPERTY:snag::instrumented,INTERFACE_COMPILE_OPTIONS>)
    target_link_options(${target} PRIVATE $<TARGET_PROPERTY:snag::instrumented,INTERFACE_LINK_OPTIONS>)
  endforeach()
endfunction()

function(snag_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;ENGINE;STORE" "COMMAND;OPTIONS")
  if(NOT arg_NAME OR NOT arg_COMMAND)
    message(FATAL_ERROR "snag_add_test needs NAME and COMMAND")
  endif()
  if(NOT arg_ENGINE)
    set(arg_ENGINE race)
  endif()
  if(NOT arg_STORE)
    set(arg_STORE ${SNAG_STORE})
  endif()
  list(GET arg_COMMAND 0 program)
  if(TARGET ${program})
    list(REMOVE_AT arg_COMMAND 0)
    list(INSERT arg_COMMAND 0 $<TARGET_FILE:${program}>)
  endif()
  add_test(NAME ${arg_NAME} COMMAND ${SNAG_EXECUTABLE} ${arg_ENGINE} --store ${arg_STORE} ${arg_OPTIONS}
    -- ${arg_COMMAND})
endfunction()
