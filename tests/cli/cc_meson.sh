# CC="snag cc" CXX="snag c++" for a Meson project.
. "$(dirname "$0")/lib.sh"
command -v meson >/dev/null || skip "no meson"
write_race main.c
echo 'int part(int n) { return n + 1; }' >part.cc
cat >meson.build <<'END'
project('probe', 'c', 'cpp')
threads = dependency('threads')
part = shared_library('part', 'part.cc')
executable('main', 'main.c', dependencies: threads, link_with: part)
END
for cc in $(two_compilers); do
    cxx=$(cxx_of $cc)
    command -v "$cxx" >/dev/null || continue
    rm -rf b
    export SNAG_CC=$cc SNAG_CXX=$cxx
    expect 0 env CC="$SNAG cc" CXX="$SNAG c++" meson setup b
    expect 0 ninja -C b
    expect 66 "$SNAG" race --no-store ./b/main
    says 'counter'
done
