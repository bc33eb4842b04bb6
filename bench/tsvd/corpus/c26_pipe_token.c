// Whoever has read the byte from the pipe may use the hidden state.

#include "module.h"

static int fd[2];

static void *use(void *id)
{
    char b;
    for (int i = 0; i < 30; i++) {
        if (read(fd[0], &b, 1) == 1) {
            time_t t = i;
            if (localtime(&t))
                work(1);
            if (write(fd[1], &b, 1) != 1)
                return id;
        }
        work(9);
    }
    return id;
}

int main(void)
{
    if (pipe(fd) || write(fd[1], "x", 1) != 1)
        return 1;
    all(3, use);
    return 0;
}
