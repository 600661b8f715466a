/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A histogram of bytes with atomics in local and in global memory, in three forms, and by a reduction, in a fourth.
 *
 * All but that have three phases with a barrier between each two: the group's counts in local memory are set to zero;
 * its part of the bytes is counted there; its counts are added to those in global memory. In the first phase no two
 * work-items write the same count, so nothing is atomic. In the second they may, but only those of one group: relaxed
 * atomics of work-group scope will do, since the barrier that follows orders them before the third. There each count
 * has one reader in the group, and in global memory all groups meet: relaxed atomics of device scope, which the end of
 * the kernel orders before whoever reads the result.
 */
#include "histogram.h"

#include <stdint.h>

#include <teamwork/teamwork.h>

enum { BINS = HISTOGRAM_BINS };

/* The part of a group, of bytes `first` to `past`. */
struct part {
    unsigned first, past;
};

static inline struct part part_of(size_t group, unsigned each, unsigned count)
{
    const unsigned first = (unsigned)group * each;
    return (struct part){first, count - first < each ? count : first + each};
}

static inline void count_in_group(unsigned *count)
{
    tw_atomic_fetch_add(count, 1u, TW_ORDER_RELAXED, TW_SCOPE_WORK_GROUP);
}

static inline void add_for_all(unsigned *bin, unsigned count)
{
    if (count)
        tw_atomic_fetch_add(bin, count, TW_ORDER_RELAXED, TW_SCOPE_DEVICE);
}

/* 16 bytes, which a GPU reads at once. */
struct pack {
    uint32_t at[4];
} __attribute__((aligned(16)));

enum { PACK = sizeof(struct pack) };

static inline unsigned byte_of(struct pack pack, unsigned i)
{
    return pack.at[i / 4] >> 8 * (i % 4) & 255;
}

/* ---- clearing --------------------------------------------------------------------------------------------------- */

struct histogram_clear {
    unsigned *bins;
};

static inline void histogram_clear(tw_item item, const struct histogram_clear *k)
{
    k->bins[tw_global_id(item, 0)] = 0;
}
TW_RANGE_KERNEL(histogram_clear, 1);

/* ---- phases: the nd_range form of the textbooks ----------------------------------------------------------------- */

enum { GROUP = 256 }; /* work-items of a group */

struct histogram_phases {
    const unsigned char *bytes;
    unsigned *bins;
    unsigned count, each; /* bytes in all, and of a group */
};

static inline void histogram_phases(tw_nd_item item, const struct histogram_phases *k)
{
    TW_LOCAL(unsigned, counts, [BINS]);
    const unsigned local = (unsigned)tw_local_id(item, 0);
    const struct part part = part_of(tw_group_id(item, 0), k->each, k->count);

    for (unsigned bin = local; bin < BINS; bin += GROUP)
        counts[bin] = 0;
    tw_barrier(item, TW_LOCAL_SPACE);

    for (unsigned i = part.first + local; i < part.past; i += GROUP)
        count_in_group(&counts[k->bytes[i]]);
    tw_barrier(item, TW_LOCAL_SPACE);

    for (unsigned bin = local; bin < BINS; bin += GROUP)
        add_for_all(&k->bins[bin], counts[bin]);
}
TW_ND_RANGE_KERNEL(histogram_phases, GROUP);

/* ---- phases as a hierarchical kernel ---------------------------------------------------------------------------- */

/* Counts that take turns: two bytes in a row that are the same do not wait for each other's count. And a work-item
   counts a line of the cache at a time, which on a GPU is one of every GROUP. On a CPU, which runs the work-items one
   after the other, they are neighbours, so that memory is read in its order. */
enum { TURNS = 4, LINE = 64 };

struct histogram_group_phases {
    const unsigned char *bytes;
    unsigned *bins;
    unsigned count, each; /* each: a multiple of LINE */
};

static inline void histogram_group_phases(tw_group group, const struct histogram_group_phases *k)
{
    TW_LOCAL(unsigned, counts, [TURNS * BINS]);
    const struct part part = part_of(tw_group_id(group, 0), k->each, k->count);
    const unsigned lines = (part.past - part.first) / LINE, in_a_row = TW_ON_GPU ? 1 : (lines + GROUP - 1) / GROUP;
    const unsigned step = TW_ON_GPU ? GROUP : 1;

    tw_parallel_for_work_item_range(group, item, tw_range_1d(TURNS * BINS)) {
        counts[tw_local_id(item, 0)] = 0;
    }
    tw_parallel_for_work_item(group, item) {
        const unsigned begin = (unsigned)tw_local_id(item, 0) * in_a_row;
        const unsigned end = TW_ON_GPU || begin + in_a_row > lines ? lines : begin + in_a_row;
        for (unsigned line = begin; line < end; line += step) {
            const struct pack *in = (const struct pack *)(k->bytes + part.first + (size_t)line * LINE);
            for (unsigned p = 0; p < LINE / PACK; ++p) {
                const struct pack pack = in[p];
#pragma clang loop unroll(full)
                for (unsigned i = 0; i < PACK; ++i)
                    count_in_group(&counts[i % TURNS * BINS + byte_of(pack, i)]);
            }
        }
        /* the last bytes of all, fewer than a line */
        const unsigned last = part.first + lines * LINE + (unsigned)tw_local_id(item, 0);
        if (last < part.past)
            count_in_group(&counts[k->bytes[last]]);
    }
    tw_parallel_for_work_item(group, item) {
        const unsigned bin = (unsigned)tw_local_id(item, 0);
        unsigned count = 0;
        for (unsigned turn = 0; turn < TURNS; ++turn)
            count += counts[turn * BINS + bin];
        add_for_all(&k->bins[bin], count);
    }
}
_Static_assert(GROUP == BINS, "a work-item adds up one bin");
TW_WORK_GROUP_KERNEL(histogram_group_phases, GROUP);

