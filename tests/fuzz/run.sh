#!/bin/sh
# run.sh BUILD [NAME…]: programs under controlled schedules. wrong/: `snag fuzz` must find what the lines
# `// EXPECT:` say; right/: it must stay silent. Then the figures of the paper by number, and that
# schedules can be repeated.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
shift
snag=$build/snag
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset SNAG_OPTIONS SNAG_CC SNAG_CXX SNAG_RUN_DIR SNAG_RT
failed=0 passed=0
cd "$work" || exit 1

fail() {
    failed=$((failed + 1))
    echo "FAILED: $*"
}

pass() {
    passed=$((passed + 1))
}

wanted() {
    [ -z "$names" ] && return 0
    case " $names " in *" $1 "*) return 0 ;; esac
    return 1
}
names="$*"

build_it() { # SOURCE [NAME [OPTION]]
    "$snag" cc -g -O1 -pthread ${3-} -o "$work/${2-$(basename "$1" .c)}" "$1" || exit 1
}

# `EXPECT: confirmed KIND harmful|harmless [WORDS]`, `EXPECT: effect WORDS`, `EXPECT: WORDS`
check_line() { # LINE FILE
    set -- "$1" "$2" $1
    case $3 in
    confirmed)
        case ${5-} in
        harmful) harm='harmful: ' ;;
        harmless) harm='no effect' ;;
        *) harm='' ;;
        esac
        title=$(echo "$4" | tr - ' ')
        grep -q "^snag: .*confirmed" "$2" && grep -q "$title" "$2" && grep -q "$harm" "$2" &&
            grep -qF -- "${6-}" "$2"
        ;;
    effect) grep -qF -- "${1#effect }" "$2" ;;
    *) grep -qF -- "$1" "$2" ;;
    esac
}

wrong() { # NAME [SOURCE]
    source=${2-$here/wrong/$1.c}
    rm -rf .snag
    timeout 300 "$snag" fuzz --schedules 40 "./$1" 2>report
    status=$?
    [ $status = 66 ] || { fail "$1: status $status" && cat report; return; }
    sed -n 's|^// EXPECT: ||p' "$source" >lines
    while IFS= read -r line; do
        check_line "$line" report || { fail "$1: not in the report: $line" && cat report; return; }
    done <lines
    absent=$(sed -n 's|^// ABSENT: ||p' "$source")
    if [ -n "$absent" ] && grep -qF -- "$absent" report; then
        fail "$1: in the report: $absent" && cat report
        return
    fi
    id=$("$snag" list 2>/dev/null | awk -F '\t' '$2 == "confirmed" { print $1; exit }')
    (cd / && timeout 60 "$snag" replay --quiet --times 3 --store "$work/.snag" "$id") ||
        { fail "$1: replay $id" && return; }
    pass
}

right() { # NAME
    rm -rf .snag
    timeout 300 "$snag" fuzz --schedules 25 "./$1" 2>report
    status=$?
    [ $status = 0 ] && ! grep -q confirmed report || { fail "$1: status $status" && cat report; return; }
    pass
}

