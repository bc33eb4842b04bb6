/* event.c: the names of events, from event.def. */
#include "core/event.h"

#include <string.h>

static const char *const names[SN_EV_COUNT] = {
    "none",
#define SN_EVENT(id, name, when) name,
#include "core/event.def"
#undef SN_EVENT
};

const char *sn_event_name(enum sn_event_op op)
{
    return (unsigned)op < SN_EV_COUNT ? names[op] : "unknown";
}

enum sn_event_op sn_event_by_name(const char *name)
{
    for (int op = SN_EV_NONE + 1; op < SN_EV_COUNT; op++)
        if (strcmp(names[op], name) == 0)
            return (enum sn_event_op)op;
    return SN_EV_NONE;
}
