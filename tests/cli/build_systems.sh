# The example projects for CMake and Meson, as they stand: the buggy source fails the test, the fixed passes.
. "$(dirname "$0")/lib.sh"
examples=$(cd "$(dirname "$0")/../../examples" && pwd)
build=$(cd "$1" && pwd)
cp -r "$examples" examples
for source in bank bank_fixed; do
    result=$([ $source = bank ] && echo Failed || echo Passed)
    rm -rf b
    expect 0 cmake -S examples/cmake -B b -Dsnag_DIR="$build" -DACCOUNT=../$source.c
    expect 0 cmake --build b
    try ctest --test-dir b -R race
    grep -q "account.race .*$result" "$out" || fail "CMake: account.race with $source.c is not: $result"
done
command -v meson >/dev/null || exit 0
for source in bank bank_fixed; do
    rm -rf m
    expect 0 env PATH="$build:$PATH" CC="$SNAG cc" meson setup m examples/meson -Daccount=../$source.c
    try env PATH="$build:$PATH" meson test -C m --suite snag
    [ $source = bank ] && result=FAIL || result=OK
    grep -q "account.race .*$result" "$out" || fail "Meson: account.race with $source.c is not: $result"
done
# the workflows are YAML, and run commands that there are
if python3 -c 'import yaml' 2>/dev/null; then
    for file in examples/ci/*.yml; do
        python3 -c 'import sys, yaml; yaml.safe_load(open(sys.argv[1]))' "$file" || fail "$file is no YAML"
    done
fi
for file in examples/ci/*.yml; do
    for option in $(grep -o 'snag race.*' -A2 "$file" | grep -o -- '--[a-z-]*' | grep -v test-dir); do
        "$SNAG" help --all race | grep -q -- "$option" || [ "$option" = -- ] || fail "$file uses $option, which snag race has not"
    done
done
