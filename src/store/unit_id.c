/* unit_id.c: the unit of a campaign that this process works for, see unit_id.h. */
#include "store/unit_id.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_UNIT 1000000 /* more than runs of one unit: then units keep their order */

static struct sn_unit_id current;

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int sn_campaign_id_parse(const char *digits, unsigned char campaign[SN_CAMPAIGN_BYTES])
{
    for (int i = 0; i < SN_CAMPAIGN_BYTES; i++) {
        int high = hex_digit(digits[2 * i]), low = high < 0 ? -1 : hex_digit(digits[2 * i + 1]);
        if (low < 0)
            return -EINVAL;
        campaign[i] = (unsigned char)(high * 16 + low);
    }
    return 0;
}

/* A number of digits only, then `end`. */
static int number(const char **p, char end, int64_t max, int64_t *out)
{
    char *after;
    if (**p < '0' || **p > '9')
        return -EINVAL;
    errno = 0;
    *out = strtoll(*p, &after, 10);
    if (errno || *after != end || *out < 1 || *out > max)
        return -EINVAL;
    *p = after + (end != 0);
    return 0;
}

int sn_unit_id_parse(const char *text, struct sn_unit_id *out)
{
    struct sn_unit_id id = {0};
    int64_t n;
    if (sn_campaign_id_parse(text, id.campaign) || text[SN_CAMPAIGN_DIGITS] != ':')
        return -EINVAL;
    const char *p = text + SN_CAMPAIGN_DIGITS + 1;
    if (number(&p, ':', SN_UNIT_MAX, &n) || number(&p, 0, INT64_MAX / 2, &id.planned_ns))
        return -EINVAL;
    id.number = (uint32_t)n;
    *out = id;
    return 0;
}

const struct sn_unit_id *sn_unit_id(void)
{
    return current.number ? &current : NULL;
}

void sn_unit_id_set(const struct sn_unit_id *id)
{
    current = *id;
}

static void put32(unsigned char *to, uint32_t n)
{
    for (int i = 0; i < 4; i++)
        to[i] = (unsigned char)(n >> (24 - 8 * i));
}

void sn_unit_run(const struct sn_unit_id *id, uint32_t ordinal, unsigned char uid[16],
                 int64_t *started_ns)
{
    memcpy(uid, id->campaign, SN_CAMPAIGN_BYTES);
    put32(uid + SN_CAMPAIGN_BYTES, id->number);
    put32(uid + SN_CAMPAIGN_BYTES + 4, ordinal);
    *started_ns = id->planned_ns + (int64_t)id->number * NS_PER_UNIT + ordinal;
}
