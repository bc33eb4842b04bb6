/*
 * contract.h: thread-safety contracts as the runtime reads them: one flat file in the run folder,
 * made by the command from contracts/NAME.contract (src/contract), mapped read-only in the program.
 *
 * An entry is a function, and has effects: what a call does to one object. Whether two effects on
 * one object may overlap is a question of two masks: `does` and `conflicts` (struct below), so that
 * readers and writers, exclusive use, roles and destruction are all the same to an engine.
 *
 * All places are byte offsets into the file; strings end with a zero.
 */
#ifndef SN_CORE_CONTRACT_H
#define SN_CORE_CONTRACT_H

#include <stdint.h>

#define SN_CONTRACT_MAGIC 0x33544e4f43474e53ull /* "SNGCONT3" */
#define SN_CONTRACT_FILE "contracts.bin"        /* in the run folder */
#define SN_CONTRACT_ARGS 6                      /* integer argument registers */
#define SN_CONTRACT_EFFECTS 8                   /* of one function */
#define SN_CALLBACK_BYTES 128                   /* of a structure with a callback in it */

/* Bits of `does` and `conflicts`. Roles take the bits above. */
enum sn_contract_bit {
    SN_CB_READ = 1,
    SN_CB_WRITE = 2,
    SN_CB_FIRST_ROLE = 4,
    SN_CB_ALL = 0xffff,
};

enum sn_contract_act {
    SN_ACT_TOUCH,   /* read, write, use, a role */
    SN_ACT_DESTROY, /* conflicts with everything; the object is gone afterwards */
    SN_ACT_SET,     /* a write that is allowed only until the object is frozen */
    SN_ACT_FREEZE,  /* a read after which no SET may come */
    SN_ACT_ACQUIRE, /* the library's own lock is taken */
    SN_ACT_ACQUIRE_SHARED,
    SN_ACT_RELEASE,
    SN_ACT_RELEASE_SHARED,
    SN_ACT_BEGIN, /* a span begins: until its end the object belongs to the thread */
    SN_ACT_END,
    SN_ACT_ONLY,  /* only the owning thread may call */
    SN_ACT_OWN,   /* the calling thread owns the object, from the end of the call */
    SN_ACT_MARK,  /* the object that the call makes gets a mark */
    SN_ACT_RESET, /* what is known of the object is forgotten; touches nothing */
    /* What orders threads, beside ACQUIRE and RELEASE: for the engines that follow order
     * (runtime/library.c). */
    SN_ACT_LOCK,
    SN_ACT_UNLOCK,
    SN_ACT_WAIT,    /* of a condition variable (arg2): the lock is given up and taken again */
    SN_ACT_SIGNAL,  /* to those who wait for a condition variable */
    SN_ACT_SYNC,    /* an atomic operation: acquires and releases */
    SN_ACT_DROP,    /* a reference is given up; the last one comes after all others */
    SN_ACT_SEND,    /* a message, which is received once */
    SN_ACT_RECEIVE,
    SN_ACT_CALLBACK, /* a function that the library calls: it has the entry `callback` */
    SN_ACT_METHOD,   /* the same, of a virtual function of the object */
    SN_ACT_ALLOC,    /* a block of memory (arg) of arg2 bytes, from the library's own heap */
    SN_ACT_FREE,
    SN_ACT_COUNT
};

/* Values of `arg` beyond 1 to 6. */
enum sn_contract_operand {
    SN_ARG_RESULT = 7,  /* what the call returns */
    SN_ARG_SELF = 8,    /* in a callback: the function itself */
    SN_ARG_OUTER = 8,   /* + n: argument n of the library's function in which the callback runs */
    SN_ARG_LAST = SN_ARG_OUTER + SN_CONTRACT_ARGS,
};

/* Bits of `how`. */
enum sn_contract_how {
    SN_HOW_TRY = 1,
    SN_HOW_SHARED = 2,
    SN_HOW_RECURSIVE = 4,
    SN_HOW_QUIET = 8,     /* what the program's code does inside the call is not looked at */
    SN_HOW_VARIADIC = 16, /* arguments may be on the stack */
    SN_HOW_ANY = 32,      /* an unlock of what is held, shared or not */
    SN_HOW_IN_PLACE = 64, /* a callback that is changed where it lies, for good */
};

enum sn_contract_test { SN_TEST_NONE, SN_TEST_EQ, SN_TEST_NE, SN_TEST_AND, SN_TEST_NAND };

