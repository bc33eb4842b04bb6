# A program that gcc built with -fsanitize=thread runs under snag race as it is.
. "$(dirname "$0")/lib.sh"
command -v gcc >/dev/null || skip "no gcc"
write_race
gcc -fsanitize=thread -g -O1 -pthread -o race race.c 2>/dev/null || skip "gcc has no libtsan here"
gcc -fsanitize=thread -g -O1 -pthread -DFIXED -o fixed race.c
expect 66 "$SNAG" race ./race
says 'counter'
says 'race.c'
if grep -q 'WARNING: ThreadSanitizer' "$err"; then fail "libtsan itself was at work"; fi
expect 0 "$SNAG" race ./fixed
