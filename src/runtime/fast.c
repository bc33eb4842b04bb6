/*
 * fast.c: what programs link with for src/fast when the engine is not `race`: an epoch of 0, "not
 * followed". The race engine's own take the place of these.
 */
#include <stdint.h>

#include "core/sys.h"

/* struct sn_race_hot and sn_shadow_dir of engine/race */
SN_EXPORT __attribute__((weak, tls_model("initial-exec"))) __thread uint64_t snag_hot[2];
SN_EXPORT __attribute__((weak)) uintptr_t snag_dir[1];
