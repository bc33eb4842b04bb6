#!/bin/bash
# run.sh BUILD [PROCESSES [EACH]]: that many processes at once (20) with that many findings each (50), once as
# commands of their own that write one store, once as children of one test runner. None is lost, none is
# double, and the reports say so. `run.sh build 200` is 10,000 findings.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
snag=$(cd "$1" && pwd)/snag
processes=${2:-20} each=${3:-50}
all=$((processes * each))
unset SNAG_OPTIONS
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 "$here/generate.py" $all >prog.c
"$snag" cc -O1 -g -pthread -o prog prog.c
"$snag" cc -O1 -g -pthread -DFIXED -o fixed prog.c

count() { # STORE [NUMBER]: how many findings; all different
    "$snag" list --store "$1" >list || [ $? = 66 ]
    n=$(wc -l <list)
    [ "$n" = "$(cut -f4 list | sort -u | wc -l)" ] || { echo "a finding is there twice"; exit 1; }
    [ $# = 1 ] || [ "$n" = "$2" ] || { echo "$n findings in $1, not $2"; exit 1; }
}

# commands of their own
mkdir status
i=0
while [ $i -lt $processes ]; do
    { s=0; "$snag" race --quiet --store one --json status/$i.json -- ./prog $((i * each)) $each 2>status/$i.err || s=$?; echo $s >status/$i; } &
    i=$((i + 1))
done
wait
for file in status/*; do
    case $file in *.err | *.json) continue ;; esac
    [ "$(cat "$file")" = 66 ] || { echo "a command ended with $(cat "$file"): $(cat "$file.err")"; exit 1; }
done
# What each command has reported is what the store must have. (Each of them has all of its findings, unless two
# threads met in one access at the same instant.)
all=$(python3 -c 'import glob, json
keys = [f["key"] for name in glob.glob("status/*.json") for f in json.load(open(name))["findings"]]
assert len(keys) == len(set(keys)), "two commands reported the same finding"
print(len(keys))')
[ "$all" -ge $((processes * each * 99 / 100)) ] || { echo "only $all findings were reported"; exit 1; }
count one "$all"

# children of one runner, twice as it may be: the second time nothing is new
cat >runner <<END
#!/bin/sh
i=0
while [ \$i -lt $processes ]; do
    ./\$1 \$((i * $each)) $each &
    i=\$((i + 1))
done
wait
END
chmod +x runner
for round in 1 2; do
    s=0
    "$snag" race --quiet --store two --json two$round.json -- ./runner prog || s=$?
    [ $s = 66 ] || { echo "the runner ended with $s"; exit 1; }
done
count two "$(python3 -c 'import json
print(len({f["key"] for name in ("two1.json", "two2.json") for f in json.load(open(name))["findings"]}))')"
"$snag" race --store three -- ./runner fixed
count three 0

# both together are still the same findings
"$snag" merge --store one two
count one
all=$n
[ "$all" -le $((processes * each)) ] || { echo "there are more findings than bugs"; exit 1; }
TIMEFORMAT='%R s (%U s of processor)'
forms() { "$snag" report --quiet --store one --html r.html --json r.json --sarif r.sarif --junit r.xml || [ $? = 66 ]; }
text() { "$snag" report --store one >report.txt 2>&1 || [ $? = 66 ]; }
echo "$all findings of $processes processes: none lost, none double"
echo "four report files: $({ time forms; } 2>&1)"
echo "text report: $({ time text; } 2>&1)"
[ "$(grep -c '<details class=f' r.html)" = $all ] || { echo "the page has not all findings"; exit 1; }
[ "$(grep -c '<testcase' r.xml)" = $all ] || { echo "JUnit has not all findings"; exit 1; }
grep -q "snag: $all findings" report.txt || { echo "the text report has not all findings"; exit 1; }
