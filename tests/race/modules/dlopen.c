// A library loaded by dlopen; it is still there at the end.
// LIBRARY:
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global plugin_state
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
#include "invisible.h"

static void (*set)(void);
static int (*get)(void);

static void first(void)
{
    BUG(set());
}

static void second(void)
{
    get();
}

int main(void)
{
    void *plugin = dlopen(LIBRARY_PATH, RTLD_NOW);
    set = (void (*)(void))dlsym(plugin, "plugin_set");
    get = (int (*)(void))dlsym(plugin, "plugin_get");
    run_in_order(first, second);
    return 0;
}
#endif
