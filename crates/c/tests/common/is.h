/* What the C programs of the tests have: each promise that does not hold is printed, and counted. */
#ifndef CICA_TESTS_IS_H
#define CICA_TESTS_IS_H

#include <cica.h>
#include <stdio.h>

static int wrong;

/* The call returns this code. */
#define IS(call, code)                                                                                                 \
    do {                                                                                                               \
        int is_ = (call);                                                                                              \
        if (is_ != (code)) {                                                                                           \
            printf("line %d: %s is %#x (%s), not %s\n", __LINE__, #call, (unsigned)is_, cica_message(), #code);        \
            wrong++;                                                                                                   \
        }                                                                                                              \
    } while (0)

#endif
