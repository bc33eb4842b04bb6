// The fixed twin unloads the library and loads it anew: its variables are other variables.
// LIBRARY:
// EXPECT: data-race RACE1/write RACE1/write
// EXPECT-OBJECT: global plugin_state
// PEER: tsan may-alarm: the shadow of an unloaded library is not cleared
#ifdef LIBRARY
int plugin_state;

void plugin_set(void)
{
    plugin_state = 1; // RACE1
}
#else
#include <dlfcn.h>
#include "invisible.h"

static void *plugin;

static void set(void)
{
    ((void (*)(void))dlsym(plugin, "plugin_set"))();
}

static void first(void)
{
    set();
    FIX(dlclose(plugin));
    FIX(plugin = NULL);
}

static void second(void)
{
    FIX(void *again = dlopen(LIBRARY_PATH, RTLD_NOW));
    FIX(((void (*)(void))dlsym(again, "plugin_set"))());
    BUG(set());
}

int main(void)
{
    plugin = dlopen(LIBRARY_PATH, RTLD_NOW);
    run_in_order(first, second);
    return 0;
}
#endif
