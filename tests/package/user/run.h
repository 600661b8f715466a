/* SPDX-License-Identifier: Apache-2.0 */
/* What a main program in C or C++ calls. */
#ifndef RUN_H
#define RUN_H

#ifdef __cplusplus
extern "C"
#endif
    /* Returns the program's exit status. */
    int
    run(void);

#endif
