// As b39; what is needed of the environment is read before the threads start, and zones are not
// set.
#include "module.h"

static char home[200];

static void *report(void *x)
{
    for (int i = 0; i < 3; i++) {
        work(90);
        time_t now = 1700000000 + i;
        struct tm tm;
        x = gmtime_r(&now, &tm);
    }
    return x == (void *)1 ? x : 0;
}

static void *find_file(void *id)
{
    char path[256];
    for (int i = 0; i < 60; i++) {
        snprintf(path, sizeof path, "%s/.config/%d", home, i);
        if (access(path, R_OK) == 0)
            return id;
        work(5);
    }
    return 0;
}

int main(void)
{
    pthread_t r;
    setenv("TZ", "UTC", 1);
    const char *h = getenv("HOME");
    snprintf(home, sizeof home, "%s", h ? h : "/");
    pthread_create(&r, 0, report, 0);
    all(2, find_file);
    pthread_join(r, 0);
    return 0;
}
