/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: format specifies type 'int' but the argument has type 'float' */
/* An argument that does not go with its conversion. */
#include <teamwork/teamwork.h>

#include <teamwork/printf.h>

struct tell {
    float value;
};
static inline void tell(const struct tell *k)
{
    tw_printf("the value is %d\n", k->value); /* HERE */
}
TW_SINGLE_TASK(tell);
