/*
 * tsan_atomic.c: the atomic part of the TSan ABI, 8 to 128 bits. The real operation is done here,
 * between the engine's enter and leave; a load is done again when the engine says so.
 */
#include "access.h"

#include <stdint.h>

#if __has_include("atomic_path.h")
#include "atomic_path.h" /* the engine's atomics, when they are not in its access.h */
#endif

#include "runtime/hook.h"

typedef uint8_t a8;
typedef uint16_t a16;
typedef uint32_t a32;
typedef uint64_t a64;
typedef unsigned __int128 a128;

/* The strongest order serves every weaker request; only the plain store differs in cost. */
#define LOAD_NOW(p) __atomic_load_n(p, __ATOMIC_SEQ_CST)
#define STORE_NOW(p, v, mo)                                                                        \
    ((mo) == SN_SEQ_CST ? __atomic_store_n(p, v, __ATOMIC_SEQ_CST)                                 \
                        : __atomic_store_n(p, v, __ATOMIC_RELEASE))

#define LOAD_STORE(bits, load_now, store_now)                                                      \
    SN_EXPORT a##bits __tsan_atomic##bits##_load(const volatile a##bits *p, int mo);               \
    SN_EXPORT a##bits __tsan_atomic##bits##_load(const volatile a##bits *p, int mo)                \
    {                                                                                              \
        struct sn_atomic_scope s;                                                                  \
        a##bits v;                                                                                 \
        sn_atomic_enter(&s, (uintptr_t)p, bits / 8, SN_EV_ATOMIC_LOAD, mo, SN_CALLER);             \
        do                                                                                         \
            v = load_now((a##bits *)p);                                                            \
        while (!sn_atomic_leave(&s, 1, mo));                                                       \
        return v;                                                                                  \
    }                                                                                              \
    SN_EXPORT void __tsan_atomic##bits##_store(volatile a##bits *p, a##bits v, int mo);            \
    SN_EXPORT void __tsan_atomic##bits##_store(volatile a##bits *p, a##bits v, int mo)             \
    {                                                                                              \
        struct sn_atomic_scope s;                                                                  \
        sn_atomic_enter(&s, (uintptr_t)p, bits / 8, SN_EV_ATOMIC_STORE, mo, SN_CALLER);            \
        store_now(p, v, mo);                                                                       \
        sn_atomic_leave(&s, 1, mo);                                                                \
    }

#define RMW(bits, name, now)                                                                       \
    SN_EXPORT a##bits __tsan_atomic##bits##_##name(volatile a##bits *p, a##bits v, int mo);        \
    SN_EXPORT a##bits __tsan_atomic##bits##_##name(volatile a##bits *p, a##bits v, int mo)         \
    {                                                                                              \
        struct sn_atomic_scope s;                                                                  \
        sn_atomic_enter(&s, (uintptr_t)p, bits / 8, SN_EV_ATOMIC_RMW, mo, SN_CALLER);              \
        a##bits old = now((a##bits *)p, v);                                                        \
        sn_atomic_leave(&s, 1, mo);                                                                \
        return old;                                                                                \
    }

#define CAS(bits, cas_now)                                                                         \
    static int cas##bits(volatile a##bits *p, a##bits *expected, a##bits v, int mo, int fail_mo,   \
                         uintptr_t pc)                                                             \
    {                                                                                              \
        struct sn_atomic_scope s;                                                                  \
        sn_atomic_enter(&s, (uintptr_t)p, bits / 8, SN_EV_ATOMIC_RMW, mo, pc);                     \
        int done = cas_now((a##bits *)p, expected, v);                                             \
        sn_atomic_leave(&s, done, fail_mo);                                                        \
        return done;                                                                               \
    }                                                                                              \
    SN_EXPORT int __tsan_atomic##bits##_compare_exchange_strong(volatile a##bits *p, a##bits *e,   \
                                                                a##bits v, int mo, int fail);      \
    SN_EXPORT int __tsan_atomic##bits##_compare_exchange_strong(volatile a##bits *p, a##bits *e,   \
                                                                a##bits v, int mo, int fail)       \
    {                                                                                              \
        return cas##bits(p, e, v, mo, fail, SN_CALLER);                                            \
    }                                                                                              \
    SN_EXPORT int __tsan_atomic##bits##_compare_exchange_weak(volatile a##bits *p, a##bits *e,     \
                                                              a##bits v, int mo, int fail);        \
    SN_EXPORT int __tsan_atomic##bits##_compare_exchange_weak(volatile a##bits *p, a##bits *e,     \
                                                              a##bits v, int mo, int fail)         \
    {                                                                                              \
        return cas##bits(p, e, v, mo, fail, SN_CALLER);                                            \
    }                                                                                              \
    SN_EXPORT a##bits __tsan_atomic##bits##_compare_exchange_val(volatile a##bits *p, a##bits e,   \
                                                                 a##bits v, int mo, int fail);     \
    SN_EXPORT a##bits __tsan_atomic##bits##_compare_exchange_val(volatile a##bits *p, a##bits e,   \
                                                                 a##bits v, int mo, int fail)      \
    {                                                                                              \
        cas##bits(p, &e, v, mo, fail, SN_CALLER);                                                  \
        return e;                                                                                  \
    }

#define XCHG_NOW(p, v) __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST)
#define ADD_NOW(p, v) __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST)
#define SUB_NOW(p, v) __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST)
#define AND_NOW(p, v) __atomic_fetch_and(p, v, __ATOMIC_SEQ_CST)
#define OR_NOW(p, v) __atomic_fetch_or(p, v, __ATOMIC_SEQ_CST)
#define XOR_NOW(p, v) __atomic_fetch_xor(p, v, __ATOMIC_SEQ_CST)
#define NAND_NOW(p, v) __atomic_fetch_nand(p, v, __ATOMIC_SEQ_CST)
#define CAS_NOW(p, e, v)                                                                           \
    __atomic_compare_exchange_n(p, e, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)

#define ALL(bits)                                                                                  \
    LOAD_STORE(bits, LOAD_NOW, STORE_NOW)                                                          \
    RMW(bits, exchange, XCHG_NOW)                                                                  \
    RMW(bits, fetch_add, ADD_NOW)                                                                  \
    RMW(bits, fetch_sub, SUB_NOW)                                                                  \
    RMW(bits, fetch_and, AND_NOW)                                                                  \
    RMW(bits, fetch_or, OR_NOW)                                                                    \
    RMW(bits, fetch_xor, XOR_NOW)                                                                  \
    RMW(bits, fetch_nand, NAND_NOW)                                                                \
    CAS(bits, CAS_NOW)

ALL(8)
ALL(16)
ALL(32)
ALL(64)

/* 128 bits: everything is a loop around cmpxchg16b, without libatomic. */
static inline int cas128_now(a128 *p, a128 *expected, a128 v)
{
    uint64_t lo = (uint64_t)*expected, hi = (uint64_t)(*expected >> 64);
    uint8_t done;
    __asm__ volatile("lock cmpxchg16b %1\n\tsete %0"
                     : "=q"(done), "+m"(*p), "+a"(lo), "+d"(hi)
                     : "b"((uint64_t)v), "c"((uint64_t)(v >> 64))
                     : "memory", "cc");
    *expected = (a128)hi << 64 | lo;
    return done;
}

static inline a128 load128(a128 *p)
{
    a128 v = 0;
    cas128_now(p, &v, 0); /* 0 over 0, or nothing: the value comes back either way */
    return v;
}

#define LOOP128(name, expression)                                                                  \
    static inline a128 name(a128 *p, a128 v)                                                       \
    {                                                                                              \
        a128 old = load128(p);                                                                     \
        while (!cas128_now(p, &old, (expression)))                                                 \
            ;                                                                                      \
        return old;                                                                                \
    }
LOOP128(xchg128, v)
LOOP128(add128, old + v)
LOOP128(sub128, old - v)
LOOP128(and128, old &v)
LOOP128(or128, old | v)
LOOP128(xor128, old ^ v)
LOOP128(notand128, ~(old & v))
#define STORE128(p, v, mo) ((void)(mo), (void)xchg128((a128 *)(p), v))

LOAD_STORE(128, load128, STORE128)
RMW(128, exchange, xchg128)
RMW(128, fetch_add, add128)
RMW(128, fetch_sub, sub128)
RMW(128, fetch_and, and128)
RMW(128, fetch_or, or128)
RMW(128, fetch_xor, xor128)
RMW(128, fetch_nand, notand128)
CAS(128, cas128_now)

SN_EXPORT void __tsan_atomic_thread_fence(int mo);
SN_EXPORT void __tsan_atomic_thread_fence(int mo)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    sn_atomic_fence(mo, SN_CALLER);
}

SN_EXPORT void __tsan_atomic_signal_fence(int mo);
SN_EXPORT void __tsan_atomic_signal_fence(int mo)
{
    (void)mo;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
