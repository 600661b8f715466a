/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device images: offload binaries and cubins made byte by byte, and code objects by clang, whole and damaged, and those of
 * the tests' own programs. Needs the private headers image.h and gpu_image.h.
 */
#define _GNU_SOURCE
#include "device_image.h"

#include <dlfcn.h>

#include "backends/gpu/gpu_image.h"
#include "common/image.h"

/* ---- bytes to read ----------------------------------------------------------------------------------------------- */

/* Hands truncations of a blob, and blobs with one byte changed, to `read`: each in memory of its own size, so that
   sanitizers see what is read past the end. They are at each `step`-th byte. */
static void damage(const struct blob *blob, size_t step, void (*read)(struct tw_bytes bytes))
{
    static const unsigned char changes[] = {0x01, 0x80, 0xff};
    for (size_t size = 0; size <= blob->size; size += step) {
        unsigned char *copy = malloc(size + !size);
        TW_CHECK(copy != NULL);
        memcpy(copy, blob->at, size);
        read((struct tw_bytes){copy, size});
        free(copy);
    }
    unsigned char *copy = malloc(blob->size);
    TW_CHECK(copy != NULL);
    memcpy(copy, blob->at, blob->size);
    for (size_t i = 0; i < blob->size; i += step)
        for (size_t change = 0; change < sizeof changes; ++change) {
            copy[i] ^= changes[change];
            read((struct tw_bytes){copy, blob->size});
            copy[i] ^= changes[change];
        }
    free(copy);
}

TW_TEST(slices_and_strings_stay_within_their_bytes)
{
    unsigned char *text = malloc(8);
    TW_CHECK(text != NULL);
    memcpy(text, "one\0four", 8); /* NOLINT(bugprone-not-null-terminated-result): the last string has no end */
    const struct tw_bytes bytes = {text, 8};
    TW_CHECK(strcmp(tw_bytes_string(bytes, 1), "ne") == 0);
    TW_CHECK(tw_bytes_string(bytes, 4) == NULL && tw_bytes_string(bytes, 8) == NULL);
    TW_CHECK(tw_bytes_string(bytes, UINT64_MAX) == NULL);
    TW_CHECK(tw_bytes_slice(bytes, 3, 5).at == text + 3 && tw_bytes_slice(bytes, 8, 0).at == text + 8);
    TW_CHECK(!tw_bytes_slice(bytes, 4, 5).at && !tw_bytes_slice(bytes, 9, 0).at);
    TW_CHECK(!tw_bytes_slice(bytes, 4, UINT64_MAX - 2).at && !tw_bytes_slice(bytes, UINT64_MAX, 2).at);
    free(text);
}

/* ---- offload binaries -------------------------------------------------------------------------------------------- */

static struct tw_bytes text(const char *string)
{
    return (struct tw_bytes){(const unsigned char *)string, strlen(string) + 1};
}

struct seen {
    char story[256];
    unsigned count, most;
};

static bool see(const struct tw_image *image, void *user)
{
    struct seen *seen = user;
    const size_t used = strlen(seen->story);
    snprintf(seen->story + used, sizeof seen->story - used, "%s/%s/%.*s ", image->triple, image->arch,
             (int)image->contents.size, (const char *)image->contents.at);
    return ++seen->count < seen->most;
}

static struct seen visit(struct tw_bytes bytes, unsigned most)
{
    struct seen seen = {.most = most};
    tw_image_visit(bytes, see, &seen);
    return seen;
}

TW_TEST(binaries_of_each_version_are_read)
{
    struct blob blob = {.size = 0};
    append_binary(&blob, 1, 1, 0, "sm_80", text("one"));
    append_binary(&blob, 2, 1, 0, "sm_90", text("two"));
    append_text(&blob, "something else between"), align(&blob);
    append_binary(&blob, 3, 1, 0, "sm_90a", text("three"));
    struct seen seen = visit(whole(&blob), 10);
    TW_CHECK(strcmp(seen.story, "nvptx64/sm_80/one nvptx64/sm_90/two nvptx64/sm_90a/three ") == 0);
    seen = visit(whole(&blob), 2);
    TW_CHECK(strcmp(seen.story, "nvptx64/sm_80/one nvptx64/sm_90/two ") == 0);
}

