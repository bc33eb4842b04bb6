/* The shapes of variables of vars.c, for it and for data_test.c. */
#include <stdint.h>

struct account {
    int id;
    struct {
        long low, high;
    } limit[3];
    union {
        uint32_t whole;
        uint8_t part[4];
    };
    uint64_t balance;
    unsigned small : 3, large : 13;
};