for kind in wrong right; do
    for source in "$here/$kind"/*.c; do
        name=$(basename "$source" .c)
        wanted "$name" || continue
        build_it "$source"
        $kind "$name"
    done
done

# Built twice: with the bug, and with -DFIXED.
for source in "$here/twin"/*.c; do
    name=$(basename "$source" .c)
    wanted "$name" || continue
    build_it "$source"
    wrong "$name" "$source"
    build_it "$source" "${name}_fixed" -DFIXED
    right "${name}_fixed"
done

# Without instrumentation: scheduled at locks, and the failed assertion is found in the program's own code.
if wanted plain; then
    for option in -DBUG -DFIXED; do
        cc -g -O1 -pthread $option -o plain "$here/twin/trylock.c" || exit 1
        [ $option = -DFIXED ] && right plain && continue
        wrong plain "$here/twin/trylock.c"
        grep -q "plain is not instrumented" report || fail "plain: it is not said that it is not instrumented"
    done
fi

# A process that is forked while other threads wait: it is at once there, and goes its own way.
if wanted fork_lock; then
    build_it "$here/child/fork_lock.c"
    rm -rf .snag
    timeout 300 "$snag" fuzz --strategy random --points all --schedules 60 ./fork_lock 2>report
    [ $? = 66 ] && grep -q "deadlock" report && grep -q "snag replay 1" report &&
        timeout 100 "$snag" replay --quiet --times 10 1 && pass || { fail "fork_lock" && cat report; }
    build_it "$here/child/fork_lock.c" fork_lock_fixed -DFIXED
    right fork_lock_fixed
fi

# Whoever kills the command leaves no execution behind.
running() { # PROGRAM: the processes that are it
    for process in /proc/[0-9]*; do
        [ "$(readlink "$process/exe" 2>/dev/null)" = "$work/$1" ] && echo "${process#/proc/}"
    done
}
await() { # PROGRAM TEST NUMBER: until so many are, for a minute at most
    for i in $(seq 600); do
        [ "$(running "$1" | wc -l)" "$2" "$3" ] && return 0
        sleep 0.1
    done
    return 1
}
if wanted killed; then
    build_it "$here/child/endless.c"
    "$snag" fuzz --no-store ./endless 2>/dev/null &
    command=$!
    await endless -ge 2 || fail "killed: there is no execution"
    kill -9 $command
    wait $command 2>/dev/null
    await endless -eq 0 && pass || { fail "killed: processes are left" && kill -9 $(running endless); }
fi

# All interleavings, of which a thread that waits outside makes some redundant: each comes to an end.
if wanted epoll_pool; then
    build_it "$here/right/epoll_pool.c"
    "$snag" fuzz --no-store --timeout 20 --strategy dfs --bound 1000 --schedules 500 --stats ./epoll_pool 2>report &&
        grep -q "cut short as equivalent" report && pass || { fail "epoll_pool, dfs" && cat report; }
fi

line_of() { # SOURCE TEXT
    grep -n "$2" "$1" | head -1 | cut -d: -f1
}

# Threads of OpenMP's libraries spin, also where no hook sees it: each execution comes to an end.
for compiler in gcc clang; do
    wanted openmp || continue
    echo '#include <omp.h>' >has.c && echo 'int main(void) { return omp_get_level(); }' >>has.c
    "$compiler" -fopenmp has.c -o has 2>/dev/null || continue
    for name in tasks target; do
        SNAG_CC=$compiler "$snag" cc -g -O1 -fopenmp -o openmp "$here/openmp/$name.c" || exit 1
        "$snag" fuzz --no-store --strategy random --schedules 3 ./openmp 2>report && pass ||
            { fail "openmp: $name, $compiler" && cat report; }
    done
done

# What is confirmed comes again every time, whatever OpenMP's libraries do; the twin is silent.
replays_all() { # NAME: every confirmed finding of the store, at least one
    ids=$("$snag" list 2>/dev/null | awk -F '\t' '$2 == "confirmed" { print $1 }')
    [ -n "$ids" ] || { fail "$1: nothing confirmed" && cat report; return 1; }
    for id in $ids; do
        timeout 200 "$snag" replay --quiet --times 30 "$id" || { fail "$1: replay $id" && cat report; return 1; }
    done
}

for compiler in gcc clang; do
    wanted openmp_replay || continue
    echo '#include <omp.h>' >has.c && echo 'int main(void) { return omp_get_level(); }' >>has.c
    "$compiler" -fopenmp has.c -o has 2>/dev/null || continue
    names_here=parts
    [ $compiler = clang ] && names_here="parts sections" # gcc's sections may all go to one thread
    for name in $names_here; do
        SNAG_CC=$compiler "$snag" cc -g -fopenmp -o $name "$here/openmp/$name.c" || exit 1
        SNAG_CC=$compiler "$snag" cc -g -fopenmp -DFIXED -o ${name}_fixed "$here/openmp/$name.c" || exit 1
        rm -rf .snag
        timeout 200 "$snag" fuzz --strategy race --schedules 20 ./$name 2>report >/dev/null
        [ $? = 66 ] || { fail "openmp_replay: $name, $compiler" && cat report; continue; }
        replays_all "openmp_replay: $name, $compiler" && pass
        timeout 200 "$snag" fuzz --no-store --strategy race --schedules 10 ./${name}_fixed 2>report >/dev/null &&
            pass || { fail "openmp_replay: ${name}_fixed, $compiler" && cat report; }
    done
done

# Inside gcc's library nobody waits but in the scheduler, so who goes on is its choice there, too, even if the user
# wants threads to spin; and who waits stands where the program called.
if wanted openmp_waits && echo 'int main(void) { return 0; }' >has.c && gcc -fopenmp has.c -o has 2>/dev/null; then
    for name in circle stages; do
        SNAG_CC=gcc "$snag" cc -g -O1 -fopenmp -o $name "$here/openmp/$name.c" || exit 1
        SNAG_CC=gcc "$snag" cc -g -O1 -fopenmp -DFIXED -o ${name}_fixed "$here/openmp/$name.c" || exit 1
        rm -rf .snag
        GOMP_SPINCOUNT=infinite timeout 200 "$snag" fuzz --schedules 15 ./$name 2>report >/dev/null
        [ $? = 66 ] && ! grep -q "observed\|waits in block" report ||
            { fail "openmp_waits: $name" && cat report; continue; }
        replays_all "openmp_waits: $name" && pass
        GOMP_SPINCOUNT=infinite timeout 200 "$snag" fuzz --no-store --schedules 10 ./${name}_fixed 2>report >/dev/null &&
            pass || { fail "openmp_waits: ${name}_fixed" && cat report; }
    done
    rm -rf .snag
    timeout 200 "$snag" fuzz --schedules 15 ./circle 2>report >/dev/null
    at=$(line_of "$here/openmp/circle.c" 'critical(two)')
    grep -q "deadlock.*confirmed" report && grep -q "circle.c:$at" report && pass ||
        { fail "openmp_waits: where the threads wait" && cat report; }
fi

# A library that comes late, wherever it lies then: also the first replay, which no server runs, follows the schedule.
if wanted late; then
    f=$here/late/plugin.c
    build_it "$f" late
    "$snag" cc -g -O1 -fPIC -shared -DPLUGIN -o plugin.so "$f" || exit 1
    "$snag" cc -g -O1 -fPIC -shared -DPLUGIN -DFIXED -o plugin_fixed.so "$f" || exit 1
    rm -rf .snag
    "$snag" fuzz --schedules 20 ./late ./plugin.so 2>report
    [ $? = 66 ] && replays_all late && "$snag" replay "${ids%%[!0-9]*}" >replay 2>&1 && pass ||
        { fail "late" && cat report replay; }
    "$snag" fuzz --no-store --schedules 10 ./late ./plugin_fixed.so 2>report && pass || { fail "late, fixed" && cat report; }
fi

# What the schedule alone does not bring about is not called confirmed; its twin is.
if wanted world; then
    build_it "$here/world/turns.c" turns
    build_it "$here/world/turns.c" turns_alone -DALONE
    rm -rf .snag executions
    "$snag" fuzz --strategy race --jobs 1 --schedules 10 ./turns 2>report
    [ $? = 66 ] && grep -q "observed" report && ! grep -q "confirmed\|snag replay" report && pass ||
        { fail "world" && cat report; }
    rm -rf .snag executions
    "$snag" fuzz --strategy race --jobs 1 --schedules 10 ./turns_alone 2>report
    [ $? = 66 ] && replays_all world && pass || { fail "world, alone" && cat report; }
    build_it "$here/world/started.c" started
    build_it "$here/world/started.c" started_alone -DALONE
    rm -rf .snag
    "$snag" fuzz --schedules 20 ./started 2>report
    [ $? = 66 ] && grep -q "observed" report && ! grep -q "confirmed\|snag replay" report && pass ||
        { fail "world, started" && cat report; }
    rm -rf .snag
    "$snag" fuzz --schedules 20 ./started_alone 2>report
    [ $? = 66 ] && grep -q "confirmed" report || { fail "world, started_alone" && cat report; }
    replays_all started_alone && pass
fi

# Who is held back inside a spin lock goes on, though the others spin: each execution comes to an end.
if wanted spin; then
    f=$here/spin/rounds.c
    build_it "$f" spin
    at=rounds.c:$(line_of "$f" 'inside the lock')
    "$snag" fuzz --no-store --timeout 60 --strategy race --schedules 3 --pair "$at,$at" ./spin 2>report
    [ $? = 0 ] && ! grep -q "no end" report && pass || { fail "spin" && cat report; }
    build_it "$f" spin_fixed -DFIXED
    right spin_fixed
fi

# stats PROGRAM-LINE…: "tried hit harm" of the pair
stats() { # PAIR N COMMAND…
    pair=$1 n=$2
    shift 2
    timeout 300 "$snag" fuzz --no-store --no-minimise --stats --strategy race --schedules "$n" \
        --pair "$pair" "$@" 2>&1 |
        sed -n 's/.*tried \([0-9]*\), hit \([0-9]*\) .*harm in \([0-9]*\),.*/\1 \2 \3/p' | head -1
}

