/* SPDX-License-Identifier: Apache-2.0 */
/* The body of a loop of loops.c, which includes it there. */
const int place = ((a * 2 + b - 2) * 2 + c - 1) * 9 + d * 3 + e / 2;
y[place] = y[place] + shift * place;
