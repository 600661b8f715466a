/* SPDX-License-Identifier: Apache-2.0 */
/* Layers of neural networks: softmax, layer norm, attention, a layer of weights, convolution, an optimizer. unseen.h
   says how programs are written here. */
#include <math.h>
#include <string.h>

#include <teamwork/group_functions.h>

#include "unseen.h"

/* ---- softmax: a row for each group ------------------------------------------------------------------------------- */

struct softmax {
    const float *in;
    float *out;
    int columns;
};

static inline void softmax(tw_nd_item item, const struct softmax *k)
{
    const int t = (int)tw_local_id(item, 0), size = (int)tw_local_range(item, 0);
    const float *in = k->in + (size_t)k->columns * tw_group_id(item, 0);
    float *out = k->out + (size_t)k->columns * tw_group_id(item, 0);
    float most = -INFINITY;
    for (int i = t; i < k->columns; i += size)
        most = fmaxf(most, in[i]);
    most = tw_reduce_over_group(item, most, TW_MAX);
    float sum = 0;
    for (int i = t; i < k->columns; i += size) {
        const float e = expf(in[i] - most);
        out[i] = e;
        sum += e;
    }
    sum = tw_reduce_over_group(item, sum, TW_SUM);
    for (int i = t; i < k->columns; i += size)
        out[i] /= sum;
}
TW_ND_RANGE_KERNEL(softmax);

static void softmax_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_1d(d->n[0] * 256, 256), softmax, .in = d->in[0], .out = d->out[0],
                             .columns = d->n[1]);
    unseen_submit(queue, cg);
}

static void softmax_openmp(const struct unseen_data *d)
{
    const int columns = d->n[1];
#pragma omp parallel for
    for (int row = 0; row < d->n[0]; ++row) {
        const float *in = (const float *)d->in[0] + row * columns;
        float *out = (float *)d->out[0] + row * columns, most = -INFINITY, sum = 0;
#pragma omp simd reduction(max : most)
        for (int i = 0; i < columns; ++i)
            most = in[i] > most ? in[i] : most;
#pragma omp simd reduction(+ : sum)
        for (int i = 0; i < columns; ++i) {
            out[i] = expf(in[i] - most);
            sum += out[i];
        }
        for (int i = 0; i < columns; ++i)
            out[i] /= sum;
    }
}

static void softmax_prepare(struct unseen_problem *p, bool quick)
{
    const int rows = p->data.n[0] = quick ? 20 : 2000, columns = p->data.n[1] = 1000;
    p->data.in[0] = unseen_floats((size_t)(rows * columns), -5, 5);
    unseen_add_output(p, UNSEEN_FLOATS, (size_t)(rows * columns), 1e-4, NULL);
}

/* ---- layer_norm: hierarchical, a row for each group, sums of private values -------------------------------------- */

struct layer_norm {
    const float *in, *gain, *bias;
    float *out;
    int columns;
};

static inline void layer_norm(tw_group group, const struct layer_norm *k)
{
    TW_PRIVATE(group, float, sum);
    TW_PRIVATE(group, float, squares);
    const float *in = k->in + (size_t)k->columns * tw_group_id(group, 0);
    float *out = k->out + (size_t)k->columns * tw_group_id(group, 0);
    tw_parallel_for_work_item(group, item) {
        tw_private(sum, item) = 0;
        tw_private(squares, item) = 0;
        for (int i = (int)tw_local_id(item, 0); i < k->columns; i += (int)tw_local_range(item, 0)) {
            tw_private(sum, item) += in[i];
            tw_private(squares, item) += in[i] * in[i];
        }
    }
    const float mean = tw_reduce_over_group(group, sum, TW_SUM) / (float)k->columns;
    const float variance = tw_reduce_over_group(group, squares, TW_SUM) / (float)k->columns - mean * mean;
    const float scale = 1 / sqrtf(variance + 1e-5f);
    tw_parallel_for_work_item_range(group, item, tw_range_1d((size_t)k->columns)) {
        const size_t i = tw_local_id(item, 0);
        out[i] = (in[i] - mean) * scale * k->gain[i] + k->bias[i];
    }
}
TW_WORK_GROUP_KERNEL(layer_norm, 128);

