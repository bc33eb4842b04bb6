// BUG: setenv * | tzset * | unsetenv * | localtime localtime
// A report is made in the user's time zone by way of the environment, while others ask it for their
// home.
#include "module.h"

static void *report(void *x)
{
    for (int i = 0; i < 3; i++) {
        work(90);
        time_t now = 1700000000 + i;
        struct tm tm;
        setenv("TZ", "Europe/Vienna", 1);
        tzset();
        x = localtime_r(&now, &tm);
        unsetenv("TZ");
    }
    return x == (void *)1 ? x : 0;
}

static void *find_file(void *id)
{
    char path[256];
    for (int i = 0; i < 60; i++) {
        const char *home = getenv("HOME");
        snprintf(path, sizeof path, "%s/.config/%d", home ? home : "/", i);
        if (access(path, R_OK) == 0)
            return id;
        work(5);
    }
    return 0;
}

int main(void)
{
    pthread_t r;
    pthread_create(&r, 0, report, 0);
    all(2, find_file);
    pthread_join(r, 0);
    return 0;
}
