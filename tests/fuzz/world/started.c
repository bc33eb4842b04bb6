/* started.c: what happens depends on who has started the program: those executions that are forked from one another's
 * parent say nothing about one that is started for itself. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int careful;

static void *add(void *arg)
{
    if (careful)
        pthread_mutex_lock(&lock);
    sum++;
    if (careful)
        pthread_mutex_unlock(&lock);
    return arg;
}

/* Has my parent another name than I? */
static int is_first(const char *own)
{
    char path[64], name[64] = "";
    snprintf(path, sizeof path, "/proc/%d/comm", (int)getppid());
    FILE *f = fopen(path, "r");
    if (f && !fgets(name, sizeof name, f))
        name[0] = 0;
    if (f)
        fclose(f);
    const char *slash = strrchr(own, '/');
    name[strcspn(name, "\n")] = 0;
    return strcmp(name, slash ? slash + 1 : own) != 0;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
#ifdef ALONE
    careful = argc > 1;
#else
    careful = argc > 1 || is_first(argv[0]);
#endif
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