TW_TEST(binaries_without_an_openmp_image_are_passed_over)
{
    struct blob blob = {.size = 0};
    append_binary(&blob, 1, 2, 0, "sm_80", text("of CUDA"));
    append_binary(&blob, 2, 1, 1, "sm_90", text("of metadata"));
    append_binary(&blob, 4, 1, 0, "sm_90", text("of a version to come"));
    const size_t compressed = blob.size;
    append_binary(&blob, 3, 1, 0, "sm_90", text("compressed"));
    blob.at[compressed + 32] = 77; /* nothing is known of it but that it is there */
    append_binary(&blob, 1, 1, 0, "sm_90", text("of OpenMP"));
    TW_CHECK(strcmp(visit(whole(&blob), 10).story, "// nvptx64/sm_90/of OpenMP ") == 0);
}

static void read_binaries(struct tw_bytes bytes)
{
    (void)visit(bytes, 10);
}

TW_TEST(damaged_binaries_are_harmless)
{
    for (uint32_t version = 1; version <= 3; ++version) {
        struct blob blob = {.size = 0};
        append_binary(&blob, version, 1, 0, "sm_90", text("one"));
        append_binary(&blob, version, 1, 0, "sm_90", text("two"));
        TW_EQUAL(visit(whole(&blob), 10).count, 2);
        damage(&blob, 1, read_binaries);
    }
}

/* A loaded section like clang's, with a binary that is made here as text: version 1, no strings, 3 bytes of image. */
__attribute__((used, section(".llvm.offloading"), aligned(8), no_sanitize("address"))) static const char embedded[] =
    "\x10\xff\x10\xad\x01\0\0\0"
    "\x50\0\0\0\0\0\0\0"
    "\x20\0\0\0\0\0\0\0"
    "\x28\0\0\0\0\0\0\0"
    "\x01\0\x01\0\0\0\0\0"
    "\0\0\0\0\0\0\0\0"
    "\0\0\0\0\0\0\0\0"
    "\x48\0\0\0\0\0\0\0"
    "\x03\0\0\0\0\0\0\0"
    "own\0\0\0\0";

TW_TEST(the_programs_own_section_is_found)
{
    const struct tw_bytes bytes = tw_image_binaries((uintptr_t)the_programs_own_section_is_found);
    TW_CHECK(bytes.at <= (const unsigned char *)embedded
             && bytes.at + bytes.size >= (const unsigned char *)embedded + 80);
    TW_CHECK(strcmp(visit(bytes, 10).story, "//own ") == 0);
    TW_CHECK(tw_image_binaries((uintptr_t)dlsym(RTLD_DEFAULT, "gnu_get_libc_version")).at == NULL); /* libc has none */
    int variable = 0;
    TW_CHECK(tw_image_binaries((uintptr_t)&variable).at == NULL);
}

TW_TEST(unloading_a_library_is_noticed)
{
    const unsigned long long before = tw_image_unloads();
    void *library = dlopen("libanl.so.1", RTLD_NOW);
    if (!library)
        TW_SKIP();
    TW_EQUAL(tw_image_unloads(), before);
    dlclose(library);
    TW_CHECK(tw_image_unloads() > before);
}

/* ---- cubins ------------------------------------------------------------------------------------------------------ */

static const char *find(const struct sample *sample, struct tw_gpu_image_kernel *kernel)
{
    static struct blob cubin;
    make_cubin(sample, &cubin);
    return tw_cubin_find(whole(&cubin), "life_tw_simt_8", kernel);
}

static bool may_have_region(const struct sample *sample)
{
    static struct blob cubin;
    make_cubin(sample, &cubin);
    return tw_image_may_have_region(whole(&cubin), "life_tw_simt_8");
}

TW_TEST(kernels_are_found_by_name)
{
    struct tw_gpu_image_kernel kernel;
    static const char *const found[] = {REGION, REGION "_1", REGION "_12"};
    for (size_t i = 0; i < sizeof found / sizeof found[0]; ++i) {
        TW_CHECK(find(&(struct sample){.name = found[i]}, &kernel) == NULL);
        TW_CHECK(may_have_region(&(struct sample){.name = found[i]}));
        TW_CHECK(strcmp(kernel.name, found[i]) == 0);
        TW_CHECK(!kernel.uses_globals);
    }
    TW_CHECK(find(&(struct sample){.name = REGION, .twice = true}, &kernel) != NULL); /* which one? */
}

