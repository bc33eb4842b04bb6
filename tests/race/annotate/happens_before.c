// The dynamic annotations that valgrind's and LLVM's headers use.
// EXPECT: data-race RACE1 RACE2
// EXPECT-OBJECT: global data
#include "invisible.h"

void AnnotateHappensBefore(const char *file, int line, const volatile void *address);
void AnnotateHappensAfter(const char *file, int line, const volatile void *address);

int data, seen, token;

static void first(void)
{
    data = 1; // RACE1
    FIX(AnnotateHappensBefore(__FILE__, __LINE__, &token));
}

static void second(void)
{
    AnnotateHappensAfter(__FILE__, __LINE__, &token);
    seen = data; // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return seen - 1;
}
