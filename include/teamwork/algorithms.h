/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Algorithms over elements in a device's memory: reductions, scans, selections, sorts, histograms, searches, merges and
 * permutations, for numbers and structs of the program, with operations of the program (docs/algorithms.md).
 *
 *     TW_SCAN(sum_ints, int, tw_plus); // at file scope, with a semicolon: defines sum_ints_inclusive() and the like
 *
 *     tw_command_group *cg = tw_queue_begin(queue);
 *     sum_ints_inclusive(cg, tw_read(cg, x), count, tw_discard_write(cg, sums));
 *     status = tw_queue_submit(queue, cg, NULL);
 *
 * A definition makes kernels for all devices that the file is compiled for, and functions that record an algorithm as
 * what a command group does, in place of a kernel. So it is asynchronous, waits for what its accessors and
 * tw_depends_on() say, keeps the order of an in-order queue, and can be recorded in a command graph. The functions
 * are `static`; what they share:
 *
 *     group    its first error stays, as in all recording (command_group.h); on a queue over several devices
 *              TW_ERROR_UNSUPPORTED
 *     in, out  in the device's memory: what an accessor of the group returns, or unified shared memory (usm.h), also
 *              further on in it: `(int *)tw_write(cg, x) + 10`. A pointer that is NULL is
 *              TW_ERROR_INVALID_ARGUMENT, and so is one into a buffer whose elements have another size. TW_ERROR_INVALID_RANGE:
 *              the group's accessor, or the allocation, has fewer elements there than the algorithm takes or makes;
 *              TW_ERROR_INVALID_ARGUMENT: `out` overlaps `in`, where it must not. Both are found where `count` is the
 *              host's; what a selection or a reduction by key makes, nobody knows before
 *     count    of elements, at most; tw_count_on_device() says that the device has their number. 0 is allowed, and up
 *              to 2^44: more are TW_ERROR_INVALID_ARGUMENT. All places and numbers are counted in 64 bits. Other
 *              counts, as of segments or of values that are looked for, are the host's
 *
 * and TW_ERROR_OUT_OF_MEMORY, TW_ERROR_OUT_OF_DEVICE_MEMORY for want of memory: of temporary memory, too, which
 * tw_command_group_temporary_bytes() tells. Each group is recorded by one thread; functions may be called by all.
 *
 * `type` is a number, a struct or a union, that can be copied byte by byte. `operation` is a function `type f(type,
 * type)` of the same file, or a macro such as tw_plus. It is associative, or nearly so, as the sum of floating point.
 */
#ifndef TEAMWORK_ALGORITHMS_H
#define TEAMWORK_ALGORITHMS_H

#include <teamwork/kernel_definition.h>
#include <teamwork/lower/algorithm/by_key.h>
#include <teamwork/lower/algorithm/histogram.h>
#include <teamwork/lower/algorithm/merge.h>
#include <teamwork/lower/algorithm/permute.h>
#include <teamwork/lower/algorithm/reduce.h>
#include <teamwork/lower/algorithm/scan.h>
#include <teamwork/lower/algorithm/search.h>
#include <teamwork/lower/algorithm/segmented.h>
#include <teamwork/lower/algorithm/select.h>
#include <teamwork/lower/algorithm/sort.h>
#include <teamwork/lower/algorithm/sort_by.h>
#include <teamwork/lower/algorithm/top_k.h>

/** Operations for numbers, of all types. Arguments are evaluated more than once. */
#define tw_plus(a, b) ((a) + (b))
#define tw_multiplies(a, b) ((a) * (b))
#define tw_minimum(a, b) ((b) < (a) ? (b) : (a))
#define tw_maximum(a, b) ((a) < (b) ? (b) : (a))
#define tw_equal_to(a, b) ((a) == (b))
#define tw_less(a, b) ((a) < (b))
/** The key of a number in a sort. */
#define tw_itself(x) (x)

/**
 * Defines a reduction, which combines all elements (std::reduce, cub::DeviceReduce):
 *
 *     void name(tw_command_group *group, const type *in, size_t count, type init, type *out);
 *
 * out[0] becomes init and all elements of `in` together; init, if there are none. The operation commutes, too:
 * elements are combined in an order that depends on the device and the count alone, so that floating point has the
 * same bits in every run.
 *
 * Memory: reads the elements once. Temporary: one value for each work-group, some thousand at most.
 *
 * Expands to: a struct, two kernels and the function, all of whose names begin with `name`.
 */
