/*
 * runfile.h: the file by which a process under test tells the CLI what it saw.
 *
 * One file per process, RUN_DIR/PID.N.run, mapped shared, so that what was written survives
 * _exit, abort and SIGKILL. First a header page (counters are updated in place), then records,
 * each `struct sn_rec` and its payload, 8-byte aligned. A record is reserved with type
 * SN_REC_PENDING and gets its real type last (release): a reader skips pending records, and stops
 * at bytes == 0.
 *
 * Program counters are stored as frames: module index and offset, so that a module that is
 * unloaded or randomised later stays right. All integers are little endian, as the machine is.
 */
#ifndef SN_CORE_RUNFILE_H
#define SN_CORE_RUNFILE_H

#include <stdint.h>

#include "core/count.h"

#define SN_RUN_MAGIC 0x314e5552474e53ull /* "SNGRUN1" */
#define SN_RUN_VERSION 1
#define SN_RUN_HEADER_BYTES 8192
#define SN_RUN_COUNTERS 64

enum sn_run_state { SN_RUN_LIVE = 0, SN_RUN_EXITED = 1, SN_RUN_EXECED = 2, SN_RUN_STOPPED = 3 };

struct sn_run_header {
    uint64_t magic;
    uint32_t version;
    uint32_t header_bytes;
    uint32_t pid, ppid;
    uint32_t state;          /* enum sn_run_state; EXITED: a regular end; STOPPED: snag ended it */
    uint32_t instrumented;   /* 1 once __tsan_init was called by some module */
    uint64_t start_ns;       /* CLOCK_REALTIME */
    uint64_t reserved;       /* bytes of records handed out; atomic */
    char engine[16];
    char exe[1024];
    uint64_t counters[SN_RUN_COUNTERS]; /* by enum sn_count */
};

enum sn_rec_type {
    SN_REC_PENDING = 1,
    SN_REC_MODULE,    /* struct sn_rec_module, path */
    SN_REC_FINDING,   /* struct sn_rec_finding, then what it counts */
    SN_REC_LOCK_EDGE, /* struct sn_rec_lock_edge: raw material of lock-order findings */
    SN_REC_MESSAGE,   /* text for the user, no terminator */
    SN_REC_ENGINE,    /* engine's own: u32 sub-type, u32 0, payload (coverage, invariants, …) */
    SN_REC_LOCK_INFO, /* struct sn_rec_lock_info: names a lock that is not a global; optional */
    SN_REC_STACK,     /* struct sn_rec_stack: where locks were taken; optional */
    SN_REC_TYPES
};

struct sn_rec {
    uint32_t bytes; /* whole record with this head, multiple of 8 */
    uint16_t type;  /* enum sn_rec_type */
    uint16_t payload_slack; /* trailing bytes of the payload that are padding */
};

/* A code position. module 0xffff: unknown, offset is the raw address. */
typedef uint64_t sn_frame_ref;
#define SN_FRAME(module, offset) (((uint64_t)(module) << 48) | ((offset) & 0xffffffffffffull))
#define SN_FRAME_MODULE(f) ((unsigned)((f) >> 48))
#define SN_FRAME_OFFSET(f) ((f) & 0xffffffffffffull)
#define SN_NO_MODULE 0xffffu

struct sn_rec_module {
    uint32_t index;
    uint32_t build_id_bytes; /* at most 32 */
    uint8_t build_id[32];
    uint64_t base;           /* load bias: address = base + offset; offset is the ELF vaddr */
    uint64_t start, end;     /* mapped range */
    /* path follows, no terminator */
};

enum sn_kind {
    SN_KIND_DATA_RACE,
    SN_KIND_THREAD_SAFETY,
    SN_KIND_DEADLOCK,
    SN_KIND_LOCK_ORDER,
    SN_KIND_ORDER,
    SN_KIND_ATOMICITY,
    SN_KIND_MISUSE,
    SN_KIND_COUNT
};

enum sn_status { SN_CANDIDATE, SN_PREDICTED, SN_OBSERVED, SN_CONFIRMED, SN_STATUS_COUNT };

enum sn_op {
    SN_OP_READ,
    SN_OP_WRITE,
    SN_OP_ATOMIC,
    SN_OP_FREE,
    SN_OP_LOCK,
    SN_OP_CALL,
    SN_OP_COUNT
};

