/* SPDX-License-Identifier: Apache-2.0 */
/* What is said where a program sees no GPU, for machines and programs that are made up. Needs the private header
   inventory.h. */
#include "tw_test.h"

#include "common/inventory.h"

static const struct tw_gpu hopper = {.name = "H100", .capability = 90}, ampere = {.name = "A100", .capability = 80};

static struct tw_inventory program_for(const char *first, const char *second)
{
    struct tw_inventory inventory = {.has_kernels = true, .lister = "the CUDA driver"};
    const char *const archs[] = {first, second};
    for (size_t i = 0; i < 2 && archs[i]; ++i)
        snprintf(inventory.archs[inventory.arch_count++], sizeof inventory.archs[0], "%s", archs[i]);
    return inventory;
}

TW_TEST(images_say_how_wide_warps_are)
{
    static const struct {
        const char *first, *second;
        unsigned warp;
    } programs[] = {{"sm_90", "x86_64", 32},  {"gfx90a", NULL, 64},     {"gfx942", "gfx908", 64},
                    {"gfx1100", "sm_80", 32}, {"gfx90a", "gfx1100", 0}, {"gfx90a:xnack+", NULL, 64},
                    {"x86_64", NULL, 0},      {"spirv", "gfx90a", 0},   {NULL, NULL, 0}};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; ++i) {
        const struct tw_inventory inventory = program_for(programs[i].first, programs[i].second);
        TW_EQUAL(tw_inventory_warp(&inventory), programs[i].warp);
    }
}

static void add_gpu(struct tw_inventory *inventory, struct tw_gpu gpu, bool is_offered)
{
    gpu.is_offered = is_offered;
    inventory->gpus[inventory->gpu_count++] = gpu;
}

/* Fails the case unless the user is told, or is not, and the text has both pieces. */
static void expect(const struct tw_inventory *inventory, bool told, const char *piece, const char *other)
{
    char text[512] = "?";
    TW_EQUAL(tw_inventory_explain(inventory, text, sizeof text), told);
    if (!strstr(text, piece) || !strstr(text, other))
        fprintf(stderr, "%s\n", text);
    TW_CHECK(strstr(text, piece) && strstr(text, other));
}

static void expect_silence(const struct tw_inventory *inventory)
{
    char text[512] = "?";
    TW_CHECK(!tw_inventory_explain(inventory, text, sizeof text) && !*text);
}

TW_TEST(a_gpu_without_an_image_is_told)
{
    struct tw_inventory inventory = program_for("x86_64", "sm_80");
    add_gpu(&inventory, hopper, false);
    expect(&inventory, true, "no device image for the GPU H100, only for x86_64, sm_80", "compile it for sm_90 too");
    inventory = program_for("x86_64", NULL);
    add_gpu(&inventory, ampere, false);
    expect(&inventory, true, "no device image for the GPU A100, only for x86_64:", "sm_80");
    inventory = program_for("sm_90", NULL);
    add_gpu(&inventory, hopper, true);
    add_gpu(&inventory, ampere, false); /* the second one */
    expect(&inventory, true, "A100, only for sm_90", "sm_80");
}

TW_TEST(a_gpu_that_openmp_does_not_offer_is_told)
{
    struct tw_inventory inventory = program_for("sm_90", NULL);
    add_gpu(&inventory, hopper, false);
    expect(&inventory, true, "does not offer the GPU H100 (sm_90)", "If a GPU is not found");
}

TW_TEST(a_child_of_a_process_with_a_driver_is_told)
{
    struct tw_inventory inventory = program_for("sm_90", NULL);
    inventory.is_child = true;
    expect(&inventory, true, "made by fork()", "call exec()");
}

TW_TEST(lost_images_are_told)
{
    struct tw_inventory inventory = program_for(NULL, NULL);
    snprintf(inventory.unlinked, sizeof inventory.unlinked, "/lib/libkernels.so");
    expect(&inventory, true, "/lib/libkernels.so was linked without the device images", "let clang link it");
}