#define TW_REDUCE_ALL(name, type, operation)                                                                           \
    TW_INTERNAL_REDUCE_ALL(name, type, operation)                                                                      \
    struct name##_reduce

/**
 * Defines scans, or prefix sums (std::inclusive_scan and std::exclusive_scan, cub::DeviceScan):
 *
 *     void name_inclusive(tw_command_group *group, const type *in, size_t count, type *out);
 *     void name_exclusive(tw_command_group *group, const type *in, size_t count, type init, type *out);
 *
 * out[i] becomes in[0] to in[i] together; exclusive: init and in[0] to in[i - 1]. Elements are combined in their
 * order: the operation need not commute. `out` may be `in`; else they do not overlap. On a GPU the sums of floating
 * point may differ from run to run in their last bits.
 *
 * Memory: reads the elements once and writes them once; on a CPU reads them again from its cache. Temporary: on a GPU
 * twice the size of a value for each 32 KiB, on a CPU a value for each 256 KiB, of 64 for each processor at most.
 *
 * Expands to: a struct, three kernels and the functions, all of whose names begin with `name`.
 */
#define TW_SCAN(name, type, operation)                                                                                 \
    TW_INTERNAL_SCAN(name, type, operation)                                                                            \
    struct name##_scan

/**
 * Defines a selection of the elements for which a predicate is true (std::copy_if, cub::DeviceSelect::If):
 *
 *     void name(tw_command_group *group, const type *in, size_t count, type *out, size_t *selected);
 *
 * They go to out[0] and so on in their order, and their number to selected[0], which is in the device's memory, too:
 * tw_count_on_device() takes it. `out` has room for all that may be selected, and does not overlap `in`.
 *
 * Memory: on a GPU reads the elements once, on a CPU twice but for small counts, and writes those that are selected.
 * Temporary: on a GPU 16 bytes for each 16 KiB.
 *
 * Expands to: a struct, three kernels and functions, all of whose names begin with `name`.
 *
 * @param predicate  a function `bool f(type)` of the same file, or a macro
 */
#define TW_SELECT(name, type, predicate)                                                                               \
    TW_INTERNAL_SELECTION(name, type, TW_INTERNAL_KEEP_IF, predicate, 0)                                               \
    struct name##_select

/**
 * Defines a selection by flags (cub::DeviceSelect::Flagged), with arguments and memory as TW_SELECT():
 *
 *     void name(tw_command_group *group, const type *in, const unsigned char *flags, size_t count, type *out,
 *               size_t *selected);
 *
 * Elements are selected whose flag is not 0.
 */
#define TW_SELECT_FLAGGED(name, type)                                                                                  \
    TW_INTERNAL_SELECTION_FLAGGED(name, type)                                                                          \
    struct name##_select

/**
 * Defines a partition, with arguments as TW_SELECT() (cub::DevicePartition::If): what is not selected follows, the
 * last one first. So `out` has room for `count` elements.
 */
#define TW_PARTITION(name, type, predicate)                                                                            \
    TW_INTERNAL_SELECTION(name, type, TW_INTERNAL_KEEP_IF, predicate, 1)                                               \
    struct name##_select

/**
 * Defines a selection of the first of equal elements in a row, with arguments as TW_SELECT() (std::unique_copy,
 * cub::DeviceSelect::Unique).
 *
 * @param equal  a function `bool f(type, type)` of the same file that compares an element with the one before, or a
 * macro such as
 *               tw_equal_to
 */
#define TW_UNIQUE(name, type, equal)                                                                                   \
    TW_INTERNAL_SELECTION(name, type, TW_INTERNAL_KEEP_FIRST, equal, 0)                                                \
    struct name##_select

