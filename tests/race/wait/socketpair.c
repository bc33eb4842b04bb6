// The same through a pair of sockets: send on one end, recv on the other.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
#include <sys/socket.h>
#include <unistd.h>
#include "invisible.h"

int data, seen, ends[2], other[2];

static void writer(void)
{
    data = 1; // RACE1
    if (send(ends[1], "x", 1, 0) != 1)
        _exit(2);
}

static void reader(void)
{
    char c;
    if (recv(PICK(other, ends)[0], &c, 1, 0) != 1)
        _exit(2);
    seen = data; // RACE2
}

int main(void)
{
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || socketpair(AF_UNIX, SOCK_STREAM, 0, other) ||
        send(other[1], "y", 1, 0) != 1)
        return 2;
    run_in_order(writer, reader);
    return seen - 1;
}
