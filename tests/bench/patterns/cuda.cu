/* SPDX-License-Identifier: Apache-2.0 */
/* The same in CUDA. */
#include <cstdio>
#include <cuda/std/mdspan>
#include <cuda_runtime.h>

#include "patterns.h"

namespace
{

constexpr double pi = 3.14159265358979323846;

__global__ void dft(const double2 *in, double2 *out, int count)
{
    double re[DFT_POINTS], im[DFT_POINTS];
    const size_t item = (size_t)blockIdx.x * blockDim.x + threadIdx.x, first = item * DFT_POINTS;
    if (item >= count)
        return;
    for (int i = 0; i < DFT_POINTS; ++i) {
        re[i] = in[first + i].x;
        im[i] = in[first + i].y;
    }
    for (int f = 0; f < DFT_POINTS; ++f) {
        double sum_re = 0, sum_im = 0;
        for (int i = 0; i < DFT_POINTS; ++i) {
            double s, c;
            sincos(-2 * pi * f * i / DFT_POINTS, &s, &c);
            sum_re += re[i] * c - im[i] * s;
            sum_im += re[i] * s + im[i] * c;
        }
        out[first + f] = make_double2(sum_re, sum_im);
    }
}

__global__ void dft_floats(const float2 *in, float2 *out, int count)
{
    float2 x[DFT_POINTS];
    const size_t item = (size_t)blockIdx.x * blockDim.x + threadIdx.x, first = item * DFT_POINTS;
    if (item >= count)
        return;
    for (int i = 0; i < DFT_POINTS; ++i)
        x[i] = in[first + i];
    for (int f = 0; f < DFT_POINTS; ++f) {
        float sum_re = 0, sum_im = 0;
        for (int i = 0; i < DFT_POINTS; ++i) {
            float s, c;
            sincosf((float)(-2 * pi) * (float)(f * i) / DFT_POINTS, &s, &c);
            sum_re += x[i].x * c - x[i].y * s;
            sum_im += x[i].x * s + x[i].y * c;
        }
        out[first + f] = make_float2(sum_re, sum_im);
    }
}

__global__ void structure(const pattern_atom *waves, const pattern_atom *atoms, double2 *out, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const pattern_atom q = waves[i];
    double re = 0, im = 0;
    for (int a = 0; a < ATOMS; ++a) {
        const pattern_atom r = atoms[a];
        double s, c;
        sincos(2 * pi * (q.x * r.x + q.y * r.y + q.z * r.z), &s, &c);
        re += r.weight * c;
        im += r.weight * s;
    }
    out[i] = make_double2(re, im);
}

__global__ void quadrature(const double *powers, const double *ends, double *out, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const double step = (ends[i] + 1) / NODES, power = powers[i];
    double sum = 0;
    for (int n = 0; n < NODES; ++n) {
        const double x = (n + 0.5) * step;
        sum += pow(x, power) * exp(-x);
    }
    out[i] = sum * step;
}

__device__ int reversed(int i)
{
    int r = 0;
    for (int b = 0; b < FFT_LOG; ++b)
        r |= ((i >> b) & 1) << (FFT_LOG - 1 - b);
    return r;
}

template <bool apart> __global__ void __launch_bounds__(FFT_GROUP) fft(const double2 *in, double2 *out)
{
    __shared__ double2 data[FFT_POINTS];
    const int t = threadIdx.x;
    const size_t first = (size_t)blockIdx.x * FFT_POINTS;
    for (int i = t; i < FFT_POINTS; i += FFT_GROUP)
        data[reversed(i)] = in[first + i];
    for (int half = 1; half < FFT_POINTS; half *= 2) {
        __syncthreads();
        const int j = t % half, at = 2 * (t - j) + j;
        const double angle = -pi * j / half;
        double s, c;
        if (apart) {
            c = cos(angle);
            s = sin(angle);
        } else {
            sincos(angle, &s, &c);
        }
        const double2 a = data[at], b = data[at + half];
        const double2 w = {b.x * c - b.y * s, b.x * s + b.y * c};
        data[at] = make_double2(a.x + w.x, a.y + w.y);
        data[at + half] = make_double2(a.x - w.x, a.y - w.y);
    }
    __syncthreads();
    for (int i = t; i < FFT_POINTS; i += FFT_GROUP)
        out[first + i] = data[i];
}

__global__ void conv_flat(const float *in, const float *mask, float *out, int n, int width)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const int start = i - width / 2;
    float sum = 0;
    for (int j = 0; j < width; ++j)
        if (start + j >= 0 && start + j < n)
            sum += in[start + j] * mask[j];
    out[i] = sum;
}

