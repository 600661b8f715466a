/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libFuzzer: the readers of offload binaries, ELF files, cubins and code objects (offload/image.h, gpu_image.h), given any bytes.
 * What they find lies inside of the bytes, and strings end there.
 */
#include <stdlib.h>
#include <string.h>

#include "backends/gpu/gpu_image.h"
#include "common/code_object.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void must_be_inside(struct tw_bytes whole, const void *at, size_t size)
{
    const unsigned char *first = at;
    must(first >= whole.at && first <= whole.at + whole.size && size <= (size_t)(whole.at + whole.size - first));
}

static void must_be_string(struct tw_bytes whole, const char *string)
{
    must_be_inside(whole, string, 1);
    must(memchr(string, 0, whole.size - (size_t)((const unsigned char *)string - whole.at)) != NULL);
}

static void read_elf(struct tw_bytes file)
{
    struct tw_elf elf;
    struct tw_elf_section section;
    if (!tw_elf_open(&elf, file))
        return;
    for (size_t i = 0; i < elf.section_count && i < 1000; ++i)
        if (tw_elf_section(&elf, i, &section)) {
            must_be_string(file, section.name);
            must_be_inside(file, section.contents.at, section.contents.size);
        }
    must(!tw_elf_section(&elf, elf.section_count, &section));
    (void)tw_elf_find(&elf, ".symtab", &section);
    struct tw_metadata kernel;
    size_t number;
    if (tw_metadata_of_kernel(&elf, "k", &kernel) && tw_metadata_number(kernel, ".sgpr_count", &number))
        must_be_inside(file, kernel.bytes.at, kernel.bytes.size);
}

static void read_kernels(struct tw_bytes file)
{
    static const char *const launchers[] = {"k", "", "no_such_kernel"};
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; ++i) {
        struct tw_gpu_image_kernel kernel;
        if (!tw_cubin_find(file, launchers[i], &kernel))
            must_be_string(file, kernel.name);
        if (!tw_code_object_find(file, launchers[i], &kernel))
            must_be_string(file, kernel.name);
    }
}

static bool read_image(const struct tw_image *image, void *user)
{
    unsigned *left = user;
    read_elf(image->contents);
    read_kernels(image->contents);
    (void)tw_image_may_have_region(image->contents, "life_tw_simt_8");
    (void)tw_image_sm_for(image->arch, 90);
    must(strlen(image->triple) + strlen(image->arch) < SIZE_MAX);
    return --*left > 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *copy = malloc(size ? size : 1); /* so that the sanitizer knows where it ends */
    unsigned left = 20;
    if (!copy)
        return 0;
    if (size)
        memcpy(copy, data, size);
    const struct tw_bytes bytes = {copy, size};
    read_elf(bytes);
    read_kernels(bytes);
    (void)tw_image_may_have_region(bytes, "life_tw_simt_8");
    tw_image_visit(bytes, read_image, &left);
    free(copy);
    return 0;
}
