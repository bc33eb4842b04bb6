// EXPECT: SSL_CTX_set_cipher_list SSL_new
// LIB: libssl.so.3
// A context is changed while another thread makes connections from it.
#include <stdio.h>

#include "together.h"

const void *TLS_client_method(void);
void *SSL_CTX_new(const void *method);
void SSL_CTX_free(void *c);
int SSL_CTX_set_cipher_list(void *c, const char *list);
void *SSL_new(void *c);
void SSL_free(void *s);

static void *connections(void *c)
{
    arrive();
    for (int i = 0; i < 200; i++) {
        LOCK;
        SSL_free(SSL_new(c));
        UNLOCK;
    }
    return 0;
}

static void *configure(void *c)
{
    arrive();
    for (int i = 0; i < 20; i++) {
        LOCK;
        SSL_CTX_set_cipher_list(c, "HIGH");
        UNLOCK;
    }
    return 0;
}

int main(void)
{
    void *c = SSL_CTX_new(TLS_client_method());
    together(connections, configure, c);
    SSL_CTX_free(c);
    puts("done");
    return 0;
}
