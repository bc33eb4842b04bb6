# snag cc and c++ with every compiler that is here: build, run by itself, watch.
. "$(dirname "$0")/lib.sh"
write_race
cat >race.cc <<'END'
#include <atomic>
#include <iostream>
#include <stdexcept>
#include <thread>
int counter;
std::atomic<int> steps;
int main()
{
    std::thread t([] { steps++; counter++; });
#ifdef FIXED
    t.join();
#endif
    counter++;
#ifndef FIXED
    t.join();
#endif
    try {
        throw std::runtime_error("thrown");
    } catch (const std::exception &e) {
        std::cout << e.what() << " " << steps << std::endl;
    }
    return 0;
}
END
echo 'int twice(int n) { return 2 * n; }' >lib.c
echo '{ local: *; };' >none.map
printf 'int twice(int);\nint main(void) { return twice(4); }\n' >uselib.c
# an inline function that two files have, behind a function that only one has
cat >inline.h <<'END'
struct base { virtual int f() { return 1; } virtual ~base() {} };
struct derived : base { int f() override { return 2; } };
base *make();
END
printf 'int only_here(int n) { return n; }\n#include "inline.h"\nbase *make() { return new derived; }\n' >inline_a.cc
printf '#include "inline.h"\nint main() { derived d; base *b = make(); int r = b->f() - d.f(); delete b; return r; }\n' >inline_b.cc
for cc in $(compilers); do
    export SNAG_CC=$cc SNAG_CXX="$(cxx_of $cc)"
    echo "with $cc"
    expect 0 "$SNAG" c++ inline_b.cc inline_a.cc -o inline
    expect 0 ./inline
    expect 0 "$SNAG" cc -Wall -Werror -O1 -pthread race.c -o race
    expect 0 ./race
    silent # by itself it runs plainly
    expect 66 "$SNAG" race --no-store ./race
    says 'counter'
    says 'race.c:11' # -g was added
    expect 0 "$SNAG" cc -Werror -DFIXED -O1 -c race.c -o fixed.o -pthread
    expect 0 "$SNAG" cc -Werror fixed.o -o fixed -pthread
    expect 0 "$SNAG" race --no-store ./fixed

    if command -v "$SNAG_CXX" >/dev/null; then
        expect 0 "$SNAG" c++ -Werror -O1 race.cc -o racexx -pthread
        expect 0 ./racexx
        prints 'thrown 1'
        silent
        expect 66 "$SNAG" race --no-store ./racexx
        says 'counter'
        expect 0 "$SNAG" c++ -Werror -O1 -DFIXED race.cc -o fixedxx -pthread
        expect 0 "$SNAG" race --no-store ./fixedxx
    fi

    expect 0 "$SNAG" cc -shared -fPIC -Wl,-z,defs -o libtwice.so lib.c
    expect 0 "$SNAG" cc uselib.c -o uselib -L. -ltwice -Wl,-rpath,"$PWD"
    expect 8 ./uselib
    expect 0 "$SNAG" cc -r -o part.o lib.c
    expect 0 "$SNAG" cc uselib.c part.o -o whole
    expect 8 ./whole
    expect 0 "$SNAG" cc -nodefaultlibs uselib.c lib.c -o nolibs -lc
    expect 0 "$SNAG" cc -shared -nostdlib -fPIC -o libnostd.so lib.c
    expect 0 "$SNAG" cc -no-pie uselib.c lib.c -o nopie
    expect 8 ./nopie
    for linker in lld gold mold; do
        if command -v ld.$linker >/dev/null && $cc -fuse-ld=$linker uselib.c lib.c -o plain 2>/dev/null; then
            expect 0 "$SNAG" cc -fuse-ld=$linker uselib.c lib.c -o linked
            expect 8 ./linked
        fi
    done
    # the library does not find what the program has for its looks
    expect 0 "$SNAG" cc -O1 -Wl,--version-script=none.map race.c -o hidden -pthread
    expect 66 "$SNAG" race --no-store ./hidden
    says 'counter'
    expect 0 "$SNAG" cc -O1 -DFIXED -Wl,--version-script=none.map race.c -o hidden -pthread
    expect 0 "$SNAG" race --no-store ./hidden
    echo '-o "from response" uselib.c lib.c' >arguments
    expect 0 "$SNAG" cc @arguments
    expect 8 './from response'
    expect 0 "$SNAG" cc -x c -Werror - -o stdin <race.c
    echo 'int h;' >h.h
    expect 0 "$SNAG" cc -Werror h.h -o h.h.gch
    expect 0 "$SNAG" cc -fsanitize=thread uselib.c lib.c -o own
    expect 0 "$SNAG" cc -fsanitize=undefined -fno-sanitize-recover=all uselib.c lib.c -o ubsan
    expect 8 ./ubsan
    ldd ubsan | grep -q libsnag || fail "libsnag is not in ubsan"
    expect 0 "$SNAG" cc -fsanitize=undefined,thread uselib.c lib.c -o ubsan2
    expect 8 "$SNAG" race --no-store ./ubsan2
    expect 0 "$SNAG" cc -fno-sanitize=thread uselib.c lib.c -o off
    expect 8 ./off

    for refused in -static -static-pie -fsanitize=address -fsanitize=leak,undefined; do
        expect 125 "$SNAG" cc $refused uselib.c lib.c -o refused
        says "${refused%,*}"
        [ ! -e refused ] || fail "$refused made a program"
    done
    expect 0 "$SNAG" cc -static -c lib.c -o lib.o # only linking is refused
    echo 'int main(void) { return }' >wrong.c
    try $cc -c wrong.c
    plain=$status
    expect "$plain" "$SNAG" cc -c wrong.c
done

unset SNAG_CC SNAG_CXX
# a name that says nothing: the compiler is asked
printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v clang || command -v gcc)" >wrapper && chmod +x wrapper
expect 0 env SNAG_CC="$PWD/wrapper -DX" "$SNAG" cc uselib.c lib.c -o wrapped
expect 8 ./wrapped
expect 127 env SNAG_CC=nosuch-compiler "$SNAG" cc lib.c
says 'SNAG_CC'
expect 125 env SNAG_CC="$SNAG cc" "$SNAG" cc lib.c
says 'real compiler'
