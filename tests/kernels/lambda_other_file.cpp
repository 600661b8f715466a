/* SPDX-License-Identifier: Apache-2.0 */
/* The other file of test_lambda.cpp. */
#define NUMBER_OF_FILE 2
#include "lambda_other_file.h"

tw_status store_of_other_file(tw_queue *queue, tw_buffer *out)
{
    return store_number_of_file(queue, out);
}
