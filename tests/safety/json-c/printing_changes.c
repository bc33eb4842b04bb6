// EXPECT: json_object_to_json_string json_object_to_json_string
// LIB: libjson-c.so.5
// Two threads that only print: the text is kept in the object.
#include <stdio.h>

#include "together.h"

void *json_object_new_int(int i);
const char *json_object_to_json_string(void *o);
int json_object_put(void *o);

static void *print(void *o)
{
    arrive();
    for (int i = 0; i < ROUNDS / 4; i++) {
        LOCK;
        json_object_to_json_string(o);
        UNLOCK;
    }
    return 0;
}

int main(void)
{
    void *o = json_object_new_int(12);
    together(print, print, o);
    json_object_put(o);
    puts("done");
    return 0;
}
