/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What the pointers of <teamwork/pointer.h> are in this pass: the qualifiers that clang has for the target's address
 * spaces.
 *
 * Only the simt lowering keeps local and private memory where these qualifiers say. In the teams lowering local memory
 * may be global, and private variables that escape may be shared, so pointers to them are plain there.
 *
 * In passes for CPUs all pointers are plain, unless TW_CHECK_POINTERS is defined. The numbers are those of SPIR,
 * which mean nothing to a CPU, but make the types different; sanitizers do not look at what is accessed through them.
 */
#ifndef TEAMWORK_LOWER_POINTER_H
#define TEAMWORK_LOWER_POINTER_H

#define TW_INTERNAL_SPACE(number) __attribute__((address_space(number)))

#if defined(__NVPTX__) || defined(__AMDGCN__)
/* constant memory of an NVIDIA GPU is something else than memory that nobody writes: that is global; and an AMD GPU has
   no atomic loads of constant memory */
#define TW_INTERNAL_IN_global TW_INTERNAL_SPACE(1)
#define TW_INTERNAL_IN_constant TW_INTERNAL_SPACE(1)
#elif defined(TW_CHECK_POINTERS) && defined(__clang__)
#define TW_INTERNAL_IN_global TW_INTERNAL_SPACE(1)
#define TW_INTERNAL_IN_constant TW_INTERNAL_SPACE(2)
#else
#define TW_INTERNAL_IN_global
#define TW_INTERNAL_IN_constant
#endif

#if (defined(__AMDGCN__) || defined(__NVPTX__)) && defined(TW_LOWERING_SIMT)
#define TW_INTERNAL_IN_local TW_INTERNAL_SPACE(3)
#define TW_INTERNAL_IN_private TW_INTERNAL_SPACE(5)
#elif !defined(__AMDGCN__) && !defined(__NVPTX__) && defined(TW_CHECK_POINTERS) && defined(__clang__)
#define TW_INTERNAL_IN_local TW_INTERNAL_SPACE(3)
#define TW_INTERNAL_IN_private TW_INTERNAL_SPACE(4)
#else
#define TW_INTERNAL_IN_local
#define TW_INTERNAL_IN_private
#endif

/* tw_plain_ptr(): of the type behind p, without qualifiers, and with const if it was there. A space that is no
   qualifier is the default; one number is never listed twice. */
#if !defined(__AMDGCN__) && !defined(__NVPTX__) && !(defined(TW_CHECK_POINTERS) && defined(__clang__))
#define TW_INTERNAL_PLAIN_PTR(p) (p)
#elif defined(__cplusplus)
template <typename T> struct tw_internal_plain {
    typedef T type;
};
#define TW_INTERNAL_DEFINE_PLAIN(number)                                                                               \
    template <typename T> struct tw_internal_plain<T TW_INTERNAL_SPACE(number)> {                                      \
        typedef T type;                                                                                                \
    };
TW_INTERNAL_DEFINE_PLAIN(1)
TW_INTERNAL_DEFINE_PLAIN(2)
TW_INTERNAL_DEFINE_PLAIN(3)
TW_INTERNAL_DEFINE_PLAIN(4)
TW_INTERNAL_DEFINE_PLAIN(5)
#undef TW_INTERNAL_DEFINE_PLAIN
#define TW_INTERNAL_PLAIN_PTR(p) ((tw_internal_plain<__remove_reference_t(__typeof__(*(p)))>::type *)(p))
#else
#define TW_INTERNAL_POINTEE(p) __typeof__((void)0, *(p))
#define TW_INTERNAL_PLAIN(p, space)                                                                                    \
    __typeof__(TW_INTERNAL_POINTEE(                                                                                    \
        p)) TW_INTERNAL_IN_##space * : (TW_INTERNAL_POINTEE(p) *)(p),                                                  \
                                       const __typeof__(TW_INTERNAL_POINTEE(                                           \
                                           p)) TW_INTERNAL_IN_##space * : (const TW_INTERNAL_POINTEE(p) *)(p)
#if defined(__NVPTX__) || defined(__AMDGCN__)
#define TW_INTERNAL_PLAIN_CONSTANT(p)
#else
#define TW_INTERNAL_PLAIN_CONSTANT(p) , TW_INTERNAL_PLAIN(p, constant)
#endif
#if defined(TW_LOWERING_SIMT) || (!defined(__AMDGCN__) && !defined(__NVPTX__))
#define TW_INTERNAL_PLAIN_WITHIN(p) , TW_INTERNAL_PLAIN(p, local), TW_INTERNAL_PLAIN(p, private)
#else
#define TW_INTERNAL_PLAIN_WITHIN(p)
#endif
#define TW_INTERNAL_PLAIN_PTR(p)                                                                                       \
    _Generic((p), TW_INTERNAL_PLAIN(p, global) TW_INTERNAL_PLAIN_CONSTANT(p) TW_INTERNAL_PLAIN_WITHIN(p), default: (p))
#endif

#endif
