/* SPDX-License-Identifier: Apache-2.0 */
/* An imaginary CUDA driver, for test_process.c: as the real one it works in the process that has started it, not in that
   one's children. It has nothing else. */
#include <sys/types.h>
#include <unistd.h>

int cuInit(unsigned flags);

__attribute__((visibility("default"))) int cuInit(unsigned flags)
{
    enum { NOT_INITIALIZED = 3 };
    static pid_t owner;
    (void)flags;
    if (!owner)
        owner = getpid();
    return owner == getpid() ? 0 : NOT_INITIALIZED;
}
