#include <pthread.h>

int is_alive(pthread_t thread);
