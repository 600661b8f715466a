/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel for each device of the machine (check.h): the program that is compiled, the stages, and what their failures
 * mean. A failure is explained by what the compiler, the linker or the program says, else by a part that is missing.
 */
#define _GNU_SOURCE
#include "check.h"

#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process.h"

#define PROGRAM "teamwork-info"
#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define OUTPUT_BYTES 65536u

/* Doubles numbers on each visible device, and prints a line for each: "ok NAME", or what went wrong. */
static const char source[] =
    "#include <stdio.h>\n"
    "#include <teamwork/teamwork.h>\n"
    "struct twice {\n"
    "    const int *in;\n"
    "    int *out;\n"
    "};\n"
    "static inline void twice(tw_item item, const struct twice *k)\n"
    "{\n"
    "    k->out[tw_global_id(item, 0)] = 2 * k->in[tw_global_id(item, 0)];\n"
    "}\n"
    "TW_RANGE_KERNEL(twice, 1);\n"
    "static int failed(const char *name)\n"
    "{\n"
    "    printf(\"%s: %s\\n\", name, tw_error_detail());\n"
    "    return 1;\n"
    "}\n"
    "static int run(tw_device *device)\n"
    "{\n"
    "    int data[64] = {21}, result[64] = {0};\n"
    "    tw_queue *queue = NULL;\n"
    "    tw_buffer *in = NULL, *out = NULL;\n"
    "    for (int i = 0; i < 64; ++i)\n"
    "        data[i] = i;\n"
    "    if (tw_queue_create_on_device(device, NULL, NULL, &queue) != TW_SUCCESS\n"
    "        || tw_buffer_create_over(data, sizeof(int), tw_range_1d(64), &in) != TW_SUCCESS\n"
    "        || tw_buffer_create_over(result, sizeof(int), tw_range_1d(64), &out) != TW_SUCCESS)\n"
    "        return failed(tw_device_name(device));\n"
    "    tw_command_group *cg = tw_queue_begin(queue);\n"
    "    tw_parallel_for(cg, tw_range_1d(64), twice, .in = tw_read(cg, in), .out = tw_discard_write(cg, out));\n"
    "    if (tw_queue_submit(queue, cg, NULL) != TW_SUCCESS || tw_queue_wait(queue) != TW_SUCCESS\n"
    "        || tw_buffer_destroy(&in) != TW_SUCCESS || tw_buffer_destroy(&out) != TW_SUCCESS)\n"
    "        return failed(tw_device_name(device));\n"
    "    for (int i = 0; i < 64; ++i)\n"
    "        if (result[i] != 2 * i) {\n"
    "            printf(\"%s: wrong result: %d instead of %d\\n\", tw_device_name(device), result[i], 2 * i);\n"
    "            return 1;\n"
    "        }\n"
    "    printf(\"ok %s\\n\", tw_device_name(device));\n"
    "    return 0;\n"
    "}\n"
    "int main(void)\n"
    "{\n"
    "    tw_device *devices[64];\n"
    "    tw_absent_device absent;\n"
    "    size_t count = 0, reasons = 0;\n"
    "    int failures = 0;\n"
    "    if (tw_get_devices(TW_DEVICE_ALL, devices, 64, &count) != TW_SUCCESS)\n"
    "        return failed(\"no devices\");\n"
    "    if (!count)\n"
    "        (void)tw_get_absent_devices(KIND, &absent, 1, &reasons);\n"
    "    if (!count)\n"
    "        printf(\"no device: %s\\n\", reasons ? absent.reason : \"nothing is known about the reason\");\n"
    "    for (size_t i = 0; i < count && i < 64; ++i)\n"
    "        failures += run(devices[i]);\n"
    "    return failures || !count;\n"
    "}\n";

/* ---- what failures mean ------------------------------------------------------------------------------------------ */

enum stage { COMPILE, LINK, RUN, STAGES };
static const char *const stage_names[] = {[COMPILE] = "compiling", [LINK] = "linking", [RUN] = "running"};

/* What is said, and what it means. In `cure` and `package` %u is the version of the compiler; a package is installed.
   */
