/*
 * The floor: the calls that gcc and clang compile for -fsanitize=thread, with nothing in them.
 * Atomics perform the plain operation, because the compiler leaves it to the runtime; the memcpy
 * family likewise. What an instrumented program costs here, no detector can go below.
 *
 * Every atomic is sequentially consistent but loads and stores, which take the order that they are
 * asked for (on x86-64 only a seq_cst store differs).
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define NOTHING1(name)                                                                             \
    void name(void *address)                                                                       \
    {                                                                                              \
        (void)address;                                                                             \
    }
#define NOTHING2(name, type)                                                                       \
    void name(void *address, type more)                                                            \
    {                                                                                              \
        (void)address;                                                                             \
        (void)more;                                                                                \
    }

#define SIZED(prefix)                                                                              \
    NOTHING1(prefix##1)                                                                            \
    NOTHING1(prefix##2)                                                                            \
    NOTHING1(prefix##4)                                                                            \
    NOTHING1(prefix##8)                                                                            \
    NOTHING1(prefix##16)

SIZED(__tsan_read)
SIZED(__tsan_write)
SIZED(__tsan_read_write)
SIZED(__tsan_unaligned_read)
SIZED(__tsan_unaligned_write)
SIZED(__tsan_unaligned_read_write)
SIZED(__tsan_volatile_read)
SIZED(__tsan_volatile_write)
SIZED(__tsan_unaligned_volatile_read)
SIZED(__tsan_unaligned_volatile_write)
NOTHING2(__tsan_read_range, size_t)
NOTHING2(__tsan_write_range, size_t)
NOTHING1(__tsan_vptr_read)
NOTHING2(__tsan_vptr_update, void *)
NOTHING1(__tsan_func_entry)

void __tsan_init(void)
{
}

void __tsan_func_exit(void)
{
}

void __tsan_ignore_thread_begin(void)
{
}

void __tsan_ignore_thread_end(void)
{
}

void *__tsan_memcpy(void *to, const void *from, size_t size)
{
    return memcpy(to, from, size);
}

void *__tsan_memmove(void *to, const void *from, size_t size)
{
    return memmove(to, from, size);
}

void *__tsan_memset(void *to, int byte, size_t size)
{
    return memset(to, byte, size);
}

/* The orders of the ABI are C11's numbers: relaxed 0 … release 3, acq_rel 4, seq_cst 5. */
#define LOAD_STORE(bits, type)                                                                     \
    type __tsan_atomic##bits##_load(const volatile type *at, int order)                            \
    {                                                                                              \
        (void)order;                                                                               \
        return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                              \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile type *at, type value, int order)                     \
    {                                                                                              \
        if (order == __ATOMIC_SEQ_CST)                                                             \
            __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                         \
        else                                                                                       \
            __atomic_store_n(at, value, __ATOMIC_RELEASE);                                         \
    }

#define UPDATE(bits, type, op, builtin)                                                            \
    type __tsan_atomic##bits##_##op(volatile type *at, type value, int order)                      \
    {                                                                                              \
        (void)order;                                                                               \
        return builtin(at, value, __ATOMIC_SEQ_CST);                                               \
    }

#define EXCHANGE(bits, type)                                                                       \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile type *at, type *expected,           \
                                                      type value, int order, int fail_order)       \
    {                                                                                              \
        (void)order;                                                                               \
        (void)fail_order;                                                                          \
        return __atomic_compare_exchange_n(at, expected, value, 0, __ATOMIC_SEQ_CST,               \
                                           __ATOMIC_SEQ_CST);                                      \
    }                                                                                              \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile type *at, type *expected, type value, \
                                                    int order, int fail_order)                     \
    {                                                                                              \
        return __tsan_atomic##bits##_compare_exchange_strong(at, expected, value, order,           \
                                                             fail_order);                          \
    }                                                                                              \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *at, type expected, type value,  \
                                                    int order, int fail_order)                     \
    {                                                                                              \
        __tsan_atomic##bits##_compare_exchange_strong(at, &expected, value, order, fail_order);    \
        return expected;                                                                           \
    }

#define ATOMIC(bits, type)                                                                         \
    LOAD_STORE(bits, type)                                                                         \
    UPDATE(bits, type, exchange, __atomic_exchange_n)                                              \
    UPDATE(bits, type, fetch_add, __atomic_fetch_add)                                              \
    UPDATE(bits, type, fetch_sub, __atomic_fetch_sub)                                              \
    UPDATE(bits, type, fetch_and, __atomic_fetch_and)                                              \
    UPDATE(bits, type, fetch_or, __atomic_fetch_or)                                                \
    UPDATE(bits, type, fetch_xor, __atomic_fetch_xor)                                              \
    UPDATE(bits, type, fetch_nand, __atomic_fetch_nand)                                            \
    EXCHANGE(bits, type)

ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)

/* 128 bits: compare-and-exchange by cmpxchg16b (-mcx16), everything else made of it. */
typedef unsigned __int128 wide;

static wide exchange128(volatile wide *at, wide expected, wide value)
{
    return __sync_val_compare_and_swap(at, expected, value);
}

wide __tsan_atomic128_load(const volatile wide *at, int order)
{
    (void)order;
    return exchange128((volatile wide *)at, 0, 0);
}

#define UPDATE128(op, result)                                                                      \
    wide __tsan_atomic128_##op(volatile wide *at, wide value, int order)                           \
    {                                                                                              \
        wide old = __tsan_atomic128_load(at, order), seen;                                         \
                                                                                                   \
        while ((seen = exchange128(at, old, (result))) != old)                                     \
            old = seen;                                                                            \
        return old;                                                                                \
    }

UPDATE128(exchange, value)
UPDATE128(fetch_add, old + value)
UPDATE128(fetch_sub, old - value)
UPDATE128(fetch_and, old &value)
UPDATE128(fetch_or, old | value)
UPDATE128(fetch_xor, old ^ value)
UPDATE128(fetch_nand, ~(old &value))

void __tsan_atomic128_store(volatile wide *at, wide value, int order)
{
    __tsan_atomic128_exchange(at, value, order);
}

wide __tsan_atomic128_compare_exchange_val(volatile wide *at, wide expected, wide value, int order,
                                           int fail_order)
{
    (void)order;
    (void)fail_order;
    return exchange128(at, expected, value);
}

int __tsan_atomic128_compare_exchange_strong(volatile wide *at, wide *expected, wide value,
                                             int order, int fail_order)
{
    wide old = *expected;

    *expected = __tsan_atomic128_compare_exchange_val(at, old, value, order, fail_order);
    return *expected == old;
}

int __tsan_atomic128_compare_exchange_weak(volatile wide *at, wide *expected, wide value, int order,
                                           int fail_order)
{
    return __tsan_atomic128_compare_exchange_strong(at, expected, value, order, fail_order);
}

void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
