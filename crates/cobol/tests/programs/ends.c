/* Ways to end a program, for COBOL to call in the middle of a unit of recovery. */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

extern int UNITS(void);

static sigjmp_buf begin;
static char way;

static void on_clock(int signal)
{
    (void)signal;
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

int howtoend(char *how)
{
    switch (how[0]) {
    case 'e': exit(7);
    case 'q': quick_exit(7);
    case '_': _exit(7);
    case 'a': abort();
    case 's': raise(SIGSEGV); break;
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
