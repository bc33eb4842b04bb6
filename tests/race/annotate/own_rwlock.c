// A hand-made lock told with the AnnotateRWLock interface.
// EXPECT: data-race RACE1 RACE1
// EXPECT-OBJECT: global counter
#include "invisible.h"

void AnnotateRWLockCreate(const char *file, int line, const volatile void *lock);
void AnnotateRWLockDestroy(const char *file, int line, const volatile void *lock);
void AnnotateRWLockAcquired(const char *file, int line, const volatile void *lock, long writing);
void AnnotateRWLockReleased(const char *file, int line, const volatile void *lock, long writing);

int counter;
static char own_lock;

static void both(void)
{
    AnnotateRWLockAcquired(__FILE__, __LINE__, &own_lock, PICK(0, 1));
    counter++; // RACE1
    AnnotateRWLockReleased(__FILE__, __LINE__, &own_lock, PICK(0, 1));
}

int main(void)
{
    AnnotateRWLockCreate(__FILE__, __LINE__, &own_lock);
    run_in_order(both, both);
    AnnotateRWLockDestroy(__FILE__, __LINE__, &own_lock);
    return counter - 2;
}
