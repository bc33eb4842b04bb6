# What a call has in vector registers goes through the recorder unchanged.
${CC:-${SNAG_CC:-cc}} -g -O1 -shared -fPIC -Wno-psabi -o libmix.so "$here/mix.c" || exit 1
"$snag" cc -g -O1 -pthread -Wno-psabi -o vectors "$here/vectors.c" -L. -lmix "-Wl,-rpath,$work" || exit 1
for pairs in graph whole; do
    said=$("$snag" trace record --no-store --quiet --pairs $pairs -o v.trace ./vectors 2>&1)
    [ "$said" = '0 wrong' ] || fail "vectors, $pairs: $said"
done
