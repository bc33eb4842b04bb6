#!/bin/sh
# dist.sh FOLDER: FOLDER/snag-VERSION.tar.gz with the sources of HEAD; the same bytes for the same commit.
set -eu
cd "$(dirname "$0")/.."
out=$1 name=snag-$(scripts/version.sh)
git rev-parse --git-dir >/dev/null 2>&1 || { echo "dist.sh: this is no git repository: the sources are a distribution already" >&2; exit 1; }
mkdir -p "$out"
git archive --format=tar --prefix="$name/" HEAD | gzip -n -9 >"$out/$name.tar.gz.new"
mv "$out/$name.tar.gz.new" "$out/$name.tar.gz"
echo "$out/$name.tar.gz"
