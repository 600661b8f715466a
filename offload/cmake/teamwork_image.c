/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled into each program that links a static library with kernels: gives the program device images of its own, without which
   clang does not look at those of the library. */
typedef int tw_internal_no_code;
