# The program cannot tell snag from a shell: input, output, arguments, environment, folder.
. "$(dirname "$0")/lib.sh"
build_race
cat >echo.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    char line[100];
    for (int i = 0; i < argc; i++)
        printf("<%s>", argv[i]);
    while (fgets(line, sizeof line, stdin))
        printf("[%s]", strtok(line, "\n"));
    fprintf(stderr, "to stderr\n");
    const char *preload = getenv("LD_PRELOAD");
    printf("%s\n", preload && strstr(preload, "libmine.so") ? "kept" : "lost");
    return 0;
}
END
"$SNAG" cc -o echo echo.c
echo 'int mine;' | cc -shared -fPIC -o libmine.so -x c -
printf 'one\ntwo\n' >input
expect 0 env LD_PRELOAD="$PWD/libmine.so" "$SNAG" race --quiet ./echo 'a b' '' -- --x <input
prints '^<./echo><a b><><--><--x>\[one\]\[two\]kept$'
[ "$(cat "$err")" = "to stderr" ] || fail "stderr is not the program's alone"

# a script is a program too; what it starts is watched
printf '#!/bin/sh\n./fixed && ./race\n' >script.sh && chmod +x script.sh
expect 66 "$SNAG" race ./script.sh
says 'counter'
# and one whose interpreter is missing cannot be executed
printf '#!/nosuch/interpreter\n' >bad.sh && chmod +x bad.sh
expect 127 "$SNAG" race ./bad.sh
says 'cannot execute'

# without a first line it is the shell's; a program of another machine is nobody's
printf 'exit 5\n' >plain.sh && chmod +x plain.sh
expect 5 "$SNAG" run --quiet ./plain.sh
cp echo alien && printf '\267\000' | dd of=alien bs=1 seek=18 conv=notrunc 2>dd.log
expect 125 "$SNAG" run ./alien
says 'alien'
head -c 40 echo >cut && chmod +x cut
expect 126 "$SNAG" run ./cut
says 'cut'
printf 'GIF89a\001\000\001\000;' >picture && chmod +x picture
expect 126 "$SNAG" run ./picture
says 'neither a program nor a script'

# --runs: the findings of all runs are one
expect 66 "$SNAG" race --store s2 --runs 3 --json runs.json ./race
grep -q '"runs": *3' runs.json || fail "the JSON does not say 3 runs: $(cat runs.json)"
[ "$("$SNAG" list --store s2 | wc -l)" = 1 ] || fail "three runs of one race: $("$SNAG" list --store s2)"
[ -z "$(ls s2/runs 2>/dev/null)" ] || fail "run files are left in s2/runs"

# a process that outlives the program is mentioned, and does not hold snag up
expect 0 "$SNAG" race --no-store sh -c './fixed; sleep 30 >/dev/null 2>&1 & echo $! >pid'
kill "$(cat pid)" || fail "the process in the background is gone"
says 'still run'

# the loader could not find snag's library in such a place: said once, and nothing is run
mkdir -p 'a b/lib'
cp "$SNAG" 'a b/snag' && cp "$(dirname "$SNAG")/lib/libsnag-none.so" 'a b/lib'
for command in race hunt predict learn; do
    expect 125 'a b/snag' $command --no-store ./race
    says 'install snag elsewhere'
    [ "$(wc -l <"$err")" = 1 ] || fail "said more than once"
    [ ! -s "$out" ] || fail "the program was run"
done