if wanted figures; then
    build_it "$here/wrong/figure1.c"
    build_it "$here/wrong/figure2.c"
    f=$here/wrong/figure1.c
    set -- $(stats "figure1.c:$(line_of "$f" 'line 1 of'),figure1.c:$(line_of "$f" 'line 10 of')" 200 ./figure1)
    [ "$*" = "200 0 0" ] && pass || fail "figure 1, pair (1,10): $*"
    f=$here/wrong/figure2.c
    pair="figure2.c:$(line_of "$f" 'line 8 of'),figure2.c:$(line_of "$f" 'line 10 of')"
    for n in 10 10000; do
        set -- $(stats "$pair" 20 ./figure2 $n)
        [ "${1-} ${2-}" = "20 20" ] && [ "$3" -ge 4 ] && [ "$3" -le 16 ] && pass ||
            fail "figure 2, $n statements: $*"
    done
fi

# turns: the race is there in every execution, the failure in about half; right.c cannot be brought to fail
if wanted order; then
    for name in wrong right; do
        f=$here/order/$name.c
        build_it "$f"
        {
            echo "turn 1 4 $name.c:$(line_of "$f" '/\* round')"
            [ $name = right ] || echo "turn 2 1 $name.c:$(line_of "$f" '/\* read \*/')"
            [ $name = right ] || echo "turn 1 1 $name.c:$(line_of "$f" '/\* write')"
            [ $name = wrong ] || echo "turn 2 0"
        } >turns
        echo "before $name.c:$(line_of "$f" "reader's lock") $name.c:$(line_of "$f" '/\* write')" >before
        for order in turns before; do
            timeout 100 "$snag" fuzz --no-store --schedules 10 --order $order "./$name" 2>report
            status=$?
            case $name.$order.$status in
            wrong.turns.66) grep -q 'assertion failed: value == 42' report && pass || fail "$name, $order" ;;
            wrong.before.* | right.*.0) pass ;;
            *) fail "$name, $order: status $status" && cat report ;;
            esac
        done
    done