static const struct symptom {
    const char *text, *why, *package, *cure;
} symptoms[] = {
    {"teamwork.h' file not found", "the headers of Teamwork are not where clang looks", NULL,
     "install Teamwork's files for development, or set CPPFLAGS to -I with the folders of its headers"},
    {"'omp.h' file not found", "clang has no OpenMP library of its version", "libomp-%u-dev", NULL},
    {"No available targets are compatible with triple \"nvptx", "this clang was built without the target NVPTX",
     "clang-19", NULL},
    {"unable to create target: 'nvptx", "this clang was built without the target NVPTX", "clang-19", NULL},
    {"no library 'libomptarget-nvptx",
     "clang does not look for the bitcode of the device runtime where it is installed", NULL,
     "compile with --libomptarget-nvptx-bc-path= and the folder of libomptarget-nvptx-sm_NN.bc, or with -foffload-lto, "
     "which takes libomptarget.devicertl.a instead; teamwork_add_offload() does so"},
    {"libomptarget-nvptx", "clang does not find the bitcode of the device runtime", "libomp-%u-dev", NULL},
    {"cannot find -lomptarget.devicertl", "clang has no device runtime of its version", "libomp-%u-dev", NULL},
    {"cannot find CUDA installation", "clang does not find the CUDA toolkit", NULL,
     "compile with --cuda-path= and the folder above bin/ptxas; teamwork_add_offload() takes CUDAToolkit_ROOT"},
    {"cannot find libdevice", "the CUDA toolkit that clang finds has no libdevice for this architecture", NULL,
     "compile with --cuda-path= and the folder of a complete toolkit, or set CUDA_PATH"},
    {"is not defined for option 'gpu-name'",
     "the assembler of this CUDA toolkit does not know the architecture: CUDA 13 "
     "dropped those before sm_75, and older toolkits lack newer ones",
     NULL, "set CUDA_PATH to a toolkit that has it: ptxas --help lists them"},
    {"unsupported CUDA gpu architecture", "this clang does not know the architecture", NULL,
     "compile for an earlier one of the same generation, whose code the GPU runs, or use a newer clang"},
    {"Unsupported .version", "the assembler of this CUDA toolkit is older than the PTX that clang writes", NULL,
     "use a newer CUDA toolkit, or --cuda-feature=+ptxNN with a version that it has"},
    {"ptxas' not found", "clang does not find the assembler of the CUDA toolkit", "nvidia-cuda-toolkit", NULL},
    {"Unable to find 'ptxas'", "clang does not find the assembler of the CUDA toolkit", "nvidia-cuda-toolkit", NULL},
    {"\"clang-offload-packager\" doesn't exist", "clang's tools for device images are a package of their own",
     "clang-tools-%u", NULL},
    {"\"clang-linker-wrapper\" doesn't exist", "clang's tools for device images are a package of their own",
     "clang-tools-%u", NULL},
    {"LLVM ERROR: Cannot select",
     "the code generator of this clang cannot compile the device runtime without optimization", NULL,
     "compile with -O1 or more, also for debugging"},
    {"cannot find -lomp", "clang has no OpenMP library of its version to link", "libomp-%u-dev", NULL},
    {"unable to find library -lomp", "clang has no OpenMP library of its version to link", "libomp-%u-dev", NULL},
    {"__tgt_", "libomptarget was not linked, or came before the files that need it", NULL,
     "link by clang with -fopenmp and the libomptarget of Teamwork, behind all object files: Teamwork::openmp in "
     "CMake"},
    {"cannot open shared object file",
     "a library is in a folder that the dynamic linker does not search: those of LLVM are "
     "not",
     NULL, "link with -Wl,-rpath, and the folder of libomp.so, as Teamwork::openmp does; or set LD_LIBRARY_PATH"},
    {"two OpenMP libraries", "GCC's libgomp, or another OpenMP library, is linked in front of LLVM's libomp", NULL,
     "link by clang with -fopenmp, and leave -lgomp out, or move it behind"},
    {"linked without the device images", "another linker than clang's dropped the device images silently", NULL,
     "link by clang with the options of teamwork_add_offload(): -fopenmp -fopenmp-targets= as for compiling"},
    {"compiled for an offload device, as by", "the options for offload devices did not reach the compiler", NULL,
     "compile with -fopenmp -fopenmp-targets=, as teamwork_add_offload() does"},
    {"has no device image for", "the options for this device did not reach the compiler", NULL,
     "compile for its architecture too: teamwork_add_offload(my_app ARCHS ...)"},
    {"OMP_TARGET_OFFLOAD hides", "the variable OMP_TARGET_OFFLOAD disables offload devices", NULL,
     "unset OMP_TARGET_OFFLOAD"},
    {"No images found compatible", "libomptarget does not load what this CUDA toolkit assembles", "liboffload-22",
     NULL},
    {"built without its plugin", "this libomptarget has no plugin for x86-64", "libomp-%u-dev", NULL},
    {"wrong result",
     "the kernel ran and did something else: on a GPU the usual causes are -fno-openmp-cuda-mode, which makes "
     "it an empty one, and files of different versions of Teamwork",
     NULL, "compile all files with -fopenmp-cuda-mode and the same headers, as teamwork_add_offload() does"},
};

