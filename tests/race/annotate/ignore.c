// Accesses between AnnotateIgnore…Begin and …End are not looked at; the ones after are.
// EXPECT: data-race RACE1 RACE2
// EXPECT-OBJECT: global data
#include "invisible.h"

void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);

int data, other, seen;

static void first(void)
{
    data = 1; // RACE1
    other = 1;
}

static void second(void)
{
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    seen = other;
    FIX(data = 2);
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    BUG(data = 2;) // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return seen - 1;
}
