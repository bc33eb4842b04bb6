/*
 * loaded.c: calls into unrecorded code that no slot of the program leads to: functions that dlsym
 * found, pointers in the program's data, a plug-in that is instrumented and came by dlopen, a
 * library that was closed and opened again. `loaded NAME` has two threads that are ordered by such
 * a call; `loaded NAME race` is its twin without that order.
 */
#include "hidden.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct calls {
    void (*set)(int *word, int value);
    void (*wait)(int *word, int value);
};

static struct calls linked = {hidden_set, hidden_wait};
static struct calls calls;
static int data, word, racy;
volatile int result;

static void *writer(void *p)
{
    data = 1;
    calls.set(&word, 1);
    return p;
}

static void *reader(void *p)
{
    if (racy)
        result = data;
    calls.wait(&word, 1);
    if (!racy)
        result = data;
    return p;
}

static void *open_library(const char *name)
{
    void *library = dlopen(name, RTLD_NOW);
    if (!library)
        fprintf(stderr, "%s\n", dlerror());
    return library ? library : (exit(1), NULL);
}

static void look_up(void *library, const char *set, const char *wait)
{
    *(void **)&calls.set = dlsym(library, set);
    *(void **)&calls.wait = dlsym(library, wait);
}

static void prepare(const char *name)
{
    if (strcmp(name, "table") == 0)
        calls = linked;
    else if (strcmp(name, "plugin") == 0)
        look_up(open_library("./libplugin.so"), "plugin_set", "plugin_wait");
    else
        look_up(open_library("./libloaded.so"), "hidden_set", "hidden_wait");
    if (strcmp(name, "again") != 0)
        return;
    int before = 0;
    for (int i = 0; i < 3; i++) {
        void *library = open_library("./libother.so");
        look_up(library, "hidden_set", "hidden_wait");
        calls.set(&before, i);
        dlclose(library);
    }
    look_up(open_library("./libother.so"), "hidden_set", "hidden_wait");
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    racy = argc > 2;
    prepare(argc > 1 ? argv[1] : "table");
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
