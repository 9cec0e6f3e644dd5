#include "Program.h"

#include <sys/auxv.h>

static char *none[] = {0};
static char **arguments = none;

// GNU's C library passes the arguments of main to each constructor.
__attribute__((constructor)) static void keepArguments(int count, char **words) {
    if (count > 0) arguments = words;
}

char **mainArguments(void) { return arguments; }

const char *startedPath(void) { return (const char *)getauxval(AT_EXECFN); }