enum sn_object_kind {
    SN_OBJ_UNKNOWN,
    SN_OBJ_GLOBAL,   /* module frame */
    SN_OBJ_HEAP,     /* alloc stack */
    SN_OBJ_STACK,    /* thread, frame registers */
    SN_OBJ_TLS,      /* module frame = the variable's offset in its module's TLS block */
    SN_OBJ_CONTRACT, /* name = tag or type */
    SN_OBJ_LOCK,
};

/* What the thread was doing: struct sn_rec_site, then `name_bytes` of text padded to 8, then
 * nlocks × struct sn_rec_lock, then nframes × sn_frame_ref (innermost first), then ncreated ×
 * sn_frame_ref (where the thread was created). */
struct sn_rec_site {
    uint32_t thread;
    uint32_t size;       /* bytes accessed */
    uint64_t addr;
    uint8_t op;          /* enum sn_op */
    uint8_t locks_known; /* 0: the lock set is no longer known, nlocks is 0 */
    uint16_t name_bytes; /* SN_OP_CALL: the function; else a note such as "waits for" */
    uint16_t nlocks, nframes, ncreated;
    uint16_t creator_known; /* `creator` is valid */
    uint32_t creator;       /* thread that created this one */
};

struct sn_rec_lock {
    uint64_t addr;
    uint32_t id;         /* serial number of the lock in this process */
    uint32_t shared : 1; /* held for reading */
    uint32_t stack : 31; /* the SN_REC_STACK of `taken`; 0: none */
    sn_frame_ref object; /* module frame when the lock is a global; else module SN_NO_MODULE */
    sn_frame_ref taken;  /* where it was taken; 0 unknown */
};

/* struct sn_rec_finding, then text padded to 8, then object.nframes × sn_frame_ref (allocation),
 * then nsites × site */
struct sn_rec_finding {
    uint8_t kind, status, object_kind, nsites;
    uint16_t text_bytes;  /* extra words: misuse description, contract name and line */
    uint16_t obj_nframes; /* allocation stack */
    uint64_t obj_addr;    /* start of the block or variable, when known */
    uint64_t obj_size;
    uint64_t access_addr; /* the first racing byte */
    sn_frame_ref obj_ref; /* GLOBAL/TLS: where; STACK: code position in the owning frame */
    uint32_t obj_thread;  /* STACK/TLS: owner; HEAP: allocating thread */
    uint32_t obj_freed;   /* HEAP: 1 if the block was already free */
    uint64_t obj_rsp, obj_rbp; /* STACK: registers at obj_ref, to find the variable by DWARF */
};

/* Thread `thread` took lock `to` while holding `from`. Lock-order cycles are computed offline. Two
 * edges can overlap in time unless one's acquisition happens before the other's without counting
 * lock edges: clock[slot of a] of edge b >= epoch of a. After the head: ngates × struct
 * sn_rec_lock (all held locks, `from` among them), 2 stacks (nfrom, nto frames), then nclock × u32. */
struct sn_rec_lock_edge {
    struct sn_rec_lock from, to;
    uint32_t thread;
    uint32_t slot, epoch; /* of the acquisition, on the message clock */
    uint16_t ngates, nfrom, nto, nclock;
    uint32_t try_lock;    /* 1: `to` was taken by a try: no deadlock by itself */
};

/* What lock `id` is, when it is not a global: written at most once per lock, before or after the
 * records that mention it. Then nframes × sn_frame_ref: the allocation stack. */
struct sn_rec_lock_info {
    uint32_t id;
    uint8_t object_kind;  /* SN_OBJ_HEAP or SN_OBJ_STACK; anything else says nothing */
    uint8_t pad;
    uint16_t nframes;     /* SN_OBJ_HEAP: where the block was allocated */
    uint64_t addr;        /* the lock */
    uint64_t obj_addr, obj_size;
    sn_frame_ref obj_ref; /* SN_OBJ_STACK: as in struct sn_rec_finding */
    uint64_t obj_rsp, obj_rbp;
};

/* A stack that several records name. Then nframes × sn_frame_ref, innermost first. */
struct sn_rec_stack {
    uint32_t id; /* at most SN_REC_STACK_IDS */
    uint32_t nframes;
};
#define SN_REC_STACK_IDS 0x7fffffffu

#endif
