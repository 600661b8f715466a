/* SPDX-License-Identifier: Apache-2.0 */
/* Smith and Waterman's alignment in OpenCL. */
#include "../arrays_opencl.h"
#include "wavefront.h"

static const char source[] = {
#embed "wavefront.cl"
    , 0};

enum { CELLS, TILES };

/* Work-items of a group of cells, whose number is rounded up to groups: sizes have to divide evenly in OpenCL 1.2. */
enum { CELLS_GROUP = 256 };

static void *open_alignment(const void *problem)
{
    static const struct suite_opencl_source wavefront = {source, {"cells", "tiles"}};
    struct suite_opencl *s = suite_opencl_open_arrays(problem);
    return suite_opencl_opened(
        s, s
               && suite_opencl_build(&s->program, &wavefront, "-DTILE=%d -DMATCH=%d -DMISMATCH=%d -DGAP=%d",
                                     WAVEFRONT_TILE, WAVEFRONT_MATCH, WAVEFRONT_MISMATCH, WAVEFRONT_GAP));
}

static size_t length_of(const struct suite_opencl *s)
{
    return ((const struct wavefront *)s->problem)->length;
}

static bool run_cells(void *state)
{
    const struct suite_opencl *s = state;
    const size_t length = length_of(s), pitch = wavefront_pitch(length);
    for (size_t d = 0; d < 2 * length - 1; ++d) {
        const size_t count = wavefront_count(d, length);
        const cl_int across = (cl_int)(length - 1) - (cl_int)d;
        if (!suite_opencl_run(s, CELLS, SUITE_OPENCL_RANGE(suite_opencl_up(count, CELLS_GROUP)),
                              SUITE_OPENCL_RANGE(CELLS_GROUP), SUITE_OPENCL_AT(s, WAVEFRONT_DOWN),
                              SUITE_OPENCL_AT(s, WAVEFRONT_ACROSS), {sizeof across, &across},
                              SUITE_OPENCL_AT(s, WAVEFRONT_DIAGONALS), SUITE_OPENCL_UINT(d % 3 * pitch),
                              SUITE_OPENCL_UINT((d + 1) % 3 * pitch), SUITE_OPENCL_UINT((d + 2) % 3 * pitch),
                              SUITE_OPENCL_AT(s, WAVEFRONT_BEST), SUITE_OPENCL_UINT(d),
                              SUITE_OPENCL_UINT(wavefront_first(d, length)), SUITE_OPENCL_UINT(count)))
            return false;
    }
    return suite_opencl_wait();
}

static bool run_tiles(void *state)
{
    const struct suite_opencl *s = state;
    const size_t tiles = length_of(s) / WAVEFRONT_TILE;
    for (size_t d = 0; d < 2 * tiles - 1; ++d)
        if (!suite_opencl_run(s, TILES, SUITE_OPENCL_RANGE(wavefront_count(d, tiles) * WAVEFRONT_TILE),
                              SUITE_OPENCL_RANGE(WAVEFRONT_TILE), SUITE_OPENCL_AT(s, WAVEFRONT_DOWN),
                              SUITE_OPENCL_AT(s, WAVEFRONT_ACROSS), SUITE_OPENCL_AT(s, WAVEFRONT_BEST),
                              SUITE_OPENCL_AT(s, WAVEFRONT_ROW), SUITE_OPENCL_AT(s, WAVEFRONT_COLUMN),
                              SUITE_OPENCL_AT(s, WAVEFRONT_CORNERS), SUITE_OPENCL_UINT(tiles), SUITE_OPENCL_UINT(d),
                              SUITE_OPENCL_UINT(wavefront_first(d, tiles))))
            return false;
    return suite_opencl_wait();
}

static const struct suite_version versions[] = {
    SUITE_OPENCL_VERSION("cells", NULL, open_alignment, run_cells),
    SUITE_OPENCL_VERSION("tiles", "barriers", open_alignment, run_tiles),
};
const struct suite_versions suite_wavefront_opencl = SUITE_VERSIONS(versions);
