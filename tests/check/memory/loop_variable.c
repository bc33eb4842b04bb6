// The address of the loop variable goes to every thread.
// EXPECT: data-race READ/read LOOP/write
#include "../twin.h"

static int seen[3];

static void *work(void *arg)
{
    int i = *(int *)arg; // READ
    if (i < 3)
        seen[i] = 1; // SEEN
    return NULL;
}
// ALLOW: data-race SEEN SEEN

int main(void)
{
    pthread_t t[3];
    int number[3] = {0, 1, 2};
    int i;
    for (i = 0; i < 3; i++) // LOOP
        pthread_create(&t[i], NULL, work, PICK(&i, &number[i]));
    for (int k = 0; k < 3; k++)
        pthread_join(t[k], NULL);
    return number[0];
}
