#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a C program of random kernels, which prints what each of them computes.

usage: generate.py SEED KERNELS

stress.sh compiles it with the plugin of the compiler and without, and compares the output. Kernels obey the rules of
docs/kernels.md: no work-item reads what another one writes but behind barriers, indices are inside of the buffers, and
signed arithmetic does not overflow.
"""
import math
import random
import sys

HEAD = """\
#include <stdio.h>
#include <stdlib.h>
#include <teamwork/group_functions.h>
#include <teamwork/reduction.h>
#include <teamwork/teamwork.h>
#include <teamwork/vector.h>

enum { MOST = 1 << 14, LOCAL = 1024, SHARED = 2048, BINS = 64 };
struct pair { int a, b; };
static inline int clamp_to(int x, int low, int high) { return x < low ? low : x > high ? high : x; }
static inline struct pair both(int a, int b) { struct pair p = {a & 1023, (a ^ b) & 511}; return p; }
static inline int first_step(int x) { struct pair p = both(x, 77); return p.a > p.b ? p.a : p.b; }
static inline int second_step(int x) { return first_step(x) + first_step(x + 3) / 2; }
static inline int collatz(int x) { int n = 0; do { x = x & 1 ? 3 * (x & 255) + 1 : x / 2; ++n; } while (x > 1 && n < 20); return n; }
"""

TAIL = """\
static unsigned hash(const int *x, int count)
{
    unsigned h = 2166136261u;
    for (int i = 0; i < count; ++i)
        h = (h ^ (unsigned)x[i]) * 16777619u;
    return h;
}

#define CHECK(call) do { if ((call) != TW_SUCCESS) { printf("%%s: %%s\\n", #call, tw_error_detail()); exit(1); } } while (0)
#define RUN(kernel, launch, ...) do { \\
    for (int i = 0; i < MOST; ++i) out[i] = -1; \\
    CHECK(tw_buffer_create_over(out, sizeof *out, tw_range_1d(MOST), &o)); \\
    tw_command_group *cg = tw_queue_begin(queue); \\
    launch(cg, __VA_ARGS__, .in = tw_read(cg, b), .out = tw_read_write(cg, o)); \\
    CHECK(tw_queue_submit(queue, cg, NULL)); \\
    CHECK(tw_queue_wait(queue)); \\
    CHECK(tw_buffer_destroy(&o)); \\
    printf("%%s %%08x\\n", #kernel, hash(out, MOST)); \\
    } while (0)
#define RUN_REDUCTION(kernel, launch, ...) do { \\
    unsigned counts[BINS], all; int largest; float total; \\
    RUN(kernel, launch, __VA_ARGS__, .most = TW_REDUCE_INIT(cg, most), .sum = TW_REDUCE_INIT(cg, sum), \\
        .real = TW_REDUCE_INIT(cg, real), .bins = TW_REDUCE_ARRAY_INIT(cg, bins)); \\
    CHECK(tw_buffer_read(most, &largest)); \\
    CHECK(tw_buffer_read(sum, &all)); \\
    CHECK(tw_buffer_read(real, &total)); \\
    CHECK(tw_buffer_read(bins, counts)); \\
    printf("  %%d %%u %%g %%08x\\n", largest, all, total, hash((const int *)counts, BINS)); \\
    } while (0)

