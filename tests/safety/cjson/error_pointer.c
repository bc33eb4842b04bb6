// EXPECT: cJSON_GetErrorPtr cJSON_Parse
// ALLOW: cJSON_GetErrorPtr cJSON_GetErrorPtr
// LIB: libcjson.so.1
// The last error belongs to everybody: another thread parses between the parse and the question.
#include <stdio.h>

#include "together.h"

void *cJSON_Parse(const char *text);
const char *cJSON_GetErrorPtr(void);

static void *parse(void *unused)
{
    arrive();
    for (int i = 0; i < ROUNDS; i++) {
        LOCK;
        cJSON_Parse("[1, 2");
        cJSON_GetErrorPtr();
        UNLOCK;
    }
    return unused;
}

int main(void)
{
    together(parse, parse, 0);
    puts("done");
    return 0;
}
