# Campaign files: what they may say, where they are wrong, test lists, what is new since the last time.
. "$(dirname "$0")/lib.sh"
write_stores

# wrong LINE WORDS TEXT: a file with this text is refused, with its line and these words.
wrong() {
    printf '%s\n' "$3" >wrong.campaign
    expect 125 "$SNAG" campaign plan --dir wrong wrong.campaign
    says "wrong.campaign: line $1: .*$2"
    [ ! -e wrong/plan.json ] || fail "a wrong file was planned"
}
wrong 2 "no keyword 'programm'" 'engine race
programm ./stores'
wrong 1 "no engine 'rice'" 'engine rice
program ./stores'
wrong 3 "seeds" 'program ./stores

engine fuzz seeds 9..1'
wrong 2 "'by'" 'program ./stores
engine fuzz seeds 1..9 by 0'
wrong 2 "neither" 'program ./stores
engine fuzz sedes 1..9'
wrong 2 "set by the campaign" 'program ./stores
engine fuzz --store x'
wrong 1 "quote" 'program "./stores'
wrong 2 "said before" 'name a
name b'
wrong 1 "letters" 'name a/b'
wrong 1 "time" 'budget soon'
wrong 1 "ctest or meson" 'tests make build'
wrong 2 "on what" 'engine race'
wrong 1 "sources" 'engine check
program ./stores'
expect 125 "$SNAG" campaign plan nosuch.campaign
expect 125 "$SNAG" campaign
expect 125 "$SNAG" campaign dance
expect 125 "$SNAG" campaign status --dir nosuch
expect 125 "$SNAG" campaign plan -- fuzz --store x ./stores
expect 125 "$SNAG" campaign plan -- fuzz
expect 125 "$SNAG" campaign plan -- list

# Quotes, comments and seeds arrive in the units.
cat >words.campaign <<'EOF'
name words            # a comment
program ./stores 1 'two words' "it's" \# '$HOME'
engine fuzz seeds 5..29 by 10 --strategy pct
engine race seeds 1..2
timeout 1m
EOF
expect 0 "$SNAG" campaign plan --dir words words.campaign
prints '^words: 5 units'
grep -q "fuzz --seed 25 --schedules 5 --timeout 60 .*--strategy pct -- ./stores 1 'two words' 'it'\\\\''s' '#' '.HOME'" words/units/0003 ||
    fail "unit 3 is $(cat words/units/0003)"
grep -q 'race --seed 2 ' words/units/0005 || fail "unit 5 is $(cat words/units/0005)"

# A command line is split by its schedules or its runs.
expect 0 "$SNAG" campaign plan --dir line --units 4 -- race --runs 10 --seed 100 ./stores 3
prints ' 4 units'
tail -n 1 line/units/0004 | grep -q 'race --seed 109 ' || fail "unit 4 is $(cat line/units/0004)"

# A unit is a file: run by hand, twice, it gives the same store.
sh line/units/0001 >/dev/null 2>&1 || :
findings line/out/0001 one.json
sh line/units/0001 >/dev/null 2>&1 || :
findings line/out/0001 two.json
same one.json two.json
expect 0 "$SNAG" campaign status line
prints '1 of 4 units done, 1 finding so far'
prints "^2	missing	race ./stores 3, seeds 103 to 105"

# A half-written store is recognised, named and done again; so is one of another campaign.
head -c 20000 line/out/0001/snag.db >cut.db && mv cut.db line/out/0001/snag.db
mkdir -p line/out/0002 && cp words/plan.json line/out/0002/snag.db
expect 0 "$SNAG" campaign status line
prints '^1	half-written'
prints '^2	half-written'
expect 66 "$SNAG" campaign run --dir line --store line.store --progress
says 'store of unit 1 is half-written'
says '4 of 4 units, 1 finding'
findings line.store line.json
grep -q '"hits": 10,' line.json || fail "hits are not those of ten runs"

