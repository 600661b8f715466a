/* SPDX-License-Identifier: Apache-2.0 */
/* The device images of the program, compared with the machine's GPUs (inventory.h). Knows no driver. */
#include "inventory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "image.h"

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static bool note_image(const struct tw_image *image, void *user)
{
    struct tw_inventory *inventory = user;
    const char *arch = strncmp(image->triple, "x86_64", 6) == 0 ? "x86_64" : image->arch;
    for (size_t i = 0; i < inventory->arch_count; ++i)
        if (strcmp(inventory->archs[i], arch) == 0)
            return true;
    if (inventory->arch_count < TW_INVENTORY_ARCHS)
        snprintf(inventory->archs[inventory->arch_count++], sizeof inventory->archs[0], "%s", arch);
    return true;
}

static bool note_object(const char *file, struct tw_bytes binaries, void *user)
{
    struct tw_inventory *inventory = user;
    inventory->has_kernels = true;
    if (!binaries.at && !inventory->unlinked[0])
        snprintf(inventory->unlinked, sizeof inventory->unlinked, "%s", file);
    tw_image_visit(binaries, note_image, inventory);
    return true;
}

void tw_inventory_read(struct tw_inventory *inventory)
{
    const char *policy = getenv("OMP_TARGET_OFFLOAD");
    *inventory = (struct tw_inventory){.lister = "the CUDA driver"};
    inventory->is_disabled = policy && strcasecmp(policy, "disabled") == 0;
    if (!inventory->is_disabled)
        tw_image_visit_objects(note_object, inventory);
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static bool has_image_for(const struct tw_inventory *inventory, const struct tw_gpu *gpu)
{
    for (size_t i = 0; i < inventory->arch_count; ++i)
        if (tw_image_sm_for(inventory->archs[i], gpu->capability) >= 0)
            return true;
    return false;
}

/* Returns the first GPU that is not an OpenMP device, and for which there is an image or, if not `with_image`, none. */
static const struct tw_gpu *unused_gpu(const struct tw_inventory *inventory, bool with_image)
{
    for (size_t i = 0; i < inventory->gpu_count; ++i)
        if (!inventory->gpus[i].is_offered && has_image_for(inventory, &inventory->gpus[i]) == with_image)
            return &inventory->gpus[i];
    return NULL;
}

#define ARCHS_BYTES (TW_INVENTORY_ARCHS * 18u)

/* Writes a list like "x86_64, sm_90". */
static void list_archs(const struct tw_inventory *inventory, char archs[ARCHS_BYTES])
{
    size_t used = 0;
    *archs = '\0';
    for (size_t i = 0; i < inventory->arch_count; ++i)
        used += (size_t)snprintf(archs + used, ARCHS_BYTES - used, "%s%s", i ? ", " : "", inventory->archs[i]);
}

/* Writes why there is no offload device of any type. Returns false if nothing excludes all of them. */
static bool excludes_all(const struct tw_inventory *inventory, char *text, size_t bytes)
{
    const char *reason =
        inventory->is_disabled ? "OMP_TARGET_OFFLOAD hides all offload devices"
        : inventory->has_kernels
            ? ""
            : "no file of the program was compiled for an offload device, as by teamwork_add_offload()";
    snprintf(text, bytes, "%s", reason);
    return *reason;
}

bool tw_inventory_explain(const struct tw_inventory *inventory, char *text, size_t bytes)
{
    char archs[ARCHS_BYTES];
    const struct tw_gpu *unserved = unused_gpu(inventory, false), *hidden = unused_gpu(inventory, true);
    list_archs(inventory, archs);
    if (excludes_all(inventory, text, bytes))
        return false;
    if (inventory->is_child) {
        snprintf(text, bytes,
                 "this process was made by fork() after OpenMP had started the CUDA driver, which works in the parent "
                 "alone: let the process call exec() to use a GPU");
        return true;
    }
    if (inventory->unlinked[0]) {
        snprintf(text, bytes,
                 "%s was linked without the device images of its kernels, which run on the host only: let clang link "
                 "it, with the options of teamwork_add_offload()",
                 inventory->unlinked);
        return true;
    }
    if (hidden) {
        snprintf(text, bytes,
                 "OpenMP does not offer the GPU %s (sm_%u), although the program has a device image for it: \"If a GPU "
                 "is not found\" in docs/devices.md lists the causes",
                 hidden->name, hidden->capability);
        return true;
    }
    if (unserved) {
        snprintf(text, bytes,
                 "the program has no device image for the GPU %s, only for %s: compile it for sm_%u too, as by "
                 "teamwork_add_offload()",
                 unserved->name, archs, unserved->capability);
        return true;
    }
    if (!inventory->gpu_count)
        snprintf(text, bytes, "the program has device images for %s, and %s shows no GPU", archs, inventory->lister);
    return false;
}

void tw_inventory_explain_cpu(const struct tw_inventory *inventory, char *text, size_t bytes)
{
    char archs[ARCHS_BYTES];
    bool has_image = false;
    list_archs(inventory, archs);
    for (size_t i = 0; i < inventory->arch_count; ++i)
        has_image = has_image || strcmp(inventory->archs[i], "x86_64") == 0;
    if (excludes_all(inventory, text, bytes))
        return;
    if (inventory->unlinked[0])
        snprintf(text, bytes, "%s was linked without the device images of its kernels", inventory->unlinked);
    else if (!has_image)
        snprintf(text, bytes,
                 "the program has no device image for it, only for %s: teamwork_add_offload(ARCHS x86_64) makes one",
                 archs);
    else
        snprintf(text, bytes,
                 "OpenMP does not offer it, although the program has a device image for it: libomptarget was built "
                 "without its plugin");
}

/* ---- warps ------------------------------------------------------------------------------------------------------- */

unsigned tw_inventory_warp(const struct tw_inventory *inventory)
{
    unsigned warp = 0;
    for (size_t i = 0; i < inventory->arch_count; ++i) {
        const unsigned lanes = tw_image_warp(inventory->archs[i]);
        if (strcmp(inventory->archs[i], "x86_64") == 0)
            continue;
        if (!lanes || (warp && lanes != warp))
            return 0;
        warp = lanes;
    }
    return warp;
}

unsigned tw_inventory_warp_of_program(void)
{
    struct tw_inventory inventory;
    tw_inventory_read(&inventory);
    return tw_inventory_warp(&inventory);
}

/* ---- logging ----------------------------------------------------------------------------------------------------- */

static bool log_image(const struct tw_image *image, void *user)
{
    tw_log_line(TW_LOG_INFO, "image: %s has one for %s%s%s, %zu bytes", (const char *)user, image->triple,
                *image->arch ? " " : "", image->arch, image->contents.size);
    return true;
}

static bool log_object(const char *file, struct tw_bytes binaries, void *user)
{
    (void)user;
    if (!binaries.at)
        tw_log_line(TW_LOG_INFO, "image: %s has kernels for offload devices, and was linked without their images",
                    file);
    tw_image_visit(binaries, log_image, (void *)(uintptr_t)file);
    return true;
}

void tw_inventory_log(void)
{
    struct tw_inventory inventory;
    tw_inventory_read(&inventory);
    if (inventory.is_disabled)
        tw_log_line(TW_LOG_INFO, "image: OMP_TARGET_OFFLOAD hides all offload devices");
    else if (!inventory.has_kernels)
        tw_log_line(TW_LOG_INFO, "image: no file of the program was compiled for an offload device");
    tw_image_visit_objects(log_object, NULL);
}
