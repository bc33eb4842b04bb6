// EXPECT: pipe_send pipe_send
// OPTIONS: --contracts {dir}/rules.contract
// LIBRARY:
// LINK-LIBRARY:
// One sender and one receiver may overlap, two senders may not.
#include <stdio.h>

void pipe_send(int *p);
void pipe_recv(int *p);

#ifdef LIBRARY
void pipe_send(int *p)
{
    (void)p;
}
void pipe_recv(int *p)
{
    (void)p;
}
#else
#include "together.h"

static void *sender(void *p)
{
    arrive();
    for (int i = 0; i < ROUNDS; i++)
        pipe_send(p);
    return 0;
}

static void *receiver(void *p)
{
    arrive();
    for (int i = 0; i < ROUNDS; i++)
        pipe_recv(p);
    return 0;
}

int main(void)
{
    int p = 0;
#ifdef FIXED
    together(sender, receiver, &p);
#else
    (void)receiver;
    together(sender, sender, &p);
#endif
    puts("done");
    return 0;
}
#endif
