# snag doctor: every check has a line, and it says when something is broken.
. "$(dirname "$0")/lib.sh"
expect 0 "$SNAG" doctor
for word in kernel randomisation overcommit ulimit libsnag LD_PRELOAD 'snag cc' 'snag race finds' store; do
    prints "$word"
done
[ -z "$(ls)" ] || fail "doctor left files behind: $(ls)"
mkdir .snag && echo 'no database, but a text that is long enough to be read' >.snag/snag.db
expect 125 "$SNAG" doctor
prints '^FAIL  store'
# a copy without its library
cp "$SNAG" alone
expect 125 ./alone doctor --store fresh
prints '^FAIL  libsnag'
expect 125 ./alone race true