static void layer_norm_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_work_group(cg, tw_range_1d((size_t)d->n[0]), tw_range_1d(128), layer_norm, .in = d->in[0],
                               .gain = d->in[1], .bias = d->in[2], .out = d->out[0], .columns = d->n[1]);
    unseen_submit(queue, cg);
}

static void layer_norm_openmp(const struct unseen_data *d)
{
    const float *gain = d->in[1], *bias = d->in[2];
    const int columns = d->n[1];
#pragma omp parallel for
    for (int row = 0; row < d->n[0]; ++row) {
        const float *in = (const float *)d->in[0] + row * columns;
        float *out = (float *)d->out[0] + row * columns, sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum, squares)
        for (int i = 0; i < columns; ++i) {
            sum += in[i];
            squares += in[i] * in[i];
        }
        const float mean = sum / (float)columns, scale = 1 / sqrtf(squares / (float)columns - mean * mean + 1e-5f);
#pragma omp simd
        for (int i = 0; i < columns; ++i)
            out[i] = (in[i] - mean) * scale * gain[i] + bias[i];
    }
}

static void layer_norm_prepare(struct unseen_problem *p, bool quick)
{
    const int rows = p->data.n[0] = quick ? 20 : 10000, columns = p->data.n[1] = 768;
    p->data.in[0] = unseen_floats((size_t)(rows * columns), -5, 5);
    p->data.in[1] = unseen_floats((size_t)columns, 0.5f, 1.5f);
    p->data.in[2] = unseen_floats((size_t)columns, -1, 1);
    unseen_add_output(p, UNSEEN_FLOATS, (size_t)(rows * columns), 1e-3, NULL);
}

/* ---- attention: one head, a query for each group, its scores in local memory ------------------------------------- */

enum { KEYS = 512, HEAD = 64, HEAD_GROUP = 128 };

struct attention {
    const float *q, *k, *v;
    float *out;
};

static inline void attention(tw_nd_item item, const struct attention *k)
{
    TW_LOCAL(float, scores, [KEYS]);
    TW_LOCAL(float, query, [HEAD]);
    const int t = (int)tw_local_id(item, 0), row = (int)tw_group_id(item, 0);
    if (t < HEAD)
        query[t] = k->q[row * HEAD + t];
    tw_barrier(item, TW_LOCAL_SPACE);
    float most = -INFINITY;
    for (int j = t; j < KEYS; j += HEAD_GROUP) {
        float score = 0;
        for (int i = 0; i < HEAD; ++i)
            score += query[i] * k->k[j * HEAD + i];
        scores[j] = score * 0.125f;
        most = fmaxf(most, scores[j]);
    }
    most = tw_reduce_over_group(item, most, TW_MAX);
    float sum = 0;
    for (int j = t; j < KEYS; j += HEAD_GROUP) {
        scores[j] = expf(scores[j] - most);
        sum += scores[j];
    }
    sum = tw_reduce_over_group(item, sum, TW_SUM);
    if (t < HEAD) {
        float out = 0;
        for (int j = 0; j < KEYS; ++j)
            out += scores[j] * k->v[j * HEAD + t];
        k->out[row * HEAD + t] = out / sum;
    }
}
TW_ND_RANGE_KERNEL(attention, HEAD_GROUP);

static void attention_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_1d(d->n[0] * HEAD_GROUP, HEAD_GROUP), attention, .q = d->in[0], .k = d->in[1],
                             .v = d->in[2], .out = d->out[0]);
    unseen_submit(queue, cg);
}

static void attention_openmp(const struct unseen_data *d)
{
    const float *q = d->in[0], *k = d->in[1], *v = d->in[2];
    float *out = d->out[0];
#pragma omp parallel for
    for (int row = 0; row < d->n[0]; ++row) {
        float scores[KEYS], sums[HEAD] = {0}, most = -INFINITY, sum = 0;
        for (int j = 0; j < KEYS; ++j) {
            float score = 0;
#pragma omp simd reduction(+ : score)
            for (int i = 0; i < HEAD; ++i)
                score += q[row * HEAD + i] * k[j * HEAD + i];
            scores[j] = score * 0.125f;
            most = scores[j] > most ? scores[j] : most;
        }
#pragma omp simd reduction(+ : sum)
        for (int j = 0; j < KEYS; ++j) {
            scores[j] = expf(scores[j] - most);
            sum += scores[j];
        }
        for (int j = 0; j < KEYS; ++j)
#pragma omp simd
            for (int i = 0; i < HEAD; ++i)
                sums[i] += scores[j] * v[j * HEAD + i];
        for (int i = 0; i < HEAD; ++i)
            out[row * HEAD + i] = sums[i] / sum;
    }
}

