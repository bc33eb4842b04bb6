/*
 * model_misc.c: time, sleeping, chance, environment, process: what programs ask the system. Time is
 * virtual and moves on when asked; sleeping only gives others their turn.
 */
#include <errno.h>
#include <string.h>

#include "check/lib.h"

static uint64_t chance(struct sn_call *c, uint64_t n) { return sn_random_below(&c->vm->random_input, n); }

static enum sn_result input(struct sn_call *c, uint64_t v)
{
    c->ret = (struct sn_reg){v, SN_INPUT};
    return SN_DONE;
}

static enum sn_result m_zero(struct sn_call *c) { return sn_return(c, 0); }
static enum sn_result m_any(struct sn_call *c) { return sn_return_input(c, sn_model_of(c)->extra ? (unsigned)sn_model_of(c)->extra : 32); }

static enum sn_result m_errno(struct sn_call *c)
{
    struct sn_task *t = c->t;
    if (t->errno_addr == 0)
        t->errno_addr = sn_simmem_take(&c->vm->mem, 4, 16, 0);
    return t->errno_addr ? sn_return(c, t->errno_addr) : SN_END;
}

/* --- time --- */

static uint64_t tick(struct sn_call *c) { return c->vm->now_ns += 1000 + chance(c, 1000000); }

static enum sn_result m_time(struct sn_call *c)
{
    struct sn_reg out = sn_arg(c, 0), now = {tick(c) / 1000000000u, SN_INPUT};
    if (out.v != 0)
        sn_store_slow(c->vm, c->t, out, 8, SN_ACC_WRITE, now);
    c->ret = now;
    return SN_DONE;
}

/* struct timespec or timeval: seconds, then nanoseconds (extra 1) or microseconds (extra 1000). */
static void put_time(struct sn_call *c, struct sn_reg out, uint64_t unit)
{
    uint64_t now = tick(c);
    struct sn_reg low = {out.v + 8, out.u};
    if (out.v == 0)
        return;
    sn_store_slow(c->vm, c->t, out, 8, SN_ACC_WRITE, (struct sn_reg){now / 1000000000u, SN_INPUT});
    sn_store_slow(c->vm, c->t, low, 8, SN_ACC_WRITE, (struct sn_reg){now % 1000000000u / unit, SN_INPUT});
}

static enum sn_result m_clock_gettime(struct sn_call *c)
{
    put_time(c, sn_arg(c, 1), 1);
    return sn_return(c, 0);
}

static enum sn_result m_timespec_get(struct sn_call *c)
{
    put_time(c, sn_arg(c, 0), 1);
    return sn_return(c, sn_arg(c, 1).v);
}

static enum sn_result m_gettimeofday(struct sn_call *c)
{
    put_time(c, sn_arg(c, 0), 1000);
    return sn_return(c, 0);
}

static enum sn_result m_clock(struct sn_call *c) { return input(c, tick(c) / 1000 % 1000000000u); }

static enum sn_result m_sleep(struct sn_call *c)
{
    enum sn_result r;
    if (sn_cancel_now(c->vm, c->t, &r))
        return r;
    c->vm->now_ns += 1000000;
    sn_return(c, 0);
    return SN_YIELD;
}

/* poll, select, epoll_wait: something may have happened. */
static enum sn_result m_poll(struct sn_call *c)
{
    enum sn_result r;
    if (sn_cancel_now(c->vm, c->t, &r))
        return r;
    input(c, chance(c, 4) == 0 ? 0 : 1);
    return SN_YIELD;
}

/* Waits that only the outside ends. */
static enum sn_result m_pause(struct sn_call *c)
{
    enum sn_result r;
    if (sn_cancel_now(c->vm, c->t, &r))
        return r;
    if (c->t->phase == 1 && chance(c, 4) == 0) {
        c->t->phase = 0;
        return input(c, sn_model_of(c)->extra ? 0 : UINT32_MAX);
    }
    c->t->phase = 1;
    sn_task_block(c->vm, c->t, SN_WAIT_EVENT, NULL, 0);
    c->t->timed = true; /* the scheduler may let it go on */
    return SN_BLOCK;
}

/* --- chance --- */

static enum sn_result m_rand(struct sn_call *c) { return input(c, sn_invent(c->vm, 31)); }

static enum sn_result m_drand(struct sn_call *c)
{
    double d = (double)chance(c, 1u << 20) / (1u << 20);
    c->ret.u = SN_INPUT;
    memcpy(&c->ret.v, &d, sizeof d);
    return SN_DONE;
}

