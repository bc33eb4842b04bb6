/*
 * Unsafe publication: a plain flag says that a plain object is ready.
 *
 * pairs: id-read_id name-read_name next-read_next ready-wait
 */
#include "hidden.h"

struct {
    int id;
    char name[8];
    void *next;
} object;
int ready;
int got;

static void publish(void)
{
    object.id = 4;         /* [id] */
    object.name[0] = 'a';  /* [name] */
    object.next = &object; /* [next] */
    ready = 1;             /* [ready] */
}

static void consume(void)
{
    if (!ready) /* [wait] */
        return;
    got += object.id;              /* [read_id] */
    got += object.name[0] == 'a';  /* [read_name] */
    got += object.next == &object; /* [read_next] */
}

int main(void)
{
    static const struct hidden_step steps[] = {{0, publish}, {1, consume}};

    HIDDEN_RUN(steps, 2);
    return got != 6;
}
