#!/bin/sh
# reproducible.sh: the source archive and the Debian package, each made twice in folders of other names, have
# the same bytes.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for folder in one another/place; do
    scripts/dist.sh "$work/$folder-dist" >/dev/null
    mkdir -p "$work/$folder"
    tar -xzf "$work/$folder-dist"/*.tar.gz --strip-components=1 -C "$work/$folder"
    (
        cd "$work/$folder"
        SOURCE_DATE_EPOCH=$(git -C "$OLDPWD" log -1 --format=%ct)
        export SOURCE_DATE_EPOCH
        scripts/build.sh build-deb "${NINJA_FLAGS:-}" -DBUILD_TESTING=OFF -DSNAG_PREFIX_MAP=ON >/dev/null
        scripts/deb.sh build-deb out >/dev/null
    )
done
for file in "$work/one-dist"/*.tar.gz "$work/one/out"/*.deb; do
    other=$(echo "$file" | sed "s|^$work/one|$work/another/place|")
    cmp "$file" "$other"
    echo "$(basename "$file"): the same twice ($(sha256sum <"$file" | cut -c1-16)…)"
done
