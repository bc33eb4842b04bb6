# `snag run` on the Python interpreter: native modules reach libraries by dlopen and dlsym, and their calls are seen;
# what Python itself guards is left in peace.
. "$(dirname "$0")/lib.sh"

python=/usr/bin/python3
[ -x "$python" ] && "$python" -c 'import ctypes' 2>/dev/null || skip "no Python of the system"

cat >wrong.py <<'END'
import ctypes, threading
libc = ctypes.CDLL("libc.so.6")
gate, lines = threading.Barrier(2), []
def split():
    for _ in range(400):  # each time both are let go together
        line = ctypes.create_string_buffer(b"one two three " * 100)
        lines.append(line)  # strtok may go on in the other thread's line
        gate.wait()
        libc.strtok(line, b" ")
        while libc.strtok(None, b" "):
            pass
threads = [threading.Thread(target=split) for _ in range(2)]
for t in threads: t.start()
for t in threads: t.join()
print("done")
END
try "$SNAG" run --runs 10 --json found.json "$python" wrong.py
[ "$status" = 66 ] || fail "status $status, not 66"
grep -q '"call:strtok"' found.json || fail "strtok was not found"

cat >right.py <<'END'
import json, re, sqlite3, sys, threading, zlib
lock, total = threading.Lock(), []
def work(n):
    squeeze, db = zlib.compressobj(), sqlite3.connect(":memory:")
    db.execute("create table t(n)")
    for i in range(50):
        squeeze.compress(b"x" * 1000)
        db.execute("insert into t values (?)", (i,))
        re.match("a+", "aaa")
    with lock:
        total.append(db.execute("select sum(n) from t").fetchone()[0] + len(json.dumps([n])))
threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
for t in threads: t.start()
for t in threads: t.join()
print(sum(total))
sys.exit(5)
END
expect 5 "$SNAG" run "$python" right.py
prints '^4912$'
silent
