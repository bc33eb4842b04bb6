// First contents of static objects: addresses, arrays, nested initialisers, thread-local ones.
// EXPECT: misuse END
#include "verify.h"
struct node {
    const char *name;
    struct node *next;
    int weights[3];
    int (*call)(int);
};

static int plus(int n)
{
    return n + 1;
}

extern struct node second;
static struct node first = {"first", &second, {1, 2}, plus};
struct node second = {.weights = {[2] = 9}, .name = "second"};
static int *inside = &first.weights[1];
static char letters[8] = "abc";
static double reals[] = {0.5, -1.25};
static _Thread_local int local_start = 77;
static const int big[1000] = {[999] = 5};
static long zeros[100000];

int main(void)
{
    VERIFY(strcmp(first.next->name, "second") == 0 && first.next->weights[2] == 9 && first.call(4) == 5);
    VERIFY(*inside == 2 && inside - first.weights == 1 && letters[3] == 0 && letters[2] == 'c');
    VERIFY(reals[1] == -1.25 && local_start == 77 && big[999] == 5 && big[998] == 0);
    local_start++;
    VERIFY(local_start == 78 && second.next == NULL && second.call == NULL);
    zeros[99999] = 3;
    VERIFY(zeros[99998] == 0 && zeros[99999] == 3);
    REACHED(); // END
    return 0;
}
