// A handler shares a plain variable with the program.
// EXPECT: data-race HANDLER/write MAIN
#include "../twin.h"

#include <signal.h>

static PICK(long, volatile sig_atomic_t) hits;

static void on_alarm(int number)
{
    hits = number; // HANDLER
}

int main(void)
{
    struct sigaction act = {.sa_handler = on_alarm};
    sigaction(SIGALRM, &act, NULL);
    long n = 0;
    for (int i = 0; i < 4; i++)
        n += hits; // MAIN
    return (int)n;
}