static enum sn_result m_rand_r(struct sn_call *c)
{
    struct sn_reg seed = sn_arg(c, 0), old;
    enum sn_result r = sn_load_slow(c->vm, c->t, seed, 4, 0, &old);
    if (r == SN_DONE)
        r = sn_store_slow(c->vm, c->t, seed, 4, SN_ACC_WRITE, (struct sn_reg){sn_invent(c->vm, 32), SN_INPUT});
    input(c, sn_invent(c->vm, 31));
    return r;
}

/* --- environment --- */

static enum sn_result new_text(struct sn_call *c, const char *s)
{
    size_t n = strlen(s);
    uint32_t at = sn_simmem_take(&c->vm->mem, n + 1, 16, SN_INPUT);
    if (at == 0)
        return SN_END;
    memcpy(sn_mem(&c->vm->mem, at), s, n + 1);
    sn_poke(c->vm, at + n, 1, 0);
    return sn_return(c, at);
}

static enum sn_result m_getenv(struct sn_call *c)
{
    static const char *const values[] = {"", "1", "0", "yes", "4", "debug"};
    sn_text_at(c->vm, c->t, sn_arg(c, 0), UINT64_MAX, true);
    if (chance(c, 2) == 0)
        return input(c, 0);
    enum sn_result r = new_text(c, values[chance(c, 6)]);
    c->ret.u = SN_INPUT;
    return r;
}

static enum sn_result m_strerror(struct sn_call *c) { return new_text(c, "error"); }

static enum sn_result m_sysconf(struct sn_call *c)
{
    uint64_t what = sn_arg(c, 0).v;
    if (what == 30) /* _SC_PAGESIZE */
        return sn_return(c, 4096);
    return input(c, 1 + chance(c, 4));
}

static enum sn_result m_small(struct sn_call *c) { return input(c, 1 + chance(c, 4)); }

static enum sn_result m_fork(struct sn_call *c)
{
    uint64_t k = chance(c, 8);
    return input(c, k == 0 ? UINT32_MAX : k < 4 ? 0 : 4711);
}

static enum sn_result m_abs(struct sn_call *c)
{
    struct sn_reg x = sn_arg(c, 0);
    bool wide = sn_model_of(c)->extra != 0;
    int64_t v = wide ? (int64_t)x.v : (int32_t)x.v;
    c->ret = (struct sn_reg){v < 0 ? 0 - (uint64_t)v : (uint64_t)v, x.u};
    if (!wide)
        c->ret.v &= UINT32_MAX;
    return SN_DONE;
}

/* Functions that fill a structure: argument k (extra & 15) gets extra >> 4 bytes of input. */
static enum sn_result m_fill(struct sn_call *c)
{
    uint64_t bytes = (uint64_t)sn_model_of(c)->extra >> 4;
    struct sn_reg to = sn_arg(c, (unsigned)sn_model_of(c)->extra & 15);
    if (to.v != 0 && sn_touch(c->vm, c->t, to, bytes, true))
        sn_range_tag(&c->vm->mem, to.v, bytes, SN_INPUT);
    return input(c, chance(c, 16) == 0 ? UINT32_MAX : 0);
}
#define FILLS(arg, bytes) ((arg) | (bytes) << 4)

/* pipe(int[2]), socketpair(…, int[2]): two descriptors. */
static enum sn_result m_pipe(struct sn_call *c)
{
    struct sn_reg to = sn_arg(c, (unsigned)sn_model_of(c)->extra);
    if (sn_touch(c->vm, c->t, to, 8, true)) {
        sn_poke(c->vm, to.v, 4, 3 + chance(c, 8));
        sn_poke(c->vm, to.v + 4, 4, 11 + chance(c, 8));
    }
    return sn_return(c, 0);
}

static enum sn_result m_localtime_r(struct sn_call *c)
{
    struct sn_reg to = sn_arg(c, 1);
    if (sn_touch(c->vm, c->t, to, 56, true))
        sn_range_tag(&c->vm->mem, to.v, 56, SN_INPUT);
    c->ret = to;
    return SN_DONE;
}

