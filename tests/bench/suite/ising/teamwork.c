/* SPDX-License-Identifier: Apache-2.0 */
/* The Ising model in Teamwork. */
#include "../arrays_teamwork.h"
#include "ising.h"

struct ising_flat {
    signed char *spins;
    const signed char *others;
    struct ising_thresholds thresholds;
    unsigned pitch, turn, odd; /* `odd` rows have their second neighbour behind */
};

static inline void ising_flat(tw_item item, const struct ising_flat *k)
{
    const unsigned row = (unsigned)tw_global_id(item, 0), start = row * k->pitch;
    const size_t column = tw_global_id(item, 1);
    const signed char *here = k->others + start, *side = row % 2 == k->odd ? here + 1 : here - 1;
    const int sum = (here - k->pitch)[column] + here[column] + (here + k->pitch)[column] + side[column];
    /* read before they are chosen from, so that there is nothing to branch around */
    const uint32_t t1 = k->thresholds.at[0], t2 = k->thresholds.at[1], t3 = k->thresholds.at[2];
    const uint32_t t4 = k->thresholds.at[3];
    signed char *spin = k->spins + start;
    ISING_SPIN(spin[column], spin[column], sum, start + (unsigned)column, k->turn, t1, t2, t3, t4);
}
TW_RANGE_KERNEL(ising_flat, 2);

static bool update(const struct ising *problem, tw_buffer *colour, tw_buffer *other, bool black, unsigned launch)
{
    tw_command_group *cg = tw_queue_begin(bench_queue());
    signed char *spins = tw_read_write(cg, colour);
    const signed char *others = tw_read(cg, other);
    if (spins && others)
        tw_parallel_for(cg, tw_range_2d(problem->rows, problem->columns), ising_flat,
                        .spins = spins + ising_first(problem), .others = others + ising_first(problem),
                        .thresholds = problem->thresholds, .pitch = problem->pitch, .turn = ising_turn(launch),
                        .odd = black);
    return suite_submit(cg);
}

static bool run_flat(void *state)
{
    const struct suite_teamwork *s = state;
    const struct ising *problem = s->problem;
    for (unsigned sweep = 0; sweep < problem->sweeps; ++sweep)
        if (!update(problem, s->at[ISING_BLACK], s->at[ISING_WHITE], true, 2 * sweep)
            || !update(problem, s->at[ISING_WHITE], s->at[ISING_BLACK], false, 2 * sweep + 1))
            return false;
    return suite_wait();
}

static const struct suite_version versions[] = {SUITE_TEAMWORK_VERSION_RESET("flat", "range", run_flat)};
const struct suite_versions suite_ising_teamwork = SUITE_VERSIONS(versions);