/**
 * Defines stable sorts by a key (std::stable_sort, cub::DeviceRadixSort):
 *
 *     void name(tw_command_group *group, const type *in, size_t count, type *out);
 *     void name_descending(tw_command_group *group, const type *in, size_t count, type *out);
 *     void name_bits(tw_command_group *group, const type *in, size_t count, unsigned first_bit, unsigned past_bit,
 *                    bool descending, type *out);
 *
 * out[0] and so on become the elements in the order of their keys; those with equal keys stay in the order that they
 * have in `in`, also where it is descending. `out` has room for `count` elements and does not overlap `in`.
 *
 * The order of floating point is total, that of IEEE 754: negative NaNs, -infinity, numbers, -0, +0, numbers,
 * infinity, NaNs. name_bits() looks at bits first_bit to past_bit - 1 of keys alone, counted from the lowest one, in
 * which unsigned numbers have their bits, signed numbers the highest bit the other way round, and floating point
 * below 0 all bits the other way round, else the highest. Bits that keys do not have are left out.
 *
 * Memory: for each 8 bits of keys reads and writes the elements once, on a CPU reads them twice, and keys once more;
 * of a few thousand elements once in all. Temporary: the elements, and on a GPU 2 KiB for each tile of a few thousand
 * numbers.
 *
 * Expands to: a struct, five kernels and functions, all of whose names begin with `name`.
 *
 * @param key  a function of the same file, or a macro, that makes a key of a `type`: an integer, bool, float or double.
 *             tw_itself for numbers
 */
#define TW_SORT(name, type, key)                                                                                       \
    TW_INTERNAL_SORT(name, type, key)                                                                                  \
    struct name##_sort

/**
 * Defines stable sorts of keys with values in another array, with the order and memory of TW_SORT():
 *
 *     void name(tw_command_group *group, const key_type *keys, const value_type *values, size_t count,
 *               key_type *keys_out, value_type *values_out);
 *     void name_descending(...);
 *     void name_bits(tw_command_group *group, const key_type *keys, const value_type *values, size_t count,
 *                    unsigned first_bit, unsigned past_bit, bool descending, key_type *keys_out, value_type
 * *values_out);
 *
 * @param key_type  an integer, bool, float or double
 */
#define TW_SORT_PAIRS(name, key_type, value_type)                                                                      \
    TW_INTERNAL_SORT_PAIRS(name, key_type, value_type)                                                                 \
    struct name##_sort

/**
 * Defines a histogram with bins of the same width (cub::DeviceHistogram::HistogramEven):
 *
 *     void name(tw_command_group *group, const type *in, size_t count, size_t bins, limit lower, limit upper,
 *               counter *histogram);
 *
 * histogram[b] becomes the number of elements in bin b, of 0 to bins - 1. Bin b begins at
 * lower + b * (upper - lower) / bins, for integers exactly, rounded up; for floating point but for a rounding, in
 * double. Elements below `lower`, not below `upper`, and NaNs are not counted. The type of limits is long long for
 * integers, unsigned long long for unsigned ones of 64 bits, and `type` for floating point: 256 bins from 0 to 256
 * have all numbers of a byte. TW_ERROR_INVALID_ARGUMENT unless there are 1 to 2^32 - 1 bins and `lower` is below
 * `upper`, of floating point with a finite difference.
 *
 * Memory: reads the elements once. Temporary: on a CPU one histogram for each processor, of not more bins in all than
 * there are elements. On a GPU up to 4096 bins are counted in local memory, which is far faster.
 *
 * Expands to: a struct, four kernels and the function, all of whose names begin with `name`.
 *
 * @param type     an integer, float or double
 * @param counter  an unsigned integer of 32 or 64 bits
 */
#define TW_HISTOGRAM_EVEN(name, type, counter)                                                                         \
    TW_INTERNAL_HISTOGRAM_EVEN(name, type, counter)                                                                    \
    struct name##_histogram

/**
 * Defines a histogram by the edges of bins, with the parameters and memory of TW_HISTOGRAM_EVEN()
 * (cub::DeviceHistogram::HistogramRange):
 *
 *     void name(tw_command_group *group, const type *in, size_t count, size_t bins, const type *edges,
 *               counter *histogram);
 *
 * histogram[b] becomes the number of elements that are not below edges[b] and below edges[b + 1]. The bins + 1 edges
 * ascend, and are in the device's memory; if they do not ascend, the counts are unspecified.
 */
#define TW_HISTOGRAM_RANGE(name, type, counter)                                                                        \
    TW_INTERNAL_HISTOGRAM_RANGE(name, type, counter)                                                                   \
    struct name##_histogram

