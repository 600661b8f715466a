/* SPDX-License-Identifier: Apache-2.0 */
/* Compares kernels of random_kernels.py with the same text as plain C: each launch runs both ways on the same contents. Arrays lie
   before or behind pages that cannot be accessed. Says what differs first, and ends with the number of launches that differ.

   usage: PROGRAM KERNELS LAUNCHES [FIRST]    so many of each kernel of a shared object, from the FIRST of its table on

   What crashes or does not come to an end, ends the program with a line "NAME crashed at INDEX": others follow that one. */
#define _DEFAULT_SOURCE 1
#include <dlfcn.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "random_kernels.h"

int random_backwards;

void random_elsewhere(int *x, int by)
{
    *x = (*x * 3 + (by & 0xfff)) & 0xffff;
}

enum { PAGE = 4096, BODY = 4 << 20, SECONDS = 20 };

static const size_t sizes[] = {4, 4, 1, 1, 2, 2, 8, 4, 8, sizeof(struct cell)};

static uint64_t state; /* of below() */

/* 0 to n - 1 */
static size_t below(size_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(state >> 33) % n;
}

/* BODY bytes between pages that nothing may access. */
static void *guarded(void)
{
    char *p = mmap(NULL, BODY + 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED || mprotect(p, PAGE, PROT_NONE) != 0 || mprotect(p + PAGE + BODY, PAGE, PROT_NONE) != 0)
        abort();
    return p + PAGE;
}

/* As much of a body as an array takes, at its begin or (to 16 bytes) at its end. */
static void *part_of(char *body, size_t bytes, int at_end)
{
    if (bytes > BODY)
        abort();
    return body + (at_end ? (BODY - bytes) & ~(size_t)15 : 0);
}

static void fill(void *p, size_t n, enum element type, unsigned seed)
{
    for (size_t i = 0; i < n; ++i) {
        seed = seed * 1664525u + 1013904223u;
        const int x = (int)(seed >> 16 & 1023);
        switch (type) {
        case type_int:
            ((int *)p)[i] = x - 200;
            break;
        case type_unsigned:
            ((unsigned *)p)[i] = (unsigned)x;
            break;
        case type_schar:
            ((signed char *)p)[i] = (signed char)((x & 255) - 128);
            break;
        case type_uchar:
            ((unsigned char *)p)[i] = (unsigned char)(x & 255);
            break;
        case type_short:
            ((short *)p)[i] = (short)(x - 200);
            break;
        case type_ushort:
            ((unsigned short *)p)[i] = (unsigned short)x;
            break;
        case type_long64:
            ((int64_t *)p)[i] = x - 200;
            break;
        case type_float:
            ((float *)p)[i] = (float)(x - 200);
            break;
        case type_double:
            ((double *)p)[i] = x - 200;
            break;
        case type_cell:
            ((struct cell *)p)[i] =
                (struct cell){x - 200, (short)x, (unsigned char)x, (signed char)((x & 255) - 128), (float)x};
            break;
        }
    }
}

static void show(const void *p, size_t i, enum element type)
{
    const unsigned char *byte = (const unsigned char *)p + i * sizes[type];
    if (type == type_int || type == type_unsigned)
        printf("%d", ((const int *)p)[i]);
    else if (type == type_float || type == type_double)
        printf("%.17g", type == type_float ? (double)((const float *)p)[i] : ((const double *)p)[i]);
    else
        for (size_t at = 0; at < sizes[type]; ++at)
            printf("%02x", byte[at]);
}

static int compare(const struct random_kernel *kernel, int place, const struct launch *s, void *const *expected,
                   const char *what)
{
    static const char *const storages[] = {"accessors", "addresses", "shared memory"};
    for (int a = 0; a < kernel->arrays; ++a) {
        const enum element type = kernel->types[a];
        size_t wrong = 0, first = 0;
        if (memcmp(s->array[a], expected[a], s->count[a] * sizes[type]) == 0)
            continue;
        for (size_t i = s->count[a]; i-- > 0;)
            if (memcmp((char *)s->array[a] + i * sizes[type], (char *)expected[a] + i * sizes[type], sizes[type]) != 0)
                ++wrong, first = i;
        printf("%s%s, launch %d (groups %zu %zu %zu, local %zu %zu %zu, n %d, m %d, c %d, z %zu, first %zd, pad %zu, "
               "region %zu, shifts",
               what, kernel->name, place, s->groups[0], s->groups[1], s->groups[2], s->local[0], s->local[1],
               s->local[2], s->n, s->m, s->c, s->z, (ssize_t)s->first, s->pad, s->region);
        for (int b = 0; b < kernel->arrays; ++b)
            for (int v = 0; v < kernel->views[b]; ++v)
                printf(" %zu", s->shift[b][v]);
        printf(", %s): array %d has %zu wrong, [%zu] = ", storages[s->storage], a, wrong, first);
        show(s->array[a], first, type);
        printf(", expected ");
        show(expected[a], first, type);
        printf("\n");
        return 1;
    }
    return 0;
}

