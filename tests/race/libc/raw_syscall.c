// System calls without libc: what their hooks tell (sanitizer/linux_syscall_hooks.h, which clang has) is an order by the
// descriptor, as with read() and write(). Without the hooks nothing is known.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global message
// EXPECT-STDOUT: 42
// PEER: tsan may-alarm: the hooks' descriptors are not its business
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

void __sanitizer_syscall_pre_impl_write(long fd, long buffer, long bytes);
void __sanitizer_syscall_post_impl_write(long result, long fd, long buffer, long bytes);
void __sanitizer_syscall_pre_impl_read(long fd, long buffer, long bytes);
void __sanitizer_syscall_post_impl_read(long result, long fd, long buffer, long bytes);
void __sanitizer_syscall_pre_impl_close(long fd);
void __sanitizer_syscall_post_impl_close(long result, long fd);

int message, ends[2];

static void *sender(void *arg)
{
    message = 42; // RACE1
#ifdef FIXED
    __sanitizer_syscall_pre_impl_write(ends[1], (long)"x", 1);
#endif
    long n = syscall(SYS_write, ends[1], "x", 1);
#ifdef FIXED
    __sanitizer_syscall_post_impl_write(n, ends[1], (long)"x", 1);
#endif
    return n == 1 ? arg : NULL;
}

static void receive(void)
{
    char byte;
#ifdef FIXED
    __sanitizer_syscall_pre_impl_read(ends[0], (long)&byte, 1);
#endif
    long n = syscall(SYS_read, ends[0], &byte, 1);
#ifdef FIXED
    __sanitizer_syscall_post_impl_read(n, ends[0], (long)&byte, 1);
#endif
    printf("%d\n", n == 1 ? message : 0); // RACE2
}

int main(void)
{
    pthread_t t;
    if (pipe(ends) || pthread_create(&t, NULL, sender, NULL))
        return 99;
    receive();
    pthread_join(t, NULL);
    __sanitizer_syscall_pre_impl_close(ends[0]);
    __sanitizer_syscall_post_impl_close(syscall(SYS_close, ends[0]), ends[0]);
    return close(ends[1]);
}