static void attention_prepare(struct unseen_problem *p, bool quick)
{
    const int rows = p->data.n[0] = quick ? 20 : 1500;
    p->data.in[0] = unseen_floats((size_t)rows * HEAD, -1, 1);
    p->data.in[1] = unseen_floats(KEYS * HEAD, -1, 1);
    p->data.in[2] = unseen_floats(KEYS * HEAD, -1, 1);
    unseen_add_output(p, UNSEEN_FLOATS, (size_t)rows * HEAD, 1e-3, NULL);
}

/* ---- backprop: a layer forward by sums in tiles of 16 x 16, then the weights are changed ------------------------- */

enum { UNITS = 16 };

struct backprop {
    const float *input, *delta;
    float *weights, *old, *partial; /* weights[inputs + 1][UNITS + 1] */
};

static inline void backprop_forward(tw_nd_item item, const struct backprop *k)
{
    TW_LOCAL(float, input, [UNITS]);
    TW_LOCAL(float, matrix, [UNITS][UNITS]);
    const int by = (int)tw_group_id(item, 0), ty = (int)tw_local_id(item, 0), tx = (int)tw_local_id(item, 1);
    const int index = (UNITS + 1) * UNITS * by + (UNITS + 1) * ty + tx + 1 + (UNITS + 1);
    if (tx == 0)
        input[ty] = k->input[UNITS * by + ty + 1];
    tw_barrier(item, TW_LOCAL_SPACE);
    matrix[ty][tx] = k->weights[index];
    tw_barrier(item, TW_LOCAL_SPACE);
    matrix[ty][tx] = matrix[ty][tx] * input[ty];
    tw_barrier(item, TW_LOCAL_SPACE);
    for (int power = 2; power <= UNITS; power *= 2) {
        if (ty % power == 0)
            matrix[ty][tx] = matrix[ty][tx] + matrix[ty + power / 2][tx];
        tw_barrier(item, TW_LOCAL_SPACE);
    }
    if (tx == 0)
        k->partial[by * UNITS + ty] = matrix[0][ty];
}
TW_ND_RANGE_KERNEL(TW_BLOCK(backprop) backprop_forward, UNITS, UNITS);

static inline void backprop_adjust(tw_nd_item item, const struct backprop *k)
{
    const int by = (int)tw_group_id(item, 0), ty = (int)tw_local_id(item, 0), tx = (int)tw_local_id(item, 1);
    const int index = (UNITS + 1) * UNITS * by + (UNITS + 1) * ty + tx + 1 + (UNITS + 1);
    const float change = 0.3f * k->delta[tx + 1] * k->input[UNITS * by + ty + 1] + 0.3f * k->old[index];
    k->weights[index] += change;
    k->old[index] = change;
}
TW_ND_RANGE_KERNEL(TW_BLOCK(backprop) backprop_adjust, UNITS, UNITS);

static void backprop_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    const struct backprop block = {d->in[0], d->in[1], d->out[0], d->out[1], d->out[2]};
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range_kernel(cg, unseen_2d(d->n[0], UNITS, UNITS, UNITS), TW_KERNEL(backprop_forward), &block,
                                    sizeof block);
    unseen_submit(queue, cg);
    cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range_kernel(cg, unseen_2d(d->n[0], UNITS, UNITS, UNITS), TW_KERNEL(backprop_adjust), &block,
                                    sizeof block);
    unseen_submit(queue, cg);
}

static void backprop_openmp(const struct unseen_data *d)
{
    const float *input = d->in[0], *delta = d->in[1];
    float *weights = d->out[0], *old = d->out[1], *partial = d->out[2];
#pragma omp parallel for
    for (int block = 0; block < d->n[0] / UNITS; ++block) {
        float sums[UNITS] = {0};
        for (int y = block * UNITS + 1; y <= (block + 1) * UNITS; ++y)
#pragma omp simd
            for (int x = 0; x < UNITS; ++x)
                sums[x] += weights[y * (UNITS + 1) + x + 1] * input[y];
        memcpy(partial + block * UNITS, sums, sizeof sums);
    }
#pragma omp parallel for
    for (int y = 1; y <= d->n[0]; ++y)
#pragma omp simd
        for (int x = 1; x <= UNITS; ++x) {
            const int i = y * (UNITS + 1) + x;
            const float change = 0.3f * delta[x] * input[y] + 0.3f * old[i];
            weights[i] += change;
            old[i] = change;
        }
}

