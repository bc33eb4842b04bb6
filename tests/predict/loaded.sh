# Calls that no slot of the program leads to: dlsym, pointers in data, a plug-in.
build loaded hidden
cp libhidden.so libloaded.so
cp libhidden.so libother.so
"$snag" cc -g -O1 -shared -fPIC -o libplugin.so "$here/plugin.c" -L. -lhidden "-Wl,-rpath,$work" || exit 1
for name in table dlsym plugin again; do
    "$snag" trace record --no-store --quiet -o l.trace ./loaded $name || fail "loaded $name: not recorded"
    [ "$(lists hb l.trace)" = 'race loaded.c:27 loaded.c:38' ] || fail "$name: hb has no false alarm"
    [ -z "$(lists rdit l.trace)" ] || fail "$name: rdit gives a false alarm"
    "$snag" trace record --no-store --quiet -o l.trace ./loaded $name race || fail "loaded $name: not recorded"
    [ "$(lists rdit l.trace)" = 'race loaded.c:27 loaded.c:35' ] || fail "$name: rdit misses the twin's race"
done
