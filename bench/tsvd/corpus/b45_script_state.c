// BUG: lua_* lua_* | lua_* luaL_* | luaL_* luaL_*
// LIB: liblua5.4.so.0
// Every request asks a Lua state for a setting, all the same one.
#include "module.h"

void *luaL_newstate(void);
int luaL_loadstring(void *l, const char *s);
int lua_pcallk(void *l, int n, int results, int handler, intptr_t context, void *k);
int lua_getglobal(void *l, const char *name);
void lua_settop(void *l, int n);
void lua_close(void *l);

static void *l;

static void *request(void *id)
{
    for (int i = 0; i < 25; i++) {
        work(14);
        lua_getglobal(l, "level");
        lua_settop(l, 0);
    }
    return id == (void *)9 ? id : 0;
}

int main(void)
{
    l = luaL_newstate();
    luaL_loadstring(l, "level = 7");
    lua_pcallk(l, 0, 0, 0, 0, 0);
    all(2, request);
    lua_close(l);
    return 0;
}
