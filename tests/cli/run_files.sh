# Run files that are cut off or are none: what is left of them is reported, the files stay, the status is 125.
. "$(dirname "$0")/lib.sh"
build_race
mkdir whole
SNAG_RUN_DIR=$PWD/whole LD_PRELOAD=$1/lib/libsnag-race.so ./race >"$out" 2>"$err" || fail "the program failed"
file=$(ls whole)
cut_to() {
    rm -rf cut && mkdir cut
    head -c "$1" "whole/$file" >"cut/$file"
}

cut_to 100
expect 125 "$SNAG" report --store store --run cut
says 'cut off within its header'
[ -e "cut/$file" ] || fail "the file is gone"
cut_to 8192 # the header, and no record
expect 125 "$SNAG" report --store store --run cut
says 'is cut off'
echo 'this is no run file' >"cut/$file"
expect 125 "$SNAG" report --store store --run cut
says 'was skipped'
cut_to 0 # killed before it wrote anything: nothing is missing
expect 0 "$SNAG" report --store store --run cut
expect 125 "$SNAG" report --store store --run nosuch
says 'cannot be read'

expect 66 "$SNAG" report --store store --run whole
says 'counter'
[ ! -e whole ] || fail "what was taken in is still there"
