// The number of threads comes from outside; as many are joined as were started.
// EXPECT: data-race WORK/write READ
// STATUS: candidate
#include "../twin.h"

static int n[64];

static void *work(void *arg)
{
    ++*(int *)arg; // WORK
    return NULL;
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 2, sum = 0;
    pthread_t t[64];
    if (count < 1 || count > 8)
        return 1;
    for (int i = 0; i < count; i++)
        pthread_create(&t[i], NULL, work, &n[i]);
    for (int i = PICK(1, 0); i < count; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < count; i++)
        sum += n[i]; // READ
    return sum;
}
