/* Variables with a fixed place. The test knows their shapes: see data_test.c. */
#include "vars.h"

typedef struct account account_t;
typedef const volatile account_t table_t[4];

int counter = 1;
static account_t accounts[10];
static short grid[3][5];
table_t *where;
struct {
    int n;
    char text[];
} flexible = {3, {"abcdefghijk"}};
_Thread_local int tls_first = 7;
static _Thread_local struct account tls_account;
extern int counter_alias __attribute__((alias("counter")));

__attribute__((noinline)) int count_calls(int by)
{
    static int calls;
    static long calls_long[2] = {1, 2};
    calls += by;
    calls_long[by & 1] += by;
    return calls + calls_long[1];
}

__attribute__((noinline)) int count_others(int by)
{
    static int calls;
    return calls += by * 2;
}

int main(int argc, char **argv)
{
    (void)argv;
    for (int i = 0; i < argc; i++) {
        accounts[i % 10].balance += count_calls(i);
        accounts[i % 10].limit[i % 3].high = i;
        accounts[i % 10].part[i & 3] = counter_alias;
        accounts[i % 10].large = i;
        grid[i % 3][i % 5] = i;
    }
    tls_account.balance = argc + tls_first;
    where = (table_t *)accounts;
    return (accounts[1].balance + grid[2][1] + tls_account.balance + flexible.text[argc & 3] +
            count_others(argc)) &
           1;
}
