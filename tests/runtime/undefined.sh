#!/bin/sh
# What libsnag-*.so takes from others: libc alone, and of it only what undefined.allow lists, each
# with its reason there. A new name means a new way for the program under test to be disturbed.
#
#   undefined.sh BUILD_DIR
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
sed 's/#.*//; s/[[:space:]]*$//; /^$/d' "$here/undefined.allow" | sort -u >"$work/allowed"
failed=0
for library in "$1"/lib/libsnag-*.so; do
    case $library in */libsnag-llvm.so) continue ;; esac # the command's own, never in a program
    [ -e "$library" ] || { echo "undefined: no library in $1/lib"; exit 2; }
    needed=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v '^libc\.so\.6$')
    nm -D --undefined-only "$library" | sed 's/.* //; s/@.*//' | sort -u >"$work/undefined"
    more=$(comm -23 "$work/undefined" "$work/allowed")
    if [ -n "$needed" ] || [ -n "$more" ]; then
        echo "FAIL $(basename "$library"): needs $(echo "$needed $more" | tr "\n" " ")"
        failed=1
    fi
done
[ "$failed" -eq 0 ] && echo "undefined: ok"
exit "$failed"
