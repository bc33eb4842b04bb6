/* modules.h: the loaded modules, and those that were: from addresses to (module, offset). */
#ifndef SN_RUNTIME_MODULES_H
#define SN_RUNTIME_MODULES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/runfile.h"

void sn_modules_refresh(void); /* may wait for the dynamic linker's lock: hold none of snag's */
void sn_modules_forked(void);  /* the child's run file needs them again */
/* What is known of module `index` (SN_FRAME_MODULE). The path stays valid. */
struct sn_module_info {
    const char *path;
    const uint8_t *build_id;
    uint32_t build_id_bytes;
    uintptr_t base, start, end;
};
bool sn_modules_info(uint32_t index, struct sn_module_info *out);
sn_frame_ref sn_modules_frame(uintptr_t addr); /* writes the module's record on first use */
/* The address of `offset` in the live module whose file has that name (no folder); 0: none. */
uintptr_t sn_modules_address(const char *name, uint64_t offset);
bool sn_modules_contain(uintptr_t addr);
bool sn_modules_loaded(uintptr_t addr); /* the same, of those that are still there */
/* Base name of the module's file, and the ELF virtual address. false: in none. */
bool sn_modules_name(uintptr_t addr, const char **name, uint64_t *offset);
/* addr is in the static TLS of the thread whose pointer is tp: module and offset in its block. */
bool sn_modules_tls(uintptr_t addr, uintptr_t tp, sn_frame_ref *out);

#endif
