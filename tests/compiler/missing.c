/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of file scope, and functions, in kernels. A comment names what check.sh expects a warning about in its line. */
#include <teamwork/teamwork.h>

static const float table[] = {1, 2, 3};
int count;
extern float elsewhere(void);

TW_BEGIN_DEVICE_VARIABLES
static const float known_table[] = {1, 2, 3};
extern int known_elsewhere;
int known_count;
TW_END_DEVICE_VARIABLES

struct use {
    float *out;
    int i;
};

static inline void use(const struct use *k)
{
    TW_LOCAL(float, shared, [4]);
    shared[k->i] = known_table[k->i];
    k->out[0] = shared[k->i] + known_elsewhere + known_count;
    k->out[1] = table[k->i]; /* table */
    k->out[2] = count;       /* count */
    k->out[3] = elsewhere(); /* elsewhere */
}
TW_SINGLE_TASK(use);
