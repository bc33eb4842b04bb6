/*
 * leaf.c: a function that returns a field of its argument needs no registers saved around it. Here
 * its instructions are walked once, from the first to the last, where the last is a return or a
 * jump backwards that no jump leads beyond. Only instructions of a short list are let through:
 * those by which compilers load, test and compute in general registers.
 */
#include "core/leaf.h"

enum { MOST = 256, REX_W = 8, WIDE = 0x66, CS = 0x2e /* in long nops */ };

/* What follows an opcode: K nothing, M a modrm byte, B one byte, D four bytes, J/L a jump by one or
 * four bytes, R a return; '.': not on the list. */
static const char one_byte[] = /* 0123456789abcdef */
    ".M.M.D...M.M.D.."         /* 00: add, or */
    "................"         /* 10 */
    ".M.MBD...M.M.D.."         /* 20: and, sub */
    ".M.M.D..MMMMBD.."         /* 30: xor, cmp */
    "................"         /* 40: prefixes */
    "KKKKKKKKKKKKKKKK"         /* 50: push, pop */
    "...M....."                /* 60: movslq; */
    "X.x...."                  /* 69, 6b: imul */
    "JJJJJJJJJJJJJJJJ"         /* 70: jcc */
    "xX.xMM..MMMM.M.."         /* 80: arithmetic, test, mov, lea */
    "K.......KK......"         /* 90: nop, cltq, cqto */
    "........BD......"         /* a0: test */
    "........DDDDDDDD"         /* b0: mov */
    "xx.R..xX........"         /* c0: shifts, ret, mov */
    ".M.M............"         /* d0: shifts */
    "...........J...."         /* e0: jmp */
    "......FG......HH" /* f0: test, not, neg, inc, dec */;
static const char two_bytes[] = /* 0123456789abcdef */
    "................"          /* 0f 00 */
    "...............M"          /* 10: nop */
    "................"          /* 20 */
    "................"          /* 30 */
    "MMMMMMMMMMMMMMMM"          /* 40: cmov */
    "................"          /* 50 */
    "................"          /* 60 */
    "................"          /* 70 */
    "LLLLLLLLLLLLLLLL"          /* 80: jcc */
    "MMMMMMMMMMMMMMMM"          /* 90: setcc */
    "...............M"          /* a0: imul */
    "......MM......MM" /* b0: movz, movs */;

/* Bytes of the operand: modrm, sib, displacement. */
static unsigned operand(const uint8_t *p)
{
    unsigned mod = p[0] >> 6, rm = p[0] & 7, n = 1;
    if (mod == 3)
        return 1;
    if (rm == 4)
        n += 1 + (mod == 0 && (p[1] & 7) == 5 ? 4u : 0);
    if (mod == 0 && rm == 5)
        n += 4;
    return n + (mod == 1 ? 1u : mod == 2 ? 4u : 0);
}

static unsigned nth(const uint8_t *p)
{
    return p[0] >> 3 & 7;
}

/* Length of what follows the opcode; -1: not on the list. x, X: an operand and one or four bytes;
 * F, G, H: instructions that share an opcode. */
static int rest(char kind, const uint8_t *p)
{
    switch (kind) {
    case 'K':
    case 'R':
        return 0;
    case 'B':
    case 'J':
        return 1;
    case 'D':
    case 'L':
        return 4;
    case 'M':
        return (int)operand(p);
    case 'x':
        return (int)operand(p) + 1;
    case 'X':
        return (int)operand(p) + 4;
    case 'F':
        return nth(p) < 2 ? (int)operand(p) + 1 : nth(p) < 4 ? (int)operand(p) : -1;
    case 'G':
        return nth(p) < 2 ? (int)operand(p) + 4 : nth(p) < 4 ? (int)operand(p) : -1;
    case 'H':
        return nth(p) < 2 ? (int)operand(p) : -1;
    default:
        return -1;
    }
}

static const uint8_t *target(char kind, const uint8_t *end)
{
    int32_t by = kind == 'J' ? (int8_t)end[-1] : 0;
    if (kind == 'L')
        __builtin_memcpy(&by, end - 4, sizeof by);
    return end + by;
}

static const uint8_t *skip_prefixes(const uint8_t *p, bool *wide, bool *rex_w)
{
    *wide = *rex_w = false;
    while (*p == WIDE || *p == CS)
        *wide |= *p++ == WIDE;
    if ((*p & 0xf0) == 0x40)
        *rex_w = *p++ & REX_W;
    return p;
}

bool sn_leaf_is_plain(const uint8_t *function)
{
    static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
    const uint8_t *p = function, *furthest = function;
    unsigned same = 0;
    while (same < sizeof endbr64 && p[same] == endbr64[same])
        same++;
    p += same == sizeof endbr64 ? same : 0;
    while (p - function < MOST) {
        bool wide, rex_w;
        p = skip_prefixes(p, &wide, &rex_w);
        bool two = *p == 0x0f, jump = *p == 0xeb;
        uint8_t opcode = two ? p[1] : p[0];
        char kind = !two                            ? one_byte[opcode]
                    : opcode < sizeof two_bytes - 1 ? two_bytes[opcode]
                                                    : '.';
        p += two ? 2 : 1;
        int n = rest(kind, p);
        /* The sizes of constants that these prefixes change are not known here. */
        if (n < 0 || (wide && kind != 'M' && kind != 'K') ||
            (rex_w && !two && (opcode & 0xf8) == 0xb8))
            return false;
        p += n;
        if (kind == 'J' || kind == 'L') {
            const uint8_t *to = target(kind, p);
            if (to < function || to - function >= MOST)
                return false;
            furthest = to > furthest ? to : furthest;
        }
        if ((kind == 'R' || jump) && p > furthest)
            return true;
    }
    return false;
}