__global__ void conv_tiles(const float *in, const float *mask, float *out, int n, int width)
{
    __shared__ float tile[CONV_GROUP + CONV_MOST];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x, half = width / 2;
    const int first = blockIdx.x * CONV_GROUP;
    for (int p = t; p < CONV_GROUP + 2 * half; p += CONV_GROUP) {
        const int at = first + p - half;
        tile[p] = at >= 0 && at < n ? in[at] : 0;
    }
    __syncthreads();
    float sum = 0;
    for (int j = 0; j < width; ++j)
        sum += tile[t + j] * mask[j];
    if (i < n)
        out[i] = sum;
}

__global__ void conv_either(const float *in, const float *mask, float *out, int n, int width)
{
    __shared__ float tile[CONV_GROUP];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    const int begin = blockIdx.x * CONV_GROUP, end = begin + CONV_GROUP, start = i - width / 2;
    tile[t] = i < n ? in[i] : 0;
    __syncthreads();
    float sum = 0;
    for (int j = 0; j < width; ++j) {
        const int at = start + j;
        if (at >= 0 && at < n) {
            if (at >= begin && at < end)
                sum += tile[at - begin] * mask[j];
            else
                sum += in[at] * mask[j];
        }
    }
    if (i < n)
        out[i] = sum;
}

__global__ void boxes(const pattern_box *boxes, const pattern_vec4 *places, const float *charges, pattern_vec4 *forces,
                      float a2)
{
    __shared__ pattern_vec4 home[BOX], other[BOX];
    __shared__ float charge[BOX];
    const int bx = blockIdx.x, tx = threadIdx.x, first = boxes[bx].first;
    pattern_vec4 *force = &forces[first];
    for (int i = tx; i < BOX; i += BOX_GROUP) {
        home[i] = places[first + i];
        force[i] = {0, 0, 0, 0};
    }
    __syncthreads();
    for (int n = 0; n < 1 + boxes[bx].count; ++n) {
        const int from = boxes[n == 0 ? bx : boxes[bx].near_[n - 1]].first;
        for (int i = tx; i < BOX; i += BOX_GROUP) {
            other[i] = places[from + i];
            charge[i] = charges[from + i];
        }
        __syncthreads();
        for (int i = tx; i < BOX; i += BOX_GROUP)
            for (int j = 0; j < BOX; ++j) {
                const float r2 =
                    home[i].v + other[j].v - (home[i].x * other[j].x + home[i].y * other[j].y + home[i].z * other[j].z);
                const float vij = expf(-a2 * r2), fs = 2 * vij;
                force[i].v += charge[j] * vij;
                force[i].x += charge[j] * fs * (home[i].x - other[j].x);
                force[i].y += charge[j] * fs * (home[i].y - other[j].y);
                force[i].z += charge[j] * fs * (home[i].z - other[j].z);
            }
        __syncthreads();
    }
}

__global__ void product(const float *matrix, const float *x, float *y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    y[i] = 0;
    for (int j = 0; j < n; ++j)
        y[i] += matrix[j * n + i] * x[j];
}

