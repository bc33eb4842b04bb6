// PKG: libxml-2.0
// As b46 with a lock for readers and writers.
#include <libxml/tree.h>

#include "module.h"

static xmlDocPtr doc;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *edit(void *x)
{
    for (int i = 0; i < 5; i++) {
        work(60);
        pthread_rwlock_wrlock(&lock);
        xmlSetProp(xmlDocGetRootElement(doc), BAD_CAST "version", BAD_CAST(i % 2 ? "1" : "2"));
        pthread_rwlock_unlock(&lock);
    }
    return x;
}

static void *check(void *x)
{
    for (int i = 0; i < 35; i++) {
        pthread_rwlock_rdlock(&lock);
        xmlChar *v = xmlGetProp(xmlDocGetRootElement(doc), BAD_CAST "version");
        pthread_rwlock_unlock(&lock);
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
