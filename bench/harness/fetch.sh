#!/bin/sh
# Fetches and unpacks Debian source packages without touching the system's apt: its own list of
# sources (the binary sources of this machine, as deb-src), its own state, its own cache.
# usage: fetch.sh FOLDER PACKAGE…     each ends up in FOLDER/PACKAGE; what is there is kept
set -eu
folder=$1
shift
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
apt=$folder/.apt

private_apt() {
    command=$1
    shift
    "$command" -q -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=- \
        -o Dir::State::lists="$apt/lists" -o Dir::Cache="$apt/cache" -o APT::Sandbox::User= "$@"
}

# Only Debian's own archives: others often have no sources.
prepare() {
    [ -d "$apt/lists" ] && return
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
    apt-get indextargets --format '$(ORIGIN) deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' \
        'Created-By: Packages' | sed -n 's/^Debian //p' | sort -u >"$apt/sources.list"
    private_apt apt-get update >"$apt/log" 2>&1 || {
        cat "$apt/log" >&2
        rm -rf "$apt"
        exit 1
    }
}

fetch() {
    package=$1
    [ -e "$folder/$package" ] && return
    prepare
    work=$folder/.$package.$$
    mkdir -p "$work"
    (cd "$work" && private_apt apt-get source "$package") >"$apt/log" 2>&1 || {
        cat "$apt/log" >&2
        rm -rf "$work"
        exit 1
    }
    mv "$work"/*/ "$folder/$package"
    rm -rf "$work"
}

for package in "$@"; do
    fetch "$package"
done
