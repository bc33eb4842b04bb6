/*
 * crc.c: CRC-32, eight bytes at a time. The tables are made when they are first needed; whoever
 * meets them unmade makes them, and all write the same.
 */
#include "trace/format.h"

static uint32_t table[8][256];
static int made; /* release: pairs with the load in sn_crc32() */

static void make_tables(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int bit = 0; bit < 8; bit++)
            c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
        __atomic_store_n(&table[0][i], c, __ATOMIC_RELAXED);
    }
    for (uint32_t i = 0; i < 256; i++)
        for (int k = 1; k < 8; k++) {
            uint32_t before = table[k - 1][i];
            __atomic_store_n(&table[k][i], before >> 8 ^ table[0][before & 255], __ATOMIC_RELAXED);
        }
    __atomic_store_n(&made, 1, __ATOMIC_RELEASE);
}

static uint32_t eight(uint32_t crc, const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, 8);
    v ^= crc;
    return table[7][v & 255] ^ table[6][v >> 8 & 255] ^ table[5][v >> 16 & 255] ^
           table[4][v >> 24 & 255] ^ table[3][v >> 32 & 255] ^ table[2][v >> 40 & 255] ^
           table[1][v >> 48 & 255] ^ table[0][v >> 56];
}

uint32_t sn_crc32(uint32_t crc, const void *data, size_t bytes)
{
    const uint8_t *p = data;
    if (!__atomic_load_n(&made, __ATOMIC_ACQUIRE))
        make_tables();
    crc = ~crc;
    for (; bytes >= 8; bytes -= 8, p += 8)
        crc = eight(crc, p);
    for (; bytes; bytes--)
        crc = crc >> 8 ^ table[0][(crc ^ *p++) & 255];
    return ~crc;
}

uint32_t sn_block_crc(const struct sn_block_head *h, const void *payload)
{
    struct sn_block_head copy = *h;
    copy.crc = 0;
    return sn_crc32(sn_crc32(0, &copy, sizeof copy), payload, h->stored);
}
