/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

int main(void)
{
    return run();
}