# What fails is named, with its reason, and does not hide what the others found.
cat >fails.campaign <<'EOF'
program ./stores 4
program ./nosuch
engine race
retries 1
EOF
expect 125 "$SNAG" campaign run --dir fails --store fails.store fails.campaign
says '1 of 2 units are missing'
says 'unit 2 (race ./nosuch, seed 1): .*127'
says '1 finding'
[ "$(wc -l <fails/fail/0002)" = 2 ] || fail "one retry is not two attempts"

# What is new since the last campaign.
printf 'name nightly\nprogram ./stores 1\nengine race seeds next 2\n' >nightly.campaign
expect 66 "$SNAG" campaign run nightly.campaign
says '1 of 1 new since the last campaign: 1'
expect 66 "$SNAG" campaign run nightly.campaign
says 'nothing is new since the last campaign'
grep -q 'race --seed 3 ' snag-campaign/units/0001 || fail "seeds next does not go on"
printf 'program ./stores 2\n' >>nightly.campaign
expect 66 "$SNAG" campaign run --json new.json --new-only nightly.campaign
says '1 of 2 new since the last campaign'
grep -q '"new": true' new.json && [ "$(grep -c '"hits"' new.json)" = 1 ] || fail "not the new one alone"
printf 'name nightly\nprogram ./fixed\nengine race\n' >quiet.campaign
sed 's/cell\[\([0-9]\)\] = 2/(void)0/' stores.c >fixed.c && "$SNAG" cc -g -O1 -pthread -o fixed fixed.c
expect 0 "$SNAG" campaign run --dir quiet --store quiet.store quiet.campaign
silent

# The tests of a project, as ctest and Meson know them.
if command -v cmake >/dev/null && command -v ctest >/dev/null; then
    mkdir -p project && cp stores.c project
    cat >project/CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.13)
project(p C)
enable_testing()
find_package(Threads REQUIRED)
add_executable(stores stores.c)
target_link_libraries(stores Threads::Threads)
add_test(NAME five COMMAND stores 5)
add_test(NAME six COMMAND sh -c "./stores $WHICH")
set_tests_properties(six PROPERTIES ENVIRONMENT "WHICH=6" WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
add_test(NAME off COMMAND stores 7)
set_tests_properties(off PROPERTIES DISABLED ON)
EOF
    CC="$SNAG cc" cmake -S project -B project/build >cmake.log 2>&1 || fail "$(cat cmake.log)"
    cmake --build project/build >cmake.log 2>&1 || fail "$(cat cmake.log)"
    printf 'folder project\ntests ctest build\nengine race\n' >tests.campaign
    expect 66 "$SNAG" campaign run --dir tests --store tests.store tests.campaign
    says '2 of 2 new'
    expect 0 "$SNAG" campaign status --dir tests
    prints 'tests: 2 of 2 units'
    printf 'folder project\ntests ctest build -R six\nengine race\n' >tests.campaign
    expect 0 "$SNAG" campaign plan --dir six tests.campaign
    prints ' 1 units'
fi
if command -v meson >/dev/null && command -v ninja >/dev/null; then
    mkdir -p other && cp stores.c other
    cat >other/meson.build <<'EOF'
project('p', 'c')
stores = executable('stores', 'stores.c', dependencies: dependency('threads'))
test('eight', stores, args: ['8'], suite: 'fast')
test('nine', find_program('sh'), args: ['-c', './stores $WHICH'], env: ['WHICH=9'],
     workdir: meson.current_build_dir(), depends: stores)
EOF
    CC="$SNAG cc" meson setup other/build other >meson.log 2>&1 || fail "$(cat meson.log)"
    ninja -C other/build >meson.log 2>&1 || fail "$(cat meson.log)"
    printf 'folder other\ntests meson build\nengine race\n' >meson.campaign
    expect 66 "$SNAG" campaign run --dir meson --store meson.store meson.campaign
    says '2 of 2 new'
    printf 'folder other\ntests meson build fast\nengine race\n' >meson.campaign
    expect 0 "$SNAG" campaign plan --dir fast meson.campaign
    prints ' 1 units'
fi
