// EXPECT: XML_GetCurrentLineNumber XML_Parse
// ALLOW: XML_Parse XML_Parse
// LIB: libexpat.so.1
#include <stdio.h>

#include "together.h"

void *XML_ParserCreate(const char *encoding);
void XML_ParserFree(void *p);
int XML_Parse(void *p, const char *text, int n, int last);
unsigned long XML_GetCurrentLineNumber(void *p);

static void *parse(void *p)
{
    arrive();
    for (int i = 0; i < ROUNDS / 4; i++) {
        LOCK;
        XML_Parse(p, "<a/>\n", 5, 0);
        UNLOCK;
    }
    return 0;
}

static void *watch(void *p)
{
    arrive();
    for (int i = 0; i < ROUNDS / 4; i++) {
        LOCK;
        XML_GetCurrentLineNumber(p);
        UNLOCK;
    }
    return 0;
}

int main(void)
{
    void *p = XML_ParserCreate(0);
    XML_Parse(p, "<all>", 5, 0);
    together(parse, watch, p);
    XML_ParserFree(p);
    puts("done");
    return 0;
}
