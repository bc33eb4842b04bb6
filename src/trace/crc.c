/* crc.c: CRC-32 by half bytes: sixteen words of table, nothing to set up in the program under test.
 */
#include "trace/format.h"

static const uint32_t nibble[16] = {
    0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
    0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
};

uint32_t sn_crc32(uint32_t crc, const void *data, size_t bytes)
{
    const uint8_t *p = data;
    crc = ~crc;
    for (size_t i = 0; i < bytes; i++) {
        crc ^= p[i];
        crc = (crc >> 4) ^ nibble[crc & 15];
        crc = (crc >> 4) ^ nibble[crc & 15];
    }
    return ~crc;
}

uint32_t sn_block_crc(const struct sn_block_head *h, const void *payload)
{
    struct sn_block_head copy = *h;
    copy.crc = 0;
    return sn_crc32(sn_crc32(0, &copy, sizeof copy), payload, h->stored);
}
