// EXPECT: lua_pushinteger lua_pushinteger
// ALLOW: lua_pushinteger lua_settop
// ALLOW: lua_settop lua_settop
// EXPECT-OBJECT: global_State
// LIB: liblua5.4.so.0
// Each thread has a lua_State of its own, but both belong to one global state.
#include <stdio.h>

#include "together.h"

void *luaL_newstate(void);
void *lua_newthread(void *l);
void lua_pushinteger(void *l, long long n);
void lua_settop(void *l, int n);
void lua_close(void *l);

static void *state[2];
static atomic_int next;

static void *work(void *unused)
{
    void *l = state[atomic_fetch_add(&next, 1)];
    arrive();
    for (int i = 0; i < ROUNDS / 4; i++) {
        LOCK;
        lua_pushinteger(l, i);
        lua_settop(l, 0);
        UNLOCK;
    }
    return unused;
}

int main(void)
{
    void *l = luaL_newstate();
    state[0] = lua_newthread(l);
    state[1] = lua_newthread(l);
    together(work, work, 0);
    lua_close(l);
    puts("done");
    return 0;
}
