/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the programs one after the other, each in Teamwork and in OpenMP in turns, and tells the ratio of their times.
 *
 *     unseen_cpu [--quick] [--only NAME[,NAME]...] [--seconds S] [--json FILE] [--list]
 *
 * unseen_gpu does so on a GPU, to compare one compiler with another one: it measures Teamwork alone, whose results OpenMP on the host
 * checks.
 *
 * --quick takes small problems, to see that both give the same result: its times mean nothing.
 * Exit status 1: results differ, or something failed; 2: wrong options.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../bench/harness/bench_teamwork.h"
#include "unseen.h"

enum { TEAMWORK, OPENMP, SIDES, MOST_ROUNDS = 101, WATCHDOG_SECONDS = 300 };

static const struct unseen_program *const tables[] = {
    unseen_solvers, unseen_sparse,  unseen_stencils, unseen_grids,  unseen_images, unseen_particles, unseen_rays,
    unseen_numbers, unseen_strings, unseen_learning, unseen_groups, unseen_tiles,  unseen_blocks};

struct options {
    const char *only, *json;
    double seconds;
    bool quick, list;
};

struct run {
    const struct unseen_program *program;
    struct unseen_problem problem;
    tw_queue *queue;
    double us[SIDES][MOST_ROUNDS];
    unsigned rounds;
    bool failed;
};

struct result {
    const char *name;
    struct bench_summary us[SIDES];
    double ratio;
};

static size_t element_size(enum unseen_type type)
{
    return type == UNSEEN_BYTES ? 1 : type == UNSEEN_DOUBLES ? sizeof(double) : sizeof(float);
}

/* The two sides get different poison, so what neither writes differs. */
static void reset_outputs(struct unseen_problem *problem, size_t side)
{
    for (int i = 0; i < problem->output_count; ++i) {
        struct unseen_output *o = &problem->outputs[i];
        const size_t bytes = o->count * element_size(o->type);
        if (o->initial)
            memcpy(o->of[side], o->initial, bytes);
        else
            memset(o->of[side], side == TEAMWORK ? 0xff : 0xfe, bytes);
        problem->data.out[i] = o->of[side];
    }
}

static void move(struct run *r, const void *memory, size_t bytes)
{
    tw_command_group *cg = tw_queue_begin(r->queue);
    tw_mem_prefetch(cg, memory, bytes);
    unseen_submit(r->queue, cg);
}

/* What a GPU writes lies in its memory, as it does in a program that leaves it there; and so do initial contents, which the host
   has just read, and kernels may read too. */
static void move_outputs(struct run *r)
{
    for (int i = 0; i < r->problem.output_count; ++i) {
        const struct unseen_output *o = &r->problem.outputs[i];
        const size_t bytes = o->count * element_size(o->type);
        move(r, o->of[TEAMWORK], bytes);
        if (o->initial)
            move(r, o->initial, bytes);
    }
    r->failed = !bench_passed(tw_queue_wait(r->queue)) || r->failed;
}

static void take_turn(void *user, size_t side, unsigned round)
{
    struct run *r = user;
    bench_watchdog(WATCHDOG_SECONDS, NULL);
    reset_outputs(&r->problem, side);
    if (side == TEAMWORK && bench_on_gpu())
        move_outputs(r);
    const double start = bench_now();
    if (side == TEAMWORK) {
        r->program->teamwork(r->queue, &r->problem.data);
        r->failed = !bench_passed(tw_queue_wait(r->queue)) || r->failed;
    } else {
        r->program->openmp(&r->problem.data);
    }
    r->us[side][round] = (bench_now() - start) * 1e6;
}

static double number_at(const struct unseen_output *o, size_t side, size_t i)
{
    switch (o->type) {
    case UNSEEN_BYTES:
        return ((const unsigned char *)o->of[side])[i];
    case UNSEEN_INTS:
        return ((const int *)o->of[side])[i];
    case UNSEEN_FLOATS:
        return (double)((const float *)o->of[side])[i];
    default:
        return ((const double *)o->of[side])[i];
    }
}

static bool is_same(const struct unseen_output *o, const char *name)
{
    size_t may_differ = bench_on_gpu() ? o->may_differ : 0;
    double mean = 0;
    for (size_t i = 0; i < o->count; ++i)
        mean += fabs(number_at(o, OPENMP, i)) / (double)o->count;
    for (size_t i = 0; i < o->count; ++i) {
        const double a = number_at(o, TEAMWORK, i), b = number_at(o, OPENMP, i);
        if (!(fabs(a - b) <= o->tolerance * fmax(fabs(b), mean)) && may_differ-- == 0) {
            fprintf(stderr, "%s: number %zu of %zu is %.9g in Teamwork, %.9g in OpenMP\n", name, i, o->count, a, b);
            return false;
        }
    }
    return true;
}

static bool results_agree(struct run *r)
{
    for (int i = 0; i < r->problem.output_count; ++i)
        if (!is_same(&r->problem.outputs[i], r->program->name))
            return false;
    return true;
}