static void backprop_prepare(struct unseen_problem *p, bool quick)
{
    const int inputs = p->data.n[0] = quick ? 320 : 400000;
    const size_t count = (size_t)(inputs + 1) * (UNITS + 1);
    p->data.in[0] = unseen_floats((size_t)inputs + 1, 0, 1);
    p->data.in[1] = unseen_floats(UNITS + 1, -1, 1);
    unseen_add_output(p, UNSEEN_FLOATS, count, 1e-4, unseen_floats(count, 0, 1));
    unseen_add_output(p, UNSEEN_FLOATS, count, 1e-4, unseen_floats(count, 0, 1));
    unseen_add_output(p, UNSEEN_FLOATS, (size_t)inputs, 1e-4, NULL);
}

/* ---- conv_layer: 3 x 3 over 16 channels, with bias and rectifier, direct ----------------------------------------- */

struct conv_layer {
    const float *in, *weights, *bias; /* [channels][side + 2][side + 2], [filters][channels][3][3] */
    float *out;                       /* [filters][side][side] */
    int channels, filters, side;
};

static inline void conv_layer(tw_nd_item item, const struct conv_layer *k)
{
    const int f = (int)tw_global_id(item, 0), y = (int)tw_global_id(item, 1), x = (int)tw_global_id(item, 2);
    if (f >= k->filters || y >= k->side || x >= k->side)
        return;
    const int pitch = k->side + 2;
    float sum = k->bias[f];
    for (int c = 0; c < k->channels; ++c)
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                sum += k->in[(c * pitch + y + i) * pitch + x + j] * k->weights[((f * k->channels + c) * 3 + i) * 3 + j];
    k->out[(f * k->side + y) * k->side + x] = fmaxf(sum, 0);
}
TW_ND_RANGE_KERNEL(conv_layer);

static void conv_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    const tw_range global = tw_range_3d((size_t)d->n[1], unseen_round_up(d->n[2], 4), unseen_round_up(d->n[2], 32));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, tw_nd_range_make(global, tw_range_any()), conv_layer, .in = d->in[0],
                             .weights = d->in[1], .bias = d->in[2], .out = d->out[0], .channels = d->n[0],
                             .filters = d->n[1], .side = d->n[2]);
    unseen_submit(queue, cg);
}

static void conv_openmp(const struct unseen_data *d)
{
    const float *in = d->in[0], *weights = d->in[1], *bias = d->in[2];
    float *out = d->out[0];
    const int channels = d->n[0], side = d->n[2], pitch = side + 2;
#pragma omp parallel for collapse(2)
    for (int f = 0; f < d->n[1]; ++f)
        for (int y = 0; y < side; ++y) {
            float *row = out + (f * side + y) * side;
            for (int x = 0; x < side; ++x)
                row[x] = bias[f];
            for (int c = 0; c < channels; ++c) {
                const float *from = in + (c * pitch + y) * pitch, *w = weights + (f * channels + c) * 9;
#pragma omp simd
                for (int x = 0; x < side; ++x)
                    for (int i = 0; i < 3; ++i)
                        for (int j = 0; j < 3; ++j)
                            row[x] += from[i * pitch + x + j] * w[3 * i + j];
            }
            for (int x = 0; x < side; ++x)
                row[x] = row[x] > 0 ? row[x] : 0;
        }
}

static void conv_prepare(struct unseen_problem *p, bool quick)
{
    const int channels = p->data.n[0] = 16, filters = p->data.n[1] = quick ? 4 : 32,
              side = p->data.n[2] = quick ? 20 : 112;
    p->data.in[0] = unseen_floats((size_t)(channels * (side + 2) * (side + 2)), -1, 1);
    p->data.in[1] = unseen_floats((size_t)(filters * channels * 9), -1, 1);
    p->data.in[2] = unseen_floats((size_t)filters, -1, 1);
    unseen_add_output(p, UNSEEN_FLOATS, (size_t)(filters * side * side), 1e-4, NULL);
}