/* Sizes, contents of members and places of arrays. Parts of an array are apart by what work-items own by turns. */
static struct launch choose(const struct random_kernel *kernel, const int *in)
{
    struct launch s = {.storage = (enum storage)below(STORAGES), .groups = {1, 1, 1}, .in = in, .m = (int)below(5)};
    memcpy(s.local, kernel->sizes[below(3)], sizeof s.local);
    if (!kernel->is_single_group)
        for (int d = 0; d < kernel->dims; ++d)
            s.groups[d] = 1 + below(kernel->dims == 3 ? 2 : 3);
    for (int d = 0; kernel->has_offset && d < kernel->dims; ++d)
        s.offset[d] = below(2) * below(50);
    const size_t items = s.local[0] * s.local[1] * s.local[2], groups = s.groups[0] * s.groups[1] * s.groups[2];
    const size_t firsts[] = {0,
                             0,
                             1,
                             5,
                             items,
                             below(64),
                             0 - (size_t)1,
                             0 - (size_t)1,
                             0 - (size_t)3,
                             1 - items,
                             0 - items,
                             0 - below(256)};
    s.n = below(3) == 0 && items <= LIMIT / 2 ? (int)(items * (1 + below(LIMIT / items - 1)) + below(3)) - 1
                                              : 1 + (int)below(LIMIT);
    s.c = (int)below((size_t)s.n + 1);
    s.z = below((size_t)s.n + 1);
    s.first = firsts[below(sizeof firsts / sizeof firsts[0])];
    const size_t unit = kernel->row ? s.local[0] * kernel->row : items * kernel->block;
    s.pad = kernel->has_pad ? (256 + 2 * items + unit - 1) / unit * unit : 0;
    s.region = (kernel->reach + s.pad + 17 * items + 3 * unit) / unit * unit;
    const size_t all = s.region * groups;
    for (int a = 0; a < kernel->arrays; ++a) {
        const int are_apart = below(6) == 0;
        s.count[a] = all + 2 * unit;
        for (int v = 0; v < kernel->views[a]; ++v) {
            if (are_apart)
                s.shift[a][v] = all * (size_t)v;
            else if (groups == 1)
                s.shift[a][v] = v * below(2) * below(3) % 3 * unit;
            if (s.shift[a][v] + all > s.count[a])
                s.count[a] = s.shift[a][v] + all;
        }
    }
    return s;
}

static const struct random_kernel *running;
static int running_at;

static void crashed(int signal)
{
    char text[160];
    const int n = snprintf(text, sizeof text, "%s, signal %d\n%s crashed at %d\n", running->name, signal, running->name,
                           running_at);
    if (write(STDOUT_FILENO, text, (size_t)n) != n)
        _exit(3);
    _exit(2);
}

int main(int argc, char **argv)
{
    void *object = argc > 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    const struct random_kernel *const *kernels = object != NULL ? dlsym(object, "random_kernels") : NULL;
    if (kernels == NULL) {
        printf("%s\n", argc > 2 ? dlerror() : "usage: PROGRAM KERNELS LAUNCHES [FIRST]");
        return 3;
    }
    const int launches = atoi(argv[2]);
    int different = 0, races = 0;
    int *const in = part_of(guarded(), READ_ONLY * sizeof *in, 1);
    char *expected_in[MOST_ARRAYS], *got_in[MOST_ARRAYS], *shared_in[MOST_ARRAYS];
    tw_queue *queue = NULL;
    setvbuf(stdout, NULL, _IOLBF, 0);
    fill(in, READ_ONLY, type_int, 7);
    CHECK(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
    for (int a = 0; a < MOST_ARRAYS; ++a) {
        expected_in[a] = guarded();
        got_in[a] = guarded();
        shared_in[a] = tw_malloc_shared(tw_queue_device(queue), BODY);
        if (shared_in[a] == NULL)
            abort();
    }
    running_at = argc > 3 ? atoi(argv[3]) : 0;
    for (size_t i = 0; i < 5; ++i)
        signal((const int[]){SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM}[i], crashed);
    for (; (running = kernels[running_at]) != NULL; ++running_at) {
        state = (uint64_t)running->number * 7919u + 1;
        for (int place = 0; place < launches; ++place) {
            struct launch s = choose(running, in);
            const unsigned seed = (unsigned)below(1u << 30);
            const int at_end = (int)below(2);
            void *expected[MOST_ARRAYS], *got[MOST_ARRAYS];
            for (int a = 0; a < running->arrays; ++a) {
                const size_t bytes = s.count[a] * sizes[running->types[a]];
                expected[a] = part_of(expected_in[a], bytes, at_end);
                got[a] = part_of(s.storage == shared_memory ? shared_in[a] : got_in[a], bytes, at_end);
                fill(expected[a], s.count[a], running->types[a], seed);
                memcpy(got[a], expected[a], bytes);
            }
            memcpy(s.array, got, sizeof got);
            alarm(SECONDS);
            running->launch(queue, &s);
            alarm(0);
            memcpy(s.array, expected, sizeof expected);
            running->run(&s);
            memcpy(s.array, got, sizeof got);
            const int differs = compare(running, place, &s, expected, "");
            different += differs;
            if (!differs && place % 2 == 0)
                continue;
            if (differs)
                place = launches; /* one is enough */
            for (int a = 0; a < running->arrays; ++a)
                fill(got[a], s.count[a], running->types[a], seed);
            random_backwards = 1;
            running->run(&s);
            random_backwards = 0;
            races += compare(running, place, &s, expected, "DATA RACE, the generator is wrong: ");
        }
    }
    CHECK(tw_queue_destroy(&queue));
    printf("%d different, %d races\n", different, races);
    return different + races != 0;
}
