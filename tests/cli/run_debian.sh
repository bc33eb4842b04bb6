# `snag run` on programs of the system: Python, sqlite3, curl, git, GLib's, …: same output, same status, no finding.
. "$(dirname "$0")/lib.sh"

expect 0 python3 "$(dirname "$0")/../../bench/tsvd/real" --build "$(dirname "$SNAG")" --repeat 1 --size 1
prints 'sh with many processes'