/* ---- adam: an optimizer's step ----------------------------------------------------------------------------------- */

struct adam {
    const float *gradient;
    float *parameter, *m, *v;
    int n, step;
    float b1, b2, rate, decay, eps;
};

static inline void adam(tw_nd_item item, const struct adam *k)
{
    const int step = (int)tw_global_range(item, 0);
    for (int i = (int)tw_global_id(item, 0); i < k->n; i += step)
        for (int t = 1; t <= k->step; ++t) {
            const float g = k->gradient[i];
            k->m[i] = k->b1 * k->m[i] + (1 - k->b1) * g;
            k->v[i] = k->b2 * k->v[i] + (1 - k->b2) * g * g;
            const float m = k->m[i] / (1 - powf(k->b1, (float)t)), v = k->v[i] / (1 - powf(k->b2, (float)t));
            k->parameter[i] -= k->rate * (m / (sqrtf(v) + k->eps) + k->decay * k->parameter[i]);
        }
}
TW_ND_RANGE_KERNEL(adam, 256);

static void adam_teamwork(tw_queue *queue, const struct unseen_data *d)
{
    const float *b = d->in[1];
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, unseen_1d(d->n[0], 256), adam, .gradient = d->in[0], .parameter = d->out[0],
                             .m = d->out[1], .v = d->out[2], .n = d->n[0], .step = 5, .b1 = b[0], .b2 = b[1],
                             .rate = 1e-3f, .decay = 0.01f, .eps = 1e-8f);
    unseen_submit(queue, cg);
}

static void adam_openmp(const struct unseen_data *d)
{
    const float *gradient = d->in[0], b1 = ((const float *)d->in[1])[0], b2 = ((const float *)d->in[1])[1];
    float *parameter = d->out[0], *ms = d->out[1], *vs = d->out[2];
#pragma omp parallel for simd
    for (int i = 0; i < d->n[0]; ++i) {
        float m = ms[i], v = vs[i], p = parameter[i];
        for (int t = 1; t <= 5; ++t) {
            const float g = gradient[i];
            m = b1 * m + (1 - b1) * g;
            v = b2 * v + (1 - b2) * g * g;
            const float mh = m / (1 - powf(b1, (float)t)), vh = v / (1 - powf(b2, (float)t));
            p -= 1e-3f * (mh / (sqrtf(vh) + 1e-8f) + 0.01f * p);
        }
        ms[i] = m;
        vs[i] = v;
        parameter[i] = p;
    }
}

static void adam_prepare(struct unseen_problem *p, bool quick)
{
    const int n = p->data.n[0] = quick ? 5000 : 600000;
    float *betas = unseen_floats(2, 0.9f, 0.9f);
    betas[1] = 0.999f;
    p->data.in[0] = unseen_floats((size_t)n, -1, 1);
    p->data.in[1] = betas;
    unseen_add_output(p, UNSEEN_FLOATS, (size_t)n, 1e-4, unseen_floats((size_t)n, -1, 1));
    unseen_add_output(p, UNSEEN_FLOATS, (size_t)n, 1e-4, unseen_floats((size_t)n, -1, 1));
    unseen_add_output(p, UNSEEN_FLOATS, (size_t)n, 1e-4, unseen_floats((size_t)n, 0.1f, 1));
}

const struct unseen_program unseen_learning[] = {
    {"softmax", "a row for each group", softmax_prepare, softmax_teamwork, softmax_openmp},
    {"layer_norm", "a row for each group, hierarchical", layer_norm_prepare, layer_norm_teamwork, layer_norm_openmp},
    {"attention", "one head, a query for each group", attention_prepare, attention_teamwork, attention_openmp},
    {"backprop", "a layer forward by sums in tiles, and its weights", backprop_prepare, backprop_teamwork,
     backprop_openmp},
    {"conv_layer", "3 x 3 over 16 channels, three dimensions", conv_prepare, conv_teamwork, conv_openmp},
    {"adam", "steps of an optimizer", adam_prepare, adam_teamwork, adam_openmp},
    {NULL, NULL, NULL, NULL, NULL}};
