// Arrays of variable length, flexible members, unions, alignment, alloca, compound literals.
// EXPECT: misuse END
#include "verify.h"
#include <alloca.h>

struct flexible {
    int n;
    char text[];
};

static int vla(int n)
{
    int a[n][n + 1];
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= n; j++)
            a[i][j] = i * j;
    return a[n - 1][n] + (int)sizeof a;
}

static int sum(const int *p, size_t n)
{
    int s = 0;
    while (n--)
        s += *p++;
    return s;
}

static int *const table[] = {(int[]){1, 2, 3}, (int[]){4, 5, 6}};
static const char *const words[] = {"one", "two", "three"};

int main(void)
{
    VERIFY(vla(4) == 12 + 80 && vla(3) == 6 + 48);
    struct flexible *f = malloc(sizeof *f + 6);
    strcpy(f->text, "hello");
    f->n = 5;
    VERIFY(f->text[4] == 'o' && strlen(f->text) == (size_t)f->n);
    free(f);
    union {
        float f;
        uint32_t u;
        unsigned char b[4];
    } pun = {1.0f};
    VERIFY(pun.u == 0x3f800000 && pun.b[3] == 0x3f);
    _Alignas(64) char aligned[10];
    VERIFY((uintptr_t)aligned % 64 == 0);
    char *p = alloca(20);
    memset(p, 'z', 20);
    VERIFY(p[19] == 'z' && sum((int[]){1, 2, 3, 4}, 4) == 10 && sum(table[1], 3) == 15);
    VERIFY(strcmp(words[2], "three") == 0 && words[1][0] == 't');
    int *q = realloc(calloc(2, sizeof *q), 4 * sizeof *q);
    q[2] = 7;
    VERIFY(q[0] == 0 && q[2] == 7);
    free(q);
    REACHED(); // END
    return 0;
}