static bool measure(struct run *r, const struct options *o, struct result *result)
{
    const struct bench_effort effort = {o->quick ? 1 : 11, o->quick ? 1 : MOST_ROUNDS, o->seconds};
    bench_watchdog(WATCHDOG_SECONDS, r->program->name);
    r->program->prepare(&r->problem, o->quick);
    for (size_t side = 0; side < SIDES; ++side) /* the first run pays for what happens only once */
        take_turn(r, side, 0);
    bool right = !r->failed && results_agree(r);
    if (right) {
        r->rounds = bench_take_rounds(0, effort, bench_on_gpu() ? OPENMP : SIDES, take_turn, r);
        for (unsigned i = 1; bench_on_gpu() && i < r->rounds; ++i)
            r->us[OPENMP][i] = r->us[OPENMP][0];
        right = !r->failed && results_agree(r);
    }
    unseen_free_all();
    if (!right)
        return false;
    double ratios[MOST_ROUNDS];
    for (unsigned i = 0; i < r->rounds; ++i)
        ratios[i] = r->us[TEAMWORK][i] / r->us[OPENMP][i];
    *result = (struct result){.name = r->program->name, .ratio = bench_summarize(ratios, r->rounds).median};
    for (size_t side = 0; side < SIDES; ++side)
        result->us[side] = bench_summarize(r->us[side], r->rounds);
    return true;
}

static void print(const struct result *r)
{
    printf("%-18s %9.3f ms  %9.3f ms  %6.2f\n", r->name, r->us[TEAMWORK].median * 1e-3, r->us[OPENMP].median * 1e-3,
           r->ratio);
    fflush(stdout);
}

static bool write_json(const char *path, const struct result *results, size_t count)
{
    struct bench_json json;
    if (!bench_json_open(&json, path, "unseen", bench_device_name(), bench_on_gpu()))
        return false;
    bench_json_text(&json, "flags", UNSEEN_FLAGS);
    bench_json_rows(&json);
    for (size_t i = 0; i < count; ++i) {
        bench_json_row(&json);
        bench_json_text(&json, "program", results[i].name);
        bench_json_number(&json, "teamwork_us", results[i].us[TEAMWORK].median);
        bench_json_number(&json, "openmp_us", results[i].us[OPENMP].median);
        bench_json_number(&json, "ratio", results[i].ratio);
    }
    return bench_json_close(&json);
}

/* Of programs that are right. */
static void print_summary(const struct result *results, size_t count)
{
    double logarithms = 0;
    const struct result *worst = results;
    for (size_t i = 0; i < count; ++i) {
        logarithms += log(results[i].ratio);
        if (results[i].ratio > worst->ratio)
            worst = &results[i];
    }
    if (count)
        printf("Teamwork / OpenMP: geometric mean %.2f of %zu, worst %.2f (%s)\n", exp(logarithms / (double)count),
               count, worst->ratio, worst->name);
}

static bool run_programs(const struct options *o, tw_queue *queue)
{
    static struct result results[128];
    size_t count = 0;
    bool right = true;
    printf("%-18s %12s  %12s  %6s\n", "program", "Teamwork", "OpenMP", "ratio");
    for (size_t t = 0; t < sizeof tables / sizeof *tables; ++t)
        for (const struct unseen_program *p = tables[t]; p->name; ++p) {
            static struct run run;
            if (!bench_is_listed(o->only, p->name))
                continue;
            run = (struct run){.program = p, .queue = queue};
            if (measure(&run, o, &results[count]))
                print(&results[count++]);
            else
                right = false, printf("%-18s FAILED\n", p->name);
        }
    print_summary(results, count);
    return (!o->json || write_json(o->json, results, count)) && right;
}

static int list(void)
{
    for (size_t t = 0; t < sizeof tables / sizeof *tables; ++t)
        for (const struct unseen_program *p = tables[t]; p->name; ++p)
            printf("%-18s %s\n", p->name, p->about);
    return 0;
}

int main(int argc, char **argv)
{
    struct options o = {.seconds = 1.5};
    const struct bench_option options[] = {
        {"--quick", NULL, BENCH_FLAG, &o.quick},      {"--only", "NAME[,NAME]...", BENCH_TEXT, &o.only},
        {"--seconds", "S", BENCH_NUMBER, &o.seconds}, {"--json", "FILE", BENCH_TEXT, &o.json},
        {"--list", NULL, BENCH_FLAG, &o.list},        {NULL, NULL, BENCH_FLAG, NULL},
    };
    if (!bench_parse(argc, argv, options))
        return 2;
    if (o.list)
        return list();
    tw_queue *queue = NULL;
    if (!bench_open(UNSEEN_DEVICES)
        || !bench_passed(tw_queue_create_with_properties(NULL, tw_queue_device(bench_queue()), TW_QUEUE_IN_ORDER, NULL,
                                                         NULL, &queue)))
        return 1;
    bool right = run_programs(&o, queue);
    right = bench_passed(tw_queue_destroy(&queue)) && right;
    right = bench_close() && right;
    return right ? 0 : 1;
}
