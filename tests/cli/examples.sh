# Every example with a bug is reported, its fixed twin is not.
. "$(dirname "$0")/lib.sh"
examples=$(cd "$(dirname "$0")/../../examples" && pwd)
for fixed in "$examples"/*_fixed.c; do
    racy=${fixed%_fixed.c}.c
    expect 0 "$SNAG" cc -Wall -Wextra -Werror -O1 -pthread -o racy "$racy"
    expect 66 "$SNAG" race --no-store ./racy
    says "$(basename "$racy")"
    expect 0 "$SNAG" cc -Wall -Wextra -Werror -O1 -pthread -o fixed "$fixed"
    expect 0 "$SNAG" race --no-store ./fixed
    silent
done