__global__ void scan_pairs(const int *in, int *out, int *sums, int n)
{
    __shared__ int temp[2 * SCAN_GROUP];
    const int t = threadIdx.x, first = blockIdx.x * 2 * SCAN_GROUP;
    int offset = 1;
    temp[2 * t] = first + 2 * t < n ? in[first + 2 * t] : 0;
    temp[2 * t + 1] = first + 2 * t + 1 < n ? in[first + 2 * t + 1] : 0;
    for (int d = SCAN_GROUP; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d)
            temp[offset * (2 * t + 2) - 1] += temp[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
    if (t == 0) {
        sums[blockIdx.x] = temp[2 * SCAN_GROUP - 1];
        temp[2 * SCAN_GROUP - 1] = 0;
    }
    for (int d = 1; d < 2 * SCAN_GROUP; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            const int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1, x = temp[a];
            temp[a] = temp[b];
            temp[b] += x;
        }
    }
    __syncthreads();
    if (first + 2 * t < n)
        out[first + 2 * t] = temp[2 * t];
    if (first + 2 * t + 1 < n)
        out[first + 2 * t + 1] = temp[2 * t + 1];
}

__global__ void scan_steps(const int *in, int *out, int *sums, int n)
{
    __shared__ int temp[2][SCAN_GROUP];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    int from = 0;
    temp[0][t] = i < n ? in[i] : 0;
    for (int step = 1; step < SCAN_GROUP; step *= 2) {
        __syncthreads();
        temp[1 - from][t] = temp[from][t] + (t >= step ? temp[from][t - step] : 0);
        from = 1 - from;
    }
    if (i < n)
        out[i] = temp[from][t];
    if (t == SCAN_GROUP - 1)
        sums[blockIdx.x] = temp[from][t];
}

__global__ void scan_place(const int *in, int *out, int *sums, int n)
{
    __shared__ int temp[SCAN_GROUP];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    temp[t] = i < n ? in[i] : 0;
    for (int step = 1; step < SCAN_GROUP; step *= 2) {
        __syncthreads();
        const int x = t >= step ? temp[t - step] : 0;
        __syncthreads();
        temp[t] += x;
    }
    if (i < n)
        out[i] = temp[t];
    if (t == SCAN_GROUP - 1)
        sums[blockIdx.x] = temp[t];
}

__global__ void waves(const float *sxx, const float *syy, const float *szz, const float *sxy, const float *sxz,
                      const float *syz, const float *rho, const float *damp, const float *a, const float *b, float *vx,
                      float *vy, float *vz, int row, int plane, float dt)
{
    const int z = blockIdx.z + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1,
              x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    const int i = z * plane + y * row + x;
    const float r = dt * rho[i], d = damp[i];
    vx[i] = d * (r * (sxx[i + 1] - sxx[i] + sxy[i] - sxy[i - row] + sxz[i] - sxz[i - plane]));
    vy[i] = d * (r * (syy[i + row] - syy[i] + sxy[i] - sxy[i - 1] + syz[i] - syz[i - plane]));
    vz[i] = d * (r * (szz[i + plane] - szz[i] + sxz[i] - sxz[i - 1] + syz[i] - syz[i - row]) + a[i] * b[i]);
}

/* Arrays that each bring their own sizes, as the views of any size do. */
template <typename T> using view = cuda::std::mdspan<T, cuda::std::dextents<size_t, 3>>;

struct waves_views {
    view<const float> sxx, syy, szz, sxy, sxz, syz, rho, damp, a, b;
    view<float> vx, vy, vz;
    float dt;
};

__global__ void waves_any(waves_views k)
{
    const size_t z = blockIdx.z + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1,
                 x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    const float r = k.dt * k.rho(z, y, x), d = k.damp(z, y, x);
    k.vx(z, y, x) = d
                    * (r
                       * (k.sxx(z, y, x + 1) - k.sxx(z, y, x) + k.sxy(z, y, x) - k.sxy(z, y - 1, x) + k.sxz(z, y, x)
                          - k.sxz(z - 1, y, x)));
    k.vy(z, y, x) = d
                    * (r
                       * (k.syy(z, y + 1, x) - k.syy(z, y, x) + k.sxy(z, y, x) - k.sxy(z, y, x - 1) + k.syz(z, y, x)
                          - k.syz(z - 1, y, x)));
    k.vz(z, y, x) = d
                    * (r
                           * (k.szz(z + 1, y, x) - k.szz(z, y, x) + k.sxz(z, y, x) - k.sxz(z, y, x - 1) + k.syz(z, y, x)
                              - k.syz(z, y - 1, x))
                       + k.a(z, y, x) * k.b(z, y, x));
}

