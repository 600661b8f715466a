/* SPDX-License-Identifier: Apache-2.0 */
/* The Game of Life in OpenMP. */
#include "../arrays_openmp.h"
#include "life.h"

#ifdef SUITE_TARGET

static bool SUITE_NAME(life_flat)(void *state)
{
    const struct suite_openmp *s = state;
    const struct life *life = s->problem;
    const unsigned pitch = (unsigned)life->pitch, side = (unsigned)life->side;
    const unsigned char *now = (const unsigned char *)s->at[LIFE_NOW] + pitch + 1;
    unsigned char *next = (unsigned char *)s->at[LIFE_NEXT] + pitch + 1;
#pragma omp target teams distribute parallel for collapse(2) device(suite_openmp_device) is_device_ptr(now, next)
    for (unsigned row = 0; row < side; ++row)
        for (unsigned column = 0; column < side; ++column) {
            const unsigned char *here = now + row * pitch + column, *up = here - pitch, *down = here + pitch;
            const unsigned char sum =
                (unsigned char)(up[-1] + up[0] + up[1] + here[-1] + here[1] + down[-1] + down[0] + down[1]);
            next[row * pitch + column] = (unsigned char)((sum == 3) | ((sum == 2) & here[0]));
        }
    return true;
}

/* A team is a tile. */
static bool SUITE_NAME(life_tiled)(void *state)
{
    enum { TILE = LIFE_TILE, HALO = LIFE_TILE + 2 };
    const struct suite_openmp *s = state;
    const struct life *life = s->problem;
    const unsigned pitch = (unsigned)life->pitch, tiles = (unsigned)life->side / TILE;
    const unsigned char *now = s->at[LIFE_NOW];
    unsigned char *next = (unsigned char *)s->at[LIFE_NEXT] + pitch + 1;
#pragma omp target teams distribute collapse(2) num_teams(tiles *tiles) thread_limit(TILE *TILE)                       \
    device(suite_openmp_device) is_device_ptr(now, next)
    for (unsigned ti = 0; ti < tiles; ++ti)
        for (unsigned tj = 0; tj < tiles; ++tj) {
            unsigned char tile[HALO][HALO];
            SUITE_TEAM_MEMORY(tile)
            const unsigned corner = ti * TILE * pitch + tj * TILE;
#pragma omp parallel num_threads(TILE *TILE)
            {
#pragma omp for collapse(2)
                for (unsigned i = 0; i < HALO; ++i)
                    for (unsigned j = 0; j < HALO; ++j)
                        tile[i][j] = now[corner + i * pitch + j];
#pragma omp for collapse(2) nowait
                for (unsigned i = 0; i < TILE; ++i)
                    for (unsigned j = 0; j < TILE; ++j) {
                        const unsigned char sum = (unsigned char)(tile[i][j] + tile[i][j + 1] + tile[i][j + 2]
                                                                  + tile[i + 1][j] + tile[i + 1][j + 2] + tile[i + 2][j]
                                                                  + tile[i + 2][j + 1] + tile[i + 2][j + 2]);
                        next[corner + i * pitch + j] = (unsigned char)((sum == 3) | ((sum == 2) & tile[i + 1][j + 1]));
                    }
            }
        }
    return true;
}

/* The same; the size of the tiles is known when it runs. */
static bool SUITE_NAME(life_any)(void *state)
{
    const struct suite_openmp *s = state;
    const struct life *life = s->problem;
    const volatile unsigned size[2] = {LIFE_ANY_ROWS, LIFE_ANY_COLUMNS};
    const unsigned height = size[0], columns = size[1], width = columns + 2;
    const unsigned pitch = (unsigned)life->pitch, down = (unsigned)life->side / height;
    const unsigned across = (unsigned)life->side / columns;
    const unsigned char *now = s->at[LIFE_NOW];
    unsigned char *next = (unsigned char *)s->at[LIFE_NEXT] + pitch + 1;
#pragma omp target teams distribute collapse(2) num_teams(down *across) thread_limit(LIFE_ANY_ROWS *LIFE_ANY_COLUMNS)  \
    device(suite_openmp_device) is_device_ptr(now, next)
    for (unsigned ti = 0; ti < down; ++ti)
        for (unsigned tj = 0; tj < across; ++tj) {
            unsigned char tile[(LIFE_ANY_ROWS + 2) * (LIFE_ANY_COLUMNS + 2)];
            SUITE_TEAM_MEMORY(tile)
            const unsigned corner = ti * height * pitch + tj * columns;
#pragma omp parallel num_threads(LIFE_ANY_ROWS *LIFE_ANY_COLUMNS)
            {
#pragma omp for collapse(2)
                for (unsigned i = 0; i < height + 2; ++i)
                    for (unsigned j = 0; j < width; ++j)
                        tile[i * width + j] = now[corner + i * pitch + j];
#pragma omp for collapse(2) nowait
                for (unsigned i = 0; i < height; ++i)
                    for (unsigned j = 0; j < columns; ++j) {
                        const unsigned char *a = tile + i * width + j, *b = a + width, *c = b + width;
                        const unsigned char sum =
                            (unsigned char)(a[0] + a[1] + a[2] + b[0] + b[2] + c[0] + c[1] + c[2]);
                        next[corner + i * pitch + j] = (unsigned char)((sum == 3) | ((sum == 2) & b[1]));
                    }
            }
        }
    return true;
}

