#!/bin/sh
# deps.sh GROUP…: installs the Debian packages of these groups that are missing. It does nothing, and
# needs no rights, when all are there.
set -eu

# The newest compiler that the archive has, with its sanitizers: a peer of the benchmarks.
newest_clang() {
    version=$(apt-cache pkgnames clang- | sed -n 's/^clang-\([0-9]*\)$/\1/p' | sort -n | tail -n 1)
    [ -z "$version" ] || echo "clang-$version libclang-rt-$version-dev"
}

# Those of these packages that the archive has; all, as long as there are no package lists. Their tests are skipped
# without them.
optional() {
    lists=$(apt-cache pkgnames lib | head -n 1)
    for package in "$@"; do
        [ -n "$lists" ] && [ -z "$(apt-cache pkgnames "$package" | grep -x -- "$package")" ] || echo "$package"
    done
}

packages_of() {
    case $1 in
    build) echo "gcc g++ cmake ninja-build pkg-config libelf-dev libdw-dev libsqlite3-dev
                 libjansson-dev libzstd-dev libz3-4 llvm-dev clang" ;;
    test) echo "libcmocka-dev libclang-rt-dev llvm lld dwz python3 python3-jsonschema make autoconf automake libtool
                 meson gdb libglib2.0-dev libomp-dev zlib1g-dev parallel rsync slurm-wlm munge neovim
                 $(packages_of libraries) $(optional libtbb-dev libabsl-dev qtbase5-dev)" ;;
    # For tests too, but it lets people in: not for everybody's machine.
    ssh) echo "openssh-client openssh-server" ;;
    # What tests/safety links without headers; 23 libraries, some 10 MB to fetch.
    libraries) optional libcurl4 libzstd1 libbz2-1.0 liblzma5 libssl3 libexpat1 libxml2 libjson-c5 libjansson4 \
                 libcjson1 libpq5 libmariadb3 libhiredis0.14 liblua5.4-0 libuv1 libevent-2.1-7 \
                 libevent-pthreads-2.1-7 libpcre2-8-0 libzmq5 libgit2-1.5 liblmdb0 libfftw3-double3 \
                 libarchive13 libc-ares2 libcurl4t64 libssl3t64 libhiredis1.1.0 libevent-2.1-7t64 \
                 libevent-pthreads-2.1-7t64 libgit2-1.9 libarchive13t64 ;;
    html) echo "chromium chromium-driver python3" ;;
    qt) echo "qtbase5-dev" ;; # 100 packages; without them the programs of tests/race/qt are left out
    deb) echo "dpkg-dev xz-utils git" ;;
    tidy) echo "clang-format clang-tidy" ;;
    bench) echo "clang valgrind python3 make dpkg-dev util-linux zlib1g-dev libbz2-dev libevent-dev
                 $(newest_clang)" ;;
    *) echo "deps.sh: no group '$1'" >&2; exit 2 ;;
    esac
}

is_installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

command -v dpkg-query >/dev/null || exit 0 # not Debian: CMake says what it does not find

find_missing() {
    missing=
    for group in "$@"; do
        for package in $(packages_of "$group"); do
            is_installed "$package" || missing="$missing $package"
        done
    done
}

find_missing "$@"
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "These packages are missing, and there is neither root nor sudo here. As root, run:" >&2
        echo "  apt-get install$missing" >&2
        exit 1
    fi
    as_root="sudo"
fi
echo "Installing:$missing"
install() {
    # shellcheck disable=SC2086 # several packages
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing
}
if ! install >/dev/null 2>&1; then # the package lists may be old or absent
    $as_root apt-get update
    find_missing "$@"
    install
fi