/* By the hardware's filter, whose weights have 8 bits. */
__global__ void blur(cudaTextureObject_t in, float *out, int height, int width, float dx, float dy)
{
    const int y = blockIdx.y * blockDim.y + threadIdx.y, x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width || y >= height)
        return;
    float at_x = x, at_y = y;
    float4 sum = {0, 0, 0, 0};
    for (int i = 0; i < BLUR_SAMPLES; ++i) {
        const float4 c = tex2D<float4>(in, at_x, at_y);
        sum.x += c.x;
        sum.y += c.y;
        sum.z += c.z;
        sum.w += c.w;
        at_x += dx;
        at_y += dy;
    }
    out[y * width + x] = sum.x + sum.y + sum.z + sum.w;
}

/* ---- the side ----------------------------------------------------------------------------------------------------- */

bool passed(cudaError_t error)
{
    if (error != cudaSuccess)
        fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
    return error == cudaSuccess;
}

void *allocate(const pattern_array *array)
{
    void *memory = nullptr;
    const size_t bytes = pattern_bytes(array);
    return passed(cudaMalloc(&memory, bytes))
                   && passed(cudaMemcpy(memory, array->initial, bytes, cudaMemcpyHostToDevice))
               ? memory
               : nullptr;
}

bool fetch(void *array, void *to, size_t bytes)
{
    return passed(cudaMemcpy(to, array, bytes, cudaMemcpyDeviceToHost));
}

/* The texture over the memory of a pattern, which ends with the memory. */
cudaTextureObject_t texture;

void release(void *array)
{
    if (texture)
        passed(cudaDestroyTextureObject(texture));
    texture = 0;
    passed(cudaFree(array));
}

template <typename T> T *at(const pattern_data *d, int i)
{
    return static_cast<T *>(d->at[i]);
}

unsigned groups(int count, int group)
{
    return (unsigned)((count + group - 1) / group);
}

bool done()
{
    return passed(cudaGetLastError()) && passed(cudaDeviceSynchronize());
}

bool run_dft(const pattern_data *d)
{
    dft<<<groups(d->n[0], 256), 256>>>(at<double2>(d, 0), at<double2>(d, 1), d->n[0]);
    return done();
}

bool run_dft_floats(const pattern_data *d)
{
    dft_floats<<<groups(d->n[0], 256), 256>>>(at<float2>(d, 0), at<float2>(d, 1), d->n[0]);
    return done();
}

bool run_structure(const pattern_data *d)
{
    structure<<<groups(d->n[0], 256), 256>>>(at<pattern_atom>(d, 0), at<pattern_atom>(d, 1), at<double2>(d, 2),
                                             d->n[0]);
    return done();
}

bool run_quadrature(const pattern_data *d)
{
    quadrature<<<groups(d->n[0], 256), 256>>>(at<double>(d, 0), at<double>(d, 1), at<double>(d, 2), d->n[0]);
    return done();
}

template <bool apart> bool run_ffts(const pattern_data *d)
{
    fft<apart><<<d->n[0], FFT_GROUP>>>(at<double2>(d, 0), at<double2>(d, 1));
    return done();
}

using conv_kernel = void(const float *, const float *, float *, int, int);
template <conv_kernel kernel> bool run_conv(const pattern_data *d)
{
    kernel<<<groups(d->n[0], CONV_GROUP), CONV_GROUP>>>(at<float>(d, 0), at<float>(d, 1), at<float>(d, 2), d->n[0],
                                                        d->n[1]);
    return done();
}

bool run_boxes(const pattern_data *d)
{
    boxes<<<d->n[0], BOX_GROUP>>>(at<pattern_box>(d, 0), at<pattern_vec4>(d, 1), at<float>(d, 2),
                                  at<pattern_vec4>(d, 3), 0.5f);
    return done();
}

