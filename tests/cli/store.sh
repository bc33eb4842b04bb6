# A store that cannot be used is found before the program runs: a message, 125, nothing harmed.
. "$(dirname "$0")/lib.sh"
build_race
cat >trace.sh <<'END'
#!/bin/sh
touch ran
./race
END
chmod +x trace.sh
refused() {
    rm -f ran
    expect 125 "$SNAG" race --store "$1" ./trace.sh
    [ ! -e ran ] || fail "the program was run"
    [ -s "$err" ] || fail "no message"
    expect 125 "$SNAG" list --store "$1"
    [ -s "$err" ] || fail "no message from snag list"
}

# a file where the folder should be; a folder whose database is none; a folder below a file
echo text >file && refused file
mkdir notdb && echo 'this is no database, and long enough to be looked at' >notdb/snag.db && refused notdb
cmp -s notdb/snag.db - <<END || fail "the foreign file was changed"
this is no database, and long enough to be looked at
END
refused file/below

# a newer version
expect 66 "$SNAG" race --store newer ./race
python3 - <<'END' || skip "no python3 with sqlite3"
import sqlite3
db = sqlite3.connect("newer/snag.db")
db.execute("PRAGMA user_version = 1000")
db.commit()
END
refused newer
says 'newer'

# without a store it works everywhere
expect 66 "$SNAG" race --no-store ./trace.sh
[ -e ran ] || fail "the program was not run"
expect 125 "$SNAG" list --store nothing-here
expect 125 "$SNAG" list --no-store
expect 125 "$SNAG" show --store newer-not 1

# SQLite has a limit that others have not
long=$(printf '%0200d' 0)
mkdir -p "$long/$long/$long"
expect 125 "$SNAG" race --store "$long/$long/$long" ./trace.sh
says 'too long'
expect 66 "$SNAG" race --no-store ./trace.sh
