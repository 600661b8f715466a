/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tools and libraries for offload devices (toolchain.h). They are looked for as
 * offload/cmake/TeamworkToolchain.cmake does, which is what programs are built with.
 */
#define _GNU_SOURCE
#include "toolchain.h"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define REFERENCE 19u        /* the version of LLVM that Teamwork is developed with */
#define LEAST_CLANG 18u      /* that kernels can be compiled by */
#define LEAST_FOR_CUDA13 22u /* libomptarget that loads what CUDA 13 assembles */

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static struct part *add_part(struct toolchain *toolchain, const char *name, const char *needed_for)
{
    struct part *part = &toolchain->parts[toolchain->part_count];
    toolchain->part_count += toolchain->part_count + 1 < MOST_PARTS;
    *part = (struct part){.name = name, .needed_for = needed_for};
    return part;
}

static void note(struct part *part, enum part_state state, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void note(struct part *part, enum part_state state, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (state == PART_FOUND)
        vsnprintf(part->found, sizeof part->found, format, arguments);
    else
        vsnprintf(part->why, sizeof part->why, format, arguments);
    va_end(arguments);
    part->state = state;
}

void toolchain_install(const char *package, char *text, size_t bytes)
{
    char found[PATH_BYTES];
    if (find_program("apt-get", "/usr/bin:/bin", found, sizeof found))
        snprintf(text, bytes, "%sapt-get install %s", geteuid() == 0 ? "" : "sudo ", package);
    else
        snprintf(text, bytes, "install what Debian calls %s", package);
}

static void cure_by(struct part *part, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void cure_by(struct part *part, const char *format, ...)
{
    char package[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(package, sizeof package, format, arguments);
    va_end(arguments);
    toolchain_install(package, part->cure, sizeof part->cure);
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */

/* Asks a program something, and stores the beginning of its answer. Returns false if it fails. */
static bool ask(const char *program, const char *question, char *answer, size_t bytes)
{
    struct command command = {.count = 0};
    command_add(&command, "%s", program);
    command_add_words(&command, question);
    return command_run(&command, answer, bytes) == 0;
}

/* Asks for one line, which loses its end. */
static bool ask_line(const char *program, const char *question, char *answer, size_t bytes)
{
    const bool succeeds = ask(program, question, answer, bytes);
    answer[strcspn(answer, "\n")] = '\0';
    return succeeds && *answer;
}

static bool exists(const char *path)
{
    return access(path, R_OK) == 0;
}

/* Returns the number behind a text in an answer; 0 if there is none. */
static unsigned number_after(const char *answer, const char *text)
{
    const char *at = strstr(answer, text);
    return at ? (unsigned)strtoul(at + strlen(text), NULL, 10) : 0;
}

struct search {
    const char *name;
    char *path;
    size_t bytes;
};

static int look_at(struct dl_phdr_info *info, size_t size, void *user)
{
    const struct search *search = user;
    const char *file = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
    (void)size;
    if (!file || strncmp(file + 1, search->name, strlen(search->name)) != 0)
        return 0;
    snprintf(search->path, search->bytes, "%s", info->dlpi_name);
    return 1;
}

bool toolchain_loaded(const char *name, char *path, size_t bytes)
{
    struct search search = {name, path, bytes};
    return dl_iterate_phdr(look_at, &search) != 0;
}

/* ---- the compiler ------------------------------------------------------------------------------------------------ */

static void find_compiler(struct toolchain *toolchain)
{
    static const char *const names[] = {"clang-19", "clang", "clang-22", "clang-21", "clang-20", "clang-18"};
    struct part *part = add_part(toolchain, "compiler", "kernels");
    const char *given = getenv("CC");
    char path[PATH_BYTES] = "", answer[1024];
    bool is_there = given && *given ? find_program(given, NULL, path, sizeof path) : false;
    for (size_t i = 0; i < COUNT(names) && !is_there && !(given && *given); ++i)
        is_there = find_program(names[i], NULL, path, sizeof path);
    cure_by(part, "clang-%u", REFERENCE);
    if (!is_there) {
        note(part, PART_MISSING, "%s", given && *given ? "there is no program of the name in CC" : "there is no clang");
        return;
    }
    const bool answers = ask(path, "--version", answer, sizeof answer);
    const unsigned major = number_after(answer, "clang version ");
    answer[strcspn(answer, "\n")] = '\0';
    note(part, PART_FOUND, "%s (%.60s)", path, answer);
    if (!answers || !major)
        note(part, PART_WRONG,
             "kernels are compiled by clang alone, and this is none; files without kernels can be "
             "compiled by any compiler: set CC to a clang");
    else if (major < LEAST_CLANG)
        note(part, PART_WRONG, "kernels need clang %u or later", LEAST_CLANG);
    else {
        snprintf(toolchain->compiler, sizeof toolchain->compiler, "%s", path);
        toolchain->major = major;
    }
}

static void find_tools(struct toolchain *toolchain)
{
    static const char last[] = "clang-linker-wrapper", other[] = "clang-offload-packager";
    struct part *part = add_part(toolchain, "tools for device images", "offload devices");
    char path[PATH_BYTES], beside[PATH_BYTES + 32];
    const bool has_last = ask_line(toolchain->compiler, "-print-prog-name=clang-linker-wrapper", path, sizeof path)
                          && path[0] == '/' && exists(path);
    if (has_last)
        snprintf(beside, sizeof beside, "%.*s/%s", (int)(strrchr(path, '/') - path), path, other);
    if (has_last && exists(beside)) {
        note(part, PART_FOUND, "%s", path);
        return;
    }
    note(part, PART_MISSING, "clang has no %s", has_last ? other : last);
    cure_by(part, "clang-tools-%u", toolchain->major);
}

static void find_target(struct toolchain *toolchain)
{
    struct part *part = add_part(toolchain, "code for NVIDIA GPUs", "NVIDIA GPUs");
    static char answer[32768];
    toolchain->makes_nvptx =
        ask(toolchain->compiler, "--print-targets", answer, sizeof answer) && strstr(answer, "nvptx64");
    if (toolchain->makes_nvptx) {
        note(part, PART_FOUND, "clang has the target nvptx64");
        return;
    }
    note(part, PART_MISSING, "this clang was built without the target NVPTX (clang --print-targets)");
    cure_by(part, "clang-%u", REFERENCE);
}

/* ---- libraries --------------------------------------------------------------------------------------------------- */

static void add_dir(struct toolchain *toolchain, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_dir(struct toolchain *toolchain, const char *format, ...)
{
    char dir[PATH_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(dir, sizeof dir, format, arguments);
    va_end(arguments);
    char *real = realpath(dir, NULL);
    bool is_new = real && strlen(real) < PATH_BYTES && toolchain->dir_count < MOST_DIRS;
    for (size_t i = 0; i < toolchain->dir_count && is_new; ++i)
        is_new = strcmp(toolchain->dirs[i], real) != 0;
    if (is_new)
        snprintf(toolchain->dirs[toolchain->dir_count++], PATH_BYTES, "%s", real);
    free(real);
}

/* The directories of the compiler's own libraries: the hint, what it would link, and those beside its resources. Each
   question takes a moment, so no more are asked than needed. */
static void find_dirs(struct toolchain *toolchain)
{
    const char *root = getenv("TEAMWORK_LLVM_ROOT");
    char answer[PATH_BYTES];
    if (root && *root) {
        add_dir(toolchain, "%s/lib", root);
        add_dir(toolchain, "%s/lib/x86_64-unknown-linux-gnu", root);
    }
    if (ask_line(toolchain->compiler, "-print-file-name=libomp.so", answer, sizeof answer) && answer[0] == '/') {
        add_dir(toolchain, "%.*s", (int)(strrchr(answer, '/') - answer), answer);
        add_dir(toolchain, "%.*s/..", (int)(strrchr(answer, '/') - answer), answer);
    } else if (ask_line(toolchain->compiler, "-print-resource-dir", answer, sizeof answer)) {
        add_dir(toolchain, "%s/../..", answer);
        add_dir(toolchain, "%s/../../x86_64-unknown-linux-gnu", answer);
    }
}

/* Stores the first file of a pattern. Returns false if there is none. */
static bool first_match(const char *pattern, char *path, size_t bytes)
{
    glob_t found;
    if (glob(pattern, 0, NULL, &found) != 0)
        return false;
    snprintf(path, bytes, "%s", found.gl_pathv[0]);
    globfree(&found);
    return true;
}

/* Stores the first file of a pattern in the compiler's directories. Returns false if there is none. */
static bool find_file(const struct toolchain *toolchain, const char *pattern, char *path, size_t bytes)
{
    for (size_t i = 0; i < toolchain->dir_count; ++i) {
        char full[PATH_BYTES + 64];
        snprintf(full, sizeof full, "%s/%s", toolchain->dirs[i], pattern);
        if (first_match(full, path, bytes))
            return true;
    }
    return false;
}

/* The version in a library's file name; that of the compiler if it has none. */
static unsigned version_of(const struct toolchain *toolchain, const char *path)
{
    char *real = realpath(path, NULL);
    const unsigned version = real ? number_after(real, "libomptarget.so.") : 0;
    free(real);
    return version ? version : toolchain->major;
}

static void find_libraries(struct toolchain *toolchain)
{
    struct part *omp = add_part(toolchain, "libomp", "kernels");
    const char *given = getenv("TEAMWORK_OMPTARGET_LIBRARY");
    if (find_file(toolchain, "libomp.so", toolchain->omp, sizeof toolchain->omp)) {
        note(omp, PART_FOUND, "%s", toolchain->omp);
    } else {
        note(omp, PART_MISSING, "clang %u has no libomp.so to link", toolchain->major);
        cure_by(omp, "libomp-%u-dev", toolchain->major);
    }
    struct part *part = add_part(toolchain, "libomptarget", "offload devices");
    char *path = toolchain->omptarget;
    if (given && *given && exists(given))
        snprintf(path, PATH_BYTES, "%s", given);
    else if (!toolchain_loaded("libomptarget.so", path, PATH_BYTES)
             && !find_file(toolchain, "libomptarget.so*", path, PATH_BYTES)) {
        note(part, PART_MISSING, "there is no libomptarget");
        cure_by(part, "libomp-%u-dev", toolchain->major);
        return;
    }
    toolchain->omptarget_major = version_of(toolchain, path);
    note(part, PART_FOUND, "%s (version %u)", path, toolchain->omptarget_major);
    if (toolchain->omptarget_major < toolchain->major) {
        note(part, PART_WRONG, "it is older than clang %u, whose programs it does not run", toolchain->major);
        cure_by(part, "libomp-%u-dev", toolchain->major);
    }
}

static void find_runtime(struct toolchain *toolchain)
{
    struct part *part = add_part(toolchain, "device runtime for NVIDIA GPUs", "NVIDIA GPUs");
    char archive[PATH_BYTES], bitcode[PATH_BYTES];
    const bool has_archive = find_file(toolchain, "libomptarget.devicertl.a", archive, sizeof archive);
    const bool has_bitcode = find_file(toolchain, "libomptarget-nvptx*.bc", bitcode, sizeof bitcode);
    cure_by(part, "libomp-%u-dev", toolchain->major);
    if (has_archive)
        note(part, PART_FOUND, "%s", archive);
    else if (has_bitcode)
        note(part, PART_FOUND, "%s", bitcode);
    if (!has_archive)
        note(part, has_bitcode ? PART_WRONG : PART_MISSING,
             "clang %u has no libomptarget.devicertl.a, which kernels of the simt lowering are linked with%s",
             toolchain->major, has_bitcode ? "; LOWERING teams uses the bitcode" : "");
}

/* ---- CUDA -------------------------------------------------------------------------------------------------------- */

static void find_cuda(struct toolchain *toolchain)
{
    static const char *const hints[] = {"CUDAToolkit_ROOT", "CUDA_PATH", "CUDA_HOME"};
    struct part *part = add_part(toolchain, "CUDA toolkit", "NVIDIA GPUs");
    char path[PATH_BYTES] = "", answer[1024], dir[PATH_BYTES];
    bool is_there = false;
    for (size_t i = 0; i < COUNT(hints) && !is_there; ++i) {
        const char *root = getenv(hints[i]);
        snprintf(dir, sizeof dir, "%s/bin", root ? root : "");
        is_there = root && *root && find_program("ptxas", dir, path, sizeof path);
    }
    if (!is_there && !find_program("ptxas", NULL, path, sizeof path)
        && !find_program("ptxas", "/usr/local/cuda/bin:/usr/lib/cuda/bin", path, sizeof path)) {
        note(part, PART_MISSING, "there is no ptxas, in PATH, in CUDA_PATH/bin or /usr/local/cuda/bin");
        cure_by(part, "nvidia-cuda-toolkit");
        return;
    }
    (void)ask(path, "--version", answer, sizeof answer);
    toolchain->cuda_major = number_after(answer, "release ");
    const char *release = strstr(answer, "release ");
    snprintf(toolchain->cuda_root, sizeof toolchain->cuda_root, "%.*s", (int)(strlen(path) - strlen("/bin/ptxas")),
             path);
    if (strcmp(toolchain->cuda_root, "/usr") == 0) /* Debian puts what clang looks for elsewhere */
        snprintf(toolchain->cuda_root, sizeof toolchain->cuda_root, "/usr/lib/cuda");
    note(part, PART_FOUND, "%s (%.*s)", toolchain->cuda_root, release ? (int)strcspn(release, ",\n") : 0,
         release ? release : "");
    if (toolchain->cuda_major >= 13 && toolchain->omptarget_major && toolchain->omptarget_major < LEAST_FOR_CUDA13) {
        char install[128];
        toolchain_install("liboffload-22", install, sizeof install);
        note(part, PART_WRONG,
             "libomptarget %u does not load what CUDA %u assembles (\"No images found compatible with the installed "
             "hardware\"): the program will not find a GPU",
             toolchain->omptarget_major, toolchain->cuda_major);
        snprintf(part->cure, sizeof part->cure, "%s, and configure again; or use a CUDA 12 toolkit (CUDA_PATH)",
                 install);
        return;
    }
    snprintf(dir, sizeof dir, "%.*s/nvlink", (int)(strrchr(path, '/') - path), path);
    if (!exists(dir)) {
        note(part, PART_WRONG,
             "there is no nvlink beside ptxas, which links device images: clang takes any other one in PATH, and makes "
             "images of that version of CUDA");
        cure_by(part, "nvidia-cuda-toolkit");
    }
}

/* Asks the driver for its GPUs. Returns false, with the reason, if it does not work. */
static bool list_gpus(struct toolchain *toolchain, void *library, char *why, size_t bytes)
{
    enum { MAJOR = 75, MINOR = 76 };
    int (*init)(unsigned), (*count)(int *), (*get)(int *, int), (*name)(char *, int, int), (*ask_for)(int *, int, int);
    const struct {
        void *slot;
        const char *name;
    } functions[] = {{&init, "cuInit"},
                     {&count, "cuDeviceGetCount"},
                     {&get, "cuDeviceGet"},
                     {&name, "cuDeviceGetName"},
                     {&ask_for, "cuDeviceGetAttribute"}};
    for (size_t i = 0; i < COUNT(functions); ++i) {
        void *address = dlsym(library, functions[i].name);
        snprintf(why, bytes, "it has no function %s", functions[i].name);
        if (!address)
            return false;
        memcpy(functions[i].slot, &address, sizeof address);
    }
    const int error = init(0);
    int devices = 0;
    snprintf(why, bytes, "cuInit() fails with error %d of the CUDA driver%s", error,
             error == 100   ? ": there is no GPU"
             : error == 803 ? ": it is not the one of the kernel's module"
                            : "");
    if (error || count(&devices))
        return false;
    for (int i = 0; i < devices && toolchain->gpu_count < MOST_GPUS; ++i) {
        struct gpu *gpu = &toolchain->gpus[toolchain->gpu_count];
        int device, major = 0, minor = 0;
        if (get(&device, i) || name(gpu->name, (int)sizeof gpu->name, device) || ask_for(&major, MAJOR, device)
            || ask_for(&minor, MINOR, device))
            continue;
        gpu->capability = (unsigned)(10 * major + minor);
        ++toolchain->gpu_count;
    }
    return true;
}

static void find_driver(struct toolchain *toolchain)
{
    struct part *part = add_part(toolchain, "CUDA driver", "NVIDIA GPUs");
    char path[PATH_BYTES] = "libcuda.so.1", why[160];
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *link = dlopen("libcuda.so", RTLD_NOW | RTLD_LOCAL);
    toolchain->has_driver_link = link != NULL;
    toolchain->has_driver = library || link;
    if (!library && !link) {
        note(part, PART_MISSING, "there is neither libcuda.so.1 nor libcuda.so: no driver of NVIDIA is installed");
        cure_by(part, "nvidia-driver");
        return;
    }
    (void)toolchain_loaded("libcuda.so", path, sizeof path);
    note(part, PART_FOUND, "%s", path);
    if (!list_gpus(toolchain, library ? library : link, why, sizeof why)) {
        note(part, PART_WRONG, "%s", why);
    } else if (!link) {
        note(part, PART_WRONG,
             "libomptarget looks for the driver as libcuda.so, and there is only libcuda.so.1: OpenMP "
             "shows no GPU");
        snprintf(part->cure, sizeof part->cure, "ln -s %.128s libcuda.so in a directory of LD_LIBRARY_PATH", path);
    } else {
        note(part, PART_FOUND, "%s, %zu GPUs", path, toolchain->gpu_count);
    }
    /* it stays loaded: the library uses it too */
}

/* ---- others ------------------------------------------------------------------------------------------------------ */

static void find_rocm(struct toolchain *toolchain)
{
    struct part *part = add_part(toolchain, "device libraries of ROCm", "AMD GPUs");
    const char *const given = getenv("ROCM_PATH");
    const char *const roots[] = {given ? given : "/opt/rocm", "/opt/rocm", "/usr", "/usr/lib/x86_64-linux-gnu"};
    for (size_t i = 0; i < COUNT(roots); ++i) {
        char path[PATH_BYTES + 32];
        snprintf(path, sizeof path, "%.480s/amdgcn/bitcode/ockl.bc", roots[i]);
        if (exists(path)) {
            note(part, PART_FOUND, "%s", path);
            return;
        }
    }
    note(part, PART_MISSING, "there is no amdgcn/bitcode/ockl.bc, in ROCM_PATH or /opt/rocm");
    cure_by(part, "rocm-device-libs");
}

static void find_headers(struct toolchain *toolchain)
{
    struct part *part = add_part(toolchain, "headers of Teamwork", "programs");
    char self[PATH_BYTES], path[PATH_BYTES + 64];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *end = strrchr(self, '/');
    snprintf(path, sizeof path, "%.*s/../include", (int)(end ? end - self : 0), self);
    char *real = realpath(path, NULL);
    snprintf(path, sizeof path, "%s/teamwork/teamwork.h", real ? real : "");
    if (real && exists(path)) {
        note(part, PART_FOUND, "%s", path);
        snprintf(toolchain->headers, sizeof toolchain->headers, "%s", real);
    } else {
        note(part, PART_MISSING, "there is no teamwork/teamwork.h in ../include beside this program");
        snprintf(part->cure, sizeof part->cure,
                 "install Teamwork, or set CPPFLAGS to -I with the folders of its headers");
    }
    free(real);
}

static bool find_boost(char *path, size_t bytes)
{
    return first_match("/usr/lib/*/libboost_context.*", path, bytes)
           || first_match("/usr/lib*/libboost_context.*", path, bytes);
}

/* The headers of the compiler's LLVM, for the plugin. */
static void find_llvm_headers(struct toolchain *toolchain)
{
    struct part *part = add_part(toolchain, "headers of LLVM", "building the plugin for nd_range kernels");
    char path[PATH_BYTES];
    if (find_file(toolchain, "../include/llvm/Config/llvm-config.h", path, sizeof path)
        || find_file(toolchain, "include/llvm/Config/llvm-config.h", path, sizeof path)) {
        note(part, PART_FOUND, "%s", path);
        return;
    }
    note(part, PART_MISSING, "there is no llvm/Config/llvm-config.h beside clang");
    cure_by(part, "llvm-%u-dev", toolchain->major ? toolchain->major : REFERENCE);
}

/* What building Teamwork itself takes besides. */
static void find_build_tools(struct toolchain *toolchain)
{
    static const char *const tools[][2] = {{"cmake", "cmake"}, {"ninja", "ninja-build"}, {"pkg-config", "pkg-config"}};
    char path[PATH_BYTES];
    for (size_t i = 0; i < COUNT(tools); ++i) {
        struct part *part = add_part(toolchain, tools[i][0], "building Teamwork");
        if (find_program(tools[i][0], NULL, path, sizeof path)) {
            note(part, PART_FOUND, "%s", path);
            continue;
        }
        note(part, PART_MISSING, "it is not in PATH");
        cure_by(part, "%s", tools[i][1]);
    }
    struct part *boost = add_part(toolchain, "Boost.Context", "building Teamwork");
    if (toolchain_loaded("libboost_context.so", path, sizeof path) || find_boost(path, sizeof path)) {
        note(boost, PART_FOUND, "%s", path);
    } else {
        note(boost, PART_MISSING, "there is no libboost_context in /usr/lib");
        cure_by(boost, "libboost-context1.74.0");
    }
    struct part *part = add_part(toolchain, "hwloc's files for linking", "building Teamwork");
    if (find_program("pkg-config", NULL, path, sizeof path)
        && ask_line(path, "--modversion hwloc", path, sizeof path)) {
        note(part, PART_FOUND, "version %s", path);
        return;
    }
    note(part, PART_MISSING, "pkg-config does not know hwloc");
    cure_by(part, "libhwloc-dev");
}

void toolchain_find(struct toolchain *toolchain)
{
    *toolchain = (struct toolchain){.part_count = 0};
    find_compiler(toolchain);
    if (*toolchain->compiler) {
        find_dirs(toolchain);
        find_tools(toolchain);
        find_libraries(toolchain);
        find_target(toolchain);
        find_runtime(toolchain);
    }
    find_cuda(toolchain);
    find_driver(toolchain);
    find_rocm(toolchain);
    find_headers(toolchain);
    find_build_tools(toolchain);
    find_llvm_headers(toolchain);
}

/* ---- reporting --------------------------------------------------------------------------------------------------- */

static const char *const states[] = {[PART_FOUND] = "ok", [PART_MISSING] = "missing", [PART_WRONG] = "wrong"};

static void report_part(struct report *report, const struct part *part)
{
    if (report->json) {
        report_begin(report, '{', NULL, NULL);
        report_text(report, "name", part->name);
        report_text(report, "needed_for", part->needed_for);
        report_text(report, "state", states[part->state]);
        report_text(report, "found", *part->found ? part->found : NULL);
        report_text(report, "why", part->state == PART_FOUND ? NULL : part->why);
        report_text(report, "cure", part->state == PART_FOUND ? NULL : part->cure);
        report_end(report, '}');
        return;
    }
    printf("%-8s %s, for %s%s%s\n", states[part->state], part->name, part->needed_for, *part->found ? ": " : "",
           part->found);
    if (part->state != PART_FOUND)
        printf("         why: %s\n", part->why);
    if (part->state != PART_FOUND && *part->cure)
        printf("         do:  %s\n", part->cure);
}

void toolchain_report(struct report *report, const struct toolchain *toolchain)
{
    report_begin(report, '[', "toolchain", NULL);
    for (size_t i = 0; i < toolchain->part_count; ++i)
        report_part(report, &toolchain->parts[i]);
    report_end(report, ']');
}
