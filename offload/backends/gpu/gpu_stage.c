/* SPDX-License-Identifier: Apache-2.0 */
/* Copies between pageable host memory and a GPU's through a stage (gpu_stage.h). */
#include "gpu_stage.h"

#include "rows.h"

#define SMALL_BYTES ((size_t)1 << 20) /* the largest copy that uses the small stage */
#define FEW_PARTS 8u /* parts of a transfer, if they fit the limits below: the first and the last do not overlap */
#define LEAST_PART_BYTES ((size_t)128 << 10)
#define MOST_PART_BYTES ((size_t)8 << 20)

struct staged_copy {
    struct tw_staged_copy_job job;
    const struct tw_gpu_stage_use *use;
    void *user;
    unsigned char *device;      /* the first row there */
    struct tw_backend_copy all; /* both pitches and both planes are those on the device */
};

size_t tw_gpu_stage_bytes(size_t bytes)
{
    return bytes <= SMALL_BYTES ? TW_GPU_SMALL_STAGE_BYTES : TW_GPU_LARGE_STAGE_BYTES;
}

struct tw_gpu_stage *tw_gpu_stage_take(pthread_mutex_t *mutex, struct tw_gpu_stage **idle, size_t stage_bytes)
{
    pthread_mutex_lock(mutex);
    while (*idle && (*idle)->bytes != stage_bytes)
        idle = &(*idle)->next;
    struct tw_gpu_stage *stage = *idle;
    if (stage)
        *idle = stage->next;
    pthread_mutex_unlock(mutex);
    return stage;
}

void tw_gpu_stage_give(pthread_mutex_t *mutex, struct tw_gpu_stage **idle, struct tw_gpu_stage *stage)
{
    pthread_mutex_lock(mutex);
    stage->next = *idle;
    *idle = stage;
    pthread_mutex_unlock(mutex);
}

void tw_gpu_stages_free(struct tw_gpu_stage **idle, void (*free_stage)(struct tw_gpu_stage *stage))
{
    while (*idle) {
        struct tw_gpu_stage *next = (*idle)->next;
        free_stage(*idle);
        *idle = next;
    }
}

bool tw_gpu_is_locked(const struct tw_backend_copy *t, bool (*is_locked_at)(const unsigned char *memory))
{
    const unsigned char *first = t->from ? t->target : t->source;
    const size_t plane = t->from ? t->target_plane : t->source_plane,
                 pitch = t->from ? t->target_pitch : t->source_pitch;
    size_t last = t->row_bytes - 1;
    last += t->rows > 1 ? (t->rows - 1) * pitch : 0;
    last += t->planes > 1 ? (t->planes - 1) * plane : 0;
    return is_locked_at(first) && is_locked_at(first + last);
}

/* Describes the copy between the stage and the device that begins at byte `at` of the rows. It has at most `bytes`: a
   part of a row, some rows of a plane, or some planes. */
static struct tw_backend_copy piece_of(const struct staged_copy *copy, unsigned char *staged, size_t at, size_t bytes)
{
    struct tw_backend_copy piece = copy->all;
    const size_t plane_bytes = piece.rows * piece.row_bytes;
    const size_t x = at % piece.row_bytes, row = at % plane_bytes / piece.row_bytes, plane = at / plane_bytes;
    unsigned char *device = copy->device + x;
    device += row ? row * piece.target_pitch : 0; /* if there is one row, or one plane, this has no meaning */
    device += plane ? plane * piece.target_plane : 0;
    if (x || bytes < piece.row_bytes) {
        const size_t left = piece.row_bytes - x;
        piece.row_bytes = left < bytes ? left : bytes;
        piece.rows = piece.planes = 1;
    } else if (row || bytes < plane_bytes) {
        const size_t left = piece.rows - row, whole = bytes / piece.row_bytes;
        piece.rows = left < whole ? left : whole;
        piece.planes = 1;
    } else {
        piece.planes = bytes / plane_bytes;
    }
    const bool to_device = copy->job.to_stage;
    piece.target = to_device ? device : staged;
    piece.source = to_device ? staged : device;
    *(to_device ? &piece.source_pitch : &piece.target_pitch) = copy->all.row_bytes;
    *(to_device ? &piece.source_plane : &piece.target_plane) = plane_bytes;
    return tw_rows_join(piece);
}

