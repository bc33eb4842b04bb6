# `snag run`: options, exit statuses, contract files with errors, what it says.
. "$(dirname "$0")/lib.sh"

cat >ok.c <<'END'
#include <stdio.h>
int main(void) { puts("ok"); return 7; }
END
cc -o ok ok.c
expect 7 "$SNAG" run ./ok
prints ok
silent
expect 125 "$SNAG" run
says "no program given"
expect 125 "$SNAG" run --mode fast ./ok
says "tsvd|hb|random|static-random"
expect 125 "$SNAG" run --contracts nothing ./ok
says "nothing.contract"
printf 'library x\ntype T\nuse T 1: f\nfrob\n' >bad.contract
expect 125 "$SNAG" run --contracts ./bad.contract ./ok
says "bad.contract:4: unknown key 'frob'"
for option in delay-ms=0 window-ms=10 history=3 phase-buffer=8 hb-threshold=0.3 hb-window=2 decay=0.2 \
    max-delay-ms=100 mode=hb contracts=libc; do
    expect 7 "$SNAG" run "--$option" ./ok
done

cc -static -o static ok.c 2>/dev/null && { expect 125 "$SNAG" run ./static; says "statically linked"; }
printf '#!/bin/sh\necho script\nexit 3\n' >script && chmod +x script
expect 3 "$SNAG" run ./script
prints script
echo text >text && chmod +x text
try "$SNAG" run ./text
[ "$status" != 0 ] || fail "a text file is no program"

expect 0 "$SNAG" contracts list
prints '^glib'
prints '^libc'
expect 0 "$SNAG" contracts check libc
prints 'libc .*has'
printf 'library x\nsoname libc.so.6\ntype T\nuse T 1: strlen no_such_function\n' >lacks.contract
expect 0 "$SNAG" contracts check ./lacks.contract
prints 'lacks no_such_function'
expect 125 "$SNAG" contracts check ./bad.contract
expect 125 "$SNAG" contracts
expect 0 "$SNAG" help run
prints '--max-delay-ms'

# musl's loader could not bind snag's library: said beforehand. A library of that name is enough.
echo 'int musl;' >musl.c
cc -shared -fPIC -o libc.so -Wl,-soname,libc.so musl.c
cc -o other ok.c -Wl,--no-as-needed "$PWD/libc.so"
expect 125 "$SNAG" run ./other
says 'linked with musl'

# a filter that kills for calls of snag's
printf '#include <signal.h>\nint main(void) { return raise(SIGSYS); }\n' >filtered.c
cc -o filtered filtered.c
expect 159 "$SNAG" run --no-store ./filtered
says 'filtered was killed by SIGSYS'