/* ---- devices ----------------------------------------------------------------------------------------------------- */

/* A device that is checked, and what became of it. */
struct check {
    const char *kind, *type; /* as TW_DEVICES names it; its constant */
    char arch[16];           /* "" for the host */
    bool succeeds;
    enum stage stage; /* the one that failed, else the last one */
    char output[256]; /* one line */
    const char *why;
    char cure[384], command[4096];
};

static bool is_nvidia(const struct check *check)
{
    return strncmp(check->arch, "sm_", 3) == 0;
}

/* Explains a failure by what was said. Returns false if that means nothing. */
static bool explain_by_symptom(struct check *check, const struct toolchain *toolchain, const char *output)
{
    const struct symptom *symptom = symptoms;
    while (symptom < symptoms + COUNT(symptoms) && !strstr(output, symptom->text))
        ++symptom;
    if (symptom == symptoms + COUNT(symptoms))
        return false;
    check->why = symptom->why;
    if (symptom->package) {
        char package[64];
        const char *number = strstr(symptom->package, "%u");
        if (number)
            snprintf(package, sizeof package, "%.*s%u%s", (int)(number - symptom->package), symptom->package,
                     toolchain->major, number + 2);
        else
            snprintf(package, sizeof package, "%s", symptom->package);
        toolchain_install(package, check->cure, sizeof check->cure);
    } else {
        snprintf(check->cure, sizeof check->cure, "%s", symptom->cure);
    }
    return true;
}

/* Explains a failure by a part of the toolchain that is not as it should be. */
static bool explain_by_part(struct check *check, const struct toolchain *toolchain)
{
    for (size_t i = 0; i < toolchain->part_count; ++i) {
        const struct part *part = &toolchain->parts[i];
        const bool is_needed = strcmp(part->needed_for, "kernels") == 0
                               || (*check->arch && strcmp(part->needed_for, "offload devices") == 0)
                               || (is_nvidia(check) && strcmp(part->needed_for, "NVIDIA GPUs") == 0);
        if (!is_needed || part->state == PART_FOUND)
            continue;
        check->why = part->why;
        snprintf(check->cure, sizeof check->cure, "%s", part->cure);
        return true;
    }
    return false;
}

/* Stores the line of an output that says most: the first error, else the first line. */
static void keep_line(struct check *check, const char *output)
{
    const char *error = strstr(output, "error:");
    const char *line = error ? error : output;
    while (line > output && line[-1] != '\n')
        --line;
    snprintf(check->output, sizeof check->output, "%.*s", (int)strcspn(line, "\n"), line);
}

static void explain(struct check *check, const struct toolchain *toolchain, const char *output)
{
    keep_line(check, output);
    /* the library sees that a GPU is not offered; why, only the parts tell */
    const bool is_hidden = strstr(output, "does not offer the GPU") || strstr(output, "shows no GPU");
    if (is_hidden && explain_by_part(check, toolchain))
        return;
    if (!explain_by_symptom(check, toolchain, output) && !explain_by_part(check, toolchain))
        check->why = "this tool does not know the message: the command shows it again";
}

/* ---- stages ------------------------------------------------------------------------------------------------------ */

/* Runs one stage. Returns true if it succeeds; else the check has the reason. */
static bool run_stage(struct check *check, const struct toolchain *toolchain, enum stage stage,
                      const struct command *command)
{
    static char output[OUTPUT_BYTES];
    check->stage = stage;
    (void)command_show(command, check->command, sizeof check->command);
    const int status = command_run(command, output, sizeof output);
    check->succeeds = status == 0;
    if (stage == RUN && status > 128)
        snprintf(output + strlen(output), sizeof output - strlen(output), "the program was ended by signal %d",
                 status - 128);
    if (status)
        explain(check, toolchain, output);
    else
        keep_line(check, output);
    return check->succeeds;
}

static void add_targets(struct command *command, const struct check *check, const struct toolchain *toolchain)
{
    command_add_words(command, "-fopenmp");
    if (is_nvidia(check)) {
        command_add_words(command, "-fopenmp-targets=nvptx64-nvidia-cuda -foffload-lto");
        command_add(command, "--cuda-path=%s", toolchain->cuda_root);
    } else if (*check->arch) {
        command_add_words(command, "-fopenmp-targets=x86_64-pc-linux-gnu");
    }
}

