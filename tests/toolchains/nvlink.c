/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVIDIA's wheels of CUDA 12 have no program nvlink, which clang links device images with, but the library nvJitLink, which
 * does the same. This program is called as clang calls nvlink: nvlink -o OUTPUT -arch sm_NN [options] CUBIN... Made by
 * cuda_wheels.sh.
 */
#include <nvJitLink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Says what failed, with what the library says about it, and ends. */
static _Noreturn void fail(nvJitLinkHandle handle, const char *what, const char *name)
{
    size_t bytes = 0;
    char *log;
    fprintf(stderr, "nvlink: %s: %s\n", what, name);
    if (handle && nvJitLinkGetErrorLogSize(handle, &bytes) == NVJITLINK_SUCCESS && bytes && (log = malloc(bytes))) {
        if (nvJitLinkGetErrorLog(handle, log) == NVJITLINK_SUCCESS)
            fprintf(stderr, "%s\n", log);
        free(log);
    }
    exit(1);
}

/* Does an option take the next argument? Those that do not are not used. */
static int has_value(const char *option)
{
    static const char *const names[] = {"-o", "-arch", "--arch", "-L", "-l", "-maxrregcount"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (strcmp(option, names[i]) == 0)
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    const char *output = NULL, *options[1];
    char arch[32] = "";
    nvJitLinkHandle handle = NULL;
    size_t bytes = 0;

    for (int i = 1; i < argc; ++i) {
        if (argv[i][0] != '-' || !has_value(argv[i]) || i + 1 == argc)
            continue;
        if (strcmp(argv[i], "-o") == 0)
            output = argv[i + 1];
        else if (strstr(argv[i], "-arch"))
            snprintf(arch, sizeof arch, "-arch=%s", argv[i + 1]);
        ++i;
    }
    if (!output || !*arch)
        fail(NULL, "an argument is missing", output ? "-arch" : "-o");
    options[0] = arch;
    if (nvJitLinkCreate(&handle, 1, options) != NVJITLINK_SUCCESS)
        fail(handle, "the library does not start for", arch);
    for (int i = 1; i < argc; ++i) {
        if (argv[i][0] == '-')
            i += has_value(argv[i]);
        else if (nvJitLinkAddFile(handle, NVJITLINK_INPUT_CUBIN, argv[i]) != NVJITLINK_SUCCESS)
            fail(handle, "cannot be linked", argv[i]);
    }
    if (nvJitLinkComplete(handle) != NVJITLINK_SUCCESS
        || nvJitLinkGetLinkedCubinSize(handle, &bytes) != NVJITLINK_SUCCESS)
        fail(handle, "cannot be linked", output);
    void *image = malloc(bytes);
    FILE *file = fopen(output, "wb");
    if (!image || !file || nvJitLinkGetLinkedCubin(handle, image) != NVJITLINK_SUCCESS
        || fwrite(image, 1, bytes, file) != bytes || fclose(file) != 0)
        fail(handle, "cannot be written", output);
    free(image);
    return nvJitLinkDestroy(&handle) != NVJITLINK_SUCCESS;
}
