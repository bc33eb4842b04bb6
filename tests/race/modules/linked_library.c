// A global of a shared library, raced on by the library's own code.
// LIBRARY:
// LINK-LIBRARY
// EXPECT: data-race RACE1 RACE1
// EXPECT-OBJECT: global library_counter
// EXPECT-STACK: RACE1 library_bump
#ifdef LIBRARY
#include <pthread.h>
int library_counter;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void library_bump(int locked)
{
    if (locked)
        pthread_mutex_lock(&mutex);
    library_counter++; // RACE1
    if (locked)
        pthread_mutex_unlock(&mutex);
}
#else
#include "invisible.h"

void library_bump(int locked);

static void both(void)
{
    library_bump(PICK(0, 1));
}

int main(void)
{
    run_in_order(both, both);
    return 0;
}
#endif
