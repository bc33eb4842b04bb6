// LIB: liblua5.4.so.0
// As b45 with a state for every thread.
#include "module.h"

void *luaL_newstate(void);
int luaL_loadstring(void *l, const char *s);
int lua_pcallk(void *l, int n, int results, int handler, intptr_t context, void *k);
void lua_pushinteger(void *l, long long n);
int lua_getglobal(void *l, const char *name);
void lua_settop(void *l, int n);
void lua_close(void *l);

static void *request(void *id)
{
    void *l = luaL_newstate();
    luaL_loadstring(l, "function judge(n) return n % 7 == 0 end");
    lua_pcallk(l, 0, 0, 0, 0, 0);
    for (int i = 0; i < 25; i++) {
        work(14);
        lua_getglobal(l, "judge");
        lua_pushinteger(l, i);
        lua_pcallk(l, 1, 1, 0, 0, 0);
        lua_settop(l, 0);
    }
    lua_close(l);
    return id == (void *)9 ? id : 0;
}

int main(void)
{
    all(3, request);
    return 0;
}
