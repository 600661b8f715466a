/* SPDX-License-Identifier: Apache-2.0 */
/* The other file of refused.c. */
double outside(double x);

#pragma omp begin declare target
double outside(double x)
{
    return x;
}
#pragma omp end declare target