int main(void)
{
    static int in[MOST], out[MOST];
    for (unsigned i = 0; i < MOST; ++i)
        in[i] = (int)(i * 2654435761u >> 20) - 2048;
    tw_queue *queue = NULL;
    tw_buffer *b = NULL, *o = NULL, *most = NULL, *sum = NULL, *real = NULL, *bins = NULL;
    CHECK(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
    CHECK(tw_buffer_create_over_const(in, sizeof *in, tw_range_1d(MOST), &b));
    CHECK(tw_buffer_create(sizeof(int), tw_range_1d(1), &most));
    CHECK(tw_buffer_create(sizeof(unsigned), tw_range_1d(1), &sum));
    CHECK(tw_buffer_create(sizeof(float), tw_range_1d(1), &real));
    CHECK(tw_buffer_create(sizeof(unsigned), tw_range_1d(BINS), &bins));
%s
    CHECK(tw_buffer_destroy(&bins));
    CHECK(tw_buffer_destroy(&real));
    CHECK(tw_buffer_destroy(&sum));
    CHECK(tw_buffer_destroy(&most));
    CHECK(tw_buffer_destroy(&b));
    CHECK(tw_queue_destroy(&queue));
    return 0;
}
"""


SIZES = [(16, 16), (5, 7), (4, 32), (2, 40), (3, 27)]  # of groups of two dimensions


class Body:
    """The statements of one work-item: v, u (int), f (float) are its values, x and y its place in rows of w and h."""

    def __init__(self, rng, barriers, leave, dims, reduces, items, planes):
        self.dims, self.reduces, self.items, self.planes = dims, reduces, items, planes
        self.rng, self.barriers, self.leave, self.loops = rng, barriers, leave, 0
        self.counts = barriers and rng.random() < 0.25

    def pick(self, *choices):
        return self.rng.choice(choices)

    def const(self):
        return self.rng.randint(-4, 5)

    def index(self):
        x, y = f"x + {self.const()}", f"y + {self.const()}"
        return self.pick(f"clamp_to({y}, 0, k->h - 1) * k->w + clamp_to({x}, 0, k->w - 1)",
                         f"(({y} + k->h) % k->h) * k->w + ({x} + k->w) % k->w",
                         f"y * k->w + (x == 0 ? k->w - 1 : x - 1)", f"y * k->w + (x + 1 == k->w ? 0 : x + 1)",
                         f"(size_t)y * (size_t)k->w + (size_t)x", f"(unsigned)y * (unsigned)k->w + (unsigned)x",
                         "(v & 4095)", "((x + y) & 15)", "((unsigned)(x - 3) < (unsigned)k->w ? x - 3 : 2)", f"((unsigned)(x * 3 + {abs(self.const())}) & 8191)",
                         "(((unsigned)x / 12u * 37u + (unsigned)x % 12u) & 8191)",
                         f"((x / {self.pick(48, 64)} * 61 + x % {self.pick(48, 64)} / 8 * 11 + x % 8) & 8191)",
                         f"((x / ((k->n + 6) * 5) * 61 + x / (k->n + 6) % {self.pick(5, 3)} * 11 + x % (k->n + 6)) & 8191)",
                         "((tw_global_id(item, 0) / (size_t)(k->n + 6) + tw_global_id(item, 0) % (size_t)(k->n + 6)) & 8191)")

    def value(self):
        return self.pick(f"k->in[{self.index()}]", f"k->in[{self.index()}]", "v", "u", "x", "y", str(self.const()), "k->n",
                         "second_step(v & 2047)", "collatz(v & 127)", "both(u, x).b", "(int)f", "i0" if self.loops else "7",
                         "(v >> 3)")

    def condition(self):
        c = self.const()
        return self.pick(f"x > {c}", f"x < k->w - {abs(c)}", f"y >= {c}", f"x + {c} >= 0 && x + {c} < k->w", "(v & 1)", f"k->n > {c}",
                         f"y > 0 && y < k->h - 1 && x > 0 && x < k->w - 1", f"x == {abs(c)}", "u < v",
                         self.narrow())

    def narrow(self):
        """What comes back to where it was within a row, or from row to row."""
        c = self.const()
        return self.pick(f"(x + y) % 2 == {abs(c) & 1}", f"((x + {c}) & 3) > 1", f"(unsigned char)(x + {abs(c) * 24} * y) < 200",
                         f"x > 0 && y > 0 && (x + y + k->n) % 2 == 0", f"(x + {abs(c)}) % {self.pick(2, 4, 32)} == {self.pick('0', '1', 'k->n')}",
                         f"((x ^ (y + {c})) & 1) {self.pick('==', '!=')} {self.pick('1', 'k->n')}", f"((unsigned)(y - 3 * x) & {self.pick(1, 3, 31)}u) == {abs(c)}u",
                         f"((unsigned)(x - y) & 7u) != {abs(c)}u")

    def add(self, name):
        return f"{name} = ({name} {self.pick('+', '-', '^', '&', '|')} ({self.value()})) & 0xfffff;"

    def block(self, depth, count):
        return " ".join(self.statement(depth) for _ in range(count))

    def uniform(self, depth):
        """Statements at which all work-items of a group arrive."""
        if self.barriers and self.rng.random() < 0.6:
            return self.exchange(depth)
        return self.statement(depth)

    def of_all(self):
        """What all work-items read at one place, some of them perhaps, and use behind the barrier."""
        place = abs(self.const())
        if self.rng.random() < 0.4:
            return "v ^= t[0]; tw_barrier(item, TW_LOCAL_SPACE);"
        read = self.pick(f"const int all = t[{place}];", f"const int all = t[{place}] + k->in[{place * 7} + k->n];",
                         f"int all = u; if ({self.condition()}) all = t[{place}];")
        change = self.pick("", "t[l] = v & 0xffff; tw_barrier(item, TW_LOCAL_SPACE); u = (u + t[0]) & 0xfffff; tw_barrier(item, TW_LOCAL_SPACE);")
        use = self.pick("v ^= all;", f"if (all & 1) {{ {self.statement(0)} }} v = (v + all) & 0xfffff;",
                        "for (int j = 0; j < (all & 7); ++j) v = (v * 3 + j) & 0xfffff;")
        return f"{{ {read} tw_barrier(item, TW_LOCAL_SPACE); {change} {use} }}"

    def exchange(self, depth):
        n = "(int)tw_local_linear_range(item)"
        put = "t[l] = v & 0xffff; tw_barrier(item, TW_LOCAL_SPACE);"
        get = f"u = (u + t[(l + {abs(self.const()) + 1}) % {n}]) & 0xfffff; tw_barrier(item, TW_LOCAL_SPACE);"
        kind = self.rng.randint(0, 14)
        if kind >= 13:
            return self.levels() if self.rng.random() < 0.6 else self.windows()
        if kind >= 11:
            steps = self.tree(self.pick("int", "unsigned", "size_t"))
            return steps.replace("EACH {", "{").replace("} NEXT", "} tw_barrier(item, TW_LOCAL_SPACE);")
        if kind >= 8:
            return self.share()
        if kind == 0:
            return (f"{put} for (int s = {n} / 2; s > 0; s /= 2) {{ if (l < s) t[l] = (t[l] + t[l + s]) & 0xffff; "
                    f"tw_barrier(item, TW_LOCAL_SPACE); }} {self.of_all()}")
        if kind == 1 and depth > 0:
            return f"for (int r = 0; r < k->n % 3 + 1; ++r) {{ {put} {get} {self.statement(0)} }}"
        if kind == 2:
            return f"v = (v + tw_reduce_over_group(item, u, {self.pick('TW_SUM', 'TW_MAX', 'TW_XOR')})) & 0xfffff;"
        if kind == 3:
            return f"u = tw_{self.pick('inclusive', 'exclusive')}_scan_over_group(item, v & 255, TW_SUM) & 0xfffff;"
        if kind == 4:
            return (f"v ^= tw_group_broadcast(item, u, {abs(self.const())} % tw_local_linear_range(item)); "
                    f"if (tw_any_of_group(item, v > {self.const() * 99})) u ^= 5;")
        if kind == 5:
            return "f += tw_reduce_over_group(item, (float)(v & 63) / 3.0f, TW_SUM);"
        if kind == 6 and depth > 0:
            return f"if (k->n > {self.const()}) {{ {put} {get} }} else {{ {self.statement(0)} }}"
        if kind == 7:
            return self.some()
        return f"{put} {get}"

    def some(self):
        """What only some work-items of a row write, between what all of them do, and behind other conditions."""
        def some_of():
            d = self.rng.randrange(self.dims)
            of, c = f"(int)tw_local_id(item, {d})", abs(self.const())
            name = f"{of} {self.pick('==', '==', '<', '>')} {c}"
            name = self.pick(name, name, f"{of} + 1 == {c}", f"{of} == (int)tw_local_range(item, {d}) - 1", f"{of} + 2 >= (int)tw_local_range(item, {d})")
            return self.pick(name, name, f"{name} || {self.condition()}", f"{self.condition()} && {name}", f"!({self.condition()} || {name})")
        text = ""
        for _ in range(self.rng.randint(1, 3)):
            part = self.pick(f"s[l + 512] = ({self.value()}) & 0xffff;", f"s[l] ^= ({self.value()}) & 0xff;",
                             f"s[l + 512] += s[l] & 0xff; s[l] = ({self.value()}) & 0xfff;")
            part = f"if ({some_of()}) {{ {part} }}"
            own = self.pick("", "s[l] += 3;", "s[l + 512] ^= 5;", f"const int own = ({self.value()}) & 0xff; s[l] += own; {part} s[l + 512] += own;")
            text += self.pick(f"{part} {{ {own} }}", f"if ({self.condition()}) {{ {own} {part} s[l] ^= 1; }}", f"{{ {own} }} {part}")
        n, wait = "(int)tw_local_linear_range(item)", "tw_barrier(item, TW_LOCAL_SPACE);"
        return (f"s[l] = v & 0xffff; s[l + 512] = u & 0xffff; {text} {wait} u = (u + s[(l + {abs(self.const())}) % {n}]) & 0xfffff; "
                f"v ^= s[512 + (l + {abs(self.const())}) % {n}] & 0xffff; {wait}")

    def tree(self, of):
        """Sums by a tree in team-local memory. EACH { ... } NEXT is a step that the work-items of a group do between two barriers."""
        n, most = self.items, 1 << (2 * self.items).bit_length() - 1
        put = f"EACH {{ t[l] = v & 255; t[l + {n}] = (u ^ l) & 255; }} NEXT"
        get = "EACH { u = (u + t[l]) & 0xfffff; v ^= t[2 * l] & 0xffff; } NEXT"
        add = "t[b] = (t[b] + t[a]) & 0xffff;"
        ends = f"const {of} a = step * (2 * ({of})l + 1) - 1, b = step * (2 * ({of})l + 2) - 1;"
        kind = self.rng.randint(0, 4)
        if kind == 4: # a sum for each row of work-items
            wide = self.rng.choice([w for w in (4, 8, 16, 32, 64) if w <= n])
            lane, row = self.pick(f"({of})l % {wide}", f"({of})l & {wide - 1}"), f"({of})l / {wide}"
            first = self.pick("0", f"k->in[({row}) & 63] % 7", "k->n")
            turns = (f"EACH {{ {self.pick('', f'if (({row}) < ({of})k->n)')} for (int j = (int)({lane}) + {first}; j < 90 + k->in[({row}) & 7] % 9; "
                     f"j += {wide}) v = (v + k->in[j & 4095]) & 0xfffff; }} NEXT")
            return (f"{self.pick('', turns)} {put} for ({of} s = {wide // 2}; s > 0; s /= 2) {{ EACH {{ if (({lane}) < s) "
                    f"t[l] = (t[l] + t[l + (int)s]) & 0xffff; }} NEXT }} {get}")
        if kind == 0:
            return (f"{put} for ({of} s = {most // 2}; s > 0; s {self.pick('/= 2', '>>= 1')}) {{ EACH {{ "
                    f"if (({of})l < s && ({of})l < {n}) {{ const {of} a = ({of})l + s, b = ({of})l; {add} }} }} NEXT }} {get}")
        if kind == 1:
            return (f"{put} {{ {of} step = 1; for ({of} d = {most // 2}; d > 0; d {self.pick('/= 2', '>>= 1')}) {{ "
                    f"EACH {{ if (({of})l < d) {{ {ends} {add} }} }} NEXT step *= 2; }} "
                    f"EACH {{ if (l == 0) t[{most - 1}] = 0; }} NEXT for ({of} d = 1; d < {most}; d *= 2) {{ step /= 2; EACH {{ "
                    f"if (({of})l < d) {{ {ends} const int left = t[a]; t[a] = t[b]; t[b] = (t[b] + left) & 0xffff; }} }} NEXT }} }} {get}")
        if kind == 2:
            return (f"{put} for ({of} s = 1; s < {n}; s *= 2) {{ EACH {{ even = ({of})l >= s ? t[({of})l - s] : 0; }} NEXT "
                    f"EACH {{ t[l] = (t[l] + even) & 0xffff; }} NEXT }} {get}")
        return (f"{put} for ({of} s = 1; s < {2 * n}; s {self.pick('*= 2', '<<= 1')}) {{ EACH {{ even = t[2 * l]; odd = t[2 * l + 1]; "
                f"if (2 * ({of})l >= s) even += t[2 * ({of})l - s]; if (2 * ({of})l + 1 >= s) odd += t[2 * ({of})l + 1 - s]; }} NEXT "
                f"EACH {{ t[2 * l] = even & 0xffff; t[2 * l + 1] = odd & 0xffff; }} NEXT }} {get}")

    def array(self):
        """An array of the work-item, written in one order and read in another."""
        size = self.pick(8, 12, 40)
        until = self.pick(str(size), "k->n + 1", f"(v & 7) + 1", "k->n + 2")
        step = self.pick("c[j] ^= d;", "c[j] = (c[j] + (j > 0 ? c[j - 1] : 3)) & 0xffff;", f"c[(v + j) % {size}] += d & 15;", "d ^= c[j];")
        get = self.pick("for (int j = m - 1; j >= 0; --j) v = (v + (c[j] & 0xffff) * 3 - j) & 0xfffff;",
                        "for (int j = 0; j < m; ++j) { if (c[j] & 1) u = (u ^ c[j]) & 0xfffff; v = (v + (c[j] & 255)) & 0xfffff; }",
                        f"v ^= c[u % {size}] & 0xffff;")
        return (f"{{ int c[{size}]{self.pick(' = {0}', f'; for (int j = 0; j < {size}; ++j) c[j] = j')}; const int m = {until}; "
                f"for (int j = 0; j < m; ++j) {{ int d = k->in[(x + j * {self.pick('k->w', '1', '64')}) & 8191] & 0xfff; c[j] = d + v; {step} }} {get} }}")

    def combine(self):
        return self.pick("tw_combine(k->sum, (unsigned)v);", "tw_combine(k->most, (v ^ u) & 0xffff);", "tw_combine(k->real, (float)(v & 1));",
                         "tw_combine_at(k->bins, (size_t)(u & (BINS - 1)), (unsigned)v & 3u);")

    def count(self):
        """Atomic operations of the group, a kind on each part of the array."""
        kind, at = self.rng.choice([("add", 0), ("max", 8), ("xor", 16)]), self.pick("u & 7", "l / 17 & 7", "x & 3", "5", "v & 7")
        one = f"tw_atomic_fetch_{kind[0]}(&hits[{kind[1]} + ({at})], %s & 255, TW_ORDER_RELAXED, TW_SCOPE_WORK_GROUP);"
        return self.pick(one % "v", f"for (int q = 0; q < k->n; ++q) {one % 'k->in[(x + q) & 4095]'}", f"if ({self.condition()}) {one % 'u'}")

    def levels(self):
        """A tree whose distance is doubled from level to level, with two numbers of each work-item, or whose pairs are halved."""
        of, most = self.pick("int", "unsigned", "size_t"), self.rng.choice([8, 64, 128, 512])
        head = f"{{ const {of} w = ({of})l; s[2 * w] = v & 0xff; s[2 * w + 1] = u & 0xff; "
        wait, n = "tw_barrier(item, TW_LOCAL_SPACE);", "tw_local_linear_range(item)"
        if self.rng.random() < 0.5:
            bound = self.pick(f"({of}){most}", f"({of}){most}", f"({of})(k->n * 50)")
            other = self.pick("", "", "else v ^= 3;")
            return (f"{head} for ({of} d = 1; d < {bound}; d *= 2) {{ {wait} if (2 * w >= d) v = (v + s[2 * w - d]) & 0xfffff; {other} "
                    f"if (2 * w + 1 >= d) u = (u + s[2 * w + 1 - d]) & 0xfffff; {wait} s[2 * w] = v & 0xffff; "
                    f"s[2 * w + 1] = u & 0xffff; }} {wait} }}")
        return (f"{{ for (int z = l; z < SHARED; z += (int){n}) s[z] = z; }} {wait} s[l] = v; s[l + 512] = u; {wait} {{ const {of} w = ({of})l; {of} d = 1; "
                f"for ({of} pairs = {most}; pairs > 0; pairs /= 2) {{ if (w < pairs) s[(2 * w + 2) * d - 1] = "
                f"(s[(2 * w + 2) * d - 1] + s[(2 * w + 1) * d - 1]) & 0xfffff; d *= 2; {wait} }} v ^= s[w]; u ^= s[2 * w + 1]; {wait} }}")

    def windows(self):
        """Levels at which each work-item goes through a few elements of its own, at the same places of each window."""
        of, wait, text = self.pick("int", "unsigned", "size_t"), "tw_barrier(item, TW_LOCAL_SPACE);", ""
        all_of = self.rng.choice([64, 128, 500, 512])
        for _ in range(self.rng.randint(1, 4)):
            wide, first = self.rng.choice([2, 2, 4, 4, 8, 16, 32, 3]), self.pick("0", "0", "1", "4")
            at = lambda: f"s[p + {self.rng.randrange(wide)}]"
            value = lambda: self.pick(f"({at()} + {at()}) & 0xffff", f"{at()} > {at()} ? {at()} : {at()}", f"{at()} ^ (k->n + {at()})", at())
            steps = " ".join(f"{at()} = {value()};" for _ in range(self.rng.randint(1, 3)))
            text += f"if (w < {all_of // wide}) {{ const {of} p = w * {wide} + {first}; {steps} }} {wait} "
        begin = "s[l] = v;"
        if self.rng.random() < 0.6: # all of them, or some, come from memory
            many = self.pick(1, 2, 2, 4)
            there = self.pick("", f"c + p < ({of})(k->n * 150) ? ", f"c + p < ({of})(k->w * 8) ? ")
            each = " ".join(f"{{ const {of} p = w * {many} + {i}; s[p] = {there}k->in[c + p]{' : 3' if there else ''}; }}" for i in range(many))
            begin = (f"if (l < {512 // many}) {{ const {of} w = ({of})l, c = ({of})(tw_group_linear_id(item) % 8 * 77); {each} }}")
        return (f"for (int z = l; z < SHARED; z += (int)tw_local_linear_range(item)) s[z] = z * 5; {wait} {begin} {wait} "
                f"{{ const {of} w = ({of})l; {text} v ^= s[w]; u = (u + s[w + 2]) & 0xfffff; {wait} }}")

    def share(self):
        """A range that the work-items share out, and a value of it for each."""
        n, kind = "tw_local_linear_range(item)", self.rng.randint(0, 4)
        most, wide, of = self.rng.choice([3, 64, 340, 1000]), self.rng.choice([9, 10, 16, 34]), self.pick("int", "unsigned", "size_t")
        value = f"(int)(((unsigned)k->in[(at / {wide} * {self.rng.choice(['37', '(unsigned)k->w'])} + at % {wide}) & 4095] + (unsigned)at) & 0xffffu)"
        if self.rng.random() < 0.3: # planes, rows and columns
            high = self.pick("3", f"({of})(k->n % 4 + 2)")
            row = self.pick(f"at / {wide} % {high}", f"at % ({wide} * {high}) / {wide}")
            value = (f"(int)(((unsigned)k->in[(at / ({wide} * {high}) * 61 + {row} * 37 + at % {wide}) & 4095] + (unsigned)at) & 0xffffu)")
        if self.rng.random() < 0.3: # a mask, of a power of 2 or not
            value = (f"(int)(((unsigned)k->in[(2 * at - (at & (({of})((16 << (k->n & 1)) + (k->n > 4)) - 1))) & 4095] "
                     f"+ (unsigned)at) & 0xffffu)")
        bound = self.pick(f"({of}){most}", f"({of})(k->w % 500 * 2 + {abs(self.const())})", f"({of})(k->n * 40)")
        guard = self.pick("", f"if (at < ({of}){most // 2 + 1})")
        if self.planes and kind <= 2: # each plane shares out its own
            step = f"({of})(tw_local_range(item, 0) * tw_local_range(item, 1))"
            first = f"({of})(tw_local_id(item, 0) * tw_local_range(item, 1) + tw_local_id(item, 1))"
            loop = self.pick(f"for ({of} at = {first}; at < {bound}; at += {step}) {guard} s[at * 2 + PLANE] = {value} + PLANE;",
                             f"for ({of} first = 0; first < {bound}; first += {step}) {{ const {of} at = first + {first}; "
                             f"if (at < ({of}){most}) s[at * 2 + PLANE] = {value} ^ PLANE; }}")
        elif kind <= 1:
            loop = f"for ({of} at = ({of})tw_local_linear_id(item); at < {bound}; at += ({of}){n}) {guard} s[at] = {value};"
        elif kind == 2:
            loop = self.pick(f"for ({of} first = 0; first < {bound}; first += ({of}){n}) {{ const {of} at = first + ({of})l; "
                             f"{guard} s[at] = {value}; }}",
                             f"for ({of} first = 0; first < {bound};) {{ const {of} at = first + ({of})l; first += ({of}){n}; "
                             f"{guard} s[at] = {value} + (int)(first / 3 & 255); }}")  # the next turn's is no element's
        elif kind == 3 and self.dims == 2:
            bound = self.pick(str(abs(self.const()) + 11), f"({of})tw_local_range(item, 0) + 3")
            loop = (f"for ({of} p = ({of})tw_local_id(item, 0); p < {bound}; p += ({of})tw_local_range(item, 0)) "
                    f"for ({of} q = ({of})tw_local_id(item, 1); q < {wide}; q += ({of})tw_local_range(item, 1)) "
                    f"{{ const {of} at = p * {wide} + q; s[at] = {value} + {self.pick('0', '(int)q', '(int)p')}; }}")
        elif self.dims == 2 and self.rng.random() < 0.5: # in steps of constants, which may be the size of a group or not
            rows, columns = self.rng.choice(SIZES)
            loop = (f"for ({of} first = 0; first < {most}; first += {rows * columns}) {{ const {of} at = first + "
                    f"({of})tw_local_id(item, 0) * {columns} + ({of})tw_local_id(item, 1); {guard or f'if (at < {most})'} s[at] = {value}; }}")
        else:
            start = abs(self.const())
            loop = f"for ({of} at = ({of})l + {start}; at < {bound}; at += ({of}){n}) {{ s[at] = {value}; s[at] ^= {start}; }}"
        return (f"for (int z = l; z < SHARED; z += (int){n}) s[z] = z; tw_barrier(item, TW_LOCAL_SPACE); {loop} "
                f"tw_barrier(item, TW_LOCAL_SPACE); u = (u + s[(l * 7 + {most // 2}) % SHARED]) & 0xfffff; "
                f"v ^= s[(l + {most - 2}) % SHARED] & 0xffff; tw_barrier(item, TW_LOCAL_SPACE);")

    def statement(self, depth):
        if self.reduces and self.rng.random() < 0.2:
            return self.combine()
        if self.counts and self.rng.random() < 0.2:
            return self.count()
        kind = self.rng.randint(0, 17 if depth > 0 else 4)
        if kind <= 2:
            return self.add(self.pick("v", "u"))
        if kind == 3:
            return f"f = f * 0.5f + (float)({self.value()} & 255);"
        if kind == 4:
            return f"v = {self.condition()} ? v : (u + {self.const()}) & 0xfffff;"
        if kind <= 6:
            other = f" else {{ {self.block(depth - 1, 1)} }}" if self.rng.random() < 0.5 else ""
            return f"if ({self.condition()}) {{ {self.block(depth - 1, 2)} }}{other}"
        if kind <= 10:
            name, self.loops = f"i{self.loops}", self.loops + 1
            until = self.pick("3", "k->n", "7", "(v & 7)", "x % 5")
            inner = self.block(depth - 1, 2)
            extra = self.pick("", "", f"if (u == {name}) break;", f"if ((v & 3) == {name}) continue;")
            self.loops -= 1
            return f"for (int {name} = 0; {name} < {until}; ++{name}) {{ {extra} {inner} v = (v + {name} * u) & 0xfffff; }}"
        if kind == 11:
            return (f"switch (v & 3) {{ case 0: {self.add('u')} break; case 1: {self.add('v')} /* fall through */ "
                    f"case 2: u ^= 9; break; default: {self.statement(0)} }}")
        if kind == 12:
            return f"{{ int m = 0; do {{ v = (v * 3 + 1) & 0xffff; ++m; }} while ((v & 3) != 0 && m < {abs(self.const()) + 2}); u ^= m; }}"
        if kind == 13:
            return ("{ int a[4] = {v, u, x, y}; for (int j = 0; j < 4; ++j) a[j & 3] = (a[(j + 1) & 3] + a[j]) & 0xffff; "
                    "v ^= a[u & 3]; }")
        if kind == 14:
            if self.rng.random() < 0.4:
                return "{ tw_half p = (tw_half)(float)(x & 31); p = p * (tw_half)0.5f; f += (float)p; }"
            return "{ tw_float4 q = {f, 1.0f, (float)(x & 7), 2.0f}; q = q * q + 1.0f; f = q.x > 1e6f ? 0.0f : q.z + f; }"
        if kind == 15:
            return self.array()
        if kind == 16:
            return self.strided(depth)
        if self.leave:
            return f"if (v == {self.const() + 4}) return;"
        return self.add("v")

    def strided(self, depth):
        """A loop that work-items leave at different turns, or leave out: the last ones first, or the first ones, whose unsigned
        counter begins below 0."""
        of, c, until = self.pick("int", "unsigned", "size_t"), abs(self.const()), self.pick("90", "k->w", "150 + k->n", "17 * k->n")
        begin = self.pick("x", f"x + {c}", f"x - {c}", f"3 * x - {c * 20}", "l" if self.barriers else "x")
        step = self.pick("64", "37", "5", "k->w", "(k->n + 1)",
                         "tw_local_range(item, 0)" if self.barriers else "(k->n + 9)")
        at = self.pick("j", f"j + {c}", f"j * {c}", "2 * j + 1") + " + 512"
        inner = self.pick("", "", f"for (int q = 0; q < k->n; ++q) f = f * 0.5f + (float)(k->in[({at} + ({of})q) & 8191] & 15);",
                          f"if ({self.condition()}) {{ {self.add('u')} }}", f"if (v < {c * 4000}) u ^= v;")
        what = self.pick(f"v = (v * 3 + k->in[{at}]) & 0xfffff;", f"f = f * 0.5f + (float)(k->in[{at}] & 255);",
                         f"v += k->in[{at}] & 0xfff; v &= 0xfffff; u = (u ^ (int)j) & 0xfffff;")
        return (f"for ({of} j = ({of})({begin}); j < ({of}){self.pick(until, until, f'(k->in[{c}] & 255)')}; j += ({of}){step}) "
                f"{{ {inner} {what} }}")

    def mask(self):
        """Sums over neighbours, in loops of lengths that all work-items know, as rows of a group may take them together."""
        of = self.pick("int", "int", "size_t", "unsigned")
        reach = self.pick("1", "2", "k->n % 4", "k->n")
        up, left = self.pick("clamp_to(y + j, 0, k->h - 1)", "clamp_to(y + j, 0, k->h - 1)", "(y + j + 8 * k->h) % k->h", "y"), \
            self.pick("clamp_to(x + i, 0, k->w - 1)", "clamp_to(x + i, 0, k->w - 1)", "(x + i + 8 * k->w) % k->w", "x")
        one = f"({of})k->in[({of})({up}) * ({of})k->w + ({of})({left})]"
        other = self.pick("1", "k->in[(j + 8) * 31 + i + 8]", f"k->in[({of})({up}) * ({of})k->w + ({of})x]", "x")
        what = self.pick(f"v = (v * 3 + (int){one}) & 0xfffff;", f"f = f * 0.5f + (float)({one} & 255);",
                         f"f += (float)({one} & 63) * (float)({other} & 7); u = (u + (int){one}) & 0xffff;")
        if self.rng.random() < 0.2:
            what = f"if ({self.condition()}) {{ {what} }}"
        if self.rng.random() < 0.3:
            return f"for (int i = 0; i <= {reach}; ++i) {{ const int j = i - 1; {what} }}"
        return f"for (int j = -{reach}; j <= {reach}; ++j) {{ for (int i = -{reach}; i <= {reach}; ++i) {{ {what} }} v ^= j & 3; }}"

    def members(self):
        """Structures of four or three numbers in place of one result, of which work-items change some, or all of them some."""
        of, wide = self.pick("int", "unsigned", "size_t"), self.pick("4", "4", "3")
        array = self.pick("k->in", "k->in", "k->out")
        at = f"const {of} at = ({of}){wide} * ({of})(y * k->w + x);"
        text = f"const int *const p = k->in + {abs(self.const())}, *const q = {array} + {abs(self.const()) if array == 'k->in' else 0}; {at}"
        text += " k->out[at + 1] = u;" if self.rng.random() < 0.5 else " k->out[at] = v & 255;"
        for c in range(self.rng.randint(1, int(wide))):
            text += (f" {{ int z = p[at + {c}] & 0xffff; if ({self.condition()}) z += q[at + {self.pick(0, c, 2)}] & 0xffff; "
                     f"{self.pick('', 'else z ^= q[at + 1] & 0xffff;')} k->out[at + {c}] = z; }}")
        condition = self.condition()
        for c in range(self.rng.randint(0, 3)):
            text += (f" if ({self.pick(condition, condition, self.condition())}) k->out[at + {self.pick(0, 1, 2)}] = "
                     f"({self.pick('v', 'u', f'p[at + {c}]')} & 0xffff) + {c};")
            if self.rng.random() < 0.4:
                text += f" else k->out[at + {self.pick(0, 1, 2)}] = {self.pick('v', 'u')} & 0xfff;"
        return text

    def owns(self):
        """An element that a work-item reads, and changes under a condition, perhaps with a neighbour that it only writes."""
        of, wide = self.pick("int", "unsigned", "size_t"), self.pick(1, 1, 2)
        less = self.pick(f"mine < was + {self.const()}", f"(mine & 7) < {abs(self.const()) % 8}", self.condition())
        text = (f"const {of} at = ({of}){wide} * ({of})(y * k->w + x); const int was = k->out[at], mine = (v ^ u) & 0xffff; "
                f"if ({less}) {{ k->out[at] = {self.pick('mine', 'was ^ mine', 'k->in[mine & 4095]')}; ")
        return text + (f"k->out[at + 1] = {self.pick('mine', 'x', 'k->n')}; }}" if wide == 2 else "}")


    def relaxes(self):
        """Elements of one colour of a chequered grid are changed in place, and those of the other one read."""
        of, color = self.pick("int", "int", "unsigned", "size_t"), self.pick("0", "1", "k->n", "k->n & 1")
        at = f"const {of} at = ({of})y * ({of})k->w + ({of})x; "
        inside = self.pick("x > 0 && x < k->w - 1", "x >= 1 && x + 1 < k->w", f"x > {abs(self.const())} && x < k->w - 2")
        is_color = self.pick(f"(x + y) % 2 == ({color})", f"((x + y) & 1) == ({color})", f"((x ^ y) & 1) != ({color})", f"(x + y) % 2 == ({color})")
        if "!=" in is_color: # of one that is none of the two, all are changed
            is_color = is_color.replace("k->n)", "(k->n & 1))")
        what = f"k->out[at - 1] + 3 * k->out[at + 1] + ({self.value()})"
        if self.dims == 2:
            inside = f"{inside} && {self.pick('y > 0 && y < k->h - 1', 'y >= 2 && y + 1 < k->h')}"
            what += self.pick("", " + k->out[at - k->w] * 5 + k->out[at + k->w]")
        change = f"k->out[at] = ({what}) & 0xfff;"
        return at + self.pick(f"if ({inside} && {is_color}) {change}", f"if ({is_color}) {{ if ({inside}) {change} }}")

    def rows(self):
        """Each work-item writes a row of its own, of products or of what it reads there."""
        of, wide, count = self.pick("int", "unsigned", "size_t"), 8, self.pick(4, 8)
        array = self.pick("k->in", "k->in", "k->out")
        p, q = f"k->in + {abs(self.const())}", array if array == "k->out" else f"k->in + {abs(self.const())}"
        return (f"const int *const p = {p}, *const q = {q}; const {of} at = ({of}){wide} * ({of})x; "
                f"for (int j = 0; j < {wide}; ++j) {{ int z = {self.pick('j', 'v', 'x')} & 255; for (int i = 0; i < {count}; ++i) "
                f"z = (z + (p[at + {self.pick('i', 'j')}] & 63) * (q[at + {self.pick('i', 'j', '(i + j) % 8')}] & 31)) & 0xffff; "
                f"k->out[at + j] = z; }}")

    def parts(self, of_group):
        """Parts of memory for each group, in each of which neighbours access neighbours: several streams for its thread. They
        are behind what work-items write elsewhere, which might be of another group's part."""
        of, parts = self.pick("int", "unsigned", "size_t"), self.rng.randint(2, 4)
        text = f"const {of} at = MOST / 2 + ({of})tw_group_id({of_group}, 0) * {parts * self.items} + ({of})tw_local_id(item, 0); int z = v;"
        for c in range(parts):
            text += f" z = (z * 3 + {self.pick('k->in', 'k->in', 'k->out')}[at + {self.pick(c, c, c, 0) * self.items}]) & 0xffff;"
        for c in range(parts):
            text += self.pick("", "", "", f" if ({self.condition()})") + f" k->out[at + {c * self.items}] = z + {c};"
        return text


def places(rng, form, dims):
    """Indices of 32 bits that wrap around, and numbers of rows that local and global ids have in common."""
    start = "".join(f"v ^= k->in[(long)(int)((unsigned){at} + {0x80000000 - rng.randrange(60)}u) >> 20 & 255] & 0xffff; "
                    for at in rng.sample(["x", "y * k->w + x", "(3 * x - y)"], 1) if rng.random() < 0.3)
    if form == "range" or rng.random() < 0.6:
        return start
    shift, id = rng.choice([3, 4, 5]), f"(int)tw_local_id(item, {dims - 1})"
    row = rng.choice([f"(x >> {shift})", f"((x + {1 << shift}) >> {shift})", f"((x - 40) >> {shift})", f"x / {1 << shift}"])
    rest = rng.choice([f"({id} & {(1 << shift) - 1})", f"{id} % {1 << shift}"])
    return start + f"v = (v + (k->in[{row} + 8] & 255) * (k->in[{rest} + 3] & 63)) & 0xffff; "


def kernel(rng, number):
    """The definition of a kernel, and its launch."""
    form, dims, name = rng.choice(["range", "nd", "nd", "nd", "nd", "groups"]), rng.choice([1, 2]), f"kernel_{number}"
    local = rng.choice([(8,), (33,), (64,), (256,)] if dims == 1 else SIZES)
    groups = rng.choice([(3,), (7,)] if dims == 1 else [(3, 4), (2, 3)])
    barriers, reduces = form == "nd" and rng.random() < 0.7, rng.random() < 0.25
    planes = barriers and dims == 2 and rng.random() < 0.4 # two of them: a third dimension, in front of the others
    if planes:
        local, groups = (2, *local), (1, 2, 3)
    body = Body(rng, barriers, form != "groups" and not barriers, dims, reduces, math.prod(local), planes)
    whole = [a * b for a, b in zip(groups, local)]
    fixed = "".join(f", {n}" for n in local) if rng.random() < 0.5 else ""
    extent = lambda sizes: f"tw_range_{len(sizes)}d({', '.join(map(str, sizes))})"
    place = ("y = (int)tw_global_id(item, 0), x = (int)tw_global_id(item, 1)" if dims == 2 else
             "y = 0, x = (int)tw_global_id(item, 0)")
    start = f"const int {place}; int v = k->in[x & 4095] & 0xffff, u = y; float f = 0; "
    start += places(random.Random(str(rng.getstate())), form, dims) # and leaves the seed's other kernels as they were
    end = "k->out[y * k->w + x] = (v ^ u) + (int)(f > -1e6f && f < 1e6f ? f * 16.0f : 3.0f);"
    if form != "groups" and rng.random() < 0.3:
        end = body.members()
    elif form != "groups" and rng.random() < 0.15:
        end = body.owns()
    elif form != "groups" and rng.random() < 0.2:
        end = body.relaxes()
    elif form != "groups" and dims == 1 and rng.random() < 0.2:
        end = body.rows()
        body.block = lambda depth, count, block=body.block: block(depth, 1) if rng.random() < 0.3 else ""
    elif form != "range" and local == (256,) and rng.random() < 0.5:
        end = body.parts("item" if form == "nd" else "group")
        body.block = lambda depth, count, block=body.block: block(depth, 1) if rng.random() < 0.3 else ""
        body.uniform = lambda depth, uniform=body.uniform: uniform(1) if rng.random() < 0.2 else ""
    local_memory = "TW_LOCAL(int, t, [LOCAL]); TW_LOCAL(int, s, [SHARED]); (void)s;"
    if reduces:
        members, kind, required = ", most, sum, real, bins", "REDUCTION", f", ({fixed[2:]})"
    else:
        members, kind, required = "", "KERNEL", fixed
    if dims == 2 and not barriers and rng.random() < 0.35:
        place = body.pick(place, place, place.replace("(int)", "(int)(unsigned)"))
        start = f"const int {place}; int v = k->in[x & 4095] & 0xffff, u = y; float f = 0; {body.mask()}"
        body.block = lambda depth, count, block=body.block: block(depth, 1) if rng.random() < 0.1 else ""
    if form == "range":
        item, define = "tw_item item", f"TW_RANGE_{kind}({name}, {dims}{members});"
        launch = f"tw_parallel_for, {extent(whole)}, {name}"
        text = f"{start} {body.block(3, 5)} {end}"
    elif form == "nd":
        item, define = "tw_nd_item item", f"TW_ND_RANGE_{kind}({name}{required}{members});"
        launch = f"tw_parallel_for_nd_range, tw_nd_range_make({extent(whole)}, {extent(local)}), {name}"
        head = f"{local_memory} const int l = (int)tw_local_linear_id(item); int even = 0, odd = 0; (void)t, (void)l, (void)even, (void)odd;" if barriers else ""
        if body.counts:
            wait = "tw_barrier(item, TW_LOCAL_SPACE);"
            start = f"TW_LOCAL(int, hits, [24]); for (int z = l; z < 24; z += (int)tw_local_linear_range(item)) hits[z] = z; {wait} {start}"
            end = f"{wait} v ^= hits[l % 24]; {end}"
        text = f"{head} {start} {' '.join(body.uniform(3) for _ in range(5))} {end}"
        if planes:
            text = text.replace("(item, 1)", "(item, 2)").replace("(item, 0)", "(item, 1)").replace("PLANE", "(int)tw_local_id(item, 0)")
            text = text.replace("y = (int)tw_global_id(item, 1)", "y = (int)(tw_global_id(item, 1) + tw_global_id(item, 0) * tw_global_range(item, 1))")
    else:
        item, define = "tw_group group", f"TW_WORK_GROUP_{kind}({name}{required}{members});"
        launch = f"tw_parallel_for_work_group, {extent(groups)}, {extent(local)}, {name}"
        each = "tw_parallel_for_work_item(group, item) { const int l = (int)tw_local_linear_id(item);"
        kept = "even = tw_private(ve, item), odd = tw_private(vo, item), v = tw_private(vv, item), u = tw_private(vu, item)"
        keep = "tw_private(ve, item) = even; tw_private(vo, item) = odd; tw_private(vv, item) = v; tw_private(vu, item) = u; }"
        tree = body.tree(rng.choice(["int", "unsigned", "size_t"])) if rng.random() < 0.6 else ""
        tree = tree.replace("EACH {", f"{each} int {kept}; (void)even, (void)odd, (void)u;").replace("} NEXT", keep)
        text = (f"{local_memory} TW_PRIVATE(group, int, ve); TW_PRIVATE(group, int, vo); TW_PRIVATE(group, int, vv); TW_PRIVATE(group, int, vu); "
                f"{each} {start} int even = 0, odd = 0; {body.block(2, 3)} k->out[y * k->w + x] = (int)f & 0xff; {keep} {tree} "
                f"{each} t[l] = tw_private(vv, item) ^ tw_private(vu, item); }} "
                f"{each} {start} v ^= t[(l + 1) % tw_local_linear_range(group)] & 0xfffff; {body.block(2, 2)} {end} }}")
        if rng.random() < 0.4:
            of, most = rng.choice(["int", "unsigned", "size_t"]), rng.choice([8, 128, 256])
            t = f"const {of} t = ({of})tw_local_linear_id(item)"
            each = "tw_parallel_for_work_item(group, item)"
            text = (f"TW_LOCAL(int, s, [SHARED]); TW_PRIVATE(group, int, a); TW_PRIVATE(group, int, b); "
                    f"{each} {{ {t}; {start} {body.block(1, 1)} s[2 * t] = tw_private(a, item) = v & 0xff; "
                    f"s[2 * t + 1] = tw_private(b, item) = u & 0xff; k->out[y * k->w + x] = (int)f & 0xff; }} "
                    f"for ({of} d = 1; d < {most}; d *= 2) {{ {each} {{ {t}; if (2 * t >= d) tw_private(a, item) += s[2 * t - d] & 0xffff; "
                    f"if ({rng.choice(['2 * t + 1 >= d', '2 * t + 1 >= d', 't % 3 == 1 && t + 1 >= d'])}) "
                    f"tw_private(b, item) ^= s[2 * t + 1 - d] & 0xffff; }} "
                    f"{each} {{ {t}; s[2 * t] = tw_private(a, item) & 0xffff; s[2 * t + 1] = tw_private(b, item); }} }} "
                    f"{each} {{ {start} v = tw_private(a, item), u = tw_private(b, item); {body.block(1, 1)} {end} }}")
    results = ("TW_REDUCTION(int, TW_MAX) most; TW_REDUCTION(unsigned, TW_SUM) sum; TW_REDUCTION(float, TW_SUM) real; "
               "TW_REDUCTION_ARRAY(unsigned, TW_SUM) bins; " if reduces else "")
    block = f"struct {name} {{ const int *in; int *out; int w, h, n; {results}}};"
    sizes = f".w = {whole[-1]}, .h = {math.prod(whole[:-1])}, .n = {rng.randint(0, 6)}"
    return (f"{block}\nstatic inline void {name}({item}, const struct {name} *k) {{ {text} }}\n{define}",
            f"    RUN{'_REDUCTION' if reduces else ''}({name}, {launch}, {sizes});")


def main():
    rng = random.Random(int(sys.argv[1]))
    kernels, launches = zip(*(kernel(rng, i) for i in range(int(sys.argv[2]))))
    print(HEAD + "\n" + "\n\n".join(kernels) + "\n\n" + TAIL % "\n".join(launches))


main()
