// A list that one thread fills and another walks.
// EXPECT: data-race PUSH/write WALK/read
#include "../twin.h"

struct node {
    struct node *next;
    int value;
};
static struct node *head;
static int total;

static void *push(void *arg)
{
    for (int i = 0; i < 3; i++) {
        struct node *n = malloc(sizeof *n);
        n->value = i; // VALUE
        FIX(LOCK());
        n->next = head; // NEXT
        head = n; // PUSH
        FIX(UNLOCK());
    }
    return arg;
}

static void *walk(void *arg)
{
    FIX(LOCK());
    for (struct node *n = head; n; n = n->next) // WALK
        total += n->value; // SUM
    FIX(UNLOCK());
    return arg;
}
// ALLOW: data-race VALUE SUM
// ALLOW: data-race NEXT WALK

int main(void)
{
    run_two(push, walk);
    return total;
}
