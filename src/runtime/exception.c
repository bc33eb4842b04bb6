/*
 * exception.c: exceptions that several threads share by std::exception_ptr. They are counted by
 * atomics inside the C++ library, which no hook sees: whoever gives up the last reference destroys
 * an object that others have read. So each reference that is given up is told here, before it is:
 * as a release, the last one as an acquire. (All of them as both would order those who only hold
 * one: std::rethrow_exception() gives up a copy before the handler runs.)
 *
 * References go by exception_ptr (_M_release of libstdc++, __cxa_decrement_exception_refcount of
 * libc++abi) and at the end of the last handler of a throw (__cxa_end_catch), where the exception
 * is the thread's current one: thrown, or one that stands for it since std::rethrow_exception().
 *
 * Copies of std::runtime_error and std::logic_error share their text in the same way.
 *
 * The layouts below are the two libraries' ABI for x86-64: an _Unwind_Exception (of 32 bytes) lies
 * right before the thrown object, the rest before it.
 */
#include <stdbool.h>
#include <stdint.h>

#include "runtime/emit.h"
#include "runtime/library.h"
#include "runtime/real.h"

/* The last byte is 1 for an exception that stands for another. */
#define CLASS_GNU 0x474e5543432b2b00ull   /* "GNUCC++\0" */
#define CLASS_CLANG 0x434c4e47432b2b00ull /* "CLNGC++\0" */

enum {
    GNU_CLASS = 80, /* offsets in the header that __cxa_eh_globals points to */
    GNU_HANDLERS = 40,
    GNU_OBJECT = 112,
    GNU_COUNT = -128, /* from the object: an int */
    CLANG_CLASS = 96,
    CLANG_HANDLERS = 56,
    CLANG_OBJECT = 128,
    CLANG_PRIMARY = 8,
    CLANG_COUNT = -120, /* a size_t, of which the lower half is enough */
    TEXT = 8,           /* of both libraries: in the exception, a pointer to the text */
    TEXT_COUNT = -8,    /* from the text: an int */
};

/* Of the C++ library that the caller of __cxa_end_catch() has. */
struct eh_globals {
    char *caught; /* header of the innermost exception that is being handled */
    unsigned uncaught;
};

static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1", 0};

/* What a reference is to; object is null: none. */
struct shared {
    char *object;
    const int *count; /* atomic */
    int last;         /* what is counted when there is one reference, or none */
};

static struct shared shared(void *object, int count)
{
    return (struct shared){object, object ? (const int *)((char *)object + count) : 0, 1};
}

static void *primary(char *header, int at)
{
    return *(void **)(header + at);
}

/* Whose reference goes when the current handler ends; none of a foreign exception. */
static struct shared caught(void)
{
    struct eh_globals *(*globals)(void) =
        sn_real_of_library(SN_OPERATOR___cxa_get_globals, libraries);
    char *h = globals ? globals()->caught : 0;
    if (!h)
        return shared(0, 0);
    uint64_t class = *(uint64_t *)(h + GNU_CLASS);
    if ((class | 1) == (CLASS_GNU | 1)) {
        if (*(int *)(h + GNU_HANDLERS) != 1)
            return shared(0, 0);
        return shared(class & 1 ? primary(h, 0) : h + GNU_OBJECT, GNU_COUNT);
    }
    class = *(uint64_t *)(h + CLANG_CLASS);
    if ((class | 1) != (CLASS_CLANG | 1) || *(int *)(h + CLANG_HANDLERS) != 1)
        return shared(0, 0);
    return shared(class & 1 ? primary(h, CLANG_PRIMARY) : h + CLANG_OBJECT, CLANG_COUNT);
}

/* The object's own address may be a lock's or an atomic's: a byte inside its header is nobody's. */
static uintptr_t key(const void *object)
{
    return (uintptr_t)object - 1;
}

/* The library's function runs the program's destructors, so it is called outside of the hook. */
static bool begins(struct shared s, uintptr_t pc)
{
    struct sn_thread *t = s.object ? sn_enter(pc) : 0;
    if (!t)
        return false;
    sn_library_turn_begin(t, key(s.object));
    if (__atomic_load_n(s.count, __ATOMIC_ACQUIRE) > s.last)
        SN_EMIT(t, RELEASE_MERGE, .addr = key(s.object), .pc = pc);
    else
        SN_EMIT(t, ACQUIRE, .addr = key(s.object), .pc = pc);
    sn_hook_leave(t);
    return true;
}

static void ends(const void *object, uintptr_t pc)
{
    struct sn_thread *t = sn_enter(pc);
    if (!t)
        return;
    sn_library_drop_end(t, key(object));
    sn_hook_leave(t);
}

SN_EXPORT void __cxa_end_catch(void);
SN_EXPORT void __cxa_end_catch(void)
{
    void (*real)(void) = sn_real_of_library(SN_OPERATOR___cxa_end_catch, libraries);
    struct shared s = caught();
    bool told = begins(s, SN_CALLER);
    if (real)
        real();
    if (told)
        ends(s.object, SN_CALLER);
}

SN_EXPORT void
sn_exception_ptr_release(void **p) __asm__("_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv");
SN_EXPORT void sn_exception_ptr_release(void **p)
{
    void (*real)(void **) = sn_real_of_library(
        SN_OPERATOR__ZNSt15__exception_ptr13exception_ptr10_M_releaseEv, libraries);
    void *object = *p;
    bool told = begins(shared(object, GNU_COUNT), SN_CALLER);
    if (real)
        real(p);
    if (told)
        ends(object, SN_CALLER);
}

SN_EXPORT void __cxa_decrement_exception_refcount(void *object);
SN_EXPORT void __cxa_decrement_exception_refcount(void *object)
{
    static const char *const clang[] = {"libc++abi.so.1", 0};
    void (*real)(void *) =
        sn_real_of_library(SN_OPERATOR___cxa_decrement_exception_refcount, clang);
    bool told = begins(shared(object, CLANG_COUNT), SN_CALLER);
    if (real)
        real(object);
    if (told)
        ends(object, SN_CALLER);
}

static void destroy(void *exception, enum sn_operator op, uintptr_t pc)
{
    void (*real)(void *) = sn_real_of_library(op, libraries);
    struct shared s = shared(*(char **)((char *)exception + TEXT), TEXT_COUNT);
    s.last = 0;
    bool told = begins(s, pc);
    if (real)
        real(exception);
    if (told)
        ends(s.object, pc);
}

#define DESTRUCTOR(name)                                                                           \
    SN_EXPORT void name(void *exception);                                                          \
    SN_EXPORT void name(void *exception)                                                           \
    {                                                                                              \
        destroy(exception, SN_OPERATOR_##name, SN_CALLER);                                         \
    }

DESTRUCTOR(_ZNSt13runtime_errorD1Ev)
DESTRUCTOR(_ZNSt13runtime_errorD2Ev)
DESTRUCTOR(_ZNSt11logic_errorD1Ev)
DESTRUCTOR(_ZNSt11logic_errorD2Ev)