bool run_product(const pattern_data *d)
{
    product<<<groups(d->n[0], 256), 256>>>(at<float>(d, 0), at<float>(d, 1), at<float>(d, 2), d->n[0]);
    return done();
}

using scan_kernel = void(const int *, int *, int *, int);
template <scan_kernel kernel, int items> bool run_scan(const pattern_data *d)
{
    kernel<<<groups(d->n[0], items), SCAN_GROUP>>>(at<int>(d, 0), at<int>(d, 1), at<int>(d, 2), d->n[0]);
    return done();
}

struct wave_grid {
    dim3 threads, blocks;
    explicit wave_grid(const pattern_data *d)
        : threads(64, 4, 1), blocks(groups(d->n[2] - 2, 64), groups(d->n[1] - 2, 4), (unsigned)d->n[0] - 2)
    {
    }
};

bool run_waves_any(const pattern_data *d)
{
    const wave_grid grid(d);
    const auto in = [d](int i) { return view<const float>(at<float>(d, i), d->n[0], d->n[1], d->n[2]); };
    const auto out = [d](int i) { return view<float>(at<float>(d, i), d->n[0], d->n[1], d->n[2]); };
    const waves_views k = {in(0), in(1), in(2), in(3),   in(4),   in(5),   in(6),
                           in(7), in(8), in(9), out(10), out(11), out(12), 0.25f};
    waves_any<<<grid.blocks, grid.threads>>>(k);
    return done();
}

bool run_waves(const pattern_data *d)
{
    const wave_grid grid(d);
    waves<<<grid.blocks, grid.threads>>>(at<float>(d, 0), at<float>(d, 1), at<float>(d, 2), at<float>(d, 3),
                                         at<float>(d, 4), at<float>(d, 5), at<float>(d, 6), at<float>(d, 7),
                                         at<float>(d, 8), at<float>(d, 9), at<float>(d, 10), at<float>(d, 11),
                                         at<float>(d, 12), d->n[2], d->n[1] * d->n[2], 0.25f);
    return done();
}

bool open_texture(const pattern_data *d, bool floats, cudaTextureFilterMode filter)
{
    cudaResourceDesc memory = {};
    memory.resType = cudaResourceTypePitch2D;
    memory.res.pitch2D = {d->at[0], floats ? cudaCreateChannelDesc<float4>() : cudaCreateChannelDesc<uchar4>(),
                          (size_t)d->n[1], (size_t)d->n[0], (size_t)d->n[1] * (floats ? 16 : 4)};
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = filter;
    how.readMode = floats ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
    return passed(cudaCreateTextureObject(&texture, &memory, &how, nullptr));
}

template <bool floats, cudaTextureFilterMode filter> bool run_blur(const pattern_data *d)
{
    if (!texture && !open_texture(d, floats, filter))
        return false;
    const dim3 threads(32, 8), blocks(groups(d->n[1], 32), groups(d->n[0], 8));
    blur<<<blocks, threads>>>(texture, at<float>(d, 1), d->n[0], d->n[1], 0.71f, 0.43f);
    return done();
}

} // namespace

extern "C" const pattern_side pattern_cuda = {allocate,
                                              fetch,
                                              release,
                                              {run_dft,
                                               run_dft_floats,
                                               run_structure,
                                               run_quadrature,
                                               run_ffts<false>,
                                               run_ffts<true>,
                                               run_conv<conv_flat>,
                                               run_conv<conv_flat>,
                                               run_conv<conv_tiles>,
                                               run_conv<conv_either>,
                                               run_boxes,
                                               run_product,
                                               run_scan<scan_pairs, 2 * SCAN_GROUP>,
                                               run_scan<scan_steps, SCAN_GROUP>,
                                               run_scan<scan_place, SCAN_GROUP>,
                                               run_waves,
                                               run_waves_any,
                                               run_waves,
                                               run_waves,
                                               run_blur<false, cudaFilterModeLinear>,
                                               run_blur<true, cudaFilterModeLinear>,
                                               run_blur<false, cudaFilterModePoint>,
                                               run_blur<false, cudaFilterModeLinear>,
                                               run_blur<false, cudaFilterModeLinear>}};