TW_TEST(what_works_or_was_not_asked_for_is_not_told)
{
    struct tw_inventory inventory = program_for("sm_90", "sm_80");
    add_gpu(&inventory, hopper, true);
    add_gpu(&inventory, ampere, true);
    expect_silence(&inventory);
    inventory = program_for("x86_64", "sm_90"); /* answers only whoever asks */
    expect(&inventory, false, "images for x86_64, sm_90", "the CUDA driver shows no GPU");
    inventory.lister = "OpenMP"; /* TW_BACKEND=ol */
    expect(&inventory, false, "images for x86_64, sm_90", "OpenMP shows no GPU");
    inventory = program_for(NULL, NULL);
    inventory.has_kernels = false;
    expect(&inventory, false, "no file of the program was compiled for an offload device", "teamwork_add_offload()");
    inventory.is_disabled = true;
    expect(&inventory, false, "OMP_TARGET_OFFLOAD", "hides all");
}

TW_TEST(long_texts_are_cut)
{
    struct tw_inventory inventory = program_for(NULL, NULL);
    char text[40];
    for (inventory.arch_count = 0; inventory.arch_count < TW_INVENTORY_ARCHS; ++inventory.arch_count)
        snprintf(inventory.archs[inventory.arch_count], sizeof inventory.archs[0], "gfx%012d",
                 (int)inventory.arch_count);
    add_gpu(&inventory, hopper, false);
    TW_CHECK(tw_inventory_explain(&inventory, text, sizeof text));
    TW_EQUAL(strlen(text), sizeof text - 1);
}

/* This program has a kernel, but none for an offload device, and neither has any library that it uses. */
TW_TEST(this_program_is_for_the_host)
{
    struct tw_inventory inventory;
    unsetenv("OMP_TARGET_OFFLOAD");
    tw_inventory_read(&inventory);
    TW_CHECK(!inventory.has_kernels && !inventory.arch_count && !inventory.is_disabled);
    setenv("OMP_TARGET_OFFLOAD", "Disabled", 1);
    tw_inventory_read(&inventory);
    TW_CHECK(inventory.is_disabled);
}

TW_TEST(a_missing_offload_cpu_is_explained)
{
    char text[512] = "?";
    struct tw_inventory inventory = program_for("sm_90", NULL);
    tw_inventory_explain_cpu(&inventory, text, sizeof text);
    TW_CHECK(strstr(text, "no device image for it, only for sm_90: teamwork_add_offload(ARCHS x86_64)"));
    inventory = program_for("sm_90", "x86_64");
    tw_inventory_explain_cpu(&inventory, text, sizeof text);
    TW_CHECK(strstr(text, "built without its plugin"));
    snprintf(inventory.unlinked, sizeof inventory.unlinked, "libsolver.so");
    tw_inventory_explain_cpu(&inventory, text, sizeof text);
    TW_CHECK(strstr(text, "libsolver.so was linked without"));
    inventory.has_kernels = false;
    tw_inventory_explain_cpu(&inventory, text, sizeof text);
    TW_CHECK(strstr(text, "no file of the program was compiled for an offload device"));
    inventory.is_disabled = true;
    tw_inventory_explain_cpu(&inventory, text, sizeof text);
    TW_CHECK(strstr(text, "OMP_TARGET_OFFLOAD"));
}

TW_TEST_LIST = {
    TW_CASE(images_say_how_wide_warps_are),
    TW_CASE(a_gpu_without_an_image_is_told),
    TW_CASE(a_gpu_that_openmp_does_not_offer_is_told),
    TW_CASE(a_child_of_a_process_with_a_driver_is_told),
    TW_CASE(lost_images_are_told),
    TW_CASE(what_works_or_was_not_asked_for_is_not_told),
    TW_CASE(long_texts_are_cut),
    TW_CASE(this_program_is_for_the_host),
    TW_CASE(a_missing_offload_cpu_is_explained),
    TW_CASES_END,
};