fi

if wanted same; then
    build_it "$here/right/hand_over_hand.c"
    build_it "$here/right/c11.c"
    for program in hand_over_hand c11; do
        first='' same=1
        for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
            "$snag" fuzz --no-store --quiet --strategy random --points all --schedules 2 --seed 7 \
                --decisions log "./$program" || same=0
            sum=$(cksum <log)
            [ -n "$first" ] || first=$sum
            [ "$sum" = "$first" ] && [ "$(wc -l <log)" -gt 20 ] || same=0
        done
        [ $same = 1 ] && pass || fail "$program: the same seed gave another schedule"
    done
fi

if wanted same; then
    "$here/same" "$build" --times 2 >report && pass || { fail "same" && cat report; }
fi

# What is found does not depend on how many run at once.
if wanted jobs; then
    build_it "$here/wrong/buffer_if.c"
    for jobs in 1 3; do
        for strategy in random pct dfs; do
            "$snag" fuzz --no-store --quiet --no-minimise --strategy $strategy --schedules 40 --jobs $jobs \
                --decisions log ./buffer_if
            cat log
        done >log.$jobs
    done
    cmp log.1 log.3 && [ "$(grep -c ^execution log.1)" -gt 60 ] && pass || fail "jobs"
fi

if wanted exact; then
    "$here/exact" "$build" --programs 2 >report && pass || { fail "exact" && cat report; }
