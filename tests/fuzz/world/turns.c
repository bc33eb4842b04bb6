/* turns.c: what happens depends on more than the schedule: every other execution, by a file, has the race. With -DALONE
 * the file does not matter. */
#include <pthread.h>
#include <stdio.h>

static int counter, odd;

static void *add(void *arg)
{
    if (odd)
        counter++;
    return arg;
}

static int executions(void)
{
    int n = 0;
    FILE *f = fopen("executions", "r+");
    if (!f)
        f = fopen("executions", "w+");
    if (!f || fscanf(f, "%d", &n) < 0)
        n = 0;
    if (f) {
        rewind(f);
        fprintf(f, "%d\n", n + 1);
        fclose(f);
    }
    return n;
}

int main(void)
{
    pthread_t t[2];
    odd = executions() & 1;
#ifdef ALONE
    odd = 1;
#endif
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, add, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
