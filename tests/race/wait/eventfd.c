// The same through an eventfd, waited for with poll.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "invisible.h"

int data, seen, event, other;

static void writer(void)
{
    data = 1; // RACE1
    if (eventfd_write(event, 1))
        _exit(2);
}

static void reader(void)
{
    eventfd_t count;
    struct pollfd wait = {PICK(other, event), POLLIN, 0};
    if (poll(&wait, 1, -1) != 1 || eventfd_read(PICK(other, event), &count))
        _exit(2);
    seen = data; // RACE2
}

int main(void)
{
    event = eventfd(0, 0);
    other = eventfd(1, 0);
    run_in_order(writer, reader);
    return seen - 1;
}
