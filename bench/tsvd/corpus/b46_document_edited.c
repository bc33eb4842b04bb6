// BUG: xmlNewProp xml* | xmlSetProp xml*
// PKG: libxml-2.0
// The editor changes an attribute now and then, the checker reads them all the time.
#include <libxml/tree.h>

#include "module.h"

static xmlDocPtr doc;

static void *edit(void *x)
{
    for (int i = 0; i < 5; i++) {
        work(60);
        xmlSetProp(xmlDocGetRootElement(doc), BAD_CAST "version", BAD_CAST(i % 2 ? "1" : "2"));
    }
    return x;
}

static void *check(void *x)
{
    for (int i = 0; i < 35; i++) {
        xmlChar *v = xmlGetProp(xmlDocGetRootElement(doc), BAD_CAST "version");
        xmlFree(v);
        work(10);
    }
    return x;
}

int main(void)
{
    doc = xmlNewDoc(BAD_CAST "1.0");
    xmlDocSetRootElement(doc, xmlNewNode(0, BAD_CAST "root"));
    xmlSetProp(xmlDocGetRootElement(doc), BAD_CAST "version", BAD_CAST "0");
    both(edit, check);
    xmlFreeDoc(doc);
    return 0;
}
