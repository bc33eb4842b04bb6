
#include "module.h"

static void *parse(void *id)
{
    char s[] = "a b";
    for (int i = 0; i < 10; i++) {
        strtok(s, " ");
        work(5);
    }
    return id;
}

int main(void)
{
    for (int i = 0; i < 8; i++) {
        pthread_t t;
        pthread_create(&t, 0, parse, 0);
        pthread_join(t, 0);
    }
    return 0;
}
