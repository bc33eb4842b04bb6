#!/bin/sh
# deb.sh BUILD FOLDER: FOLDER/snag_VERSION_amd64.deb from a build. The same bytes for the same sources and
# compiler: times are the last commit's (SOURCE_DATE_EPOCH), owners are root, paths of the machine are in no
# file.
set -eu
cd "$(dirname "$0")/.."
build=$1 out=$2
version=$(scripts/version.sh)
arch=$(dpkg --print-architecture)
if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CMakeLists.txt)
fi
export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8 TZ=UTC
umask 022
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
root=$stage/root
DESTDIR=$root cmake --install "$build" --prefix /usr >/dev/null
find "$root" -name '*.so' -type f -exec strip --strip-unneeded {} +
strip "$root/usr/bin/snag"
find "$root/usr/share/man" -name '*.1' -exec gzip -n -9 {} +
install -D -m 644 LICENSE "$root/usr/share/doc/snag/copyright"
gzip -n -9 -c CHANGELOG.md >"$root/usr/share/doc/snag/changelog.gz"
rm -f "$root/usr/share/doc/snag/CHANGELOG.md"
if [ -d "$root/usr/share/zsh/site-functions" ]; then # where Debian's zsh looks
    mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
fi

# what the programs are linked with, as package names
mkdir -p "$stage/debian"
printf 'Source: snag\n\nPackage: snag\nArchitecture: %s\n' "$arch" >"$stage/debian/control"
depends=$(cd "$stage" && dpkg-shlibdeps -O --ignore-missing-info -l"$root/usr/lib/snag" root/usr/bin/snag \
    $(find root/usr/lib/snag -name '*.so' -type f) 2>/dev/null | sed -n 's/^shlibs:Depends=//p')
mkdir -p "$root/DEBIAN"
cat >"$root/DEBIAN/control" <<END
Package: snag
Version: $version
Architecture: $arch
Maintainer: The snag authors <snag@localhost>
Section: devel
Priority: optional
Installed-Size: $(find "$root/usr" -type f -printf '%s\n' | awk '{ n += int(($1 + 1023) / 1024) } END { print n }')
Depends: ${depends:-libc6}, libz3-4, libstdc++6
Recommends: gcc | clang
Suggests: gdb
Description: finds, proves and replays concurrency bugs in C and C++ programs
 Data races, deadlocks, atomicity and order violations, misuse of locks and of
 thread-unsafe libraries. What snag calls confirmed it has made happen, and
 shows again with one command.
END
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
find "$root" -print0 | xargs -0 touch --no-dereference --date="@$SOURCE_DATE_EPOCH"
mkdir -p "$out"
dpkg-deb --root-owner-group -Zxz --build "$root" "$out/snag_${version}_$arch.deb" >/dev/null
echo "$out/snag_${version}_$arch.deb"
