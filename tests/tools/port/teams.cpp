/* SPDX-License-Identifier: Apache-2.0 */
/* C++ as C programs use it: casts, references, constants, a namespace; teams with memory of their own and barriers. */
#include <cmath>
#include <cstdio>
#include <omp.h>
#include <vector>

constexpr int SIZE = 32;

namespace heat
{
struct Cell {
    float value, rate;
};

inline float step(const Cell &cell, float dt)
{
    return cell.value + dt * std::sqrt(cell.rate);
}

void advance(std::vector<Cell> &cells, float dt)
{
    Cell *data = cells.data();
    const int n = (int)cells.size();
    const int half = 2;
#pragma omp target teams distribute parallel for thread_limit(64) map(tofrom : data[0 : n])
    for (int i = 0; i < n; i++) {
        float parts[half] = {0.5f, 0.5f};
        Cell &cell = data[i];
        cell.value = step(cell, dt * (parts[0] + parts[1]));
    }
}
} // namespace heat

/* Sums of groups, by a tree in the team's memory. */
static void group_sums(const int *x, int *sums, int groups)
{
#pragma omp target teams num_teams(groups) thread_limit(SIZE) map(to : x[0 : groups * SIZE])                           \
    map(from : sums[0 : groups])
    {
        int part[SIZE];
#pragma omp parallel
        {
            const int l = omp_get_thread_num(), g = omp_get_team_num();
            part[l] = x[g * omp_get_num_threads() + l];
#pragma omp barrier
            for (int half = SIZE / 2; half > 0; half /= 2) {
                if (l < half)
                    part[l] += part[l + half];
#pragma omp barrier
            }
            if (l == 0)
                sums[g] = part[0];
        }
    }
}

/* Parallel loops among other statements of a team: sums and maxima of the team, memory that it shares, what is done once. */
template <typename T> static void normalize(T *x, T *most, int *counts, int rows, int columns)
{
#pragma omp target teams distribute num_teams(rows) map(tofrom : x[0 : rows * columns]) map(from : most[0 : rows])     \
    map(tofrom : counts[0 : 2])
    for (int row = rows - 1; row >= 0; row--) {
        T *const first = x + row * columns;
        T sum = 1, largest = 0;
        T kept[SIZE];
        if (columns > SIZE)
            continue;
#pragma omp parallel for reduction(+ : sum) reduction(max : largest)
        for (int i = 1; i <= columns - 1; i++) {
            sum += first[i];
            if (first[i] > largest)
                largest = first[i];
#pragma omp atomic
            counts[0] += 1;
        }
        if (largest > 0) {
            sum = sum * 2;
#pragma omp parallel for num_threads(16)
            for (int i = 0; i < columns; i += 2)
                kept[i] = first[i] / sum;
#pragma omp parallel for collapse(2) reduction(+ : sum)
            for (int a = 0; a < 2; ++a)
                for (int b = 0; b < columns / 2; ++b)
                    sum += a == 0 ? kept[2 * b] : 0;
        }
        most[row] = largest * 1000 + sum;
#pragma omp atomic update
        ++counts[1];
    }
}

/* Groups of two dimensions. */
static void row_sums(const int *x, int *sums, int planes, int rows, int columns)
{
#pragma omp target teams distribute collapse(2) map(to : x[0 : planes * rows * columns])                               \
    map(from : sums[0 : planes * rows])
    for (int plane = 0; plane < planes; ++plane)
        for (int row = 0; row < rows; ++row) {
            int sum = 0;
#pragma omp parallel for reduction(+ : sum)
            for (int i = 0; i < columns; ++i)
                sum += x[(plane * rows + row) * columns + i];
            sums[plane * rows + row] = sum;
        }
}

template <typename T> static void rows_of_teams(int rows, int columns)
{
    std::vector<T> x(rows * columns), most(rows);
    int counts[2] = {0, 0};
    for (int i = 0; i < rows * columns; ++i)
        x[i] = i % 7;
    normalize(x.data(), most.data(), counts, rows, columns);
    for (int row = 0; row < rows; ++row) {
        T sum = 1, even = 0;
        for (int i = 1; i < columns; ++i)
            sum += x[row * columns + i];
        for (int i = 0; i < columns; i += 2)
            even += x[row * columns + i] / (2 * sum);
        if (std::fabs((double)(most[row] - (6000 + 2 * sum + even))) > 0.01)
            std::printf("row %d: %g\n", row, (double)most[row]);
    }
    if (counts[0] != rows * (columns - 1) || counts[1] != rows)
        std::printf("rows: %d and %d\n", counts[0], counts[1]);
}

/* Functions that ask for their thread, and have barriers: of a template too, and by a macro. */
#define THREAD omp_get_thread_num()

static int thread_of_all(void)
{
    return omp_get_team_num() * omp_get_num_threads() + THREAD;
}

template <typename T> static T next_of(T *part, T value)
{
    part[THREAD] = value;
#pragma omp barrier
    return part[(THREAD + 1) % omp_get_num_threads()];
}

static void rotate(const int *x, int *y, int groups, int *calls)
{
#pragma omp target teams num_teams(groups) thread_limit(SIZE) map(to : x[0 : groups * SIZE])                           \
    map(from : y[0 : groups * SIZE]) map(tofrom : calls[0 : 1])
    {
        int part[SIZE];
#pragma omp parallel
        {
            const int place = thread_of_all();
            y[place] = next_of(part, x[place]);
#pragma omp atomic
            ++*calls;
        }
    }
}

