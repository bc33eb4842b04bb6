# Every command of commands.def: --help fits 24 lines of 80 columns and has an example; a manual page; all
# its options are completed; wrong words are answered with what to do next.
. "$(dirname "$0")/lib.sh"
# lines of more than 80 characters
too_long() {
    python3 -c 'import sys
print("".join(l for l in open(sys.argv[1], encoding="utf-8") if len(l) > 81))' "$out"
}
expect 0 "$SNAG" help --names
names=$(cat "$out")
[ "$(echo "$names" | wc -l)" -ge 16 ] || fail "commands are missing"
"$SNAG" help --complete bash >snag.bash
"$SNAG" help --complete zsh >_snag
"$SNAG" help --complete fish >snag.fish
for name in $names; do
    case $name in
    cc | c++) expect 0 "$SNAG" help "$name" ;; # its --help is the compiler's: configure scripts ask
    *) expect 0 "$SNAG" "$name" --help ;;
    esac
    prints "^usage: snag $(echo "$name" | sed 's/[+]/[+]/g')"
    prints '^Example: .*snag'
    silent
    [ "$(wc -l <"$out")" -le 24 ] || fail "snag $name --help has more than 24 lines"
    long=$(too_long)
    [ -z "$long" ] || fail "snag $name --help has a line of more than 80 columns: $long"
    expect 0 "$SNAG" help --all "$name"
    prints 'usage: snag'
    options=$(sed -n 's/^  \(--*[a-z][a-z-]*\).*/\1/p' "$out")
    expect 0 "$SNAG" help --man "$name"
    prints '^\.SH EXAMPLE'
    for option in $options; do
        grep -q -- "$(echo "$option" | sed 's/-/\\\\-/g')" "$out" || fail "the page of $name lacks $option"
        sed -n "/^    $name) options=/p" snag.bash | grep -q -- " $option " || fail "bash does not complete $option of $name"
        grep -q -- "from $name' -[ls] ${option##-}\|from $name' -[ls] ${option##--} " snag.fish ||
            fail "fish does not complete $option of $name"
    done
    if command -v man >/dev/null && command -v groff >/dev/null; then
        LC_ALL=C.UTF-8 man --warnings -l "$out" >page 2>warnings || fail "man cannot read the page of $name"
        [ ! -s warnings ] || fail "the page of $name: $(cat warnings)"
    fi
    case $name in cc | c++ | lsp) continue ;; esac
    expect 125 "$SNAG" "$name" --no-such-option
    says "snag help $name"
done
expect 0 "$SNAG" help
[ -z "$(too_long)" ] || fail "snag help is too wide"
expect 125 "$SNAG"
says 'snag hunt ./prog'
expect 125 "$SNAG" hnut ./prog
says 'did you mean hunt'
expect 125 "$SNAG" help hnut
says 'did you mean hunt'
expect 125 "$SNAG" frob
says "no command 'frob'; snag help lists them"
expect 125 "$SNAG" race --frob ./prog
says 'unknown option --frob'
if grep 'did you mean' "$err"; then fail "a name that is not alike is proposed"; fi
expect 125 "$SNAG" race --tiemout 1 ./prog
says 'did you mean --timeout'
expect 127 "$SNAG" learn ./prog
if grep 'learned from' "$err"; then fail "a program that is not there taught something"; fi

bash -n snag.bash || fail "bash does not read its completion"
if command -v zsh >/dev/null; then zsh -n _snag || fail "zsh does not read its completion"; fi
if command -v fish >/dev/null; then fish -n snag.fish || fail "fish does not read its completion"; fi
# what bash answers
complete() {
    bash -c '. ./snag.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _snag; echo "${COMPREPLY[@]}"' bash "$@" >"$out"
}
complete snag hu
prints '^hunt$'
complete snag race --det
prints '^--detector$'
complete snag race --detector hy
prints '^hybrid$'
complete snag report --color a
prints '^auto always$'
complete snag contracts ch
prints '^check'

# every error says what to do next: what each command can be asked wrongly without a program or a store
advice='snag [a-z+]\|--[a-z]\|install\|build\|name a\|\./PROG'
for name in $names; do
    case $name in cc | c++ | lsp | doctor) continue ;; esac
    for words in '--store /nonexistent/store' '--store /dev/null no-such-thing' '--color blue' \
        '--json /nonexistent/x.json no-such-thing' 'no-such-thing'; do
        # shellcheck disable=SC2086
        try timeout 60 "$SNAG" "$name" $words </dev/null
        case $status in
        0 | 66) continue ;;
        125 | 126 | 127) ;;
        *) fail "snag $name $words: status $status" ;;
        esac
        says "$advice"
    done
done