/* ---- lanes: the nd_range form for a GPU ------------------------------------------------------------------------- */

/*
 * The lanes of a sub-group count at the same time. Two that count in one bank of the local memory wait for each other,
 * and the more so if it is the same count. So each of 32 lanes has its own counts, in its own bank: 32 KiB for a group,
 * which is why the group is as large as groups can be.
 *
 * The counts of all groups come together in `work`. The group that is done last finds them complete, copies them to the
 * bins, and leaves zeros for the next launch: so none is needed that clears.
 */
enum { LANES = 32, WIDE = 1024 };

struct histogram_lanes {
    const unsigned char *bytes;
    unsigned *bins;
    unsigned *work; /* BINS counts, and how many groups are done */
    unsigned count, each;
};

static inline void count_pack(unsigned *own, struct pack pack)
{
#pragma clang loop unroll(full)
    for (unsigned i = 0; i < PACK; ++i)
        count_in_group(&own[byte_of(pack, i) * LANES]);
}

/* The first barrier brings the group's additions before its release, and the second what that acquires to all of it. */
static inline void hand_over(tw_nd_item item, unsigned *work, unsigned *bins)
{
    TW_LOCAL(unsigned, before); /* groups that were done before this one */
    const unsigned local = (unsigned)tw_local_id(item, 0);
    tw_barrier(item, TW_GLOBAL_AND_LOCAL);
    if (local == 0)
        before = tw_atomic_fetch_add(&work[BINS], 1u, TW_ORDER_ACQ_REL, TW_SCOPE_DEVICE);
    tw_barrier(item, TW_GLOBAL_AND_LOCAL);
    if (before + 1 == tw_group_range(item, 0)) {
        if (local < BINS) {
            bins[local] = tw_atomic_load(&work[local]);
            tw_atomic_store(&work[local], 0u);
        }
        if (local == 0)
            tw_atomic_store(&work[BINS], 0u);
    }
}

static inline void histogram_lanes(tw_nd_item item, const struct histogram_lanes *k)
{
    TW_LOCAL(unsigned, counts, [BINS * LANES]);
    const unsigned local = (unsigned)tw_local_id(item, 0);
    const struct part part = part_of(tw_group_id(item, 0), k->each, k->count);
    const unsigned packs = (part.past - part.first) / PACK;
    const struct pack *in = (const struct pack *)(k->bytes + part.first);
    unsigned *own = &counts[local % LANES];

    for (unsigned i = local; i < BINS * LANES; i += WIDE)
        counts[i] = 0;
    tw_barrier(item, TW_LOCAL_SPACE);

    unsigned p = local;
    for (; p + WIDE < packs; p += 2 * WIDE) { /* both reads are on their way before the first is waited for */
        const struct pack pack = in[p], next = in[p + WIDE];
        count_pack(own, pack);
        count_pack(own, next);
    }
    if (p < packs)
        count_pack(own, in[p]);
    const unsigned last = part.first + packs * PACK + local;
    if (last < part.past)
        count_in_group(&own[k->bytes[last] * LANES]);
    tw_barrier(item, TW_LOCAL_SPACE);

    if (local < BINS) {
        unsigned count = 0;
        for (unsigned lane = 0; lane < LANES; ++lane)
            count += counts[local * LANES + (local + lane) % LANES]; /* neighbours begin in different banks */
        add_for_all(&k->work[local], count);
    }
    hand_over(item, k->work, k->bins);
}
TW_ND_RANGE_KERNEL(histogram_lanes, WIDE);

/* ---- reduction: the library has the copies of the counts -------------------------------------------------------- */

struct histogram_reduction {
    const unsigned char *bytes;
    TW_REDUCTION_ARRAY(unsigned, TW_SUM) bins;
    size_t count;
};

/* A work-item counts 16 bytes, or what is left of them. */
static inline void histogram_reduction(tw_item item, const struct histogram_reduction *k)
{
    const size_t first = tw_global_id(item, 0) * PACK;
    if (k->count - first >= PACK) {
        const struct pack pack = *(const struct pack *)(const void *)(k->bytes + first);
        for (unsigned i = 0; i < PACK; ++i)
            tw_combine_at(k->bins, byte_of(pack, i), 1);
    } else {
        for (size_t i = first; i < k->count; ++i)
            tw_combine_at(k->bins, k->bytes[i], 1);
    }
}
TW_RANGE_REDUCTION(histogram_reduction, 1, bins);

