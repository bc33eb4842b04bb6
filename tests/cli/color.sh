# Colours: on a terminal that knows them, unless NO_COLOR or --color says otherwise.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip "no python3"
build_race
expect 66 "$SNAG" race --quiet ./race
cat >drive.py <<'END'
"""Runs a command on a terminal of its own. Status 1 when it writes colours."""
import os, pty, sys
seen = b""
def read(fd):
    global seen
    data = os.read(fd, 10000)
    seen += data
    return data
os.dup2(os.open("/dev/null", os.O_RDWR), 1)
pty.spawn(sys.argv[1:], read)
sys.exit(b"\033[" in seen)
END
unset NO_COLOR
TERM=xterm && export TERM
for command in "show 1" report; do
    # shellcheck disable=SC2086
    {
        expect 1 python3 drive.py "$SNAG" $command
        expect 0 python3 drive.py "$SNAG" $command --color never
        expect 0 env NO_COLOR=1 python3 drive.py "$SNAG" $command
        expect 0 env TERM=dumb python3 drive.py "$SNAG" $command
        expect 1 env NO_COLOR=1 python3 drive.py "$SNAG" $command --color always
    }
done
expect 66 "$SNAG" show 1
grep -q "$(printf '\033')" "$out" && fail "colours in a file"
exit 0
