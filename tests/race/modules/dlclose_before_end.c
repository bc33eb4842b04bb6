// The library that raced is unloaded before the end; the report still names its lines.
// LIBRARY:
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global plugin_state
// EXPECT-STACK: RACE1 plugin_set first
// EXPECT-STACK: RACE2 plugin_get second
// PEER: tsan may-miss: symbolises after the library is gone
#ifdef LIBRARY
int plugin_state;

void plugin_set(void)
{
    plugin_state = 1; // RACE1
}

int plugin_get(void)
{
    return plugin_state; // RACE2
}
#else
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "invisible.h"

static void (*set)(void);
static int (*get)(void);

static void first(void)
{
    BUG(set());
    hidden_count(0);
}

static void second(void)
{
    get();
    hidden_count(0);
}

int main(void)
{
    void *plugin = dlopen(LIBRARY_PATH, RTLD_NOW);
    set = (void (*)(void))dlsym(plugin, "plugin_set");
    get = (int (*)(void))dlsym(plugin, "plugin_get");
    run_in_order(first, second);
    return dlclose(plugin);
}
#endif
