/*
 * type.c: sizes of types, and the path to a byte inside of one: ".field[3].sub". Bounded, as broken
 * debug information can make a type a part of itself; libdw's own helpers would not come back.
 */
#include "symbol/module.h"

#include <dwarf.h>

/* Typedefs and qualifiers on each other, and types in each other. */
#define TYPE_CHAIN 64
#define TYPE_DEPTH 32
#define DIMENSIONS 8
/* Members looked at for one path. */
#define MEMBERS 100000

struct array {
    Dwarf_Die item;
    uint64_t item_size;
    uint64_t count[DIMENSIONS]; /* 0: not known, only ever the first */
    int n;
};

static bool is_wrapper(int tag)
{
    return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
           tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type || tag == DW_TAG_shared_type ||
           tag == DW_TAG_packed_type || tag == DW_TAG_immutable_type;
}

/* A C++ declaration in one unit may leave the definition to a type unit. */
static void follow_signature(Dwarf_Die *type)
{
    Dwarf_Attribute a;
    Dwarf_Die whole;
    if (dwarf_hasattr(type, DW_AT_signature) &&
        dwarf_formref_die(dwarf_attr(type, DW_AT_signature, &a), &whole))
        *type = whole;
}

bool sn_die_type(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute a;
    Dwarf_Die at = *die;
    for (int i = 0; i < TYPE_CHAIN; i++) {
        if (!dwarf_formref_die(dwarf_attr_integrate(&at, DW_AT_type, &a), type))
            return false;
        if (!is_wrapper(dwarf_tag(type))) {
            follow_signature(type);
            return true;
        }
        at = *type;
    }
    return false;
}

static bool number_of(Dwarf_Die *die, unsigned attribute, uint64_t *number)
{
    Dwarf_Attribute a;
    Dwarf_Word value;
    if (dwarf_formudata(dwarf_attr_integrate(die, attribute, &a), &value) != 0)
        return false;
    *number = value;
    return true;
}

static uint64_t size_within(Dwarf_Die *type, int depth);

static uint64_t subrange_count(Dwarf_Die *range)
{
    uint64_t count, upper, lower = 0;
    if (number_of(range, DW_AT_count, &count))
        return count;
    if (!number_of(range, DW_AT_upper_bound, &upper))
        return 0;
    number_of(range, DW_AT_lower_bound, &lower);
    return upper >= lower && upper - lower < INT64_MAX ? upper - lower + 1 : 0;
}

static bool read_array(Dwarf_Die *type, int depth, struct array *array)
{
    Dwarf_Die range;
    *array = (struct array){.n = 0};
    if (!sn_die_type(type, &array->item))
        return false;
    array->item_size = size_within(&array->item, depth);
    if (dwarf_child(type, &range) != 0)
        return false;
    do {
        if (dwarf_tag(&range) != DW_TAG_subrange_type)
            continue;
        if (array->n == DIMENSIONS)
            return false;
        array->count[array->n++] = subrange_count(&range);
    } while (dwarf_siblingof(&range, &range) == 0);
    return array->n > 0 && array->item_size > 0;
}

/* Bytes of the array's dimensions from `from` on; 0: not known. */
static uint64_t array_bytes(const struct array *array, int from)
{
    uint64_t bytes = array->item_size;
    for (int i = from; i < array->n; i++) {
        if (__builtin_mul_overflow(bytes, array->count[i], &bytes))
            return 0;
    }
    return bytes;
}

static uint64_t size_within(Dwarf_Die *type, int depth)
{
    struct array array;
    uint64_t size;
    if (depth > TYPE_DEPTH)
        return 0;
    if (number_of(type, DW_AT_byte_size, &size))
        return size;
    switch (dwarf_tag(type)) {
    case DW_TAG_array_type:
        return read_array(type, depth + 1, &array) ? array_bytes(&array, 0) : 0;
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
        return sizeof(void *);
    default:
        return 0;
    }
}

uint64_t sn_type_size(Dwarf_Die *type)
{
    return size_within(type, 0);
}

/* Where a bit-field starts and how many bits it has. DWARF 4 counts from the high end of the
 * storage unit (DW_AT_bit_offset), later ones from the start of the object. */
