/* expose.c: `snag expose` */
#include "cmd/command.h"
#include "cmd/say.h"

int sn_cmd_expose(int argc, char **argv)
{
    (void)argc, (void)argv;
    return sn_fail("snag expose is not here yet");
}

void sn_help_expose(void)
{
}
