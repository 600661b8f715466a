/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copying host memory with several threads: all bytes arrive, and none beside them, however many threads copy at once and
 * however long the helpers have slept. Needs the private header copier.h.
 */
#include "tw_test.h"

#include <time.h>

#include "copier.h"

enum { COPYING = 4, ROUNDS = 12 };

static void copy_and_check(size_t bytes, size_t offset, unsigned char salt)
{
    unsigned char *from = malloc(bytes), *to = malloc(bytes + offset + 1);
    TW_CHECK(from && to);
    for (size_t i = 0; i < bytes; ++i)
        from[i] = (unsigned char)(i / 251 + i + salt);
    memset(to, 0x5a, bytes + offset + 1);
    tw_copier_copy(to + offset, from, bytes);
    TW_CHECK(memcmp(to + offset, from, bytes) == 0);
    for (size_t i = 0; i < offset; ++i)
        TW_EQUAL(to[i], 0x5a);
    TW_EQUAL(to[bytes + offset], 0x5a);
    free(from);
    free(to);
}

static void copy_all_sizes(unsigned char salt)
{
    static const size_t sizes[] = {0, 1, 4096, (512u << 10), (512u << 10) + 1, (1u << 20) - 1, (3u << 20) + 7};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
        copy_and_check(sizes[i], i, salt);
}

TW_TEST(alone)
{
    tw_copier_set_helpers(0);
    copy_all_sizes(1);
    tw_copier_close();
}

TW_TEST(with_helpers)
{
    for (unsigned helpers = 1; helpers < 100; helpers *= 3) {
        tw_copier_set_helpers(helpers);
        copy_all_sizes((unsigned char)helpers);
        tw_copier_close();
        tw_copier_close();
    }
}

/* Longer than helpers look for work. */
TW_TEST(after_a_rest)
{
    tw_copier_set_helpers(3);
    for (int round = 0; round < ROUNDS; ++round) {
        copy_and_check((2u << 20) + 1, 3, (unsigned char)round);
        nanosleep(&(struct timespec){.tv_nsec = round % 2 ? 2000000 : 200000}, NULL);
    }
    tw_copier_close();
}

static void *copy_often(void *argument)
{
    for (int round = 0; round < ROUNDS; ++round)
        copy_and_check((1u << 20) + (size_t)round, 1, *(unsigned char *)argument);
    return NULL;
}

TW_TEST(several_at_once)
{
    pthread_t threads[COPYING];
    unsigned char salts[COPYING];
    tw_copier_set_helpers(2);
    for (unsigned i = 0; i < COPYING; ++i) {
        salts[i] = (unsigned char)(17 * i);
        TW_CHECK(pthread_create(&threads[i], NULL, copy_often, &salts[i]) == 0);
    }
    for (unsigned i = 0; i < COPYING; ++i)
        TW_CHECK(pthread_join(threads[i], NULL) == 0);
    tw_copier_close();
}

TW_TEST_LIST = {TW_CASE(alone), TW_CASE(with_helpers), TW_CASE(after_a_rest), TW_CASE(several_at_once), TW_CASES_END};
