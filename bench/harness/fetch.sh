#!/bin/sh
# Fetches and unpacks Debian source packages without touching the system's apt: its own list of
# sources (the binary sources of this machine, as deb-src), its own state, its own cache.
# usage: fetch.sh FOLDER PACKAGE…     each ends up in FOLDER/PACKAGE; what is there is kept
set -eu
folder=$1
shift
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

private_apt() {
    command=$1
    shift
    "$command" -q -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=- \
        -o Dir::State::lists="$apt/lists" -o Dir::Cache="$apt/cache" -o APT::Sandbox::User= "$@"
}

# Debian's own archives only: others often have no sources. $1: the suites of this machine, or the
# name of another one, for what its mirror has no longer.
prepare() {
    apt=$folder/.apt-$1
    [ -d "$apt/lists" ] && return
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
    apt-get indextargets --format '$(ORIGIN) deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' \
        'Created-By: Packages' | sed -n 's/^Debian //p' | sort -u >"$apt/sources.list"
    if [ "$1" != here ]; then
        sed -n "s|^\(deb-src [^ ]*/debian/\) .*|\1 $1 main|p" "$apt/sources.list" | sort -u \
            >"$apt/other.list"
        mv "$apt/other.list" "$apt/sources.list"
    fi
    private_apt apt-get update >"$apt/log" 2>&1 || rm -rf "$apt/lists"
}

unpack() {
    package=$1
    work=$folder/.$package.$$
    mkdir -p "$work"
    if (cd "$work" && private_apt apt-get source "$package") >>"$apt/log" 2>&1; then
        mv "$work"/*/ "$folder/$package"
        rm -rf "$work"
        return 0
    fi
    rm -rf "$work"
    return 1
}

fetch() {
    [ -e "$folder/$1" ] && return
    for suite in here stable unstable; do
        prepare "$suite"
        unpack "$1" && return
    done
    cat "$apt/log" >&2
    echo "fetch.sh: cannot get the source package $1" >&2
    exit 1
}

for package in "$@"; do
    fetch "$package"
done
