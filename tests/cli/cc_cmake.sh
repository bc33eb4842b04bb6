# CC="snag cc" CXX="snag c++" for a CMake project with a static and a shared library.
. "$(dirname "$0")/lib.sh"
command -v cmake >/dev/null || skip "no cmake"
write_race main.c
mkdir -p lib
echo 'int part(int n) { return n + 1; }' >lib/part.cc
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(probe C CXX)
find_package(Threads REQUIRED)
include(CheckFunctionExists)
check_function_exists(pthread_create has_create)
if(NOT has_create)
  message(FATAL_ERROR "pthread_create is not found")
endif()
include(CheckCCompilerFlag)
check_c_compiler_flag(-Wnosuchwarning-at-all has_nonsense)
check_c_compiler_flag(-Wall has_wall)
if(NOT has_wall)
  message(FATAL_ERROR "-Wall is refused")
endif()
add_library(part SHARED lib/part.cc)
add_library(part_static STATIC lib/part.cc)
add_executable(main main.c)
target_link_libraries(main part Threads::Threads)
END
for cc in $(two_compilers); do
    cxx=$(cxx_of $cc)
    command -v "$cxx" >/dev/null || continue
    rm -rf b
    export SNAG_CC=$cc SNAG_CXX=$cxx
    expect 0 env CC="$SNAG cc" CXX="$SNAG c++" cmake -S . -B b
    expect 0 cmake --build b
    expect 0 ./b/main
    silent
    expect 66 "$SNAG" race --no-store ./b/main
    says 'counter'
done
