# The case study: four false alarms of those who take no notice of the library, one true race.
build account alive
"$snag" trace record --no-store --quiet -o account.trace ./account >/dev/null || fail "account: not recorded"
for algorithm in hb cp mc; do
    lists $algorithm account.trace >account.$algorithm
    for pair in '23 account.c:40' '24 account.c:46' '31 account.c:40' '32 account.c:46'; do
        grep -q "race account.c:$pair" account.$algorithm || fail "account: $algorithm: no alarm $pair"
    done
done
[ "$(lists rdit account.trace)" = 'race account.c:24 account.c:32' ] ||
    fail "account: rdit says $(lists rdit account.trace)"
"$snag" predict --store account.snag --json account.json ./account >/dev/null 2>account.err
[ $? = 66 ] || fail "account: predict ends with another status than 66"
python3 - account.json <<'END' || fail "account: $(cat account.err)"
import json, sys
found = json.load(open(sys.argv[1]))["findings"]
assert len(found) == 1, found
assert found[0]["status"] == "confirmed", found[0]["status"]
assert found[0]["object"]["name"] == "bank_total"
assert sorted(s["stack"][0]["function"] for s in found[0]["sites"]) == ["first", "second"]
END
"$snag" replay --store account.snag --times 3 1 >/dev/null 2>account.err || fail "account: $(cat account.err)"