static bool bit_field(Dwarf_Die *member, uint64_t unit_start, uint64_t unit_size, uint64_t *bit,
                      uint64_t *bits)
{
    uint64_t high;
    if (!number_of(member, DW_AT_bit_size, bits) || *bits == 0 || *bits > 128)
        return false;
    if (number_of(member, DW_AT_data_bit_offset, bit))
        return true;
    number_of(member, DW_AT_byte_size, &unit_size);
    if (!number_of(member, DW_AT_bit_offset, &high) || unit_size > 16 ||
        high + *bits > unit_size * 8)
        return false;
    *bit = unit_start * 8 + unit_size * 8 - high - *bits;
    return true;
}

static bool member_start(Dwarf_Die *member, uint64_t *start)
{
    Dwarf_Attribute a;
    Dwarf_Op *op;
    size_t n;
    *start = 0;
    if (!dwarf_attr_integrate(member, DW_AT_data_member_location, &a)) {
        /* All members of a union start at 0; a static member is not part of the object. */
        return !dwarf_hasattr(member, DW_AT_external) && !dwarf_hasattr(member, DW_AT_declaration);
    }
    if (number_of(member, DW_AT_data_member_location, start))
        return true;
    if (dwarf_getlocation(&a, &op, &n) != 0 || n != 1 || op->atom != DW_OP_plus_uconst)
        return false;
    *start = op->number;
    return true;
}

/* The bytes that a member of this type has; a bit-field has all bytes that it touches. */
static bool member_bytes(Dwarf_Die *member, Dwarf_Die *type, uint64_t *start, uint64_t *size)
{
    uint64_t bit, bits;
    if (!member_start(member, start))
        return false;
    *size = sn_type_size(type);
    if (bit_field(member, *start, *size, &bit, &bits)) {
        *start = bit / 8;
        *size = (bit % 8 + bits + 7) / 8;
    }
    return true;
}

/* The member or base class of `type` that has the byte at *offset, which becomes the offset in it.
 */
static bool find_member(Dwarf_Die *type, uint64_t *offset, Dwarf_Die *member, Dwarf_Die *inner)
{
    uint64_t start, size;
    int left = MEMBERS;
    if (dwarf_child(type, member) != 0)
        return false;
    do {
        int tag = dwarf_tag(member);
        if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
            continue;
        if (!sn_die_type(member, inner) || !member_bytes(member, inner, &start, &size) ||
            start > *offset)
            continue;
        /* A flexible array takes all that follows. */
        if (*offset - start < size || (size == 0 && dwarf_tag(inner) == DW_TAG_array_type)) {
            *offset -= start;
            return true;
        }
    } while (--left > 0 && dwarf_siblingof(member, member) == 0);
    return false;
}

static bool path_into_class(Dwarf_Die *type, uint64_t *offset, FILE *out)
{
    Dwarf_Die member, inner;
    if (!find_member(type, offset, &member, &inner))
        return false;
    const char *name = dwarf_tag(&member) == DW_TAG_member ? dwarf_diename(&member) : NULL;
    if (name)
        fprintf(out, ".%s", name);
    *type = inner;
    return true;
}

static bool path_into_array(Dwarf_Die *type, uint64_t *offset, FILE *out)
{
    struct array array;
    if (!read_array(type, 0, &array))
        return false;
    for (int i = 0; i < array.n; i++) {
        uint64_t bytes = array_bytes(&array, i + 1);
        if (bytes == 0)
            return false;
        fprintf(out, "[%llu]", (unsigned long long)(*offset / bytes));
        *offset %= bytes;
    }
    *type = array.item;
    return true;
}

void sn_type_path(Dwarf_Die *type, uint64_t offset, FILE *out)
{
    Dwarf_Die at = *type;
    bool more = true;
    for (int i = 0; i < TYPE_DEPTH && more; i++) {
        switch (dwarf_tag(&at)) {
        case DW_TAG_structure_type:
        case DW_TAG_class_type:
        case DW_TAG_union_type:
            more = path_into_class(&at, &offset, out);
            break;
        case DW_TAG_array_type:
            more = path_into_array(&at, &offset, out);
            break;
        default:
            more = false;
        }
    }
}