/**
 * Defines a reduction of each run of equal keys (cub::DeviceReduce::ReduceByKey):
 *
 *     void name(tw_command_group *group, const key_type *keys, const value_type *values, size_t count,
 *               key_type *keys_out, value_type *values_out, size_t *runs);
 *
 * keys_out[r] becomes the first key of run r, values_out[r] all its values together, in their order: the operation
 * need not commute. runs[0] becomes the number of runs; it is in the device's memory, too: tw_count_on_device() takes
 * it. There is room for as many keys and values as there may be runs, and nothing overlaps. On a GPU the sums of
 * floating point may differ from run to run of the program in their last bits.
 *
 * Memory: reads keys and values once, on a CPU twice but for small counts, and writes those of runs. Temporary: on a
 * GPU twice a value and 8 bytes for each tile, of 256 to 4096 elements.
 *
 * Expands to: structs, three kernels and functions, all of whose names begin with `name`.
 *
 * @param equal  a function `bool f(key_type, key_type)` of the same file that compares a key with the one before, or a
 *               macro such as tw_equal_to
 */
#define TW_REDUCE_BY_KEY(name, key_type, value_type, equal, operation)                                                 \
    TW_INTERNAL_REDUCE_BY_KEY(name, key_type, value_type, equal, operation)                                            \
    struct name##_by_key

/**
 * Defines a run-length encoding (cub::DeviceRunLengthEncode::Encode), with the memory of TW_REDUCE_BY_KEY():
 *
 *     void name(tw_command_group *group, const type *in, size_t count, type *out, size_t *lengths, size_t *runs);
 *
 * out[r] becomes the first element of run r, lengths[r] the number of its elements, and runs[0] the number of runs.
 */
#define TW_RUN_LENGTH_ENCODE(name, type, equal)                                                                        \
    TW_INTERNAL_RUN_LENGTH_ENCODE(name, type, equal)                                                                   \
    struct name##_by_key

/**
 * Defines a reduction of each segment (cub::DeviceSegmentedReduce):
 *
 *     void name(tw_command_group *group, const type *in, size_t count, const size_t *offsets, size_t segments,
 *               type init, type *out);
 *
 * out[s] becomes init and elements offsets[s] to offsets[s + 1] - 1 together, in their order: the operation need not
 * commute. It is init where a segment is empty. The segments + 1 offsets are in the device's memory and ascend; if
 * they do not, what is written is unspecified. An offset above `count` counts as `count`. Segments may have any
 * length: the work is shared out by elements. On a GPU the sums of floating point may differ from run to run in their
 * last bits.
 *
 * Memory: on a GPU reads the elements once, and for each segment reads and writes an element in temporary memory; on a
 * CPU reads the elements once, but for those of segments that several processors share. Temporary: on a GPU the
 * elements, and a bit for each.
 *
 * Expands to: structs, five kernels and functions, all of whose names begin with `name`.
 */
#define TW_SEGMENTED_REDUCE(name, type, operation)                                                                     \
    TW_INTERNAL_SEGMENTED_REDUCE(name, type, operation)                                                                \
    struct name##_segmented

/**
 * Defines scans of each segment, with arguments as TW_SEGMENTED_REDUCE() (cub::DeviceSegmentedScan):
 *
 *     void name_inclusive(tw_command_group *group, const type *in, size_t count, const size_t *offsets,
 *                         size_t segments, type *out);
 *     void name_exclusive(tw_command_group *group, const type *in, size_t count, const size_t *offsets,
 *                         size_t segments, type init, type *out);
 *
 * out[i] becomes the elements of i's segment up to in[i] together; exclusive: init and those before in[i]. What is in
 * no segment is not written. The inclusive scan may be in place; else `out` does not overlap `in`.
 *
 * Memory: reads the elements once and writes them once, on a CPU reads again those of segments that several processors
 * share. Temporary: on a GPU a bit for each element, and twice the size of a value for each tile, of 1024 to 4096
 * elements.
 */
#define TW_SEGMENTED_SCAN(name, type, operation)                                                                       \
    TW_INTERNAL_SEGMENTED_SCAN(name, type, operation)                                                                  \
    struct name##_segmented