/* Enqueues the copy of a part between its slot and the device. */
static bool enqueue_part(struct staged_copy *copy, size_t part)
{
    const struct tw_staged_copy_job *job = &copy->job;
    const size_t bytes = tw_staged_copy_bytes_of(job, part), slot = part % job->slots;
    unsigned char *staged = job->stage + slot * job->part_bytes;
    for (size_t done = 0; done < bytes;) {
        const struct tw_backend_copy piece = piece_of(copy, staged + done, part * job->part_bytes + done, bytes - done);
        if (!copy->use->enqueue(copy->user, &piece))
            return false;
        done += tw_backend_copy_bytes(&piece);
    }
    return copy->use->mark(copy->user, slot);
}

/* A slot may be filled when the bus has emptied it, and emptied when the bus has filled it. */
static enum tw_staged_copy_answer may_copy(void *user, size_t part, bool nothing_else)
{
    const struct staged_copy *copy = user;
    if (copy->job.to_stage && part < copy->job.slots)
        return TW_STAGED_COPY_NOW;
    return copy->use->ask(copy->user, part % copy->job.slots, nothing_else);
}

static bool copied(void *user, size_t part)
{
    struct staged_copy *copy = user;
    const size_t next = copy->job.to_stage ? part : part + copy->job.slots;
    return next >= tw_staged_copy_parts(&copy->job) || enqueue_part(copy, next);
}

static size_t choose_part(size_t bytes)
{
    const size_t part = bytes / FEW_PARTS / TW_STAGED_COPY_SLICE_BYTES * TW_STAGED_COPY_SLICE_BYTES;
    const size_t enough = part > LEAST_PART_BYTES ? part : LEAST_PART_BYTES;
    return enough < MOST_PART_BYTES ? enough : MOST_PART_BYTES;
}

/* Returns a copy with the rows of one of its sides on both sides, joined where that side has no gaps. */
static struct tw_backend_copy side_alone(struct tw_backend_copy copy, bool is_target)
{
    if (is_target) {
        copy.source_pitch = copy.target_pitch;
        copy.source_plane = copy.target_plane;
    } else {
        copy.target_pitch = copy.source_pitch;
        copy.target_plane = copy.source_plane;
    }
    return tw_rows_join(copy);
}

bool tw_gpu_stage_copy(const struct tw_gpu_stage *stage, const struct tw_backend_copy *t,
                       const struct tw_gpu_stage_use *use, void *user)
{
    const bool to_device = t->to != NULL;
    const size_t bytes = tw_backend_copy_bytes(t);
    unsigned char *source = (unsigned char *)(uintptr_t)t->source;
    const size_t part_bytes = choose_part(bytes), fitting = stage->bytes / part_bytes;
    const struct tw_backend_copy host = side_alone(*t, !to_device);
    struct staged_copy copy = {
        .job = {.memory = to_device ? source : t->target,
                .stage = stage->memory,
                .to_stage = to_device,
                .bytes = bytes,
                .row_bytes = host.row_bytes,
                .rows = host.rows,
                .pitch = host.target_pitch,
                .plane = host.target_plane,
                .part_bytes = part_bytes,
                .slots = fitting < TW_STAGED_COPY_SLOTS ? (unsigned)fitting : TW_STAGED_COPY_SLOTS,
                .may_copy = may_copy,
                .copied = copied,
                .user = &copy},
        .use = use,
        .user = user,
        .device = to_device ? t->target : source,
        .all = side_alone(*t, to_device)};
    const size_t parts = tw_staged_copy_parts(&copy.job);
    for (size_t part = 0; !to_device && part < copy.job.slots && part < parts; ++part)
        if (!enqueue_part(&copy, part))
            return false;
    return tw_staged_copy_run(&copy.job);
}
