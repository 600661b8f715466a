/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel for an NVIDIA GPU that indexes an array of its arguments' pointers: check.sh wants all accesses by them to be global. */
void indexes_arguments(unsigned long a, unsigned long b, unsigned long to, int which)
{
#pragma omp target teams ompx_bare num_teams(1) thread_limit(32) firstprivate(a, b, to, which)
    {
        const unsigned long of[2] = {a, b};
        for (int i = 0; i < 32; ++i)
            ((float *)to)[i] = ((const float *const *)of)[(i + which) % 2][i] + ((const float *)a)[which];
    }
}
