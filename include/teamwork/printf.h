/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Printing from kernels (spec 3.9.10; OpenCL 1.2, 6.12.13), and from host code.
 *
 *     tw_printf("item %d is at %.2v4hlf\n", i, position);
 *
 * int tw_printf(const char *format, ...): writes to the program's standard output; up to 16 arguments. The format is
 * C's, with OpenCL's vectors: after flags, width and precision, vn (n is 2, 3, 4, 8 or 16), then hh, h, hl or l for
 * elements of 8, 16, 32 or 64 bits, prints the n elements in the same format, with a comma between each two. A
 * tw_half is a floating-point argument as a float is. A string is one that the kernel can read, as a literal. * as a
 * width or precision is for calls without vectors, %n is for none. Formats are literals; the compiler checks them
 * against the arguments unless they have a v and a digit behind it, or more than three of the letter. It is a macro:
 * an argument with commas in braces needs parentheses.
 *
 * Returns 0, or -1 if nothing or not all was written: the format is invalid or has more conversions than there are
 * arguments; the text is longer than TW_PRINTF_MAX_BYTES, in calls with vectors or halves; or the device's own
 * function failed.
 *
 * The text of one call is never interleaved with that of another, neither of the same kernel nor of others, nor with
 * what the program prints itself by stdio. Calls of different work-items come in any order. On a CPU the text is in
 * stdout's buffer when the call returns; a GPU keeps it in device memory, and it appears before a wait for the kernel
 * returns. That memory is a ring of fixed size (NVIDIA: 1 MiB, cudaLimitPrintfFifoSize): what a kernel prints beyond
 * that overwrites what it printed first.
 *
 * On GPUs of other makers a call writes nothing and returns -1.
 */
#ifndef TEAMWORK_PRINTF_H
#define TEAMWORK_PRINTF_H

#include <teamwork/lower/kernel/printf.h>

#define tw_printf(...) TW_INTERNAL_JOIN(TW_INTERNAL_PRINTF_, TW_INTERNAL_HAS_ARGUMENTS(__VA_ARGS__))(__VA_ARGS__)

#endif
