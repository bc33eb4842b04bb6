// EXPECT: xmlNodeGetContent xmlSetProp
// EXPECT-OBJECT: xmlDoc
// LIB: libxml2.so.2
// Two nodes of one document: who changes one of them disturbs whoever reads the other.
#include <stdio.h>
#include <stdlib.h>

#include "together.h"

struct node;
void *xmlReadMemory(const char *text, int n, const char *url, const char *encoding, int options);
void *xmlDocGetRootElement(void *doc);
void *xmlFirstElementChild(void *node);
void *xmlLastElementChild(void *node);
void *xmlSetProp(void *node, const char *name, const char *value);
char *xmlNodeGetContent(void *node);
void xmlFreeDoc(void *doc);

static void *change(void *root)
{
    arrive();
    for (int i = 0; i < ROUNDS / 10; i++) {
        LOCK;
        xmlSetProp(xmlFirstElementChild(root), "n", i & 1 ? "one" : "two");
        UNLOCK;
    }
    return 0;
}

static void *look(void *root)
{
    void *node = xmlLastElementChild(root);
    arrive();
    for (int i = 0; i < ROUNDS / 10; i++) {
        LOCK;
        free(xmlNodeGetContent(node));
        UNLOCK;
    }
    return 0;
}
// ALLOW: xmlFirstElementChild xmlSetProp
// ALLOW: xmlLastElementChild xmlSetProp

int main(void)
{
    static const char text[] = "<all><a/><b>words</b></all>";
    void *doc = xmlReadMemory(text, sizeof text - 1, "x", 0, 0);
    together(change, look, xmlDocGetRootElement(doc));
    xmlFreeDoc(doc);
    puts("done");
    return 0;
}
