/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Kernels of a device image that the program makes of itself while it runs, and launches of them, for the backends of GPUs.
 * Needs the private header image.h.
 */
#ifndef TEAMWORK_TESTS_IMAGE_KERNEL_H
#define TEAMWORK_TESTS_IMAGE_KERNEL_H

#include "device_image.h"

#include <teamwork/lower/kernel/simt.h>

/* The program's device image, which the cases write. */
__attribute__((used, section(".llvm.offloading"), aligned(8),
               no_sanitize("address"))) static unsigned char images[ROOM] = {1};

/* The entry of the region for blocks whose address is passed. */
#define REGION_OF_LARGE "__omp_offloading_fe00_a7a086_life_tw_simt_1_l14"

enum { WORDS = TW_INTERNAL_SIMT_WORDS + 8 };

/* Makes the program's image of an offload binary. */
static void set_image(const char *triple, const char *arch, const struct blob *contents)
{
    static struct blob binary;
    binary.size = 0;
    append_binary_for(triple, &binary, 2, 1, 0, arch, whole(contents));
    memset(images, 0, sizeof images);
    memcpy(images, binary.at, binary.size);
}

/* Makes the program's image of a sample. */
static void set_sample(const struct sample *sample, const char *arch)
{
    static struct blob cubin;
    make_cubin(sample, &cubin);
    set_image("nvptx64", arch, &cubin);
}

static void enter_region(struct tw_internal_launch *launch)
{
    launch->fell_back = TW_INTERNAL_NO_IMAGE;
}

static size_t kernel_word; /* the library's */

static struct tw_internal_kernel kernel_of(enum tw_internal_form form)
{
    kernel_word = 0;
    return (struct tw_internal_kernel){.form = form,
                                       .lowerings = 1u << TW_INTERNAL_LOWER_SIMT,
                                       .args_bytes = 24,
                                       .offload = enter_region,
                                       .name = "life",
                                       .symbol = "life",
                                       .file = "life.c",
                                       .local_bytes = &kernel_word};
}

static const uint64_t args[3] = {71, 72, 73};

static struct tw_internal_launch launch_of(size_t items)
{
    return (struct tw_internal_launch){.args = args,
                                       .range = {items, 1, 1},
                                       .whole = {items, 1, 1},
                                       .local = {1, 1, 1},
                                       .dims = 1,
                                       .max_parts = TW_INTERNAL_MAX_PARTS};
}

#endif
