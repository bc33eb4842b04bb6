/* guard_build.c: `snag guard build`. */
#include "cmd/command.h"
#include "cmd/guard.h"
#include "cmd/say.h"

int sn_guard_build(int argc, char **argv)
{
    (void)argc, (void)argv;
    return sn_fail("snag guard build is not here yet");
}