#define P SN_MODEL_POINT
static const struct sn_model models[] = {
    {"__errno_location", m_errno, 0, 0},
    {"time", m_time, 0, 0}, {"clock_gettime", m_clock_gettime, 0, 0}, {"timespec_get", m_timespec_get, 0, 0},
    {"gettimeofday", m_gettimeofday, 0, 0}, {"clock", m_clock, 0, 0}, {"clock_getres", m_clock_gettime, 0, 0},
    {"times", m_any, 0, 16}, {"difftime", m_drand, 0, 0},
    {"localtime_r", m_localtime_r, 0, 0}, {"gmtime_r", m_localtime_r, 0, 0},
    {"sleep", m_sleep, P | SN_MODEL_LOCAL, 0}, {"usleep", m_sleep, P | SN_MODEL_LOCAL, 0}, {"nanosleep", m_sleep, P | SN_MODEL_LOCAL, 0},
    {"clock_nanosleep", m_sleep, P | SN_MODEL_LOCAL, 0}, {"thrd_sleep", m_sleep, P | SN_MODEL_LOCAL, 0},
    {"poll", m_poll, P | SN_MODEL_LOCAL, 0}, {"ppoll", m_poll, P | SN_MODEL_LOCAL, 0}, {"select", m_poll, P | SN_MODEL_LOCAL, 0}, {"pselect", m_poll, P | SN_MODEL_LOCAL, 0},
    {"epoll_wait", m_poll, P | SN_MODEL_LOCAL, 0}, {"pause", m_pause, P | SN_MODEL_LOCAL, 0}, {"sigsuspend", m_pause, P | SN_MODEL_LOCAL, 0},
    {"sigwait", m_pause, P | SN_MODEL_LOCAL, 1}, {"sigwaitinfo", m_pause, P | SN_MODEL_LOCAL, 0}, {"sigtimedwait", m_pause, P | SN_MODEL_LOCAL, 0},
    {"rand", m_rand, 0, 0}, {"random", m_rand, 0, 0}, {"lrand48", m_rand, 0, 0}, {"nrand48", m_rand, 0, 0},
    {"mrand48", m_rand, 0, 0}, {"arc4random", m_any, 0, 32}, {"drand48", m_drand, 0, 0}, {"erand48", m_drand, 0, 0},
    {"rand_r", m_rand_r, 0, 0}, {"srand", m_zero, 0, 0}, {"srandom", m_zero, 0, 0}, {"srand48", m_zero, 0, 0},
    {"getentropy", m_zero, 0, 0},
    {"getenv", m_getenv, 0, 0}, {"secure_getenv", m_getenv, 0, 0}, {"setenv", m_zero, 0, 0},
    {"unsetenv", m_zero, 0, 0}, {"putenv", m_zero, 0, 0}, {"strerror", m_strerror, 0, 0},
    {"gai_strerror", m_strerror, 0, 0}, {"strsignal", m_strerror, 0, 0}, {"setlocale", m_strerror, 0, 0},
    {"sysconf", m_sysconf, 0, 0}, {"get_nprocs", m_small, 0, 0}, {"get_nprocs_conf", m_small, 0, 0},
    {"getpid", m_small, 0, 0}, {"getppid", m_small, 0, 0}, {"getuid", m_small, 0, 0}, {"geteuid", m_small, 0, 0},
    {"getgid", m_small, 0, 0}, {"sched_getcpu", m_small, 0, 0}, {"getpagesize", m_sysconf, 0, 0},
    {"fork", m_fork, 0, 0}, {"vfork", m_fork, 0, 0}, {"wait", m_any, 0, 8}, {"waitpid", m_any, 0, 8},
    {"abs", m_abs, 0, 0}, {"labs", m_abs, 0, 1}, {"llabs", m_abs, 0, 1}, {"imaxabs", m_abs, 0, 1},
    {"stat", m_fill, 0, FILLS(1, 144)}, {"lstat", m_fill, 0, FILLS(1, 144)}, {"fstat", m_fill, 0, FILLS(1, 144)},
    {"getrusage", m_fill, 0, FILLS(1, 144)}, {"getrlimit", m_fill, 0, FILLS(1, 16)}, {"uname", m_fill, 0, FILLS(0, 390)},
    {"sysinfo", m_fill, 0, FILLS(0, 112)}, {"sched_getaffinity", m_zero, 0, 0}, {"setrlimit", m_zero, 0, 0},
    {"pthread_getaffinity_np", m_zero, 0, 0}, {"setpriority", m_zero, 0, 0}, {"nice", m_zero, 0, 0},
    {"pipe", m_pipe, 0, 0}, {"pipe2", m_pipe, 0, 0}, {"socketpair", m_pipe, 0, 3},
    {"htonl", m_any, 0, 32}, {"htons", m_any, 0, 16}, {"ntohl", m_any, 0, 32}, {"ntohs", m_any, 0, 16},
    {"umask", m_zero, 0, 0}, {"tzset", m_zero, 0, 0}, {"prctl", m_zero, 0, 0},
    {"__sched_cpucount", m_small, 0, 0}, {"backtrace", m_zero, 0, 0}, {"feclearexcept", m_zero, 0, 0},
};
const struct sn_model_table sn_models_misc = {models, sizeof models / sizeof *models};
