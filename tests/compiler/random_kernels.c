/* SPDX-License-Identifier: Apache-2.0 */
/* Compares kernels of random_kernels.py with plain C: each launch runs both ways on the same contents. Arrays lie between
   pages that cannot be accessed. Says what differs first, and ends with the number of launches that differ. */
#define _DEFAULT_SOURCE 1
#include <string.h>
#include <sys/mman.h>

#include "random_kernels.h"

extern const struct random_launch random_launches[]; /* the last one has no kernel */

int random_backwards;

static const size_t sizes[] = {4, 4, 1, 1, 2, 2, 8, 4, 8};

/* Memory that ends (to 16 bytes) where a page begins that nothing may access, as the page in front of it. */
static void *guarded(size_t bytes)
{
    const size_t page = 4096, body = (bytes + page - 1) / page * page;
    char *p = mmap(NULL, body + 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED || mprotect(p, page, PROT_NONE) != 0 || mprotect(p + page + body, page, PROT_NONE) != 0)
        abort();
    return p + page + ((body - bytes) & ~(size_t)15);
}

static void unguard(void *p, size_t bytes)
{
    const size_t page = 4096, body = (bytes + page - 1) / page * page;
    munmap((void *)(((uintptr_t)p & ~(uintptr_t)(page - 1)) - page), body + 2 * page);
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
        }
    }
}

static double number(const void *p, size_t i, enum element type)
{
    switch (type) {
    case type_int:
        return ((const int *)p)[i];
    case type_unsigned:
        return ((const unsigned *)p)[i];
    case type_schar:
        return ((const signed char *)p)[i];
    case type_uchar:
        return ((const unsigned char *)p)[i];
    case type_short:
        return ((const short *)p)[i];
    case type_ushort:
        return ((const unsigned short *)p)[i];
    case type_long64:
        return (double)((const int64_t *)p)[i];
    case type_float:
        return (double)((const float *)p)[i];
    default:
        return ((const double *)p)[i];
    }
}

static int compare(const struct random_launch *r, size_t place, const struct launch *s, void *const *expected,
                   const char *what)
{
    for (int a = 0; a < s->arrays; ++a) {
        const enum element type = s->type[a];
        size_t wrong = 0, first = 0;
        for (size_t i = s->count[a]; i-- > 0;)
            if (memcmp((char *)s->array[a] + i * sizes[type], (char *)expected[a] + i * sizes[type], sizes[type]) != 0)
                ++wrong, first = i;
        if (wrong == 0)
            continue;
        printf("%s%s, launch %zu (groups %zu %zu, local %zu %zu, n %d, m %d, c %d, z %zu, shifts %zu %zu %zu %zu %zu, "
               "%s): "
               "array %d has %zu wrong, [%zu] = %.17g, expected %.17g\n",
               what, r->kernel->name, place, s->groups[0], s->groups[1], s->local[0], s->local[1], s->n, s->m, s->c,
               s->z, s->shift[0], s->shift[1], s->shift[2], s->shift[3], s->shift[4],
               s->addresses ? "addresses" : "accessors", a, wrong, first, number(s->array[a], first, type),
               number(expected[a], first, type));
        return 1;
    }
    return 0;
}

int main(void)
{
    int *const in = guarded(READ_ONLY * sizeof *in), different = 0, launches = 0;
    fill(in, READ_ONLY, type_int, 7);
    tw_queue *queue = NULL;
    setvbuf(stdout, NULL, _IOLBF, 0);
    CHECK(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
    for (const struct random_launch *r = random_launches; r->kernel != NULL; ++r, ++launches) {
        struct launch s = r->launch;
        void *expected[MOST_ARRAYS], *got[MOST_ARRAYS];
        s.in = in;
        for (int a = 0; a < s.arrays; ++a) {
            expected[a] = guarded(s.count[a] * sizes[s.type[a]]);
            got[a] = guarded(s.count[a] * sizes[s.type[a]]);
            fill(expected[a], s.count[a], s.type[a], (unsigned)launches + 1);
            memcpy(got[a], expected[a], s.count[a] * sizes[s.type[a]]);
            s.array[a] = expected[a];
        }
        const size_t place = (size_t)(r - random_launches);
        r->kernel->plain(&s);
        memcpy(s.array, got, sizeof got);
        random_backwards = 1;
        r->kernel->plain(&s);
        random_backwards = 0;
        different += compare(r, place, &s, expected, "DATA RACE, the generator is wrong: ");
        for (int a = 0; a < s.arrays; ++a)
            fill(got[a], s.count[a], s.type[a], (unsigned)launches + 1);
        r->kernel->launch(queue, &s);
        different += compare(r, place, &s, expected, "");
        for (int a = 0; a < s.arrays; ++a) {
            unguard(expected[a], s.count[a] * sizes[s.type[a]]);
            unguard(got[a], s.count[a] * sizes[s.type[a]]);
        }
    }
    CHECK(tw_queue_destroy(&queue));
    printf("%d launches, %d different\n", launches, different);
    return different != 0;
}
