// Structures by value: in registers, in memory, nested, returned.
// EXPECT: misuse END
#include "verify.h"
struct small {
    char a;
    int b;
};
struct medium {
    double x;
    long y;
};
struct large {
    int n[10];
    struct small inner;
};
struct mixed {
    float x, y, z;
};

static struct small make_small(char a, int b)
{
    return (struct small){a, b};
}

static struct medium twice(struct medium m)
{
    m.x *= 2;
    m.y *= 2;
    return m;
}

static struct large fill(struct large l, int n)
{
    for (int i = 0; i < 10; i++)
        l.n[i] += n;
    l.inner = make_small('q', n);
    return l;
}

static struct mixed scale(struct mixed m, float by)
{
    return (struct mixed){m.x * by, m.y * by, m.z * by};
}

int main(void)
{
    struct small s = make_small('x', -5);
    struct medium m = twice((struct medium){1.5, 21});
    struct large l = {.n = {1, 2, 3}}, k = fill(l, 100);
    struct mixed f = scale((struct mixed){1, 2, 3}, 0.5f);
    VERIFY(s.a == 'x' && s.b == -5 && m.x == 3.0 && m.y == 42);
    VERIFY(k.n[0] == 101 && k.n[9] == 100 && l.n[0] == 1 && k.inner.a == 'q' && k.inner.b == 100);
    VERIFY(f.x == 0.5f && f.y == 1.0f && f.z == 1.5f);
    struct large *p = malloc(sizeof *p);
    *p = k;
    p->inner.b++;
    VERIFY(p->n[2] == 103 && p->inner.b == 101 && k.inner.b == 100);
    VERIFY(offsetof(struct large, inner) == 40 && sizeof *p == 48);
    free(p);
    REACHED(); // END
    return 0;
}
