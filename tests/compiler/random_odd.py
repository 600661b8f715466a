# SPDX-License-Identifier: Apache-2.0
"""The rarer parts of C, as turns of work-items of random_kernels.py: the shape `odd`.

Variables that are volatile, bit fields, numbers of 128 bits, goto (into loops, too), bytes at any address, pointers that lead to variables or
to arrays, pointers to pointers and to functions, recursion, arrays of variable length, comparisons with NaN and infinities, counters that
wrap around, atomic operations whose result counts.
"""
from random_bodies import REAL, Body


class Odd(Body):
    TYPES = ["int", "int", "unsigned", "int64_t", "short", "unsigned char", "float", "double"]
    STATEMENTS = {"volatile": 3, "fields": 3, "wide": 2, "back": 3, "past": 2, "into": 2, "bytes": 3, "address": 3, "pointers": 3, "order": 3, "call": 2,
                  "sized": 1, "elsewhere": 2, "wrap": 3, "ticket": 3, "shift": 2, "if": 3, "loop": 2, "switch": 2, "set": 2, "leave": 1, "store": 2}

    def declarations(self):
        return (super().declarations() + f"volatile int z0 = {self.initial()}; volatile short z1[3] = {{1, 2, 3}}; "
                f"struct fields f0 = {{1, -2, 300, -5, 6, 1}}; int a0[8] = {{{self.initial()}, 2, {self.initial()}}}; ")

    def results(self):
        return super().results() + [self.pick("z0", "z1[1]", "f0.b", "(int)(f0.d & 0xffff)"), self.pick("a0[0]", "a0[3]", "(int)f0.c", "f0.f")]

    def leaf(self):
        return self.pick("z0", f"z1[(unsigned){super().leaf()} % 3]", "f0.a", "f0.b", "(int)f0.c", "(int)(f0.e & 255)", "f0.f", f"a0[{self.pick('l', '3', '(unsigned)' + super().leaf())} & 7]") if self.chance(0.2) else super().leaf()

    def number(self):
        self.kernel.loops += 1
        return self.kernel.loops

    def take(self, value):
        """Gives a variable an integer expression."""
        name, type = self.pick(*self.variables)
        if type in REAL:
            return f"{name} = ({type})(({value}) & 1023);"
        return f"{name} = ({type})(({value}) & 0x1ffff);"

    def small(self):
        return " ".join(self.pick(self.statement_set, self.statement_store, self.statement_volatile, self.statement_address)(0) for _ in range(self.pick(1, 1, 2)))

    def statement_volatile(self, depth):
        place = self.pick("z0", "z0", f"z1[(unsigned){self.leaf()} % 3]", "z1[1]")
        type, mask = ("short", "0x3fff") if "z1" in place else ("int", "0x1ffff")
        change = f"{place} = ({type})(({self.pick('', f'{place} * 3 + ')}{self.value(1)}) & {mask});"
        return self.pick(change, f"if ({self.condition()}) {change}", f"{change} {self.take(place)}")

    def statement_fields(self, depth):
        name, mask = self.pick(("a", 7), ("b", 15), ("c", 0x7ff), ("d", 0x1ffff), ("e", 0xfff), ("f", 1))
        change = self.pick(f"f0.{name} = ({self.value(1)}) & {mask};", f"f0.{name} = ({self.value(1)}) & {mask};", f"f0.c += (unsigned){self.value(1)};", f"f0.{name} ^= ({self.leaf()}) & {mask >> 1};")
        return self.pick(change, f"if ({self.condition()}) {{ {change} }} else {{ f0.f = !f0.f; }}", f"{{ struct fields f1 = f0; {change} if ({self.condition()}) f0 = f1; }}")

    def statement_wide(self, depth):
        a, b, c, s = self.value(1), self.value(1), self.rng.randint(1, 127), self.rng.randint(1, 60)
        return self.pick(
            f"{{ unsigned __int128 w = (unsigned __int128)(uint64_t){a} * 0x9e3779b97f4a7c15u; w = w << {c} ^ w >> ({b} & 63) ^ (uint64_t){b}; {self.take(f'(int)(w >> {s}) & 0xffff')} }}",
            f"{{ __int128 w = ((__int128){a} * 1000003 + {b}) * 77777; w = w / (({b} & 15) + 1) - w % 1000; {self.take(f'(int)(w >> 3 & 0xffff) + (w < 0)')} }}",
            f"{{ int w; const int o = __builtin_mul_overflow({a} * 3, {b} * 5, &w); {self.take('(w >> 8 & 0xfff) * 2 + o')} }}",
            f"{{ short w; const int o = __builtin_add_overflow({a}, {b}, &w); {self.take('(w & 0xfff) * 2 + o')} }}",
            f"{{ uint64_t w; const int o = __builtin_sub_overflow((uint64_t){a}, (uint64_t){b}, &w); {self.take('(int)(w & 0xfff) * 2 + o')} }}")

    # ---- goto; a label is one of the whole function

    def statement_back(self, depth):
        n = self.number()
        out = f" if ({self.condition()}) goto done_{n};" if self.chance(0.3) else ""
        return f"{{ int j{n} = 0; again_{n}: ++j{n};{out} {self.small()} if (j{n} < ({self.value(0)} & {self.pick(3, 7, 15)}) {self.pick('', f'&& {self.condition()}')}) goto again_{n}; {self.take(f'j{n}')} }}" + (f" done_{n}:;" if out else "")

    def statement_past(self, depth):
        n = self.number()
        return f"if ({self.condition()}) goto past_{n}; {self.small()} {self.pick('', f'if ({self.condition()}) goto past_{n};')} {self.small()} past_{n}:;"

    def statement_into(self, depth):
        """A loop that begins at two places."""
        n = self.number()
        return (f"{{ int j{n} = 0; if ({self.condition()}) goto middle_{n}; again_{n}: {self.small()} middle_{n}: {self.take(f'j{n} + {self.leaf()}')} "
                f"if (++j{n} < {self.pick(3, 9)} && {self.condition()}) goto again_{n}; }}")

    # ---- memory

    def statement_bytes(self, depth):
        n, from_ = self.number(), f"(const char *)k->in + ({self.value(1)} & {self.pick(4064, 4060, 1023)})"
        word, mask = self.pick(("uint16_t", "0xffff"), ("unsigned", "0xffff"), ("uint64_t", "0xffff"))
        if self.chance(0.4):
            return f"{{ {word} b{n}; memcpy(&b{n}, {from_}, sizeof b{n}); {self.take(f'(int)(b{n} >> {self.pick(0, 3, 7)} & {mask})')} }}"
        load = f"{word} h; memcpy(&h, b{n} + ({self.value(0)} & 15), sizeof h); {self.take(f'(int)(h >> {self.pick(0, 3)} & {mask})')}"
        count = f"int c = 0; while (c < 23 && b{n}[c] != ({self.leaf()} & 255)) ++c; {self.take('c')}"
        order = f"for (int c = 0; c < ({self.value(0)} & 15); ++c) b{n}[c + 1] ^= b{n}[c]; {self.take(f'b{n}[9]')}"
        store = f"memmove(b{n} + 1, b{n}, (size_t)({self.value(0)} & 7)); {self.take(f'b{n}[3] * 256 + b{n}[4]')}"
        return (f"{{ unsigned char b{n}[24]; memset(b{n}, {self.value(0)} & 255, 24); memcpy(b{n} + ({self.value(0)} & 7), {from_}, "
                f"{self.pick('8', '13', f'(size_t)({self.value(0)} & 15)')}); {self.pick(load, count, order, store)} }}")

    def statement_address(self, depth):
        """A variable by its address."""
        place = f"({self.pick('l', '(unsigned)' + self.leaf())} & 7)"
        return self.pick(
            f"{{ int *const q = {self.condition()} ? &a0[{place}] : &a0[3]; *q = (*q * 3 + {self.value(1)}) & 0xffff; }}",
            f"{{ int *q = a0, *const e = a0 + {place}; for (; q < e; ++q) *q = (*q + {self.leaf()}) & 0xffff; {self.take('(int)(q - a0)')} }}",
            f"{{ int *q[2] = {{a0 + {place}, a0 + 2}}; *q[{self.leaf()} & 1] = {self.value(1)} & 0xffff; {self.take('*q[0] - *q[1] + 0x10000')} }}",
            f"{{ int y = 1, *q = &y, **qq = &q; if ({self.condition()}) *qq = &a0[{place}]; **qq = ({self.value(1)}) & 0xffff; {self.take('y')} }}")

    def statement_pointers(self, depth):
        """Addresses in the read-only array, or in a variable."""
        place = f"({self.value(0)} & {self.pick(1000, 511)})"
        return self.pick(
            f"{{ const int *const q = {self.condition()} ? k->in + {place} : a0; {self.take(f'q[{self.leaf()} & 7]')} }}",
            f"{{ const int *q = k->in + {place}, *const e = q + ({self.leaf()} & 15); int sum = 0; for (; q != e; ++q) sum += *q & 255; {self.take('sum')} }}",
            f"{{ const int *q = k->in + {place} + 16, *const e = q - ({self.leaf()} & 15); int sum = 0; while (q-- > e) sum = (sum * 3 + (*q & 63)) & 0xffff; {self.take('sum')} }}",
            f"{{ int x = {self.value(0)} & 1023; for (int turn = 0; turn < ({self.leaf()} & 7); ++turn) x = k->in[x] & 1023; {self.take('x')} }}",
            f"{{ int x = {self.value(0)}, turn = 0; while ((unsigned)x < 1024u && k->in[x] > 100 && ++turn < 20) x += {self.pick('37', 'turn', '(l & 3) + 1')}; {self.take('x & 0x3fff')} }}")

    def statement_call(self, depth):
        return self.take(self.pick(f"depth_of({self.value(1)} & 15)", f"functions[{self.value(1)} & 3]({self.value(0)} & 255, {self.leaf()} & 255)", f"({self.condition()} ? gcd_of : class_of)({self.value(0)} & 255, {self.leaf()} & 255)"))

    def statement_elsewhere(self, depth):
        """A function in another file, which gets the address of a variable."""
        place = f"&a0[{self.pick('l', '(unsigned)' + self.leaf())} & 7]"
        return self.pick(f"{{ int y = {self.value(0)}; random_elsewhere(&y, {self.leaf()}); {self.take('y')} }}", f"random_elsewhere({place}, {self.value(1)});",
                         f"{{ int y[2] = {{1, {self.leaf()}}}; if ({self.condition()}) random_elsewhere(&y[{self.leaf()} & 1], {self.leaf()}); {self.take('y[0] + y[1]')} }}")

    def statement_sized(self, depth):
        n = self.number()
        return (f"{{ const int n{n} = ({self.value(0)} & 7) + 1; {self.pick('int', 'short')} s{n}[n{n}]; for (int turn = 0; turn < n{n}; ++turn) s{n}[turn] = ({self.pick('turn', self.leaf())}) & 0xfff; "
                f"{self.take(f's{n}[(unsigned){self.value(0)} % (unsigned)n{n}] + (int)(sizeof s{n})')} }}")

    # ---- numbers

    def statement_order(self, depth):
        """Comparisons of what may be NaN, infinite, or a zero with a sign; of a NaN, only that it is one."""
        type = self.pick("float", "double")
        def operand():
            x = self.real(type, 1)
            return self.pick(x, f"({self.condition(0)} ? (({type})NAN) : {x})", f"({self.condition(0)} ? (({type})INFINITY) : {x})", f"sqrt{REAL[type]}({x} - 200)", f"{x} / ({type})({self.leaf()} & 1)", f"({type})-0.0 * {x}")
        test = self.pick("x < y", "x <= y", "!(x > y)", "!(x >= y)", "x == y", "x != y", "!(x < y) && x == x", "(x < y) != (y > x)", "isnan(x)", "__builtin_isunordered(x, y)", "x < y || x > y", "isinf(x) || isnan(y)")
        value = self.pick(f"({test})", f"({test}) ? {self.value(0)} : {self.value(0)}", "(x < y ? x : y) == x", "(x > y ? y : x) < 50", "!((x >= y ? x : y) < 70)")
        return f"{{ const {type} x = {operand()}, y = {operand()}; {self.take(value)} }}"

    def statement_shift(self, depth):
        a, s = self.value(1), f"({self.value(0)} & 31)"
        return self.take(self.pick(
            f"(int)((unsigned){a} << {s} >> 12 & 0xffff)", f"(int)((unsigned){a} >> {s} | (unsigned){a} << (-{s} & 31)) >> 15", f"(int)((uint64_t){a} << ({self.leaf()} & 63) >> 40 & 0xffff)", f"(int)((int64_t){a} >> ({self.leaf()} & 63))",
            f"(short)((unsigned){a} << ({s} & 15)) & 0x7fff", f"(signed char){a} >> ({s} & 7)", f"(int)(1u << {s} >> 3 & 0xffff)", f"(unsigned char)((unsigned char){a} << ({s} & 7) | (unsigned char){a} >> (8 - ({s} & 7)))"))

    def statement_wrap(self, depth):
        """Loops whose counters wrap around, or end at one side of zero."""
        n = self.number()
        j = f"j{n}"
        self.counters.append(f"(int){j}")
        self.kernel.breakable.append("loop")
        body = self.small()
        self.kernel.breakable.pop()
        self.counters.pop()
        loop = self.pick(
            f"for (unsigned char {j} = 250; {j} != (unsigned char)(x & 7); ++{j}) {{ {body} }}", f"for (size_t {j} = (size_t)(x & 15); {j}-- > 0;) {{ {body} }}",
            f"for (unsigned {j} = (unsigned)(x & 15); {j} < 16; {j} -= 3) {{ {body} }}", f"for (signed char {j} = 100; {j} > 0; {j} = (signed char)({j} + 9)) {{ {body} }}",
            f"for (unsigned short {j} = (unsigned short)(x - 4); {j} != (unsigned short)(x + 4); ++{j}) {{ if ({j} < 1024) {{ {body} }} }}",
            f"for (unsigned {j} = (unsigned)x - 3u; {j} != (unsigned)x + 3u; ++{j}) {{ if ({j} < 9u) {{ {body} }} }}",
            f"for (int {j} = x & 15; {j} >= 0; {j} -= 2) {{ {body} }}", f"for (long {j} = x & 15; {j} > -3; --{j}) {{ {body} }}")
        return f"{{ const int x = {self.leaf()}; {loop} }}"

    def statement_ticket(self, depth):
        """An atomic operation on an element of one's own, whose former value counts."""
        found = self.kernel.element(self.turn, True)
        if not found or found[1] in REAL or found[2].of == "struct cell":
            return self.statement_volatile(depth)
        element, of, _ = found
        x = f"({of})({self.value(1)} & 63)"
        call = self.pick(f"tw_atomic_fetch_add(&{element}, {x})", f"tw_atomic_fetch_or(&{element}, {x})", f"tw_atomic_fetch_max(&{element}, {x})", f"tw_atomic_exchange(&{element}, {x})", f"tw_atomic_fetch_sub(&{element}, {x})")
        text = f"{{ const {of} old = {call}; {element} = {self.kernel.stored(of, f'(int){element}')}; {self.take('(int)old & 0xffff')} }}"
        return self.pick(text, text, f"if ({self.condition()}) {text}")


ODD = {"odd": Odd}