#else

/* Sums in 8 bits, so that a vector holds as many cells as it has bytes. */
static bool SUITE_NAME(life_flat)(void *state)
{
    const struct suite_openmp *s = state;
    const struct life *life = s->problem;
    const size_t pitch = life->pitch, side = life->side;
    const unsigned char *now = (const unsigned char *)s->at[LIFE_NOW] + pitch + 1;
    unsigned char *next = (unsigned char *)s->at[LIFE_NEXT] + pitch + 1;
#pragma omp parallel for schedule(static) firstprivate(now, next, pitch, side)
    for (size_t row = 0; row < side; ++row) {
        const unsigned char *restrict here = now + row * pitch - 1, *restrict up = here - pitch,
                                      *restrict down = here + pitch; /* from the column before on */
        unsigned char *restrict out = next + row * pitch;
#pragma omp simd
        for (size_t j = 0; j < side; ++j) {
            const unsigned char sum = (unsigned char)(up[j] + up[j + 1] + up[j + 2] + here[j] + here[j + 2] + down[j]
                                                      + down[j + 1] + down[j + 2]);
            out[j] = (unsigned char)((sum == 3) | ((sum == 2) & here[j + 1]));
        }
    }
    return true;
}

static inline void one_tile(const unsigned char *restrict now, unsigned char *restrict next, size_t pitch)
{
    unsigned char tile[LIFE_TILE + 2][LIFE_TILE + 2];
    for (size_t i = 0; i < LIFE_TILE + 2; ++i)
        memcpy(tile[i], now + i * pitch, LIFE_TILE + 2);
    for (size_t i = 0; i < LIFE_TILE; ++i)
#pragma omp simd
        for (size_t j = 0; j < LIFE_TILE; ++j) {
            const unsigned char sum =
                (unsigned char)(tile[i][j] + tile[i][j + 1] + tile[i][j + 2] + tile[i + 1][j] + tile[i + 1][j + 2]
                                + tile[i + 2][j] + tile[i + 2][j + 1] + tile[i + 2][j + 2]);
            next[i * pitch + j] = (unsigned char)((sum == 3) | ((sum == 2) & tile[i + 1][j + 1]));
        }
}

static bool SUITE_NAME(life_tiled)(void *state)
{
    const struct suite_openmp *s = state;
    const struct life *life = s->problem;
    const size_t pitch = life->pitch, side = life->side;
    const unsigned char *now = s->at[LIFE_NOW];
    unsigned char *next = (unsigned char *)s->at[LIFE_NEXT] + pitch + 1;
#pragma omp parallel for schedule(static) firstprivate(now, next, pitch, side)
    for (size_t row = 0; row < side; row += LIFE_TILE)
        for (size_t column = 0; column < side; column += LIFE_TILE)
            one_tile(now + row * pitch + column, next + row * pitch + column, pitch);
    return true;
}

/* Vectors of 16, so that rows of tiles fill them. */
static __attribute__((noinline)) void any_tile(const unsigned char *restrict now, unsigned char *restrict next,
                                               size_t pitch, size_t height, size_t columns)
{
    unsigned char tile[(LIFE_ANY_ROWS + 2) * (LIFE_ANY_COLUMNS + 2)];
    const size_t width = columns + 2;
    for (size_t i = 0; i < height + 2; ++i)
        memcpy(tile + i * width, now + i * pitch, width);
    for (size_t i = 0; i < height; ++i) {
        const unsigned char *up = tile + i * width, *here = up + width, *down = here + width;
#pragma omp simd simdlen(16)
        for (size_t j = 0; j < columns; ++j) {
            const unsigned char sum = (unsigned char)(up[j] + up[j + 1] + up[j + 2] + here[j] + here[j + 2] + down[j]
                                                      + down[j + 1] + down[j + 2]);
            next[i * pitch + j] = (unsigned char)((sum == 3) | ((sum == 2) & here[j + 1]));
        }
    }
}

static bool SUITE_NAME(life_any)(void *state)
{
    const struct suite_openmp *s = state;
    const struct life *life = s->problem;
    const volatile size_t size[2] = {LIFE_ANY_ROWS, LIFE_ANY_COLUMNS};
    const size_t pitch = life->pitch, side = life->side, height = size[0], columns = size[1];
    const unsigned char *now = s->at[LIFE_NOW];
    unsigned char *next = (unsigned char *)s->at[LIFE_NEXT] + pitch + 1;
#pragma omp parallel for schedule(static) firstprivate(now, next, pitch, side, height, columns)
    for (size_t row = 0; row < side; row += height)
        for (size_t column = 0; column < side; column += columns)
            any_tile(now + row * pitch + column, next + row * pitch + column, pitch, height, columns);
    return true;
}

#endif

SUITE_OPENMP_LIST(life, SUITE_OPENMP_VERSION("flat", SUITE_NAME(life_flat)),
                  SUITE_OPENMP_VERSION("tiled", SUITE_NAME(life_tiled)))

SUITE_OPENMP_LIST(life_any, SUITE_OPENMP_VERSION("tiled", SUITE_NAME(life_any)))
