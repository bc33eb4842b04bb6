// EXPECT: EVP_DigestUpdate EVP_DigestUpdate
// LIB: libcrypto.so.3
#include <stddef.h>
#include <stdio.h>

#include "together.h"

void *EVP_MD_CTX_new(void);
void EVP_MD_CTX_free(void *c);
const void *EVP_sha256(void);
int EVP_DigestInit_ex(void *c, const void *type, void *engine);
int EVP_DigestUpdate(void *c, const void *data, size_t n);

static void *feed(void *c)
{
    arrive();
    for (int i = 0; i < ROUNDS; i++) {
        LOCK;
        EVP_DigestUpdate(c, "x", 1);
        UNLOCK;
    }
    return 0;
}

int main(void)
{
    void *c = EVP_MD_CTX_new();
    EVP_DigestInit_ex(c, EVP_sha256(), 0);
    together(feed, feed, c);
    EVP_MD_CTX_free(c);
    puts("done");
    return 0;
}
