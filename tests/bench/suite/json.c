/* SPDX-License-Identifier: Apache-2.0 */
/* One JSON file for a run: how things were compiled, and a row for each version. For ../report.py. */
#include "run.h"

/* CMake says how this was compiled. */
#ifndef SUITE_FLAGS
#define SUITE_FLAGS ""
#endif
#ifndef SUITE_TARGET_FLAGS
#define SUITE_TARGET_FLAGS ""
#endif
#ifndef SUITE_CUDA_VERSION
#define SUITE_CUDA_VERSION ""
#endif

/* The vectors that this was compiled for: what is fast with some need not be with others. */
#if defined(__AVX512F__)
#define VECTORS "AVX-512"
#elif defined(__AVX2__)
#define VECTORS "AVX2"
#elif defined(__ARM_FEATURE_SVE)
#define VECTORS "SVE"
#else
#define VECTORS "the least vectors of the architecture"
#endif

const char *suite_size_name(enum suite_size size)
{
    static const char *const names[] = {[SUITE_QUICK] = "quick", [SUITE_CPU] = "cpu", [SUITE_GPU] = "gpu"};
    return names[size];
}

static void put_row(struct bench_json *json, const struct suite_result *result, const struct suite_row *row)
{
    const struct suite_work *work = &result->problem.work;
    bench_json_row(json);
    bench_json_text(json, "program", result->program->name);
    bench_json_text(json, "source", result->program->source);
    bench_json_text(json, "title", result->problem.title);
    bench_json_text(json, "side", suite_side_name(row->side));
    bench_json_text(json, "form", row->version->form);
    bench_json_text(json, "kind", row->version->kind ? row->version->kind : "");
    bench_json_flag(json, "literal", result->problem.literal);
    bench_json_flag(json, "checked", !row->failure);
    bench_json_number(json, "median_us", row->us.median);
    bench_json_number(json, "p25_us", row->us.p25);
    bench_json_number(json, "p75_us", row->us.p75);
    bench_json_number(json, "min_us", row->us.least);
    bench_json_number(json, "rounds", result->rounds);
    bench_json_number(json, "calls", (double)row->sample_count);
    bench_json_numbers(json, "turns_us", row->turns, row->turns ? result->rounds : 0);
    bench_json_number(json, "bytes", work->bytes);
    bench_json_number(json, "flops", work->flops);
}

bool suite_write_json(const char *path, enum suite_size size, const struct suite_result *results, size_t count)
{
    struct bench_json json;
    if (!bench_json_open(&json, path, "suite", bench_device_name(), bench_on_gpu()))
        return false;
    bench_json_text(&json, "flags", SUITE_FLAGS);
    bench_json_text(&json, "vectors", VECTORS);
    bench_json_text(&json, "target_flags", SUITE_TARGET_FLAGS);
    bench_json_text(&json, "cuda", SUITE_CUDA_VERSION);
    bench_json_text(&json, "size", suite_size_name(size));
    bench_json_rows(&json);
    for (size_t r = 0; r < count; ++r)
        for (size_t i = 0; i < results[r].row_count; ++i)
            put_row(&json, &results[r], &results[r].rows[i]);
    return bench_json_close(&json);
}