static bool compile(struct check *check, const struct toolchain *toolchain, const char *dir)
{
    struct command command = {.count = 0};
    command_add(&command, "%s", toolchain->compiler);
    command_add_words(&command, "-std=c17 -O1 -Wno-pass-failed");
    add_targets(&command, check, toolchain);
    if (is_nvidia(check)) {
        command_add_words(&command, "-Xopenmp-target=nvptx64-nvidia-cuda");
        command_add(&command, "-march=%s", check->arch);
        command_add_words(&command, "-Wno-unknown-cuda-version -DTW_LOWERING_SIMT -fopenmp-cuda-mode");
    } else if (*check->arch) {
        command_add_words(&command, "-Xopenmp-target=x86_64-pc-linux-gnu -mllvm=-openmp-opt-disable");
    }
    command_add(&command, "-DKIND=%s", check->type);
    command_add_words(&command, getenv("CPPFLAGS"));
    if (*toolchain->headers)
        command_add(&command, "-I%s", toolchain->headers);
    command_add_words(&command, getenv("CFLAGS"));
    command_add(&command, "-c");
    command_add(&command, "%s/twice.c", dir);
    command_add(&command, "-o");
    command_add(&command, "%s/twice.o", dir);
    return run_stage(check, toolchain, COMPILE, &command);
}

/* Adds a library, and lets the program find it where it is now. */
static void add_library(struct command *command, const char *path)
{
    char copy[PATH_BYTES];
    snprintf(copy, sizeof copy, "%s", path);
    command_add(command, "-Wl,-rpath,%s", dirname(copy));
    command_add(command, "%s", path);
}

static bool link_program(struct check *check, const struct toolchain *toolchain, const char *dir)
{
    struct command command = {.count = 0};
    char library[PATH_BYTES], copy[PATH_BYTES];
    command_add(&command, "%s", toolchain->compiler);
    add_targets(&command, check, toolchain);
    command_add(&command, "%s/twice.o", dir);
    command_add(&command, "-o");
    command_add(&command, "%s/twice", dir);
    command_add_words(&command, getenv("LDFLAGS"));
    if (toolchain_loaded("libteamwork.so", library, sizeof library))
        add_library(&command, library);
    else
        command_add_words(&command, "-lteamwork");
    command_add_words(&command, "-lm -Wl,--as-needed");
    if (*toolchain->omp) {
        snprintf(copy, sizeof copy, "%s", toolchain->omp);
        command_add(&command, "-L%s", dirname(copy));
        add_library(&command, toolchain->omp);
    }
    if (*toolchain->omptarget)
        add_library(&command, toolchain->omptarget);
    return run_stage(check, toolchain, LINK, &command);
}

static bool run_program(struct check *check, const struct toolchain *toolchain, const char *dir)
{
    struct command command = {.count = 0};
    command_add(&command, "%s/twice", dir);
    setenv("TW_DEVICES", check->kind, 1);
    return run_stage(check, toolchain, RUN, &command);
}

/* Returns false if an option is known to be wrong, whatever the compiler thinks of it. */
static bool accepts_options(struct check *check)
{
    const char *flags = getenv("CFLAGS");
    if (!is_nvidia(check) || !flags || !strstr(flags, "-fno-openmp-cuda-mode"))
        return true;
    check->succeeds = false;
    check->stage = COMPILE;
    snprintf(check->output, sizeof check->output, "CFLAGS has -fno-openmp-cuda-mode");
    check->why =
        "without -fopenmp-cuda-mode a kernel of the simt lowering calls a runtime that it does not have: it may "
        "become an empty one, without a message";
    snprintf(check->cure, sizeof check->cure, "leave -fno-openmp-cuda-mode out, or compile with LOWERING teams");
    return false;
}

static bool write_source(const char *dir)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/twice.c", dir);
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    const bool is_written = fputs(source, file) >= 0;
    return fclose(file) == 0 && is_written;
}

static void remove_files(const char *dir)
{
    static const char *const files[] = {"twice.c", "twice.o", "twice"};
    char path[PATH_MAX];
    for (size_t i = 0; i < COUNT(files); ++i) {
        snprintf(path, sizeof path, "%s/%s", dir, files[i]);
        (void)unlink(path);
    }
    (void)rmdir(dir);
}

