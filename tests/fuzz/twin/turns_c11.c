/* turns_c11.c: three players take turns by a C11 condition; a signal reaches one who has no turn. */
// EXPECT: confirmed deadlock harmful
#include <stdint.h>
#include <threads.h>

static mtx_t m;
static cnd_t c;
static once_flag once = ONCE_FLAG_INIT;
static int turn, count;

static void prepare(void)
{
    mtx_init(&m, mtx_plain);
    cnd_init(&c);
}

static int player(void *arg)
{
    call_once(&once, prepare);
    mtx_lock(&m);
    while (turn != (int)(intptr_t)arg)
        cnd_wait(&c, &m);
    count++;
    turn++;
#ifdef FIXED
    cnd_broadcast(&c);
#else
    cnd_signal(&c);
#endif
    mtx_unlock(&m);
    return 0;
}

int main(void)
{
    thrd_t t[3];
    for (int i = 0; i < 3; i++)
        thrd_create(&t[i], player, (void *)(intptr_t)i);
    for (int i = 0; i < 3; i++)
        thrd_join(t[i], NULL);
    return count != 3;
}
