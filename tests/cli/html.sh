# --html: one page that needs nothing else, from every command that reports. What it does in a browser
# is tested by tests/html.
. "$(dirname "$0")/lib.sh"
build_race
expect 66 "$SNAG" race --quiet --html race.html ./race
for words in 'data race on `counter`' 'counter++' 'usual fix' "default-src 'none'" '<noscript>\|<script nonce='; do
    grep -q -- "$words" race.html || fail "race.html has no '$words'"
done
! grep -qE '(src|href)=|@import|url\(' race.html || fail "race.html asks for another file"
expect 66 "$SNAG" report --quiet --html -
prints '<!doctype html>'
expect 66 "$SNAG" show 1 --html one.html
grep -q '<h1>1 finding</h1>' one.html || fail "one.html has not one finding"
expect 0 "$SNAG" race --no-store --html fixed.html ./fixed
grep -q 'Nothing was found' fixed.html || fail "fixed.html does not say that nothing was found"
# a path that is code stays text
mkdir '<img src=x onerror=a>'
cp race.c '<img src=x onerror=a>/b&b.c'
"$SNAG" cc -O1 -pthread -o odd '<img src=x onerror=a>/b&b.c'
expect 66 "$SNAG" race --no-store --quiet --html odd.html ./odd
grep -q '&lt;img src=x onerror=a&gt;/b&amp;b.c' odd.html || fail "the odd path is not there"
! grep -q '<img' odd.html || fail "the odd path became an element"