struct sn_contract_file {
    uint64_t magic;
    uint32_t bytes; /* of the whole file */
    uint32_t nentries, entries;
    uint32_t neffects, effects;
    uint32_t nobjects, objects;
    uint32_t nmodes, modes;
    uint32_t nlibraries, libraries;
    uint32_t strings;
};

struct sn_contract_library {
    uint32_t name, file;
    uint32_t nsonames; /* 0: any module but the caller's own */
    uint32_t
        sonames; /* offset of nsonames strings, one after the other; a last * stands for any end */
};

struct sn_contract_entry {
    uint32_t name;
    uint32_t library;
    uint32_t first_effect;
    uint16_t neffects;
    uint16_t flags; /* enum sn_contract_entry_flag */
};

enum sn_contract_entry_flag {
    SN_ENTRY_LAZY = 1,  /* only reads hidden state: of interest once somebody writes that */
    SN_ENTRY_LONG = 2,  /* an object is held, or something is to be done, when the call returns */
    SN_ENTRY_CALLBACK = 4, /* a function that a library calls */
    SN_ENTRY_VARIADIC = 8, /* with LONG: arguments may be on the stack */
    SN_ENTRY_METHOD = 16,  /* a callback that is a virtual function */
};

/* The object: the value of argument `arg`, or the hidden state itself (arg 0). */
struct sn_contract_effect {
    uint32_t object;
    uint16_t does, conflicts;
    uint8_t act;  /* enum sn_contract_act */
    uint8_t arg;  /* 1 to 6; 0: hidden state; enum sn_contract_operand */
    uint8_t load; /* 1: the argument points to the pointer */
    uint8_t test; /* enum sn_contract_test on argument test_arg and value */
    uint8_t test_arg;
    uint8_t mode_not; /* 1: holds unless the mode is on */
    uint16_t mode;    /* 1 + index; 0: always */
    uint32_t line;    /* in the library's file */
    uint32_t is_long; /* 1: held until the call returns */
    int64_t value;
    /* of what orders threads */
    uint8_t how;       /* enum sn_contract_how */
    uint8_t arg2;      /* of a key: its second value; of a wait: the condition variable */
    uint8_t load2;     /* as `load` */
    uint8_t callback_bytes; /* of a structure that holds the function; 0: the argument is it */
    uint16_t callback; /* 1 + index of the callback's entry */
    uint16_t offset;   /* of the object behind the argument, of the function in its structure; a
                          method's number */
};

/* Engines that only follow touches, locks and messages by one argument can do nothing with it. */
static inline int sn_contract_is_order(const struct sn_contract_effect *e)
{
    return e->act >= SN_ACT_LOCK || e->arg > SN_CONTRACT_ARGS || e->arg2 || e->offset ||
           e->test_arg > SN_CONTRACT_ARGS;
}

enum sn_contract_map { SN_MAP_NONE, SN_MAP_CALL, SN_MAP_LOAD };

struct sn_contract_object {
    uint32_t name;
    uint32_t library;
    uint8_t hidden;    /* 1: process-wide state with a name */
    uint8_t map;       /* enum sn_contract_map: how to get from it to its root object */
    uint8_t key;       /* 1: named by values, not a place in memory */
    uint8_t pad;
    uint32_t root;       /* index of the root's type */
    uint32_t map_symbol; /* string */
    int64_t map_value;   /* offset of the load, or the call's second argument */
};

enum sn_contract_mode_kind {
    SN_MODE_CALL,   /* what FUNCTION() returns, asked once */
    SN_MODE_HAS,    /* the library has the symbol */
    SN_MODE_ATOMIC, /* the function has an instruction with a lock prefix */
    SN_MODE_MARK,   /* of an object: it was marked */
    SN_MODE_ASK,    /* of an object: what FUNCTION(object) returns */
    SN_MODE_FIELD,  /* of an object: the word at an offset in it */
};

struct sn_contract_mode {
    uint32_t name, library;
    uint32_t symbol; /* of the function to call or to look for */
    uint8_t kind;    /* enum sn_contract_mode_kind */
    uint8_t test;
    uint16_t deref; /* 1: the function returns a pointer, the int at `offset` behind it counts */
    int64_t value, offset;
};

#define SN_CONTRACT_AT(file, type, at) ((const struct type *)((const char *)(file) + (at)))
#define SN_CONTRACT_TEXT(file, at) ((const char *)(file) + (file)->strings + (at))

#endif
