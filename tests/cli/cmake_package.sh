# find_package(snag) from an installed prefix and from the build folder: snag_instrument, snag_add_test,
# ctest; for gcc and clang.
. "$(dirname "$0")/lib.sh"
command -v cmake >/dev/null || skip "no cmake"
build=$(cd "$1" && pwd)
expect 0 cmake --install "$build" --prefix "$PWD/prefix"
write_race main.c
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(probe C)
enable_testing()
find_package(Threads REQUIRED)
find_package(snag 0.1 REQUIRED)
add_executable(racy main.c)
add_executable(fixed main.c)
target_compile_definitions(fixed PRIVATE FIXED)
add_executable(plain main.c)
foreach(t racy fixed plain)
  target_link_libraries(${t} Threads::Threads)
endforeach()
snag_instrument(racy fixed)
snag_add_test(NAME racy COMMAND racy)
snag_add_test(NAME fixed COMMAND fixed)
snag_add_test(NAME hunted COMMAND fixed ENGINE hunt OPTIONS --schedules 5)
snag_add_test(NAME as_it_is COMMAND plain ENGINE run)
snag_add_test(NAME own_status COMMAND fixed 3)
END
for cc in $(two_compilers); do
    for from in "-DCMAKE_PREFIX_PATH=$PWD/prefix" "-Dsnag_DIR=$build"; do
        rm -rf b
        expect 0 cmake -S . -B b -DCMAKE_C_COMPILER=$cc "$from"
        expect 0 cmake --build b
        try ctest --test-dir b -j2
        [ "$status" != 0 ] || fail "ctest passed although there is a race"
        for test in racy own_status; do
            grep -q " $test .*Failed" "$out" || fail "the test $test did not fail ($cc $from)"
        done
        for test in fixed hunted as_it_is; do
            grep -q " $test .*Passed" "$out" || fail "the test $test did not pass ($cc $from)"
        done
        expect 66 "$SNAG" list --store b/.snag
        prints 'data race on `counter`'
        [ "$(wc -l <"$out")" = 1 ] || fail "the store has not one finding"
    done
done