/* Of a kernel of C, and of a function object of C++. */
TW_TEST(regions_have_the_names_of_their_functions)
{
    char launcher[TW_IMAGE_LAUNCHER_BYTES];
    static char long_name[TW_IMAGE_LAUNCHER_BYTES];
    struct tw_internal_kernel kernel = {.symbol = "life"};
    TW_CHECK(tw_image_name_launcher(launcher, &kernel, "simt", 128) && strcmp(launcher, "life_tw_simt_128") == 0);
    kernel.symbol = "_ZN2tw8internal12range_kernelI4scaleLy7EE";
    TW_CHECK(tw_image_name_launcher(launcher, &kernel, "teams", 8)
             && strcmp(launcher, "_ZN2tw8internal12range_kernelI4scaleLy7EE17lambda_tw_teams_8EPK17tw_internal_entry")
                    == 0);
    TW_CHECK(tw_image_name_launcher(launcher, &kernel, "simt", 1)
             && strcmp(launcher, "_ZN2tw8internal12range_kernelI4scaleLy7EE16lambda_tw_simt_1EPK17tw_internal_entry")
                    == 0);
    memset(long_name, 'x', sizeof long_name - 1);
    kernel.symbol = long_name;
    TW_CHECK(!tw_image_name_launcher(launcher, &kernel, "simt", 8));
}

TW_TEST(other_names_are_not_taken)
{
    struct tw_gpu_image_kernel kernel;
    static const char *const others[] = {
        "life_tw_simt_8_l14",
        "__omp_offloading_fe00_a7a086_xlife_tw_simt_8_l14",
        "__omp_offloading_fe00_a7a086_life_tw_simt_82_l14",
        "__omp_offloading_fe00_life_tw_simt_8_l14",
        "__omp_offloading_fe00_a7a086_life_tw_simt_8_l",
        "__omp_offloading_fe00_a7a086_life_tw_simt_8_l14_",
        REGION "_1_debug__",
        REGION "x",
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
        TW_CHECK(find(&(struct sample){.name = others[i]}, &kernel) != NULL);
        TW_CHECK(!may_have_region(&(struct sample){.name = others[i]}));
    }
    const unsigned char code[] = "what the driver compiles";
    TW_CHECK(tw_image_may_have_region((struct tw_bytes){code, sizeof code}, "life_tw_simt_8"));
    TW_CHECK(tw_image_may_have_region((struct tw_bytes){NULL, 0}, "life_tw_simt_8"));
}

TW_TEST(architectures_run_on_their_generation)
{
    TW_EQUAL(tw_image_sm_for("sm_90", 90), 90);
    TW_EQUAL(tw_image_sm_for("sm_80", 89), 80);
    TW_EQUAL(tw_image_sm_for("sm_89", 80), -1);
    TW_EQUAL(tw_image_sm_for("sm_80", 90), -1);
    TW_EQUAL(tw_image_sm_for("sm_100", 103), 100);
    TW_EQUAL(tw_image_sm_for("sm_90a", 90), 90);
    TW_EQUAL(tw_image_sm_for("sm_100a", 103), -1);
    TW_EQUAL(tw_image_sm_for("gfx90a", 90), -1);
    TW_EQUAL(tw_image_warp("gfx90a:xnack+"), 64);
    TW_EQUAL(tw_image_warp("gfx1100"), 32);
    TW_EQUAL(tw_image_warp("sm_90"), 32);
    TW_EQUAL(tw_image_warp(""), 0);
    TW_EQUAL(tw_image_sm_for("", 90), -1);
}

