# 200 units, 20 of them killed by SIGKILL at random: exactly the findings of an undisturbed campaign.
. "$(dirname "$0")/lib.sh"
write_stores
write_campaign 200
seed=${SNAG_TEST_SEED:-4711}

expect 66 "$SNAG" campaign run --quiet --jobs 4 --dir calm --store calm.store test.campaign
findings calm.store calm.json
whole 200 calm.json

# A unit is killed once its store is being written, by the process that holds it; which ones is random.
setsid "$SNAG" campaign run --quiet --jobs 4 --dir wild --store wild.store test.campaign >wild.out 2>&1 &
campaign=$!
killed=0
while kill -0 $campaign 2>/dev/null && [ $killed -lt 20 ]; do
    for part in wild/out/*.part-*; do
        [ -d "$part" ] || continue
        seed=$(((seed * 1103515245 + 12345) % 2147483648))
        [ $((seed / 65536 % 4)) = 0 ] && kill -9 "${part##*-}" 2>/dev/null && killed=$((killed + 1))
        [ $killed -lt 20 ] || break
    done
done
status=0
wait $campaign || status=$?
cp wild.out "$err"
[ $status = 66 ] || fail "the disturbed campaign ended with $status"
[ $killed = 20 ] || fail "only $killed units were killed before all were done"
[ -n "$(ls wild/fail)" ] || fail "no unit was named as killed"
findings wild.store wild.json
same calm.json wild.json
[ -z "$(ls wild/out | grep part)" ] || fail "remains of killed units are left"

# The same once more: nothing changes. In any order: neither.
expect 66 "$SNAG" campaign merge --quiet --store wild.store wild
findings wild.store again.json
same calm.json again.json
expect 0 "$SNAG" merge --store back $(ls -d wild/out/* | sort -r) wild/out/0007
findings back back.json
same calm.json back.json

# A campaign that was killed itself goes on where it was.
write_campaign 30
expect 66 "$SNAG" campaign run --quiet --jobs 4 --dir few --store few.store test.campaign
findings few.store few.json
setsid "$SNAG" campaign run --quiet --jobs 2 --dir cut --store cut.store test.campaign >/dev/null 2>&1 &
campaign=$!
while [ "$(ls cut/out 2>/dev/null | grep -vc part)" -lt 5 ]; do :; done
kill -9 $campaign
wait $campaign 2>/dev/null || :
half=$(ls cut/out | grep -vc part)
[ "$half" -lt 30 ] || fail "it was over before it was killed"
expect 66 "$SNAG" campaign run --quiet --jobs 4 --dir cut --store cut.store test.campaign
findings cut.store cut.json
same few.json cut.json
