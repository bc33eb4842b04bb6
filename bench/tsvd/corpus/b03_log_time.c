// BUG: localtime localtime
// Every line of the log is stamped.

#include "module.h"

static void *logger(void *id)
{
    for (int i = 0; i < 50; i++) {
        time_t now = i;
        char b[32];
        strftime(b, sizeof b, "%T", localtime(&now));
        work(9);
    }
    return id;
}

int main(void)
{
    all(3, logger);
    return 0;
}
