/* SPDX-License-Identifier: Apache-2.0 */
/* The program's device images for the offload device that is the host's own processor (cpu_image.h). cuda_launch.c
   reads those for NVIDIA GPUs. */
#include "cpu_image.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/image.h"

#define BUCKETS 64u

struct answer {
    struct answer *next;
    const struct tw_internal_kernel *kernel;
    bool lacks;
};

static struct {
    pthread_mutex_t mutex; /* protects all members */
    struct answer *buckets[BUCKETS];
    unsigned long long unloads; /* tw_image_unloads() when the buckets were filled */
} known = {.mutex = PTHREAD_MUTEX_INITIALIZER};

struct search {
    char launcher[512];
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
    if (snprintf(search.launcher, sizeof search.launcher, "%s_tw_teams_%u", kernel->name,
                 tw_internal_words_for(kernel->args_bytes))
        >= (int)sizeof search.launcher)
        return false;
    tw_image_visit(tw_image_binaries((uintptr_t)kernel->offload), look, &search);
    return !search.may_have_region;
}

static void forget_locked(void)
{
    for (size_t i = 0; i < BUCKETS; ++i)
        while (known.buckets[i]) {
            struct answer *next = known.buckets[i]->next;
            free(known.buckets[i]);
            known.buckets[i] = next;
        }
}

void tw_cpu_image_forget(void)
{
    pthread_mutex_lock(&known.mutex);
    forget_locked();
    pthread_mutex_unlock(&known.mutex);
}

bool tw_cpu_image_lacks(const struct tw_internal_kernel *kernel)
{
    const unsigned long long unloads = tw_image_unloads();
    pthread_mutex_lock(&known.mutex);
    if (known.unloads != unloads) { /* another kernel may be at the same address now */
        forget_locked();
        known.unloads = unloads;
    }
    struct answer **bucket = &known.buckets[(uintptr_t)kernel / sizeof(void *) % BUCKETS], *answer = *bucket;
    while (answer && answer->kernel != kernel)
        answer = answer->next;
    bool lacks = answer && answer->lacks;
    if (!answer) {
        lacks = look_up(kernel);
        answer = malloc(sizeof *answer); /* without memory, the next call searches again */
        if (answer) {
            *answer = (struct answer){*bucket, kernel, lacks};
            *bucket = answer;
        }
    }
    pthread_mutex_unlock(&known.mutex);
    return lacks;
}
