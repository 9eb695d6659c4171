/* Ways to end a program, for COBOL to call in the middle of a unit of recovery. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

extern int UNITS(void);

static sigjmp_buf begin;
static char way;

/* A handler that leaves the C library's heap in the middle leaves it locked or broken, and no program goes on or calls
   `exit` after that. How deep the thread is in it is counted: the handler comes a little later then. */

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static __thread volatile int in_heap;

#define IN_HEAP(type, call) \
    do {                    \
        in_heap++;          \
        type it = call;     \
        in_heap--;          \
        return it;          \
    } while (0)

void *malloc(size_t size) { IN_HEAP(void *, __libc_malloc(size)); }
void *calloc(size_t count, size_t size) { IN_HEAP(void *, __libc_calloc(count, size)); }
void *realloc(void *old, size_t size) { IN_HEAP(void *, __libc_realloc(old, size)); }
void *memalign(size_t align, size_t size) { IN_HEAP(void *, __libc_memalign(align, size)); }
void *aligned_alloc(size_t align, size_t size) { IN_HEAP(void *, __libc_memalign(align, size)); }

int posix_memalign(void **to, size_t align, size_t size)
{
    *to = memalign(align, size);
    return *to ? 0 : ENOMEM;
}

void free(void *old)
{
    in_heap++;
    __libc_free(old);
    in_heap--;
}

static void on_clock(int signal)
{
    (void)signal;
    if (in_heap) {
        struct itimerval soon = {{0, 0}, {0, 50}};
        setitimer(ITIMER_REAL, &soon, NULL);
        return;
    }
    if (way == 'l')
        siglongjmp(begin, 1);
    exit(9);
}

/* Ticks until `after` microseconds have passed, and then ends the program out of a handler. */
static void by_clock(char how, long after)
{
    struct itimerval clock = {{0, 0}, {after / 1000000, after % 1000000}};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_clock;
    way = how;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &clock, NULL);
}

static int deeper(volatile char *above)
{
    volatile char here[4096];
    here[0] = above[0];
    return deeper(here) + here[1];
}

static void *raise_here(void *nothing)
{
    raise(SIGTERM);
    return nothing;
}

/* Another thread gets the signal, and has ended when this returns. */
static void raise_elsewhere(void)
{
    pthread_t other;
    if (pthread_create(&other, NULL, raise_here, NULL) == 0)
        pthread_join(other, NULL);
}

int howtoend(char *how)
{
    switch (how[0]) {
    case 'e': exit(7);
    case 'q': quick_exit(7);
    case '_': _exit(7);
    case 'a': abort();
    case 's': raise(SIGSEGV); break;
    case 't': raise(SIGTERM); break;
    case 'T': raise_elsewhere(); break;
    case 'n': *(volatile int *)(how - how) = 1; break;
    case 'o': return deeper(how);
    case 'x':
    case 'l': by_clock(how[0], atol(how + 1)); break;
    }
    return 0;
}

#ifdef JUMPS
extern void cob_init(int, char **);
extern void cob_stop_run(int);

int main(int count, char **arguments)
{
    cob_init(count, arguments);
    if (sigsetjmp(begin, 1))
        exit(8);
    cob_stop_run(UNITS());
}
#endif
