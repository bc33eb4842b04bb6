// Fields of one struct: the same field races, different fields do not.
// EXPECT: data-race RACE1 RACE2
// EXPECT-OBJECT: global account
#include "invisible.h"

struct {
    long balance, limit;
} account;

static void first(void)
{
    account.balance += 1; // RACE1
}

static void second(void)
{
    account.PICK(balance, limit) += 1; // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
