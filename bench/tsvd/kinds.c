/* kinds.c: a library with one function for every kind of rule (kinds.contract). They do nothing. */
#include <stdarg.h>

struct thing {
    long mode;
    struct thing *root;
};
struct large {
    long a[4];
};

#define NOTHING(name)                                                                              \
    void name(void *x);                                                                            \
    void name(void *x)                                                                             \
    {                                                                                              \
        (void)x;                                                                                   \
        __asm__ volatile("");                                                                      \
    }

NOTHING(kinds_read)
NOTHING(kinds_write)
NOTHING(kinds_destroy)
NOTHING(kinds_pointer)
NOTHING(kinds_hidden)
NOTHING(kinds_send)
NOTHING(kinds_receive)
NOTHING(kinds_set)
NOTHING(kinds_freeze)
NOTHING(kinds_only)
NOTHING(kinds_disown)
NOTHING(kinds_begin)
NOTHING(kinds_end)
NOTHING(kinds_acquire)
NOTHING(kinds_release)
NOTHING(kinds_by_mark)
NOTHING(kinds_by_field)
NOTHING(kinds_by_asking)
NOTHING(kinds_by_asking_far)
NOTHING(kinds_by_call)
NOTHING(kinds_part)
NOTHING(kinds_member)
NOTHING(kinds_long)

void kinds_long_two(void *x, void *y);
void kinds_long_two(void *x, void *y)
{
    (void)x, (void)y;
    __asm__ volatile("");
}

void kinds_own(void **x, void *made);
void kinds_own(void **x, void *made)
{
    *x = made;
}

void kinds_mark(void **x, void *made);
void kinds_mark(void **x, void *made)
{
    *x = made;
}

int kinds_ask(struct thing *x);
int kinds_ask(struct thing *x)
{
    return (int)x->mode;
}

static int (*volatile other)(struct thing *) = kinds_ask;

/* It calls another: all registers are saved around it. */
int kinds_ask_far(struct thing *x);
int kinds_ask_far(struct thing *x)
{
    return other(x) + 1;
}

int kinds_once(void);
int kinds_once(void)
{
    return 1;
}

struct thing *kinds_root(struct thing *x);
struct thing *kinds_root(struct thing *x)
{
    return x->root;
}

int kinds_varargs(void *x, ...);
int kinds_varargs(void *x, ...)
{
    va_list ap;
    va_start(ap, x);
    double d = va_arg(ap, double);
    va_end(ap);
    return (int)d;
}

struct large kinds_struct(void *x);
struct large kinds_struct(void *x)
{
    return (struct large){{(long)x, 1, 2, 3}};
}
