/* SPDX-License-Identifier: Apache-2.0 */
/** What atomic.h asks about objects and operands, in C++. */
#ifndef TEAMWORK_LOWER_ATOMIC_CXX_H
#define TEAMWORK_LOWER_ATOMIC_CXX_H

// clang-format off
/* A type: what it is, the word that it is treated as, the number, and what is added to it. */
template <typename T, bool IsEnum = __is_enum(T)> struct tw_internal_atomic {
    enum { kind = TW_INTERNAL_NO_OBJECT, step = 1 };
    typedef int type, sum;
    typedef tw_internal_uint32 word, number, bits;
};
#define TW_INTERNAL_DEFINE_ATOMIC(T, number_, word_, kind_)                                                            \
    template <> struct tw_internal_atomic<T, false> {                                                                  \
        enum { kind = kind_, step = 1 };                                                                               \
        typedef T type, sum;                                                                                           \
        typedef number_ number;                                                                                        \
        typedef word_ word;                                                                                            \
        typedef TW_INTERNAL_BITS_##kind_(word_) bits;                                                                  \
    };
#define TW_INTERNAL_BITS_TW_INTERNAL_BOOL(word) word
#define TW_INTERNAL_BITS_TW_INTERNAL_INTEGER(word) word
#define TW_INTERNAL_BITS_TW_INTERNAL_REAL(word) tw_internal_uint32 /* refused */
TW_INTERNAL_ATOMIC_TYPES(TW_INTERNAL_DEFINE_ATOMIC)
#undef TW_INTERNAL_DEFINE_ATOMIC
template <typename T> struct tw_internal_atomic<T, true> : tw_internal_atomic<__underlying_type(T)> {
    typedef T type;
};
// clang-format on

/* How far pointers step: by a byte where what they point to has no size. */
template <typename T, bool HasSize = !__is_void(T) && !__is_function(T)> struct tw_internal_element {
    enum { bytes = sizeof(T) };
};
template <typename T> struct tw_internal_element<T, false> {
    enum { bytes = 1 };
};
template <typename T> struct tw_internal_atomic<T *, false> {
    enum { kind = TW_INTERNAL_POINTER, step = tw_internal_element<T>::bytes };
    typedef T *type;
    typedef ptrdiff_t sum;
    typedef tw_internal_uint64 word, number, bits;
};

/* For its type: the value of an expression, without qualifiers. */
template <typename T> T tw_internal_value_of(T value);

/* An operand, converted to the object's type as in an assignment; 0 where the operation refuses it anyway. */
template <typename T, bool IsAccepted> struct tw_internal_operand {
    static __attribute__((always_inline)) T from(T value)
    {
        return value;
    }
};
template <typename T> struct tw_internal_operand<T, false> {
    template <typename From> static __attribute__((always_inline)) T from(const volatile From &)
    {
        return T();
    }
};

// clang-format off
#define TW_INTERNAL_ATOMIC(object, ...)                                                                                \
    __extension__({                                                                                                    \
        TW_INTERNAL_HIDE(                                                                                              \
            auto const tw_object = &*(object);                                                                         \
            typedef tw_internal_atomic<decltype(tw_internal_value_of(*tw_object))> tw_traits;                          \
            enum { tw_kind = tw_traits::kind };                                                                        \
            typedef typename tw_traits::type tw_type;                                                                  \
            typedef typename tw_traits::word tw_word;)                                                                          \
        __VA_ARGS__;                                                                                                   \
    })
// clang-format on

#define TW_INTERNAL_OPERAND(accepted, value)                                                                           \
    ((tw_word)tw_internal_operand<tw_type, !!((unsigned)tw_kind & (accepted))>::from(value))
#define TW_INTERNAL_NUMBER typename tw_traits::number
#define TW_INTERNAL_BITS typename tw_traits::bits
#define TW_INTERNAL_STEPS(value)                                                                                       \
    ((tw_word)((tw_word)tw_internal_operand<typename tw_traits::sum, !!tw_kind>::from(value)                           \
               * (tw_word)tw_traits::step))

#define TW_INTERNAL_EXPECTED_TYPE decltype(tw_internal_value_of(*tw_expected))
#define TW_INTERNAL_IS_SAME_TYPE __is_same(tw_type, TW_INTERNAL_EXPECTED_TYPE)
#define TW_INTERNAL_EXPECTED_VALUE (tw_internal_operand<tw_type, !!tw_same>::from(*tw_expected))
#define TW_INTERNAL_FOUND_VALUE (tw_internal_operand<TW_INTERNAL_EXPECTED_TYPE, !!tw_same>::from((tw_type)tw_found))

#endif
