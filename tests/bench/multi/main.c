/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work and data of several devices of one machine (multi.h).
 *
 *     multi_gpu [--quick] [--only NAME[,NAME]...] [--devices N] [--rounds K] [--json FILE]
 *
 * NAME is matmul, sum, large, exchange or pressure. Exit status 1: a wrong result or a failure; 77: there are not two
 * devices of the default one's kind.
 */
#include <string.h>

#include "../harness/bench_teamwork.h"
#include "multi.h"

enum { WATCHDOG_SECONDS = 240 };

static const struct {
    const char *name;
    bool (*run)(struct multi *multi);
} benches[] = {
    {"matmul", multi_matmul},     {"sum", multi_sum},           {"large", multi_large},
    {"exchange", multi_exchange}, {"pressure", multi_pressure},
};

void multi_row(struct multi *multi, const char *bench, const char *side, const char *variant, const char *parameter,
               double value, const char *unit, double efficiency)
{
    printf("%-9s %-9s %-44s %-28s %12.2f %-5s", bench, side, variant, parameter, value, unit);
    if (efficiency > 0)
        printf("  efficiency %.3f", efficiency);
    printf("\n");
    fflush(stdout);
    if (!multi->json)
        return;
    bench_json_row(multi->json);
    bench_json_text(multi->json, "bench", bench);
    bench_json_text(multi->json, "side", side);
    bench_json_text(multi->json, "variant", variant);
    bench_json_text(multi->json, "parameter", parameter);
    bench_json_number(multi->json, "value", value);
    bench_json_text(multi->json, "unit", unit);
    if (efficiency > 0)
        bench_json_number(multi->json, "efficiency", efficiency);
}

bool multi_wait(const struct multi *multi, size_t count)
{
    bool done = true;
    for (size_t i = 0; i < count; ++i)
        done = bench_passed(tw_queue_wait(multi->queues[i])) && done;
    return done;
}

static bool open_devices(struct multi *multi, size_t wanted)
{
    tw_device *first = NULL;
    size_t found = 0;
    if (!bench_passed(tw_select_device(NULL, NULL, &first))
        || !bench_passed(
            tw_platform_get_devices(tw_device_platform(first), multi->devices, MULTI_MOST_DEVICES, &found)))
        return false;
    multi->gpu = tw_device_is_gpu(first);
    multi->count = found < MULTI_MOST_DEVICES ? found : MULTI_MOST_DEVICES;
    if (wanted && wanted < multi->count)
        multi->count = wanted;
    for (size_t i = 0; i < multi->count; ++i) {
        size_t memory = 0;
        if (!bench_passed(tw_queue_create_on_device(multi->devices[i], NULL, NULL, &multi->queues[i]))
            || !bench_passed(tw_device_info(multi->devices[i], TW_DEVICE_INFO_GLOBAL_MEM_SIZE, &memory, sizeof memory)))
            return false;
        multi->memory = i == 0 || memory < multi->memory ? memory : multi->memory;
    }
    return true;
}

static bool run(struct multi *multi, const char *only)
{
    bool right = true;
    for (size_t i = 0; i < sizeof benches / sizeof *benches; ++i) {
        if (!bench_is_listed(only, benches[i].name))
            continue;
        bench_watchdog(WATCHDOG_SECONDS, benches[i].name);
        const double start = bench_now();
        if (!benches[i].run(multi)) {
            fprintf(stderr, "%s: something is wrong\n", benches[i].name);
            right = false;
        }
        printf("%-9s took %.1f s in all\n", benches[i].name, bench_now() - start);
        fflush(stdout);
    }
    return right;
}

int main(int argc, char **argv)
{
    struct multi multi = {0};
    struct bench_json json;
    const char *only = NULL, *path = NULL;
    size_t devices = 0, rounds = 0;
    const struct bench_option options[] = {
        {"--quick", NULL, BENCH_FLAG, &multi.quick}, {"--only", "NAME[,NAME]...", BENCH_TEXT, &only},
        {"--devices", "N", BENCH_COUNT, &devices},   {"--rounds", "K", BENCH_COUNT, &rounds},
        {"--json", "FILE", BENCH_TEXT, &path},       {NULL, NULL, BENCH_FLAG, NULL},
    };
    if (!bench_parse(argc, argv, options))
        return 2;
    if (!rounds)
        rounds = multi.quick ? 3 : 9;
    multi.rounds = (unsigned)(rounds < MULTI_MOST_ROUNDS ? rounds : MULTI_MOST_ROUNDS);
    bench_watchdog(WATCHDOG_SECONDS, "multi");
    bool right = open_devices(&multi, devices);
    if (right && multi.count < 2) {
        fprintf(stderr, "there are not two devices of the default one's kind\n");
        return 77;
    }
    if (right && path) {
        if (!bench_json_open(&json, path, "multi", tw_device_name(multi.devices[0]), multi.gpu))
            return 1;
        bench_json_text(&json, "size", multi.quick ? "quick" : "full");
        bench_json_rows(&json);
        multi.json = &json;
    }
    right = right && run(&multi, only);
    for (size_t i = 0; i < multi.count; ++i)
        right = bench_passed(tw_queue_destroy(&multi.queues[i])) && right;
    return (!multi.json || bench_json_close(&json)) && right ? 0 : 1;
}
