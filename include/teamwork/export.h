/* SPDX-License-Identifier: Apache-2.0 */
/** Linkage of the public functions; included by every other header. */
#ifndef TEAMWORK_EXPORT_H
#define TEAMWORK_EXPORT_H

#ifdef __cplusplus
#define TW_BEGIN_DECLS extern "C" {
#define TW_END_DECLS }
#else
#define TW_BEGIN_DECLS
#define TW_END_DECLS
#endif

/** Marks what the shared library exports; everything else is built with hidden visibility. */
#define TW_API __attribute__((visibility("default")))

/** The result must be looked at: it may be the only report of an error. */
#define TW_NODISCARD __attribute__((warn_unused_result))

/** Functions of the kernel layer: inlined on the host and on every device, overloaded on the kind of item. */
#define TW_DEVICE_INLINE static inline __attribute__((always_inline, unused))

/** The same, for what kernels call. Its code has the line of the call: debuggers, profilers and messages of the optimizer
 *  stay in the kernel. Never for functions that a kernel is inlined into, as it would lose its own lines. */
#ifdef __clang__
#define TW_LANGUAGE_INLINE TW_DEVICE_INLINE __attribute__((nodebug))
#else
#define TW_LANGUAGE_INLINE TW_DEVICE_INLINE
#endif
#ifdef __cplusplus
#define TW_OVERLOADED TW_LANGUAGE_INLINE
#else
#define TW_OVERLOADED TW_LANGUAGE_INLINE __attribute__((overloadable))
#endif

#endif
