/* machine_x86_64.c: calls of x86-64, see machine.h. */
#include <elf.h>
#include <string.h>

#include "guard/machine.h"

enum {
    CALL = 0xe8,
    JUMP = 0xe9,
    INDIRECT = 0xff,
    CALL_SLOT = 0x15,
    JUMP_SLOT = 0x25,
    ADDR32 = 0x67
};

static bool is_pc_relative(unsigned type)
{
    return type == R_X86_64_PLT32 || type == R_X86_64_PC32 || type == R_X86_64_GOTPCREL ||
           type == R_X86_64_GOTPCRELX || type == R_X86_64_REX_GOTPCRELX;
}

/* The linker turns a call through a slot into a direct one, with a prefix to fill the room. */
enum sn_call_form sn_machine_call(const uint8_t *code, size_t bytes, size_t at, unsigned type,
                                  size_t *begin, uint32_t *length)
{
    if (!is_pc_relative(type) || at < 2 || at + 4 > bytes)
        return SN_CALL_NONE;
    bool padded = code[at - 2] == ADDR32 && type != R_X86_64_PLT32 && type != R_X86_64_PC32;
    if (code[at - 2] == INDIRECT && (code[at - 1] == CALL_SLOT || code[at - 1] == JUMP_SLOT) &&
        type != R_X86_64_PLT32 && type != R_X86_64_PC32) {
        *begin = at - 2;
        *length = 6;
        return code[at - 1] == CALL_SLOT ? SN_CALL_SLOT : SN_CALL_TAIL_SLOT;
    }
    if (code[at - 1] != CALL && code[at - 1] != JUMP)
        return SN_CALL_NONE;
    *begin = at - 1 - padded;
    *length = 5 + padded;
    return code[at - 1] == CALL ? SN_CALL_DIRECT : SN_CALL_TAIL;
}

static int32_t displacement(const uint8_t *p)
{
    int32_t d;
    memcpy(&d, p, sizeof d);
    return d;
}

bool sn_machine_target(const uint8_t *code, size_t bytes, size_t at, int64_t *target,
                       enum sn_call_form *form, uint32_t *length)
{
    if (at + 5 > bytes || (code[at] != CALL && code[at] != JUMP))
        return false;
    *target = (int64_t)at + 5 + displacement(code + at + 1);
    *form = code[at] == CALL ? SN_CALL_DIRECT : SN_CALL_TAIL;
    *length = 5;
    return true;
}

/* endbr64 and bnd may stand in front of the jump. */
bool sn_machine_plt(const uint8_t *code, size_t bytes, size_t at, int64_t *slot, uint32_t *length)
{
    *length = 16;
    for (size_t i = at; i < at + 6 && i + 6 <= bytes; i++)
        if (code[i] == INDIRECT && code[i + 1] == JUMP_SLOT) {
            *slot = (int64_t)i + 6 + displacement(code + i + 2);
            return true;
        }
    return false;
}

void sn_machine_erase(uint8_t *code, const struct sn_call_site *c)
{
    static const uint8_t nop5[] = {0x0f, 0x1f, 0x44, 0x00, 0x00};
    static const uint8_t nop6[] = {0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00};
    memcpy(code, c->bytes == 5 ? nop5 : nop6, c->bytes);
    if (c->form == SN_CALL_TAIL || c->form == SN_CALL_TAIL_SLOT)
        code[0] = 0xc3, memset(code + 1, 0xcc, c->bytes - 1);
}

static bool put_branch(uint8_t *to, uint8_t opcode, uint64_t at, uint64_t target)
{
    int64_t d = (int64_t)(target - (at + 5));
    int32_t d32 = (int32_t)d;
    to[0] = opcode;
    memcpy(to + 1, &d32, sizeof d32);
    return d == d32;
}

bool sn_machine_redirect(uint8_t *code, const struct sn_call_site *c, uint64_t target)
{
    bool tail = c->form == SN_CALL_TAIL || c->form == SN_CALL_TAIL_SLOT;
    size_t pad = c->bytes - 5;
    if (pad && !tail)
        code[0] = ADDR32;
    if (pad && tail)
        code[0] = 0x3e; /* a prefix that means nothing here */
    return put_branch(code + pad, tail ? JUMP : CALL, c->at + pad, target);
}

/* r10 and r11 are free at every call. mov $id, %r11d; call target; jmp after */
size_t sn_machine_stub_before(uint8_t *to, uint64_t at, uint32_t id, uint64_t target,
                              uint64_t after)
{
    to[0] = 0x41;
    to[1] = 0xbb;
    memcpy(to + 2, &id, sizeof id);
    put_branch(to + 6, CALL, at + 6, target);
    put_branch(to + 11, JUMP, at + 11, after);
    return 16;
}
