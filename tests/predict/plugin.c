/* plugin.c: instrumented, loaded by dlopen, and calls what is not. */
#include "hidden.h"

void plugin_set(int *word, int value)
{
    hidden_set(word, value);
}

void plugin_wait(int *word, int value)
{
    hidden_wait(word, value);
}
