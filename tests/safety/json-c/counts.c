// EXPECT: json_object_get json_object_put
// ALLOW: json_object_get json_object_get
// ALLOW: json_object_put json_object_put
// LIB: libjson-c.so.5
// Reference counts are plain numbers in this build of the library.
#include <stdio.h>

#include "together.h"

void *json_object_new_int(int i);
void *json_object_get(void *o);
int json_object_put(void *o);

static void *hold(void *o)
{
    arrive();
    for (int i = 0; i < ROUNDS / 4; i++) {
        LOCK;
        json_object_get(o);
        json_object_put(o);
        UNLOCK;
    }
    return 0;
}

int main(void)
{
    void *o = json_object_new_int(12);
    json_object_get(o);
    together(hold, hold, o);
    puts("done");
    return 0;
}