fi

# Probabilistic concurrency testing keeps its bound 1 / (n k^(d-1)), with these seeds.
if wanted pct; then
    build_it "$here/../../bench/fuzz/depth.c"
    for depth in 1 2 3; do
        "$snag" fuzz --no-store --quiet --no-minimise --strategy pct --depth $depth --points sync \
            --schedules 300 --seed 1 --decisions log ./depth $depth
        awk -v d=$depth '/^execution/ { n++; for (i = 1; i < NF; i++) { if ($i == "status" && $(i + 1) != 0) bad++
                if ($i == "steps" && $(i + 1) > k) k = $(i + 1) } }
            END { bound = 1 / 3; for (i = 1; i < d; i++) bound /= k
                  if (n != 300 || bad / n < bound) { print n, bad, k, bound; exit 1 } }' log &&
            pass || fail "pct, depth $depth"
    done
fi

if wanted debugger && command -v gdb >/dev/null; then
    build_it "$here/wrong/figure2.c"
    rm -rf .snag
    "$snag" fuzz --quiet --schedules 20 ./figure2
    printf 'bt\nkill\nquit\n' | timeout 100 "$snag" replay --gdb 1 >report 2>&1
    grep -q 'in \(one\|other\) (' report && pass || { fail "replay --gdb" && cat report; }
fi

# What does not get a lock at once is told.
if wanted timeline; then
    build_it "$here/twin/trylock.c"
    rm -rf .snag
    timeout 100 "$snag" fuzz --quiet --schedules 40 ./trylock
    timeout 60 "$snag" replay --timeline 1 >report 2>&1
    grep -q "fails to lock m" report && pass || { fail "replay --timeline: trylock" && cat report; }
fi

# A copy of the same program is the same program, and a bug that was not mended is there.
if wanted copied; then
    "$snag" c++ -g -O1 -pthread -o lost "$here/order/lost.cc" || exit 1
    rm -rf .snag
    timeout 100 "$snag" fuzz --quiet --schedules 40 ./lost
    cp lost lost.copy && mv lost.copy lost
    timeout 60 "$snag" replay --times 5 1 >report 2>&1 && ! grep -q "built again" report && pass ||
        { fail "replay of a copy" && cat report; }
    timeout 100 "$snag" replay --fixed 1 >report 2>&1
    [ $? = 66 ] && pass || { fail "replay --fixed of an unchanged program" && cat report; }
fi

if wanted timeline; then
    build_it "$here/wrong/figure2.c"
    rm -rf .snag
    "$snag" fuzz --quiet --schedules 20 ./figure2
    timeout 60 "$snag" replay --timeline 1 >report 2>&1
    grep -q 'read x (figure2.c:20).*|\|| read x (figure2.c:20)' report && grep -q '1 of 1 times' report &&
        pass || { fail "replay --timeline" && cat report; }
fi

# A fix that is none, then one that is.
if wanted fixed; then
    cp "$here/wrong/atomicity.c" bank.c
    build_it bank.c
    rm -rf .snag
    "$snag" fuzz --quiet --schedules 20 ./bank
    sed 's/^static int balance/\n&/' "$here/wrong/atomicity.c" >bank.c
    build_it bank.c
    timeout 100 "$snag" replay --fixed 1 >report 2>&1
    [ $? = 66 ] && pass || { fail "replay --fixed: the bug is still there" && cat report; }
    cp "$here/right/atomicity_fixed.c" bank.c
    build_it bank.c
    timeout 100 "$snag" replay --fixed 1 >report 2>&1 && pass || { fail "replay --fixed" && cat report; }
fi

if wanted replay; then
    build_it "$here/wrong/atomicity.c"
    rm -rf .snag
    "$snag" fuzz --schedules 20 ./atomicity 2>/dev/null
    mkdir -p elsewhere
    (cd elsewhere && timeout 300 "$snag" replay --quiet --times 100 --store ../.snag 1) &&
        pass || fail "replay: not 100 of 100 times"
fi

echo "fuzz: $passed passed, $failed failed"
[ $failed = 0 ]
