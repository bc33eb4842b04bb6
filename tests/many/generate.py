"""generate.py N: a C program with N data races, one per function; `prog FIRST COUNT` runs COUNT of them. With -DFIXED
there are none."""
import sys

n = int(sys.argv[1])
print("#include <pthread.h>\n#include <stdlib.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nlong x[%d];" % n)
print("#ifdef FIXED\n#define GUARD(s) pthread_mutex_lock(&m); s; pthread_mutex_unlock(&m)\n#else\n#define GUARD(s) s\n#endif")
for i in range(n):
    print("static void f%d(void) { GUARD(x[%d] = 1); }" % (i, i))
print("static void (*const f[])(void) = {")
for i in range(n):
    print("f%d," % i)
print("""};
static int first, count;
static void *work(void *arg)
{
    for (int i = first; i < first + count; i++)
        f[i]();
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t a, b;
    (void)m;
    if (argc < 3)
        return 9;
    first = atoi(argv[1]);
    count = atoi(argv[2]);
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}""")