/* What a team shares: a variable that it begins with, and one of the host, of which each team has a copy. One thread writes
   them, the others read them behind the barrier. */
static void offsets(const int *x, int *y, int groups, int base)
{
#pragma omp target teams num_teams(groups) thread_limit(SIZE) map(to : x[0 : groups * SIZE])                           \
    map(from : y[0 : groups * SIZE])
    {
        int first = 5;
#pragma omp parallel
        {
            const int l = omp_get_thread_num(), g = omp_get_team_num();
            if (l == SIZE - 1) {
                first += g;
                base = x[g * SIZE];
                y = y + 1 - 1;
            }
#pragma omp barrier
            y[g * SIZE + l] = base * 1000 + first;
        }
    }
}

/* Templates: a kernel for each instantiation that main() leads to. */
template <typename T, int FACTOR> static void scale(T *x, const T &offset, int n, T *count)
{
    const int last = n - 1;
    using Scaled = T;
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n], count[0 : 1])
    for (int i = 0; i <= last; ++i) {
        const Scaled twice = x[i] * FACTOR;
        x[i] = twice + offset;
#pragma omp atomic
        *count += 1;
    }
}

template <class T, typename = void> static T sum_of(const T *x, int n)
{
    T sum = 0;
#pragma omp target teams distribute parallel for map(to : x[0 : n]) reduction(+ : sum)
    for (int i = 0; i < n; ++i)
        sum += x[i];
    return sum;
}

template <typename T, int LENGTH> static void reverse(T *x, int groups)
{
    enum { last = LENGTH - 1 };
#pragma omp target teams num_teams(groups) thread_limit(LENGTH) map(tofrom : x[0 : groups * LENGTH])
    {
        T part[LENGTH];
#pragma omp parallel
        {
            const int l = omp_get_thread_num(), g = omp_get_team_num();
            part[last - l] = x[g * LENGTH + l];
#pragma omp barrier
            x[g * LENGTH + l] = part[l];
        }
    }
}

// clang-format off
namespace kinds { enum Kind { ONE, TEN }; template <Kind KIND> static void add(int &x)
{
#pragma omp target map(tofrom : x)
    {
        x += KIND == TEN ? 10 : 1;
    }
}
} // namespace kinds
// clang-format on

template <typename T> static void templates(T *x, int n)
{
    for (int i = 0; i < n; ++i)
        x[i] = (T)i;
    T count = 0;
    scale<T, 2>(x, (T)1, n, &count);
    reverse<T, 8>(x, n / 8);
    for (int i = 0; i < n; ++i)
        if (x[i] != (T)(2 * (i / 8 * 8 + 7 - i % 8) + 1))
            std::printf("template %d: %g\n", i, (double)x[i]);
    if (sum_of(x, n) != (T)(n * n) || count != (T)n)
        std::printf("template: sum %g\n", (double)sum_of(x, n));
}

int main()
{
    std::vector<heat::Cell> cells(100, heat::Cell{1.0f, 4.0f});
    heat::advance(cells, 0.5f);
    float total = 0;
    for (const heat::Cell &cell : cells)
        total += cell.value;
    std::printf("advance %.3f\n", total);

    const int groups = 6;
    int x[groups * SIZE], sums[groups];
    for (int i = 0; i < groups * SIZE; ++i)
        x[i] = i % 11;
    group_sums(x, sums, groups);
    for (int g = 0; g < groups; ++g) {
        int sum = 0;
        for (int i = 0; i < SIZE; ++i)
            sum += x[g * SIZE + i];
        if (sum != sums[g])
            std::printf("sum %d: %d, not %d\n", g, sums[g], sum);
    }
    row_sums(x, sums, 3, 2, SIZE);
    for (int row = 0; row < groups; ++row) {
        int sum = 0;
        for (int i = 0; i < SIZE; ++i)
            sum += x[row * SIZE + i];
        if (sum != sums[row])
            std::printf("row %d: sum %d, not %d\n", row, sums[row], sum);
    }
    templates(x, SIZE);
    int eleven = 0;
    kinds::add<kinds::ONE>(eleven);
    kinds::add<kinds::TEN>(eleven);
    if (eleven != 11)
        std::printf("enumerators: %d\n", eleven);
    double z[SIZE];
    templates(z, SIZE);

    rows_of_teams<double>(5, 20);
    rows_of_teams<float>(3, SIZE);

    int y[groups * SIZE];
    for (int i = 0; i < groups * SIZE; ++i)
        x[i] = i % 11;
    int calls = 0;
    rotate(x, y, groups, &calls);
    for (int i = 0; i < groups * SIZE; ++i)
        if (y[i] != x[i / SIZE * SIZE + (i + 1) % SIZE] || calls != groups * SIZE)
            std::printf("rotate %d: %d, %d calls\n", i, y[i], calls);
    offsets(x, y, groups, -1);
    for (int i = 0; i < groups * SIZE; ++i)
        if (y[i] != x[i / SIZE * SIZE] * 1000 + 5 + i / SIZE)
            std::printf("offset %d: %d\n", i, y[i]);
    return 0;
}
