# CC="snag cc" for an autotools package with libtool: configure's probes, a shared library, a program.
. "$(dirname "$0")/lib.sh"
for tool in autoreconf automake libtoolize make; do
    command -v $tool >/dev/null || skip "no $tool"
done
write_race main.c
echo 'int part(int n) { return n + 1; }' >part.c
cat >configure.ac <<'END'
AC_INIT([probe], [1])
AM_INIT_AUTOMAKE([foreign])
AC_PROG_CC
AM_PROG_AR
LT_INIT
AC_CHECK_FUNCS([pthread_create memset])
AC_CHECK_SIZEOF([long])
AC_SEARCH_LIBS([pthread_create], [pthread])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
END
cat >Makefile.am <<'END'
bin_PROGRAMS = main
main_SOURCES = main.c
main_LDADD = libpart.la
lib_LTLIBRARIES = libpart.la
libpart_la_SOURCES = part.c
END
expect 0 autoreconf -i
for cc in $(two_compilers); do
    export SNAG_CC=$cc
    rm -rf b && mkdir b && cd b
    expect 0 ../configure CC="$SNAG cc"
    grep -q 'SIZEOF_LONG=8\|SIZEOF_LONG 8' config.log || fail "configure's probes went wrong"
    expect 0 make
    expect 0 ./main
    expect 66 "$SNAG" race --no-store ./main
    says 'counter'
    cd ..
done
