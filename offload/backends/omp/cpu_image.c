/* SPDX-License-Identifier: Apache-2.0 */
/* The program's device images for the offload device that is the host's own processor (cpu_image.h). cuda_launch.c
   reads those for NVIDIA GPUs. */
#include "cpu_image.h"

#include <pthread.h>
#include <string.h>

#include "base/cancellation.h"
#include "common/image.h"

#define ANSWERS 1024u /* that are remembered */

static struct {
    pthread_mutex_t mutex;      /* protects all members */
    unsigned long long unloads; /* tw_image_unloads() when the answers were found */
    struct answer {
        const struct tw_internal_kernel *kernel; /* NULL: free */
        bool lacks;
    } answers[ANSWERS];
} known = {.mutex = PTHREAD_MUTEX_INITIALIZER};

struct search {
    char launcher[TW_IMAGE_LAUNCHER_BYTES];
    bool may_have_region;
};

static bool look(const struct tw_image *image, void *user)
{
    static const char *const others[] = {"nvptx", "amdgcn", "spirv"};
    struct search *search = user;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i)
        if (strncmp(image->triple, others[i], strlen(others[i])) == 0)
            return true;
    search->may_have_region = tw_image_may_have_region(image->contents, search->launcher);
    return !search->may_have_region;
}

static bool look_up(const struct tw_internal_kernel *kernel)
{
    struct search search = {.may_have_region = false};
    TW_DEFER_CANCELLATION; /* files are read under the mutex */
    if (!tw_image_name_launcher(search.launcher, kernel, "teams", tw_internal_words_for(kernel->args_bytes)))
        return false;
    tw_image_visit(tw_image_binaries((uintptr_t)kernel->offload), look, &search);
    return !search.may_have_region;
}

/* Returns the place of a kernel's answer, which may be free; NULL if there is no room for it. */
static struct answer *answer_locked(const struct tw_internal_kernel *kernel)
{
    const size_t first = (uintptr_t)kernel / sizeof *kernel;
    for (size_t i = 0; i < ANSWERS; ++i) {
        struct answer *answer = &known.answers[(first + i) % ANSWERS];
        if (!answer->kernel || answer->kernel == kernel)
            return answer;
    }
    return NULL;
}

bool tw_cpu_image_lacks(const struct tw_internal_kernel *kernel)
{
    const unsigned long long unloads = tw_image_unloads();
    pthread_mutex_lock(&known.mutex);
    if (known.unloads != unloads) { /* another kernel may be at the same address now */
        memset(known.answers, 0, sizeof known.answers);
        known.unloads = unloads;
    }
    struct answer *answer = answer_locked(kernel);
    const bool lacks = answer && answer->kernel ? answer->lacks : look_up(kernel);
    if (answer)
        *answer = (struct answer){kernel, lacks};
    pthread_mutex_unlock(&known.mutex);
    return lacks;
}
