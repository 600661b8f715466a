/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edges that others imply are left out, and no others: random graphs against a search that follows every edge. Needs the
 * private header ancestors.h.
 */
#include "tw_test.h"

#include <string.h>

#include "graph/ancestors.h"

enum { MOST = 150, ROUNDS = 200 };

static uint64_t state = 88172645463325252u;

/* A graph: reaches[i][k] is true if node i waits for node k, directly or not. */
static bool edges[MOST][MOST], reaches[MOST][MOST];

static void make_graph(size_t count, unsigned density)
{
    memset(edges, 0, sizeof edges);
    memset(reaches, 0, sizeof reaches);
    for (size_t i = 0; i < count; ++i)
        for (size_t k = 0; k < i; ++k) {
            edges[i][k] = tw_test_random(&state, 100) < density;
            for (size_t m = 0; edges[i][k] && m <= k; ++m)
                reaches[i][m] = reaches[i][m] || m == k || reaches[k][m];
        }
}

/* Returns true if node i waits for k by another of its edges. */
static bool is_implied(size_t i, size_t k)
{
    for (size_t m = k + 1; m < i; ++m)
        if (edges[i][m] && reaches[m][k])
            return true;
    return false;
}

TW_TEST(implied_edges_are_left_out)
{
    size_t before[MOST];
    for (unsigned round = 0; round < ROUNDS; ++round) {
        const size_t count = 1 + tw_test_random(&state, MOST);
        make_graph(count, 1 + round % 30);
        struct tw_ancestors *ancestors = tw_ancestors_new(count);
        TW_CHECK(ancestors != NULL);
        for (size_t i = 0; i < count; ++i) {
            size_t given = 0, expected = 0;
            for (size_t k = i; k-- > 0;) /* the latest first */
                if (edges[i][k])
                    before[given++] = k;
            const size_t kept = tw_ancestors_reduce(ancestors, i, before, given);
            for (size_t k = i; k-- > 0;)
                if (edges[i][k] && !is_implied(i, k)) {
                    TW_CHECK(expected < kept);
                    TW_EQUAL(before[expected], k);
                    ++expected;
                }
            TW_EQUAL(kept, expected);
        }
        tw_ancestors_free(ancestors);
    }
}

TW_TEST(large_graphs_keep_their_edges)
{
    size_t before[] = {0, 1};
    TW_CHECK(tw_ancestors_new(1000000) == NULL);
    TW_EQUAL(tw_ancestors_reduce(NULL, 2, before, 2), 2);
    TW_CHECK(before[0] == 0 && before[1] == 1);
    tw_ancestors_free(NULL);
}

TW_TEST_LIST = {TW_CASE(implied_edges_are_left_out), TW_CASE(large_graphs_keep_their_edges), TW_CASES_END};
