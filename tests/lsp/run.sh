#!/bin/sh
# tests/lsp/run.sh BUILD [PART…]: the tests of the language server. Parts: `session` (what a client sees),
# `fuzz` (bytes that make no sense), `neovim` (a real editor without a screen), `vscode` (the extension, after npm install in
# editors/vscode). Without a part, all.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?usage: tests/lsp/run.sh BUILD [PART…]}" && pwd)
shift
[ $# -gt 0 ] || set -- session fuzz neovim vscode
[ -e "$build/lib/libsnag-llvm.so" ] || { echo "skipped: built without LLVM"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for part in "$@"; do
    mkdir -p "$work/$part"
    cd "$work/$part"
    case $part in
    session | fuzz) PYTHONDONTWRITEBYTECODE=1 python3 "$here/$part.py" "$build/snag" ;;
    neovim)
        command -v nvim >/dev/null || { echo "skipped: no Neovim here (apt-get install neovim)"; exit 77; }
        cp "$here/counter.c" .
        HOME=$work SNAG=$build/snag timeout 600 nvim --headless --noplugin -u NONE -i NONE \
            -c "luafile $here/neovim.lua" counter.c 2>&1 || { echo "Neovim: status $?"; exit 1; }
        ;;
    vscode)
        cd "$here/../../editors/vscode"
        [ -d node_modules ] || { echo "skipped: npm install was not run in editors/vscode"; exit 77; }
        SNAG=$build/snag npm test
        ;;
    *) echo "run.sh: no part '$part'" >&2; exit 2 ;;
    esac
done