/* ---- launches --------------------------------------------------------------------------------------------------- */

/*
 * How many bytes a group counts. On a GPU there are as many groups as are resident at once, `resident` for each compute
 * unit, so that the first and third phase come once. On a CPU there are some for each core where the work-items have
 * their bytes `in_order`; else a part is as much as stays in a core's cache while one after the other passes over it.
 */
static tw_status choose_part(const struct histogram *histogram, size_t resident, bool in_order, size_t *each,
                             size_t *groups)
{
    const size_t cached = 64 << 10;
    const tw_device *device = tw_queue_device(histogram->queue);
    size_t units;
    const tw_status status = tw_device_info(device, TW_DEVICE_INFO_MAX_COMPUTE_UNITS, &units, sizeof units);
    if (status != TW_SUCCESS)
        return status;
    const bool on_gpu = tw_device_is_gpu(device);
    const size_t most = units ? units * resident : resident, least = on_gpu ? 4096 : cached;
    *each = on_gpu || in_order ? (histogram->count + most - 1) / most : cached;
    *each = *each < least ? least : (*each + LINE - 1) / LINE * LINE;
    *groups = (histogram->count + *each - 1) / *each;
    return TW_SUCCESS;
}

/* Chooses the groups' parts, and submits what sets the bins to zero before they add to them. */
static tw_status begin_phases(const struct histogram *histogram, bool in_order, size_t *each, size_t *groups)
{
    const tw_status status = choose_part(histogram, 8, in_order, each, groups);
    if (status != TW_SUCCESS)
        return status;
    tw_command_group *cg = tw_queue_begin(histogram->queue);
    tw_parallel_for(cg, tw_range_1d(BINS), histogram_clear, .bins = tw_discard_write(cg, histogram->bins));
    return tw_queue_submit(histogram->queue, cg, NULL);
}

tw_status histogram_submit_phases(const struct histogram *histogram)
{
    size_t each, groups;
    const tw_status status = begin_phases(histogram, false, &each, &groups);
    if (status != TW_SUCCESS)
        return status;
    tw_command_group *cg = tw_queue_begin(histogram->queue);
    tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(groups * GROUP), tw_range_1d(GROUP)), histogram_phases,
                             .bytes = tw_read(cg, histogram->bytes), .bins = tw_atomic(cg, histogram->bins),
                             .count = (unsigned)histogram->count, .each = (unsigned)each);
    return tw_queue_submit(histogram->queue, cg, NULL);
}

tw_status histogram_submit_group_phases(const struct histogram *histogram)
{
    size_t each, groups;
    const tw_status status = begin_phases(histogram, true, &each, &groups);
    if (status != TW_SUCCESS)
        return status;
    tw_command_group *cg = tw_queue_begin(histogram->queue);
    tw_parallel_for_work_group(cg, tw_range_1d(groups), tw_range_1d(GROUP), histogram_group_phases,
                               .bytes = tw_read(cg, histogram->bytes), .bins = tw_atomic(cg, histogram->bins),
                               .count = (unsigned)histogram->count, .each = (unsigned)each);
    return tw_queue_submit(histogram->queue, cg, NULL);
}

tw_status histogram_submit_lanes(const struct histogram *histogram)
{
    size_t each, groups;
    const tw_status status = choose_part(histogram, 2, false, &each, &groups);
    if (status != TW_SUCCESS)
        return status;
    tw_command_group *cg = tw_queue_begin(histogram->queue);
    tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(groups * WIDE), tw_range_1d(WIDE)), histogram_lanes,
                             .bytes = tw_read(cg, histogram->bytes), .bins = tw_discard_write(cg, histogram->bins),
                             .work = tw_atomic(cg, histogram->work), .count = (unsigned)histogram->count,
                             .each = (unsigned)each);
    return tw_queue_submit(histogram->queue, cg, NULL);
}

tw_status histogram_submit_reduction(const struct histogram *histogram)
{
    tw_command_group *cg = tw_queue_begin(histogram->queue);
    tw_parallel_for(cg, tw_range_1d((histogram->count + PACK - 1) / PACK), histogram_reduction,
                    .bytes = tw_read(cg, histogram->bytes), .bins = TW_REDUCE_ARRAY_INIT(cg, histogram->bins),
                    .count = histogram->count);
    return tw_queue_submit(histogram->queue, cg, NULL);
}

tw_status histogram_create(struct histogram *histogram, tw_queue *queue, tw_buffer *bytes, size_t count,
                           tw_buffer *bins)
{
    static const unsigned zeros[BINS + 1];
    *histogram = (struct histogram){.queue = queue, .bytes = bytes, .bins = bins, .count = count};
    return tw_buffer_create_copy(zeros, sizeof *zeros, tw_range_1d(BINS + 1), &histogram->work);
}

void histogram_destroy(struct histogram *histogram)
{
    tw_buffer_destroy(&histogram->work);
}
