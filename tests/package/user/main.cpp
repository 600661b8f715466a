/* SPDX-License-Identifier: Apache-2.0 */
/* Needs the C++ library when it is linked, and when it runs. */
#include <iostream>
#include <stdexcept>

#include <teamwork/queue.h>

#include "run.h"

int main()
{
    try {
        if (run() != 0)
            throw std::runtime_error("run");
    } catch (const std::exception &error) {
        std::cout << error.what() << " failed\n";
        return 1;
    }
    return 0;
}
