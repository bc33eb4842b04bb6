/*
 * park.h: threads that wait inside the engine, for whoever stops all others (stop.h). A parked
 * thread holds no lock of snag's and writes nothing: it counts as outside. Before it goes on it
 * unparks, and waits there while others are to stay outside.
 */
#ifndef SN_CORE_PARK_H
#define SN_CORE_PARK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/thread.h"

extern bool (*sn_thread_is_parked)(
    const struct sn_thread *t); /* the engine's; null: none ever is */

void sn_park(uint32_t *parked);
void sn_unpark(uint32_t *parked);

#endif