/**
 * Defines stable sorts by a comparison (std::stable_sort, cub::DeviceMergeSort::StableSortKeysCopy):
 *
 *     void name(tw_command_group *group, const type *in, size_t count, type *out);
 *
 * out[0] and so on become the elements in their order; those of which neither is less stay in the order that they have
 * in `in`. `out` has room for `count` elements and does not overlap `in`. TW_SORT() is faster where a key tells the
 * order.
 *
 * Memory: reads and writes the elements once, and once more for each doubling of what fits a tile of a GPU, 256 to 4352
 * elements, or the share of a processor. Temporary: the elements, but for what fits a tile of a GPU, and 8 bytes for
 * each tile. Elements of more than 128 bytes are slow on a GPU.
 *
 * Expands to: a struct, three kernels and functions, all of whose names begin with `name`.
 *
 * @param less  a function `bool f(type, type)` of the same file, or a macro such as tw_less: a strict weak order. With
 *              one that is none, as that of floating point with NaNs, `out` has some elements of `in`, not each once;
 *              TW_SORT() orders NaNs
 */
#define TW_SORT_BY(name, type, less)                                                                                   \
    TW_INTERNAL_SORT_BY(name, type, less)                                                                              \
    struct name##_sort_by

/**
 * Defines a stable merge of two sorted arrays (std::merge, cub::DeviceMerge::MergeKeys):
 *
 *     void name(tw_command_group *group, const type *a, size_t a_count, const type *b, size_t b_count, type *out);
 *
 * out[0] to out[a_count + b_count - 1] become the elements of both in their order; of those of which neither is less,
 * elements of `a` come first. `out` overlaps neither. tw_count_on_device() tells how many elements `a` has. If they are
 * not sorted, `out` has some of their elements.
 *
 * Memory: reads and writes the elements once. Temporary: on a GPU 8 bytes for each tile, of 256 to 4352
 * elements, if there are more than 1024.
 *
 * Expands to: a struct, three kernels and functions, all of whose names begin with `name`.
 *
 * @param less  as that of TW_SORT_BY()
 */
#define TW_MERGE(name, type, less)                                                                                     \
    TW_INTERNAL_MERGE_SORTED(name, type, less)                                                                         \
    struct name##_merge

/**
 * Define binary searches for many values in a sorted array (std::lower_bound and std::upper_bound,
 * thrust::lower_bound):
 *
 *     void name(tw_command_group *group, const type *in, size_t count, const type *values, size_t value_count,
 *               size_t *out);
 *
 * out[i] becomes the place of the first of `count` elements that is not less than values[i]; of the upper bound, that
 * values[i] is less than; `count` if there is none. tw_count_on_device() tells how many elements `in` has.
 *
 * Memory: for each value log2(count) reads. Temporary: none.
 *
 * Expands to: a struct, two kernels and the function, all of whose names begin with `name`.
 *
 * @param less  as that of TW_SORT_BY()
 */
#define TW_LOWER_BOUND(name, type, less)                                                                               \
    TW_INTERNAL_SEARCH(name, type, less, TW_INTERNAL_BEHIND_LESS)                                                      \
    struct name##_search
#define TW_UPPER_BOUND(name, type, less)                                                                               \
    TW_INTERNAL_SEARCH(name, type, less, TW_INTERNAL_BEHIND_EQUAL)                                                     \
    struct name##_search

/**
 * Defines a gather (thrust::gather):
 *
 *     void name(tw_command_group *group, const type *in, size_t in_count, const index_type *indices, size_t count,
 *               type *out);
 *
 * out[i] becomes in[indices[i]], for i below `count`. Where an index is below 0 or not below in_count, out[i] stays as
 * it is. `out` does not overlap `in`.
 *
 * Memory: reads indices and elements once, the latter in any order, and writes elements once. Temporary: none.
 *
 * Expands to: a struct, two kernels and functions, all of whose names begin with `name`.
 *
 * @param index_type  an integer
 */
#define TW_GATHER(name, type, index_type)                                                                              \
    TW_INTERNAL_GATHER(name, type, index_type)                                                                         \
    struct name##_permutation

/**
 * Defines a scatter (thrust::scatter), with the memory of TW_GATHER():
 *
 *     void name(tw_command_group *group, const type *in, const index_type *indices, size_t count, type *out,
 *               size_t out_count);
 *
 * out[indices[i]] becomes in[i], for i below `count`. An element whose index is below 0 or not below out_count is left
 * out. If two have the same index, the bytes of either may be there, or some of both.
 */
