# <snag.h>: found by `snag cc`, nothing to link without it, and both kinds of executable run.
. "$(dirname "$0")/lib.sh"
cat > noted.c <<'END'
#include <snag.h>
#include <stdio.h>
int flag, lock;
int main(void)
{
    SNAG_BENIGN(flag, "a statistic");
    SNAG_BENIGN_RANGE(&flag, sizeof flag, "a statistic");
    SNAG_LOCKING(&lock), SNAG_LOCKED(&lock);
    SNAG_HAPPENS_AFTER(&flag);
    SNAG_IGNORE_BEGIN();
    flag++;
    SNAG_IGNORE_END();
    SNAG_IGNORE_SYNC_BEGIN();
    SNAG_IGNORE_SYNC_END();
    SNAG_NEW_MEMORY(&flag, sizeof flag);
    SNAG_HAPPENS_BEFORE(&flag);
    SNAG_UNLOCKING(&lock), SNAG_UNLOCKED(&lock);
    return puts("done") < 0;
}
END
cp noted.c noted.cc
header=$(dirname "$0")/../../include
for compiler in gcc clang; do
    command -v $compiler > /dev/null || continue
    for flags in "" "-no-pie -fno-pie" "-O2" "-DSNAG_NO_ANNOTATIONS"; do
        # shellcheck disable=SC2086
        expect 0 $compiler -Wall -Wextra -Werror -I "$header" $flags -o plain noted.c
        expect 0 ./plain
        prints '^done$'
        # shellcheck disable=SC2086
        expect 0 env SNAG_CC=$compiler "$SNAG" cc -Wall -Wextra -Werror $flags -o watched noted.c
        expect 0 "$SNAG" race ./watched
    done
done
# Neither old dialects nor a program's own warnings stand in the way, nor what only annotations use.
cat > strict.c <<'END'
#include <snag.h>
static int lock;
static char arena[8];
int main(void)
{
    SNAG_INS_THIS_BLOCK();
    SNAG_INS_THIS_FUNC();
    SNAG_LOCKING(&lock);
    SNAG_LOCK_FAILED(&lock);
    SNAG_NEW_MEMORY(arena, sizeof arena);
    SNAG_COLOUR(1, arena, sizeof arena);
    return 0;
}
END
cp strict.c strict.cc
for compiler in gcc clang; do
    command -v $compiler > /dev/null || continue
    for flags in "" "-DSNAG_NO_ANNOTATIONS"; do
        for standard in c89 c99 c11; do
            # shellcheck disable=SC2086
            expect 0 $compiler -std=$standard -Wall -Wextra -Wcast-qual -pedantic -Werror -I "$header" $flags -o plain strict.c
            expect 0 ./plain
        done
        # shellcheck disable=SC2086
        expect 0 "$(cxx_of $compiler)" -std=c++11 -Wall -Wextra -Wold-style-cast -pedantic -Werror -I "$header" $flags -c strict.cc
    done
done
expect 0 "$SNAG" c++ -Wall -Wextra -Werror -o watched noted.cc
expect 0 "$SNAG" race ./watched
