/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA's vector types and dim3, for code that teamwork-port has moved from CUDA (teamwork_port_cuda.h includes this). */
#ifndef TEAMWORK_PORT_VECTORS_H
#define TEAMWORK_PORT_VECTORS_H

/* CUDA's vector types, by CUDA's names, and their make_ functions. */
#define TW_PORT_VECTORS(X)                                                                                             \
    X(char, signed char, 1)                                                                                            \
    X(uchar, unsigned char, 1)                                                                                         \
    X(short, short, 2)                                                                                                 \
    X(ushort, unsigned short, 2)                                                                                       \
    X(int, int, 4)                                                                                                     \
    X(uint, unsigned, 4)                                                                                               \
    X(long, long, 8)                                                                                                   \
    X(ulong, unsigned long, 8)                                                                                         \
    X(longlong, long long, 8)                                                                                          \
    X(ulonglong, unsigned long long, 8)                                                                                \
    X(float, float, 4)                                                                                                 \
    X(double, double, 8)
#define TW_PORT_VECTOR(name, type, bytes)                                                                              \
    typedef struct name##1                                                                                             \
    {                                                                                                                  \
        type x;                                                                                                        \
    }                                                                                                                  \
    name##1;                                                                                                           \
    typedef struct __attribute__((aligned(2 * bytes))) name##2                                                         \
    {                                                                                                                  \
        type x, y;                                                                                                     \
    }                                                                                                                  \
    name##2;                                                                                                           \
    typedef struct name##3                                                                                             \
    {                                                                                                                  \
        type x, y, z;                                                                                                  \
    }                                                                                                                  \
    name##3;                                                                                                           \
    typedef struct __attribute__((aligned(4 * bytes < 16 ? 4 * bytes : 16))) name##4                                   \
    {                                                                                                                  \
        type x, y, z, w;                                                                                               \
    }                                                                                                                  \
    name##4;                                                                                                           \
    static inline name##1 make_##name##1(type x)                                                                       \
    {                                                                                                                  \
        const name##1 made = {x};                                                                                      \
        return made;                                                                                                   \
    }                                                                                                                  \
    static inline name##2 make_##name##2(type x, type y)                                                               \
    {                                                                                                                  \
        const name##2 made = {x, y};                                                                                   \
        return made;                                                                                                   \
    }                                                                                                                  \
    static inline name##3 make_##name##3(type x, type y, type z)                                                       \
    {                                                                                                                  \
        const name##3 made = {x, y, z};                                                                                \
        return made;                                                                                                   \
    }                                                                                                                  \
    static inline name##4 make_##name##4(type x, type y, type z, type w)                                               \
    {                                                                                                                  \
        const name##4 made = {x, y, z, w};                                                                             \
        return made;                                                                                                   \
    }
TW_PORT_VECTORS(TW_PORT_VECTOR)

/* Sizes of groups and their number. */
typedef struct dim3 {
    unsigned x, y, z;
#ifdef __cplusplus
    dim3(unsigned first = 1, unsigned second = 1, unsigned third = 1) : x(first), y(second), z(third)
    {
    }
    dim3(uint3 from) : x(from.x), y(from.y), z(from.z)
    {
    }
    operator uint3() const
    {
        return make_uint3(x, y, z);
    }
#endif
} dim3;

/* tw_port_dim3(x[, y[, z]]): what is missing is 1. */
#ifdef __cplusplus
#define tw_port_dim3(...) dim3(__VA_ARGS__)
#else
#define tw_port_dim3(...) TW_PORT_DIM3(__VA_ARGS__, 1, 1, )
#define TW_PORT_DIM3(x, y, z, ...) ((dim3){(unsigned)(x), (unsigned)(y), (unsigned)(z)})
#endif

#endif
