/* What the header promises about signals and fork. Each line that does not hold is printed; the exit status is their
 * number.
 *
 *     signals CATALOG-DIRECTORY       (with the data set PAYROLL.MASTER of examples/payroll.c in it)
 */
#define _GNU_SOURCE
#include "common/is.h"
#include <cica.h>

#include <errno.h>

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static cica_string *theirs;
static volatile sig_atomic_t refused, answered, other;
static sigjmp_buf out;
static volatile sig_atomic_t jumps;

static void on_clock(int signal)
{
    cica_val rec;
    int code = cica_get(theirs, "0001", 4, CICA_READ, &rec);
    (void)signal;
    if (code == CICA_INTERRUPTED)
        refused++;
    else if (code == CICA_OK)
        answered++;
    else
        other++;
    if (jumps && code == CICA_INTERRUPTED)
        siglongjmp(out, 1);
}

static void ticks(long microseconds)
{
    struct itimerval clock = {{0, microseconds}, {0, microseconds}};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_clock;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &clock, NULL);
}

static cica_env_options options = {sizeof options, NULL, 8 << 20, 0};

static int ends_with(pid_t child)
{
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* A child that is forked while a data set is open. */
static void forks(void)
{
    cica_env *env, *own;
    cica_dataset *ds;
    cica_string *str;
    cica_unit *unit;
    cica_val rec;
    pid_t child, sleeper;

    IS(cica_env_open(&options, &env), CICA_OK);
    IS(cica_open(env, "PAYROLL.MASTER", CICA_OUTPUT, NULL, &ds), CICA_OK);
    IS(cica_unit_begin(env, &unit), CICA_OK);
    IS(cica_string_open_in(ds, unit, &str), CICA_OK);
    IS(cica_insert(str, "0007FORK", 8, CICA_DIRECT, NULL), CICA_OK);
    child = fork();
    if (child == 0) {
        wrong = 0;
        IS(cica_get(str, "0001", 4, CICA_READ, &rec), CICA_FORKED);
        IS(cica_insert(str, "0008FORK", 8, CICA_DIRECT, NULL), CICA_FORKED);
        IS(cica_unit_commit(unit), CICA_FORKED);
        IS(cica_unit_backout(unit), CICA_FORKED);
        IS(cica_commit(ds), CICA_FORKED);
        IS(cica_close(ds), CICA_FORKED);
        IS(cica_env_close(env), CICA_FORKED);
        IS(cica_env_open(&options, &own), CICA_FORKED);
        exit(wrong); /* with all that exit runs */
    }
    IS(ends_with(child), 0);
    sleeper = fork();
    if (sleeper == 0) {
        sleep(60);
        _exit(0);
    }
    IS(cica_get(str, "0007", 4, CICA_READ, &rec), CICA_OK);
    IS(cica_string_close(str), CICA_OK);
    IS(cica_unit_backout(unit), CICA_OK);
    IS(cica_unit_free(unit), CICA_OK);
    IS(cica_close(ds), CICA_OK);
    IS(cica_env_close(env), CICA_OK);
    /* Another process has it, though the child sleeps on. */
    child = fork();
    if (child == 0) {
        char command[4096];
        snprintf(command, sizeof command, "exec %s %s again", program_invocation_name, options.catalog);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    IS(ends_with(child), 0);
    kill(sleeper, SIGKILL);
    IS(ends_with(sleeper), 1000 + SIGKILL);
}

/* Open for output, and not closed. */
static int again(void)
{
    cica_env *env;
    cica_dataset *ds;
    IS(cica_env_open(&options, &env), CICA_OK);
    IS(cica_open(env, "PAYROLL.MASTER", CICA_OUTPUT, NULL, &ds), CICA_OK);
    return wrong;
}

int main(int argc, char **argv)
{
    cica_env *env;
    cica_dataset *ds;
    cica_string *str;
    cica_val rec;
    int n, code;

    options.catalog = argc > 1 ? argv[1] : NULL;
    if (argc > 2)
        return again();
    forks();

    /* A handler that makes requests: in the middle of another it is refused, else it is answered; no request of the
     * program's notices. */
    IS(cica_env_open(&options, &env), CICA_OK);
    IS(cica_open(env, "PAYROLL.MASTER", CICA_OUTPUT, NULL, &ds), CICA_OK);
    IS(cica_string_open(ds, &str), CICA_OK);
    IS(cica_string_open(ds, &theirs), CICA_OK);
    ticks(300);
    for (n = 0; n < 2000000 && !wrong && (refused < 50 || n < 20000); n++) {
        IS(cica_get(str, "0002", 4, CICA_READ, &rec), CICA_OK);
        IS(rec.size, 15);
    }
    IS(refused > 0, 1);
    IS(other, 0);

    /* A handler that jumps out of a request: the thread's calls are refused from then on, and nothing hangs. */
    jumps = 1;
    if (!sigsetjmp(out, 1)) {
        for (;;)
            cica_get(str, "0002", 4, CICA_READ, &rec);
    }
    ticks(0);
    code = cica_get(theirs, "0001", 4, CICA_READ, &rec);
    IS(code, CICA_INTERRUPTED);
    IS(strstr(cica_message(), "longjmp") != NULL, 1);
    IS(cica_close(ds), CICA_INTERRUPTED);
    return wrong;
}