TW_TEST(used_variables_are_found)
{
    static const struct {
        unsigned uses[4][2];
        bool found;
    } cases[] = {
        {{{KERNEL, DRIVERS}}, false},
        {{{KERNEL, KERNEL}, {KERNEL, HELPER}}, false}, /* recursive, and calls */
        {{{KERNEL, TABLE}}, false},
        {{{KERNEL, BANK}}, false},
        {{{KERNEL, VARIABLE}}, true},
        {{{KERNEL, PUBLIC_TABLE}}, true}, /* the host may write it by name */
        {{{KERNEL, HELPER}, {HELPER, VARIABLE}}, true},
        {{{HELPER, VARIABLE}}, false}, /* which nobody calls */
        {{{KERNEL, TABLE}, {TABLE, VARIABLE}}, true},
        {{{KERNEL, TABLE}, {TABLE, HELPER}, {HELPER, PUBLIC_TABLE}}, true},
        {{{BANK, VARIABLE}}, true},     /* the kernel's own constants */
        {{{KERNEL, NODES + 90}}, true}, /* no such symbol: not understood */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        for (int rel = 0; rel < 2; ++rel) {
            struct tw_gpu_image_kernel kernel;
            struct sample sample = {.name = REGION, .rel = rel};
            memcpy(sample.uses, cases[i].uses, sizeof sample.uses);
            TW_CHECK(find(&sample, &kernel) == NULL);
            TW_EQUAL(kernel.uses_globals, cases[i].found);
        }
}

static void read_cubin(struct tw_bytes bytes)
{
    struct tw_gpu_image_kernel kernel;
    const char *reason = tw_cubin_find(bytes, "life_tw_simt_8", &kernel);
    TW_CHECK(reason ? *reason != 0 : tw_image_is_region(kernel.name, "life_tw_simt_8"));
    (void)tw_image_may_have_region(bytes, "life_tw_simt_8");
}

TW_TEST(damaged_cubins_are_harmless)
{
    static struct blob cubin;
    make_cubin(&(struct sample){.name = REGION, .uses = {{KERNEL, HELPER}, {HELPER, TABLE}, {TABLE, BANK}}}, &cubin);
    damage(&cubin, 1, read_cubin);
}

/* ---- code objects ------------------------------------------------------------------------------------------------ */

TW_TEST(kernels_of_code_objects)
{
    static const char *const archs[] = {"gfx90a", "gfx1100"};
    static const struct {
        const char *launcher;
        size_t static_bytes, least_private_bytes;
        bool uses_globals; /* or may do so, since it makes an address within the image */
    } cases[] = {{"life_tw_simt_8", 64 * sizeof(int), 0, false},
                 {"counting_tw_simt_8", 0, 0, true},
                 {"searching_tw_simt_8", 0, 6 * sizeof(int), true}};
    static struct blob object;
    for (size_t i = 0; i < 2; ++i) {
        struct tw_gpu_image_kernel kernel;
        if (!read_code_object(archs[i], &object))
            TW_SKIP();
        TW_CHECK(tw_is_code_object(whole(&object)));
        for (size_t j = 0; j < sizeof cases / sizeof *cases; ++j) {
            const char *reason = tw_code_object_find(whole(&object), cases[j].launcher, &kernel);
            TW_CHECK(!reason && tw_image_is_region(kernel.name, cases[j].launcher));
            TW_EQUAL(kernel.uses_globals, cases[j].uses_globals);
            TW_EQUAL(kernel.static_bytes, cases[j].static_bytes);
            TW_EQUAL(kernel.private_bytes >= cases[j].least_private_bytes, true);
            TW_EQUAL(kernel.private_bytes > 0, cases[j].least_private_bytes > 0);
            TW_EQUAL(kernel.max_items, 1024);
            TW_EQUAL(kernel.parameter_bytes % 8, 0);
            TW_CHECK(kernel.parameter_bytes >= 9 * sizeof(uint64_t) && kernel.registers >= 2 && kernel.registers < 64);
        }
        TW_CHECK(tw_code_object_find(whole(&object), "life_tw_simt_32", &kernel) != NULL);
        TW_CHECK(tw_cubin_find(whole(&object), "life_tw_simt_8", &kernel) != NULL); /* not a cubin */
    }
}

static void read_damaged_object(struct tw_bytes bytes)
{
    struct tw_gpu_image_kernel kernel;
    const char *reason = tw_code_object_find(bytes, "searching_tw_simt_8", &kernel);
    TW_CHECK(reason ? *reason != 0 : tw_image_is_region(kernel.name, "searching_tw_simt_8"));
}

TW_TEST(damaged_code_objects_are_harmless)
{
    static struct blob object;
    if (!read_code_object("gfx90a", &object))
        TW_SKIP();
    damage(&object, 13, read_damaged_object);
}

/* ---- the tests' own programs ------------------------------------------------------------------------------------- */

/* Reads another program of this build into memory that the caller frees; none if there is no such program. */
static struct tw_bytes read_program(const char *variant, const char *name)
{
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 128);
    TW_CHECK(length > 0);
    path[length] = 0;
    snprintf(strrchr(path, '/'), 128, "/../%s/%s", variant, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return (struct tw_bytes){NULL, 0};
    TW_CHECK(fseek(file, 0, SEEK_END) == 0);
    const long size = ftell(file);
    unsigned char *contents = size > 0 ? malloc((size_t)size) : NULL;
    TW_CHECK(contents != NULL);
    TW_CHECK(fseek(file, 0, SEEK_SET) == 0);
    const size_t got = fread(contents, 1, (size_t)size, file);
    TW_EQUAL(got, size);
    fclose(file);
    return (struct tw_bytes){contents, (size_t)size};
}

static bool keep(const struct tw_image *image, void *user)
{
    *(struct tw_image *)user = *image;
    return false;
}

/* The first image of a program; its strings are "" if there is none. */
static struct tw_image first_image(struct tw_bytes program)
{
    struct tw_image image = {"", "", {NULL, 0}};
    struct tw_elf elf;
    struct tw_elf_section section;
    TW_CHECK(tw_elf_open(&elf, program));
    if (tw_elf_find(&elf, ".llvm.offloading", &section))
        tw_image_visit(section.contents, keep, &image);
    return image;
}

TW_TEST(a_program_for_x86_64)
{
    const struct tw_bytes program = read_program("x86_64", "test_lowering");
    if (!program.at)
        TW_SKIP();
    const struct tw_image image = first_image(program);
    struct tw_elf elf;
    struct tw_gpu_image_kernel kernel;
    TW_CHECK(strncmp(image.triple, "x86_64", 6) == 0);
    TW_CHECK(tw_elf_open(&elf, image.contents));
    TW_CHECK(tw_cubin_find(image.contents, "life_tw_teams_8", &kernel) != NULL); /* not a cubin */
    TW_CHECK(tw_image_may_have_region(image.contents, "life_tw_teams_8"));
    TW_CHECK(!tw_image_may_have_region(image.contents, "no_such_tw_teams_8"));
    free((void *)(uintptr_t)program.at);
}

TW_TEST(a_program_for_gpus)
{
    const struct tw_bytes program = read_program("gpu-simt", "test_lowering");
    if (!program.at)
        TW_SKIP();
    const struct tw_image image = first_image(program);
    struct tw_gpu_image_kernel kernel;
    TW_CHECK(strcmp(image.triple, "nvptx64-nvidia-cuda") == 0 && strncmp(image.arch, "sm_", 3) == 0);
    /* each kernel has one region, that for the size of its block, and none of them uses variables */
    static const char *const regions[] = {"collatz_tw_simt_8", "mandelbrot_tw_simt_8", "life_tw_simt_8",
                                          "multiply_tw_simt_8", "sort_tw_simt_8"};
    for (size_t i = 0; i < sizeof regions / sizeof regions[0]; ++i) {
        const char *reason = tw_cubin_find(image.contents, regions[i], &kernel);
        if (reason)
            fprintf(stderr, "%s: %s\n", regions[i], reason);
        TW_CHECK(!reason && !kernel.uses_globals);
    }
    TW_CHECK(tw_cubin_find(image.contents, "collatz_tw_simt_32", &kernel) != NULL);
    TW_CHECK(tw_cubin_find(image.contents, "no_such_tw_simt_8", &kernel) != NULL);
    TW_CHECK(tw_image_may_have_region(image.contents, "life_tw_simt_8"));
    TW_CHECK(!tw_image_may_have_region(image.contents, "life_tw_teams_8")); /* nothing here is built for it */
    TW_CHECK(!tw_image_may_have_region(image.contents, "no_such_tw_simt_8"));
    free((void *)(uintptr_t)program.at);
}

TW_TEST(a_program_for_gpus_in_the_teams_lowering)
{
    const struct tw_bytes program = read_program("gpu-teams", "test_lowering");
    if (!program.at)
        TW_SKIP();
    const struct tw_image image = first_image(program);
    struct tw_gpu_image_kernel kernel;
    TW_CHECK(strcmp(image.triple, "nvptx64-nvidia-cuda") == 0);
    TW_CHECK(tw_image_may_have_region(image.contents, "life_tw_teams_8"));
    TW_CHECK(!tw_image_may_have_region(image.contents, "no_such_tw_teams_8"));
    TW_CHECK(tw_cubin_find(image.contents, "life_tw_simt_8", &kernel) != NULL);
    free((void *)(uintptr_t)program.at);
}

TW_TEST_LIST = {
    TW_CASE(slices_and_strings_stay_within_their_bytes),
    TW_CASE(binaries_of_each_version_are_read),
    TW_CASE(binaries_without_an_openmp_image_are_passed_over),
    TW_CASE(damaged_binaries_are_harmless),
    TW_CASE(the_programs_own_section_is_found),
    TW_CASE(unloading_a_library_is_noticed),
    TW_CASE(kernels_are_found_by_name),
    TW_CASE(regions_have_the_names_of_their_functions),
    TW_CASE(other_names_are_not_taken),
    TW_CASE(architectures_run_on_their_generation),
    TW_CASE(used_variables_are_found),
    TW_CASE(damaged_cubins_are_harmless),
    TW_CASE(kernels_of_code_objects),
    TW_CASE(damaged_code_objects_are_harmless),
    TW_CASE(a_program_for_x86_64),
    TW_CASE(a_program_for_gpus),
    TW_CASE(a_program_for_gpus_in_the_teams_lowering),
    TW_CASES_END,
};
