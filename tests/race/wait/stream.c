// A hand-over through a pipe with streams on both ends: what was written before a character, a line or a
// formatted text went out is seen by whoever got it.
// EXPECT: data-race WROTE READ
// EXPECT-OBJECT: global late
#include <stdio.h>
#include <unistd.h>
#include "invisible.h"

int by_character, by_format, late;
static FILE *in, *out;

static void *producer(void *arg)
{
    by_character = 1;
    putc('a', out);
    fflush(out);
    by_format = 2;
    fprintf(out, "%d\n", 7);
    fflush(out);
    FIX(late = 3;)
    FIX(fputc('b', out); fflush(out);)
    BUG(hidden_wait(1);)
    BUG(late = 3;) // WROTE
    BUG(hidden_post(2);)
    return arg;
}

int main(void)
{
    pthread_t thread;
    int ends[2], number = 0, sum = 0;
    if (pipe(ends))
        return 1;
    in = fdopen(ends[0], "r");
    out = fdopen(ends[1], "w");
    pthread_create(&thread, NULL, producer, NULL);
    if (getc(in) == 'a')
        sum += by_character;
    if (fscanf(in, "%d", &number) == 1 && getc(in) == '\n')
        sum += by_format + number;
    FIX(getc(in);)
    BUG(hidden_post(1);)
    BUG(hidden_wait(2);)
    sum += late; // READ
    pthread_join(thread, NULL);
    return sum - 13;
}