#define TW_SCATTER(name, type, index_type)                                                                             \
    TW_INTERNAL_SCATTER(name, type, index_type)                                                                        \
    struct name##_permutation

/**
 * Defines a random permutation (std::shuffle, thrust::shuffle_copy):
 *
 *     void name(tw_command_group *group, const type *in, size_t count, uint64_t seed, type *out);
 *
 * out[0] to out[count - 1] become the elements in an order that depends on `seed` and the number of elements alone: it
 * is the same on every device. A bijection in the manner of Philox with 24 rounds, keyed by Philox, tells where each
 * comes from. `out` does not overlap `in`. Not for cryptography.
 *
 * Memory: reads the elements once, in any order, and writes them once. Temporary: none.
 *
 * Expands to: a struct, two kernels and the function, all of whose names begin with `name`.
 */
#define TW_SHUFFLE(name, type)                                                                                         \
    TW_INTERNAL_SHUFFLE_ELEMENTS(name, type)                                                                           \
    struct name##_shuffle

/**
 * Defines selections of the elements with the smallest or largest keys (cub::DeviceTopK):
 *
 *     void name_smallest(tw_command_group *group, const type *in, size_t count, size_t k, type *out);
 *     void name_largest(tw_command_group *group, const type *in, size_t count, size_t k, type *out);
 *
 * out[0] to out[k - 1] become the k elements that a stable sort would put first, in the order that they have in `in`; of
 * the largest, that a descending one would. All elements, if there are fewer. Keys are those of TW_SORT(), and have
 * its order. `out` does not overlap `in`.
 *
 * It is a radix selection, without a sort, that finds the key of the last one by its digits. Memory: for each 8 bits of
 * keys reads the elements once, and once more in the end, on a CPU twice but for small counts; writes k elements.
 * Temporary: 17 KiB, and on a GPU 64 bytes for each tile of 4096 elements.
 *
 * Expands to: a struct, seven kernels and functions, all of whose names begin with `name`.
 *
 * @param key  as that of TW_SORT()
 */
#define TW_TOP_K(name, type, key)                                                                                      \
    TW_INTERNAL_TOP_K(name, type, key)                                                                                 \
    struct name##_top_k

/**
 * Defines a selection of one element by its place in the order of keys (std::nth_element), with keys, order and memory
 * of TW_TOP_K():
 *
 *     void name(tw_command_group *group, const type *in, size_t count, size_t n, type *out);
 *
 * out[0] becomes the element that a stable sort would put at place n; it stays as it is if there is none.
 */
#define TW_NTH_ELEMENT(name, type, key)                                                                                \
    TW_INTERNAL_NTH_ELEMENT(name, type, key)                                                                           \
    struct name##_top_k

/**
 * Defines algorithms for a type of numbers, all at once:
 *
 *     name_sort(), name_sort_descending(), name_sort_bits()   TW_SORT()
 *     name_sort_pairs() and the like                          TW_SORT_PAIRS(), with values of type uint32_t
 *     name_sum(), name_minimum(), name_maximum()              TW_REDUCE_ALL()
 *     name_scan_inclusive(), name_scan_exclusive()            TW_SCAN(), sums
 *     name_unique()                                           TW_UNIQUE()
 *     name_merge()                                            TW_MERGE()
 *
 * What the file does not use makes no code; a type takes 0.2 s of compilation, and half a second for each architecture
 * of GPUs.
 *
 * Expands to: definitions of algorithms, with these names.
 */
#define TW_NUMBER_ALGORITHMS(name, type)                                                                               \
    TW_SORT(name##_sort, type, tw_itself);                                                                             \
    TW_SORT_PAIRS(name##_sort_pairs, type, uint32_t);                                                                  \
    TW_REDUCE_ALL(name##_sum, type, tw_plus);                                                                          \
    TW_REDUCE_ALL(name##_minimum, type, tw_minimum);                                                                   \
    TW_REDUCE_ALL(name##_maximum, type, tw_maximum);                                                                   \
    TW_SCAN(name##_scan, type, tw_plus);                                                                               \
    TW_UNIQUE(name##_unique, type, tw_equal_to);                                                                       \
    TW_MERGE(name##_merge, type, tw_less)

#endif
