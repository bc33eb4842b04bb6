/*
 * asked.c: see asked.h.
 */
#include "fuzz/asked.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>

static const int wanted[] = {SIGINT, SIGTERM, SIGHUP};
enum { WANTED = sizeof wanted / sizeof *wanted };

static volatile sig_atomic_t asked;
static int put_off; /* the signal; 0 none */
static double until;
static struct sigaction old[WANTED];
static int watchers;

static void on_signal(int sig)
{
    asked = sig;
}

void sn_asked_watch(void)
{
    struct sigaction ours = {.sa_handler = on_signal}; /* not SA_RESTART: who waits shall look */
    if (watchers++)
        return;
    asked = put_off = 0;
    for (size_t i = 0; i < WANTED; i++)
        if (sigaction(wanted[i], NULL, &old[i]) == 0 && old[i].sa_handler != SIG_IGN)
            sigaction(wanted[i], &ours, NULL);
}

void sn_asked_leave(void)
{
    if (--watchers)
        return;
    for (size_t i = 0; i < WANTED; i++)
        sigaction(wanted[i], &old[i], NULL);
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int sn_asked(void)
{
    if (!asked && put_off && now_s() >= until)
        asked = put_off;
    return asked;
}

void sn_asked_put_off(double seconds)
{
    put_off = asked;
    until = now_s() + seconds;
    asked = 0;
}

void sn_asked_note(int sig)
{
    if (sig)
        asked = sig;
}
