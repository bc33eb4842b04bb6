// EXPECT: json_object_get json_object_set_new
// ALLOW: json_object_set_new json_object_set_new
// LIB: libjansson.so.4
#include <stdio.h>

#include "together.h"

void *json_object(void);
void *json_integer(long long i);
int json_object_set_new(void *o, const char *key, void *value);
void *json_object_get(const void *o, const char *key);

static void *change(void *o)
{
    arrive();
    for (int i = 0; i < ROUNDS / 4; i++) {
        LOCK;
        json_object_set_new(o, "n", json_integer(i));
        UNLOCK;
    }
    return 0;
}

static void *look(void *o)
{
    arrive();
    for (int i = 0; i < ROUNDS / 4; i++) {
        LOCK;
        json_object_get(o, "other");
        UNLOCK;
    }
    return 0;
}

int main(void)
{
    void *o = json_object();
    json_object_set_new(o, "n", json_integer(1));
    together(change, look, o);
    puts("done");
    return 0;
}
