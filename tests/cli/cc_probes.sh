# What configure scripts ask a compiler: the answers are the compiler's own.
. "$(dirname "$0")/lib.sh"
echo 'int main(void) { return 0; }' >conftest.c
for cc in $(compilers); do
    export SNAG_CC=$cc
    for question in --version -v -V -qversion -dumpmachine -dumpversion -print-search-dirs \
        -print-prog-name=ld -print-multi-os-directory -print-file-name=libc.so '-Wl,--help' \
        '-print-libgcc-file-name' '--help'; do
        # shellcheck disable=SC2086
        status=0 && $cc $question >plain.out 2>plain.err || status=$?
        expect $status "$SNAG" cc $question
        # temporary file names differ from call to call
        sed 's#/tmp/cc[A-Za-z0-9]*##g' plain.out >plain && sed 's#/tmp/cc[A-Za-z0-9]*##g' "$out" >ours
        cmp -s plain ours || fail "$cc $question answers otherwise"
    done
    # autoconf: does the compiler make a.out, objects, dependencies
    rm -f a.out conftest.o conftest.d
    expect 0 "$SNAG" cc conftest.c
    [ -x a.out ] || fail "no a.out"
    expect 0 "$SNAG" cc -c conftest.c
    [ -e conftest.o ] || fail "no conftest.o"
    expect 0 "$SNAG" cc -MMD -MF conftest.d -MT x -c conftest.c -o x.o
    grep -q '^x:' conftest.d || fail "no dependencies"
    expect 0 "$SNAG" cc -M conftest.c
    prints 'conftest.o:'
    expect 0 "$SNAG" cc -S conftest.c
    [ -e conftest.s ] || fail "no conftest.s"
    expect 0 "$SNAG" cc -E -dM -x c /dev/null
    if [ $cc = gcc ]; then prints '__SANITIZE_THREAD__'; else prints '__clang__'; fi
    # -E: what the compiler itself prints, but for the macro that says what is built
    "$SNAG" cc -E -P conftest.c >ours && $cc -E -P conftest.c >plain
    cmp -s plain ours || fail "-E differs with $cc"
    # a probe for a flag that does not exist must fail, one for a library that does not, too
    if "$SNAG" cc -nosuchflag conftest.c >"$out" 2>"$err"; then fail "an unknown flag is accepted"; fi
    if "$SNAG" cc conftest.c -lnosuchlibrary >"$out" 2>"$err"; then fail "a missing library is accepted"; fi
    expect 0 "$SNAG" cc conftest.c -lm -lpthread -ldl
done
