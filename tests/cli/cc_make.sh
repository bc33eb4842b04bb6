# CC="snag cc" in a Makefile with its built-in rules, an archive and a shared library.
. "$(dirname "$0")/lib.sh"
command -v make >/dev/null || skip "no make"
write_race main.c
cat >Makefile <<'END'
CFLAGS = -O1 -Wall -Werror
LDLIBS = -pthread
all: main libpart.a libpart.so
main: main.o
libpart.a: libpart.a(part.o)
libpart.so: part.c
	$(CC) -shared -fPIC -o $@ $<
END
echo 'int part(void) { return 1; }' >part.c
expect 0 make CC="$SNAG cc"
expect 66 "$SNAG" race --no-store ./main
says 'counter'