static void run_check(struct check *check, const struct toolchain *toolchain)
{
    const char *temporary = getenv("TMPDIR");
    char dir[PATH_BYTES];
    if (!*toolchain->compiler) {
        (void)explain_by_part(check, toolchain);
        snprintf(check->output, sizeof check->output, "there is no compiler");
        return;
    }
    snprintf(dir, sizeof dir, "%.400s/teamwork-info-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(dir) || !write_source(dir)) {
        check->why = "a program cannot be written there";
        snprintf(check->output, sizeof check->output, "%.240s", dir);
        snprintf(check->cure, sizeof check->cure, "set TMPDIR to a folder with room");
        return;
    }
    if (accepts_options(check) && compile(check, toolchain, dir) && link_program(check, toolchain, dir))
        (void)run_program(check, toolchain, dir);
    remove_files(dir);
}

/* ---- reporting --------------------------------------------------------------------------------------------------- */

static void report_check(struct report *report, const struct check *check)
{
    if (report->json) {
        report_begin(report, '{', NULL, NULL);
        report_text(report, "kind", check->kind);
        report_text(report, "arch", *check->arch ? check->arch : NULL);
        report_bool(report, "succeeds", check->succeeds);
        report_text(report, "stage", stage_names[check->stage]);
        report_text(report, "output", check->output);
        report_text(report, "why", check->why);
        report_text(report, "cure", *check->cure ? check->cure : NULL);
        report_text(report, "command", *check->command ? check->command : NULL);
        report_end(report, '}');
        return;
    }
    char device[32];
    snprintf(device, sizeof device, "%s%s%s%s", check->kind, *check->arch ? " (" : "", check->arch,
             *check->arch ? ")" : "");
    if (check->succeeds) {
        printf("ok       %s: a kernel was compiled, linked and run%s%s\n", device,
               strncmp(check->output, "ok ", 3) == 0 ? " on " : "", check->output + 3);
        return;
    }
    printf("failed   %s, %s: %s\n         why: %s\n", device, stage_names[check->stage], check->output, check->why);
    if (*check->cure)
        printf("         do:  %s\n", check->cure);
    if (*check->command)
        printf("         by:  %s\n", check->command);
}

static bool check_one(struct report *report, const struct toolchain *toolchain, const char *kind, const char *type,
                      const char *arch)
{
    static struct check check;
    check = (struct check){.kind = kind, .type = type, .why = ""};
    snprintf(check.arch, sizeof check.arch, "%s", arch);
    run_check(&check, toolchain);
    report_check(report, &check);
    fflush(stdout);
    return check.succeeds;
}

/* Returns true if a list as TW_DEVICES takes it has a kind. */
static bool has_kind(const char *kinds, const char *kind)
{
    for (const char *at = kinds; at && *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ',')) {
        const size_t length = strcspn(at, ":,");
        if ((strlen(kind) == length && strncmp(at, kind, length) == 0) || (length == 1 && *at == '*')
            || (length == 3 && strncmp(at, "omp", 3) == 0 && strcmp(kind, "host") != 0))
            return true;
    }
    return !kinds || !*kinds;
}

bool check_report(struct report *report, const struct toolchain *toolchain, const char *kinds)
{
    char wanted[256];
    bool succeeds = true;
    snprintf(wanted, sizeof wanted, "%s", kinds ? kinds : ""); /* the variable, perhaps, which checks change */
    report_begin(report, '[', "checks", NULL);
    if (has_kind(wanted, "host"))
        succeeds = check_one(report, toolchain, "host", "TW_DEVICE_HOST", "");
#ifdef __x86_64__
    if (has_kind(wanted, "cpu"))
        succeeds = check_one(report, toolchain, "cpu", "TW_DEVICE_CPU", "x86_64") && succeeds;
#endif
    if (!toolchain->gpu_count && has_kind(wanted, "gpu") && !report->json)
        printf("none     gpu: %s\n",
               toolchain->has_driver ? "the CUDA driver shows no GPU" : "there is no CUDA driver, which shows GPUs");
    for (size_t i = 0; i < toolchain->gpu_count && has_kind(wanted, "gpu"); ++i) {
        char arch[16];
        bool is_new = true; /* a program runs on all GPUs of an architecture */
        for (size_t k = 0; k < i; ++k)
            is_new = is_new && toolchain->gpus[k].capability != toolchain->gpus[i].capability;
        snprintf(arch, sizeof arch, "sm_%u", toolchain->gpus[i].capability);
        succeeds = (!is_new || check_one(report, toolchain, "gpu", "TW_DEVICE_GPU", arch)) && succeeds;
    }
    report_end(report, ']');
    return succeeds;
}
