#!/bin/sh
# run.sh BUILD [FOLDER]: the HTML report in headless Chromium (page_test.py). With a FOLDER the pages and
# screenshots stay there. `make check-html` installs the browser; without it the test is skipped.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
snag=$(cd "$1" && pwd)/snag
for tool in chromium chromedriver python3; do
    command -v $tool >/dev/null || { echo "skipped: no $tool (make check-html installs it)"; exit 77; }
done
unset SNAG_OPTIONS
if [ $# -gt 1 ]; then
    mkdir -p "$2"
    work=$(cd "$2" && pwd)
else
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi
cd "$work"
for name in bank philosophers; do
    cp "$here/../../examples/$name.c" .
    "$snag" cc -O1 -pthread -o $name $name.c
    status=0
    "$snag" hunt --quiet --schedules 25 --store store ./$name >/dev/null || status=$?
    [ $status = 66 ] || { echo "snag hunt ./$name: status $status"; exit 1; }
done
HOME=$work PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here timeout 500 python3 "$here/page_test.py" "$snag" "$work"
