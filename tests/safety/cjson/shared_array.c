// EXPECT: cJSON_AddItemToArray cJSON_AddItemToArray
// LIB: libcjson.so.1
#include <stdio.h>

#include "together.h"

void *cJSON_CreateArray(void);
void *cJSON_CreateNumber(double n);
int cJSON_AddItemToArray(void *array, void *item);

static void *fill(void *array)
{
    arrive();
    for (int i = 0; i < ROUNDS / 40; i++) {
        void *item = cJSON_CreateNumber(i);
        LOCK;
        cJSON_AddItemToArray(array, item);
        UNLOCK;
    }
    return 0;
}

int main(void)
{
    together(fill, fill, cJSON_CreateArray());
    puts("done");
    return 0;
}
