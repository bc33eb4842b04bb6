# Every program of tests/race is one test per compiler, found by name; folders with a run.sh are one
# test each. `ctest -L race` runs the programs, `ctest -R race.atomic` one group of them.
find_package(Python3 COMPONENTS Interpreter)

if(Python3_FOUND)
  file(GLOB_RECURSE race_programs CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/tests/race
       ${PROJECT_SOURCE_DIR}/tests/race/*.c ${PROJECT_SOURCE_DIR}/tests/race/*.cc)
  find_program(SNAG_TEST_GCC gcc)
  find_program(SNAG_TEST_CLANG clang)
  set(race_compilers)
  if(SNAG_TEST_GCC)
    list(APPEND race_compilers gcc)
  endif()
  if(SNAG_TEST_CLANG)
    list(APPEND race_compilers clang)
  endif()
  # Built by gcc alone, with -fsanitize=thread: snag takes the place of its runtime.
  set(as_it_is memory/write_write.c lock/wrong_lock.c atomic/rmw_every_kind.c heap/use_after_free.c
      libc/memcpy.c cxx/future.cc)

  function(snag_race_test program compiler)
    string(REGEX REPLACE "\\.cc?$" "" name ${program})
    string(REPLACE "/" "." name ${name})
    add_test(NAME race.${name}.${compiler}
             COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/run --quiet
                     --build ${PROJECT_BINARY_DIR} --cc ${compiler}
                     ${PROJECT_SOURCE_DIR}/tests/race/${program})
    set_tests_properties(race.${name}.${compiler} PROPERTIES LABELS race TIMEOUT 300)
    if(program MATCHES "^scale/")
      set_tests_properties(race.${name}.${compiler} PROPERTIES RUN_SERIAL ON)
    endif()
  endfunction()

  # clang's OpenMP library is a package of its own.
  if(SNAG_TEST_CLANG)
    file(WRITE ${PROJECT_BINARY_DIR}/has_libomp.c "#include <omp.h>\nint main(void) { return omp_get_level(); }\n")
    execute_process(COMMAND ${SNAG_TEST_CLANG} -fopenmp has_libomp.c -o has_libomp WORKING_DIRECTORY ${PROJECT_BINARY_DIR}
                    RESULT_VARIABLE no_libomp OUTPUT_QUIET ERROR_QUIET)
    if(NOT no_libomp EQUAL 0)
      message(STATUS "clang has no OpenMP library (libomp-dev): these tests are left out")
    endif()
  endif()

  foreach(program ${race_programs})
    file(STRINGS ${PROJECT_SOURCE_DIR}/tests/race/${program} only REGEX "^// ONLY: ")
    file(STRINGS ${PROJECT_SOURCE_DIR}/tests/race/${program} packages REGEX "^// PACKAGE: ")
    if(packages)
      string(REGEX REPLACE "^// PACKAGE: " "" packages "${packages}")
      separate_arguments(packages)
      execute_process(COMMAND pkg-config --exists ${packages} RESULT_VARIABLE absent)
      if(absent)
        continue()
      endif()
    endif()
    foreach(compiler ${race_compilers})
      if(compiler STREQUAL clang AND program MATCHES "^openmp/" AND NOT no_libomp EQUAL 0)
        continue()
      endif()
      if(NOT only OR only MATCHES "ONLY: ${compiler}")
        snag_race_test(${program} ${compiler})
      endif()
    endforeach()
  endforeach()
  if(SNAG_TEST_GCC)
    foreach(program ${as_it_is})
      snag_race_test(${program} gcc-fsanitize)
    endforeach()
  endif()
  # Newer compilers come beside the default one, and are there on some machines only: every kind of event once.
  foreach(version RANGE 40 15 -1)
    find_program(SNAG_TEST_CLANG_${version} clang-${version})
    mark_as_advanced(SNAG_TEST_CLANG_${version})
    if(SNAG_TEST_CLANG_${version})
      foreach(program ${as_it_is})
        snag_race_test(${program} clang-${version})
      endforeach()
      break()
    endif()
  endforeach()
  add_test(NAME race.self COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/run_test.py)
endif()

# A folder of tests registers itself by a tests.cmake of its own, or has a run.sh that gets the build
# folder as its argument and says 77 when it cannot run here.
file(GLOB test_folders LIST_DIRECTORIES true CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*)
foreach(folder ${test_folders})
  get_filename_component(name ${folder} NAME)
  if(EXISTS ${folder}/tests.cmake)
    include(${folder}/tests.cmake)
  elseif(EXISTS ${folder}/run.sh AND NOT name STREQUAL real)
    add_test(NAME ${name} COMMAND ${folder}/run.sh ${PROJECT_BINARY_DIR})
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600)
  endif()
endforeach()
