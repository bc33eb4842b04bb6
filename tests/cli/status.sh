# Exit statuses: the program's own, 66 and --exitcode, 128 + signal, 125, 126, 127.
. "$(dirname "$0")/lib.sh"
build_race

expect 0 "$SNAG" race ./fixed
expect 7 "$SNAG" race ./fixed 7
expect 134 "$SNAG" race ./fixed a
expect 66 "$SNAG" race ./race
says 'counter'
expect 66 "$SNAG" race ./race 7
expect 66 "$SNAG" race ./race a # found before it died
expect 0 "$SNAG" race --exitcode 0 ./race

expect 127 "$SNAG" race ./nosuch
says 'not found'
expect 127 "$SNAG" race nosuch-in-path
says 'not found'
touch plain && expect 126 "$SNAG" race ./plain
says './plain cannot be executed: chmod +x'
expect 126 "$SNAG" race .
says '^snag: \. cannot be executed: it is a folder'
mkdir first last
touch first/closed
PATH=$PWD/first:$PWD/last:$PATH expect 126 "$SNAG" race closed
says 'first/closed cannot be executed'
printf 'not a program' >text && chmod +x text
PATH=$PWD:$PATH expect 0 "$SNAG" race fixed

# not instrumented: it says so, and which command needs no rebuild
cc -o plain_true -x c - <<'END'
int main(void) { return 0; }
END
expect 125 "$SNAG" race ./plain_true
says 'not instrumented'
says 'snag cc'
says 'snag run'

# a static program is refused before it runs
if cc -static -o static -x c - 2>/dev/null <<'END'
#include <stdio.h>
int main(void) { puts("ran"); return 0; }
END
then
    expect 125 "$SNAG" race ./static
    says 'static'
    [ ! -s "$out" ] || fail "the static program was run"
fi

# what a program does by itself, whatever the schedule, is no finding: its end stays its own
cat >ends.c <<'END'
#include <stdlib.h>
int main(int argc, char **argv)
{
    if (argc > 1)
        return atoi(argv[1]);
    abort();
}
END
"$SNAG" cc -g -o ends ends.c
gcc -g -o plain_ends ends.c
for program in ends plain_ends; do
    for command in hunt fuzz run; do
        expect 134 "$SNAG" $command --no-store ./$program
        expect 7 "$SNAG" $command --no-store ./$program 7
        if grep -q 'abort in' "$err"; then fail "the program's own end is a finding"; fi
    done
done

# a program that AddressSanitizer would end is refused, unless it was told not to
write_race
if gcc -fsanitize=address -pthread -o gcc_asan race.c 2>/dev/null; then
    for command in race run hunt; do
        expect 125 env -u ASAN_OPTIONS "$SNAG" $command --no-store ./gcc_asan
        says 'fsanitize=address'
        [ ! -s "$out" ] || fail "the program was run"
    done
    expect 0 env ASAN_OPTIONS=verify_asan_link_order=0 "$SNAG" run --no-store ./gcc_asan
    prints done
fi

# a program with clang's own runtime inside is refused
if command -v clang >/dev/null && clang -fsanitize=thread -o clang_tsan race.c 2>/dev/null; then
    expect 125 "$SNAG" race ./clang_tsan
    says 'ThreadSanitizer'
    [ ! -s "$out" ] || fail "the program was run"
fi
