/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the plugin makes of barriers and reciprocals for an NVIDIA GPU. check.sh compiles it for the GPU alone, since barriers are
 * calls of OpenMP's device runtime else, and counts: functions are named after what becomes of them.
 */
#define LOOP for (int i = 0; i < n; ++i)
#define TURNS _Pragma("clang loop unroll(disable) vectorize(disable)") LOOP

/* One barrier in front of the loop, and one behind it. */
float out_of_loop(const float *x, int n)
{
    float sum = 0, part[4] = {0, 0, 0, 0};
    TURNS
    {
        __syncthreads();
        part[i & 3] += x[i];
        sum += x[i + n] * part[n & 3];
        __syncthreads();
    }
    return sum;
}

/* Others may read what a turn writes. */
void stays_store(float *x, int n)
{
    TURNS
    {
        x[i] *= 2;
        __syncthreads();
    }
}

/* The order of accesses matters. */
float stays_volatile(const volatile float *x, int n)
{
    float sum = 0;
    TURNS
    {
        sum += x[i];
        __syncthreads();
    }
    return sum;
}

int stays_atomic(int *x, int n)
{
    int sum = 0;
    TURNS
    {
        sum += __atomic_load_n(x, __ATOMIC_RELAXED);
        __syncthreads();
    }
    return sum;
}

float stays_fence(const float *x, int n)
{
    float sum = 0;
    TURNS
    {
        sum += x[i];
        __nvvm_membar_cta();
        __syncthreads();
    }
    return sum;
}

float other(float x);
float stays_call(const float *x, int n)
{
    float sum = 0;
    TURNS
    {
        sum += other(x[i]);
        __syncthreads();
    }
    return sum;
}

/* Work-items exchange values. */
int stays_vote(const int *x, int n)
{
    int sum = 0;
    TURNS
    {
        sum += (int)__nvvm_vote_ballot_sync(~0u, x[i]);
        __syncthreads();
    }
    return sum;
}

/* A second exit. */
float stays_exit(const float *x, int n)
{
    float sum = 0;
    TURNS
    {
        if (x[i] < 0)
            break;
        __syncthreads();
        sum += x[i];
    }
    return sum;
}

/* Some turns come to no barrier: some work-items of the group may not come to the loop. */
float stays_condition(const float *x, int n)
{
    float sum = 0;
    TURNS
    {
        if (i & 1)
            __syncthreads();
        sum += x[i];
    }
    return sum;
}

float inline_reciprocal(float x)
{
    return 1 / x;
}

float divides(float x)
{
    return 3 / x;
}

/* An index that is tested advances by a step: no access computes its address. */
float advances(const float *x, const float *y, int first, int size, int n)
{
    float sum = 0;
    LOOP
    {
        const int at = first + i - n / 2;
        if (at >= 0 && at < size)
            sum += x[at] * y[i];
    }
    return sum;
}

/* Quotients have 32 bits, as what is divided: the product with the inverse takes one instruction. */
void divides_counter(const float *x, float *y, unsigned pitch, int id)
{
    for (unsigned at = (unsigned)id & 255; at < 340; at += 256)
        y[at] = x[at / 34 * pitch + at % 34];
}

/* A counter that goes on below a small limit has 32 bits, and one that may leave them 64. */
void counts_narrow(float *x, unsigned size, unsigned id)
{
    const unsigned long step = size % 1024;
    for (unsigned long i = id % 1024; i < step + 2; i += step)
        x[i] = 1;
}

void counts_wide(float *x, unsigned size, unsigned id, unsigned limit)
{
    const unsigned long step = size % 1024;
    for (unsigned long i = id % 1024; i < limit; i += step)
        x[i] = 1;
}

/* Two products that add, and no or. */
float adds_offset(const float *x, unsigned group, unsigned id, unsigned long offset)
{
    return x[(unsigned long)group * 256 + id % 256 + offset];
}

/* The root is computed where it is used, apart from the test of z. */
float moves_root(const float *x, float y, int n)
{
    float sum = 0;
    for (int i = 0; i < n; ++i) {
        const float root = __builtin_sqrtf(x[i]);
        float z = y * x[i + n];
        if (z > 2)
            TURNS z += other(z);
        sum += root * z;
    }
    return sum;
}
