# SPDX-License-Identifier: Apache-2.0
"""What a turn of a work-item does in kernels of random_kernels.py whose shape is one of BODIES: control flow and values of its own.

A body is a block. It begins with variables, goes on with statements that the shape prefers, and ends with a store of what the variables
have become. Integer expressions stay between -2^21 and 2^21, floating-point variables between -4096 and 4096, so that nothing overflows;
loops end after at most 64 turns, whatever their conditions say.
"""

WIDTHS = ["signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "int64_t", "uint64_t", "float", "double"]
REAL = {"float": "f", "double": ""}  # and the suffix of constants and functions


class Body:
    """Divergent control flow."""

    TYPES = ["int", "int", "unsigned", "float"]  # of variables
    STATEMENTS = {"loop": 6, "if": 4, "switch": 2, "leave": 3, "set": 4, "store": 2}  # and how often

    def __init__(self, kernel, turn):
        self.kernel, self.turn = kernel, turn
        self.rng, self.pick, self.chance = kernel.rng, kernel.pick, kernel.chance
        self.variables = [(f"x{i}", self.pick(*self.TYPES)) for i in range(self.rng.randint(2, 4))]
        self.counters = []  # of loops around; no statement assigns to them

    def write(self):
        declared = self.declarations()
        body = self.statements(2, self.pick(2, 2, 3, 4))
        return f"{{ {declared}{body} {self.last_store()} }}"

    def declarations(self):
        return "".join(f"{type} {name} = ({type})({self.initial()}); " for name, type in self.variables)

    def initial(self):
        return self.pick("l & 63", f"(int){self.turn.at} & 127", f"k->in[(l + {self.rng.randint(0, 70)}) & 1023] & 127", str(self.rng.randint(0, 99)))

    def last_store(self):
        """Stores what the variables have become."""
        found = self.kernel.element(self.turn, True, 0)
        if not found:
            return ""
        return f"{found[0]} = {self.kernel.stored(found[1], ' + '.join(self.results()))};"

    def results(self):
        return [self.variable(*v) for v in self.variables]

    # ---- values

    def index(self):
        """An index of the read-only array."""
        name, type = self.pick(*self.variables)
        places = ["l", f"(int){self.turn.at}", f"(int){self.turn.at}", f"l * {self.rng.randint(2, 9)}", f"l + {self.rng.randint(1, 70)}", self.variable(name, type)]
        place = self.pick(*places, *self.counters, *(f"l + (int){c}" for c in self.counters))
        return f"({place}) & 1023"

    def variable(self, name, type):
        """The value of a variable, as an int of the range of integer expressions."""
        return {"unsigned": f"(int)({name} >> 12)", "uint64_t": f"(int)({name} >> 44)", "int64_t": f"(int)({name} & 0xfffff)"}.get(type, f"(int){name}")

    def leaf(self):
        kind = self.rng.randint(0, 9)
        if kind <= 3:
            return self.variable(*self.pick(*self.variables))
        if kind == 4 and self.counters:
            return f"(int){self.pick(*self.counters)}"
        if kind <= 6:
            return f"k->in[{self.index()}]"
        if kind == 7:
            element = self.kernel.read(self.turn)
            if element:
                return f"((int){element} & 0xfffff)"
        if kind == 8:
            return self.pick("l", f"(int){self.turn.at}", "k->m", "k->c", self.kernel.own("v") if self.chance(0.3) else "k->n")
        return str(self.rng.randint(-9, 99))

    def value(self, depth=2):
        if depth == 0 or self.chance(0.25):
            return self.leaf()
        a, b = self.value(depth - 1), self.value(depth - 1)
        if self.chance(0.15):
            return self.guarded(a, b)
        if self.chance(0.08):  # helpers with loops and several ends
            return self.pick(f"gcd_of({a} & 255, {b} & 255)", f"find_in(k->in, {self.index()}, {a})", f"log_of({a})", f"class_of({a}, {b})")
        return self.pick(
            f"(({a} + {b}) & 0xffff)", f"(({a} - {b}) & 0x1ffff)", f"(({a} ^ {b}) & 0x1ffff)", f"(({a} & 255) * ({b} & 127))",
            f"({a} / (({b} & 15) + 1))", f"({a} % (({b} & 7) + 1))", f"(({a} & 255) << ({b} & 7))", f"({a} >> ({b} & 7))",
            f"({self.condition(0)} ? {a} : {b})", f"({a} < {b} ? {a} : {b})", f"({a} {self.pick('>', '==', '!=')} {b})", f"twice({a})",
            f"clamp_to({a}, {self.rng.randint(-9, 3)}, {self.rng.randint(4, 900)})", f"(int)(((unsigned){a} * 2654435761u) >> 14)",
            f"(int)(((uint64_t){a} * 0x9e3779b97f4a7c15u) >> 46)", f"({a} & {b})", f"abs({a})", f"(int)({self.real('float', 0)})")

    def guarded(self, a, b):
        """What has no result, or is a fault, where a condition does not hold."""
        return self.pick(f"((unsigned){a} < 1024u ? k->in[(unsigned){a}] : {b})", f"({b} != 0 ? {a} / {b} : 3)", f"({b} > 0 ? {a} % {b} : {b})", f"((unsigned){b} < 12u ? ({a} & 255) << {b} : 1)",
                         f"((unsigned){b} < 31u ? {a} >> {b} : {a})")

    def real(self, type, depth=1):
        """A floating-point expression without infinities, NaNs, and minima of zeros that differ in their sign."""
        f = REAL[type]
        integer = f"({type})({self.value(0)} & 1023)"
        names = [name for name, of in self.variables if of in REAL]
        if depth == 0:
            return f"({type}){self.pick(*names)}" if names and self.chance(0.6) else integer
        a, b = self.real(type, depth - 1), self.real(type, depth - 1)
        return self.pick(f"({a} + {b})", f"({a} - {b})", f"{a} * 0.25{f} * {b}", f"({a} / ({b} * {b} + 1.0{f}))", f"sqrt{f}(fabs{f}({a}))", f"floor{f}({a} * 0.3{f})",
                         f"fmin{f}({integer}, {self.real(type, 0)} + 0.5{f})", f"fmax{f}({integer}, 3.5{f})", f"({self.condition(0)} ? {a} : {b})", f"({a} > {b} ? {a} : {b})")

    def condition(self, depth=1):
        """One that mostly differs from work-item to work-item."""
        a, c = self.value(depth), self.rng.randint(0, 60)
        simple = self.pick(f"{a} > {self.leaf()}", f"{a} > {c}", f"({a} & {self.pick(1, 3, 7)}) == {self.pick(0, 1)}", f"({a} & 1)", f"{a} != {c}",
                           f"l % {self.rng.randint(2, 5)} == 0", f"k->m > {c % 4}", f"k->in[{self.index()}] > {self.pick(0, 100, 300)}")
        return f"({simple} {self.pick('&&', '||')} {self.condition(0)})" if depth and self.chance(0.15) else f"({simple})"

    # ---- statements

    def statements(self, depth, count):
        names = self.rng.choices(list(self.STATEMENTS), self.STATEMENTS.values(), k=count)
        return " ".join(getattr(self, f"statement_{name}")(depth) for name in names)

    def statement_set(self, depth):
        """An assignment to a variable."""
        name, type = self.pick(*self.variables)
        if type in REAL:
            return self.pick(f"{name} = {name} * 0.5{REAL[type]} + ({type})({self.value(1)} & 1023);", f"{name} = ({type})limited({self.real(type)});")
        if type in ("unsigned", "uint64_t"):
            return self.pick(f"{name} = {name} * 1664525u + ({type}){self.value()};", f"{name} ^= {name} >> {self.rng.randint(1, 20)};",
                             f"{name} = {name} << ({self.value(0)} & 15) | ({type}){self.value(1)};", f"{name} += ({type}){self.value()};")
        narrow = type not in ("int", "int64_t")
        value = self.pick(self.value(), self.value(), f"{self.variable(name, type)} * 3 + {self.value(1)}")
        return f"{name} = ({type})({value});" if narrow else f"{name} = ({type})(({value}) & 0x1ffff);"

    def statement_store(self, depth):
        found = self.kernel.element(self.turn, True)
        if not found:
            return self.statement_set(depth)
        element, of, _ = found
        if of in REAL and self.chance(0.5):
            return f"{element} = ({of})limited({self.real(of)});"
        return f"{element} = {self.kernel.stored(of, self.value())};"

    def statement_leave(self, depth):
        """break, continue, or the end of the work-item where it may end."""
        kernel = self.kernel
        choices = []
        if kernel.breakable and kernel.breakable[-1] == "loop":
            choices += ["break;", "continue;"]
        if kernel.may_leave and (kernel.form != "groups" or not kernel.breakable):
            choices += [f"{kernel.form}_leave({kernel.phases});"]
        before = self.pick("", "", self.statement_store(0))
        return f"if ({self.condition()}) {{ {before} {self.pick(*choices)} }}" if choices else self.statement_set(depth)

    def statement_if(self, depth):
        if depth == 0:
            return self.statement_set(depth)
        text = f"if ({self.condition()}) {{ {self.statements(depth - 1, self.pick(1, 2))} }}"
        while self.chance(0.2):
            text += f" else if ({self.condition()}) {{ {self.statements(depth - 1, 1)} }}"
        return text + (f" else {{ {self.statements(depth - 1, 1)} }}" if self.chance(0.4) else "")

    def statement_switch(self, depth):
        """Cases, some of which go on with the next one."""
        if depth == 0:
            return self.statement_set(depth)
        self.kernel.breakable.append("switch")
        labels = self.rng.sample(range(8), self.pick(2, 3, 4, 6))
        labels = [f"case {n}:" for n in labels] + (["default:"] if self.chance(0.6) else [])
        self.rng.shuffle(labels)
        cases = "".join(f"{label} {{ {self.statements(depth - 1, 1)} }} {'break; ' if self.chance(0.75) else ''}" for label in labels)
        self.kernel.breakable.pop()
        return f"switch ({self.value()} & {self.pick(3, 7)}) {{ {cases}}}"

    def statement_loop(self, depth):
        """A loop whose number of turns mostly differs from work-item to work-item."""
        if depth == 0:
            return self.simple_loop()
        self.kernel.loops += 1
        number = self.kernel.loops
        j, kind = f"j{number}", self.pick("for", "for", "down", "while", "do", "endless", "collatz", "nested")
        bound = f"({self.value(1)} & {self.pick(3, 7)})" if self.chance(0.8) else self.pick("k->m", "3")
        inner = kind in ("for", "down") and self.chance(0.5)  # over a column
        self.counters.append(j)
        self.kernel.breakable.append("loop")
        if inner:
            self.kernel.inner_counters.append(j)
        body = self.statements(depth - 1, self.pick(1, 1, 2))
        if self.chance(0.3):
            body = self.pick(f"{body} {self.statement_leave(0)}", f"{self.statement_leave(0)} {body}")
        if inner:
            self.kernel.inner_counters.pop()
        self.kernel.breakable.pop()
        self.counters.pop()
        type = self.pick("int", "int", "unsigned", "size_t", "short", "unsigned char")
        if kind == "for":
            return f"for ({type} {j} = {self.pick(0, 0, 0, 1)}; {j} < ({type}){bound}; {self.pick(f'++{j}', f'++{j}', f'{j} += 2')}) {{ {body} }}"
        if kind == "down":
            return f"for ({type} {j} = ({type}){bound}; {j}-- > 0; ) {{ {body} }}"
        if kind == "while":
            return f"{{ int {j} = {self.value(1)} & 63; while ({j} > {self.pick(0, 5, self.leaf())} && {j} > 0) {{ {j} -= 1 + ({self.value(0)} & 7); {body} }} }}"
        if kind == "do":
            return f"{{ {type} {j} = 0; do {{ ++{j}; {body} }} while ({j} < ({type}){bound} && {self.condition()}); }}"
        if kind == "endless":
            return f"for ({type} {j} = 0;; ++{j}) {{ if ({j} > ({type}){bound} {self.pick('', f'|| {self.condition()}')}) break; {body} }}"
        if kind == "collatz":
            n = f"n{number}"
            return f"{{ unsigned {n} = ((unsigned){self.value(1)} & 63u) + 1u; for (int {j} = 0; {n} != 1u && {j} < 24; ++{j}) {{ {n} = {n} & 1u ? 3u * {n} + 1u : {n} / 2u; {body} }} }}"
        name, out = f"o{number}", f"out_{number}"
        return f"for (int {name} = 0; {name} < ({self.value(1)} & 3); ++{name}) {{ for (int {j} = 0; {j} < {bound}; ++{j}) {{ {body} if ({self.condition()}) goto {out}; }} {self.statement_set(0)} }} {out}:;"

    def simple_loop(self):
        """Small loops that users write: searches, a bisection, an iteration until a limit."""
        self.kernel.loops += 1
        j, name = f"j{self.kernel.loops}", self.pick(*self.variables)[0]
        limit = self.rng.randint(0, 700)
        kind = self.pick("search", "find", "bisect", "escape", "sum")
        if kind == "search":
            return f"{{ int {j} = 0; while ({j} < 16 && k->in[(l + {j}) & 1023] < {limit}) ++{j}; {self.added(name)} {j}; }}"
        if kind == "find":
            return f"for (int {j} = 0; {j} < {self.pick('k->m', '8', '20')}; ++{j}) if (k->in[({self.leaf()} + {j}) & 1023] > {limit}) {{ {self.added(name)} {j}; break; }}"
        if kind == "bisect":
            return f"{{ int {j} = 0, high = 64; while ({j} < high) {{ const int middle = ({j} + high) / 2; if (k->in[middle] < {self.leaf()}) {j} = middle + 1; else high = middle; }} {self.added(name)} {j}; }}"
        if kind == "escape":
            return (f"{{ float a = 0, b = 0; int {j} = 0; while ({j} < {self.pick(12, 40)} && a * a + b * b < 4.0f) {{ const float z = a * a - b * b + (float)({self.leaf()} & 255) * 0.008f - 1.5f; "
                    f"b = 2.0f * a * b + (float)(l & 31) * 0.03f; a = z; ++{j}; }} {self.added(name)} {j}; }}")
        return f"{{ int sum = 0; for (int {j} = 0; {j} < ({self.leaf()} & 15); ++{j}) sum += k->in[({self.leaf()} + {j}) & 1023]; {self.added(name)} (sum & 255); }}"

    def added(self, name):
        """The begin of an assignment of a small value: to a narrow variable, a sum would leave the range of expressions."""
        type = dict(self.variables)[name]
        return f"{name} +=" if type in ("unsigned", "uint64_t") else f"{name} = ({type})"


class Private(Body):
    """Arrays, structs and lists of a work-item, at indices that vary, in helpers, and copied."""

    STATEMENTS = {"array": 5, "struct": 4, "copy": 2, "sort": 1, "list": 2, "loop": 2, "if": 2, "set": 2, "leave": 1, "store": 1}

    def __init__(self, kernel, turn):
        super().__init__(kernel, turn)
        self.arrays = [(f"p{i}", self.pick("int", "int", "short", "unsigned char", "int64_t", "float"), self.pick(2, 3, 4, 6, 8, 8, 16)) for i in range(self.pick(1, 1, 2))]
        self.table = self.pick((2, 2), (3, 3), (4, 3), (4, 8))

    def declarations(self):
        arrays = "".join(f"{type} {name}[{size}] = {{{', '.join(f'({type})({self.initial()})' for _ in range(min(size, 3)))}}}; " for name, type, size in self.arrays)
        return (super().declarations() + arrays + f"int m0[{self.table[0]}][{self.table[1]}] = {{{{{self.initial()}, 1}}, {{l}}}}; "
                f"struct pair q0 = pair_of({self.initial()}, l), q1 = {{1, 2}}, r0[4] = {{q0, q1}}; struct vec v0 = {{(float)(l & 63), 1, 2}}; "
                f"struct record w0 = {{1, 2, {self.initial()}, 4, 5}}; struct cell c0 = {{l & 63, 3, 4, 5, 6}}; ")

    def results(self):
        name, _, size = self.pick(*self.arrays)
        sum = f"total({name}, {size})" if dict((n, t) for n, t, _ in self.arrays)[name] == "int" else f"(int){name}[{size - 1}]"
        return super().results() + [f"({sum} & 0xffff)", self.pick("q0.a", "q1.b", "r0[1].a", "c0.b"), self.pick("m0[1][1]", "(int)w0.l", "(int)v0.x", "w0.s")]

    def at(self, size):
        """An index of an array."""
        if self.chance(0.2):
            return str(self.rng.randrange(size))
        place = self.pick(self.leaf, lambda: self.value(1))()
        return f"{place} & {size - 1}" if size & (size - 1) == 0 else f"(unsigned){place} % {size}u"

    def leaf(self):
        if self.chance(0.6):
            return super().leaf()
        if self.chance(0.2):  # what lives across barriers
            return self.pick(self.kernel.own_at("pa", f"{super().leaf()} & 3"), f"{self.kernel.own('ps')}.d[{super().leaf()} & 3]", f"{self.kernel.own('ps')}.a")
        if self.chance(0.5):
            name, _, size = self.pick(*self.arrays)
            index = super().leaf()
            return self.pick(f"(int){name}[{self.pick(f'(unsigned){index} % {size}u', self.rng.randrange(size))}]", f"((unsigned){index} < {size}u ? (int){name}[(unsigned){index}] : 1)")
        return self.pick("q0.a", "q1.a", "(int)q0.b", f"r0[{super().leaf()} & 3].a", "(int)v0.x", "(int)v0.z", "w0.i", "(int)w0.l", "(int)w0.d", "(int)w0.s", "(c0.a & 0xffff)",
                         "(int)c0.d", "m0[0][1]", f"m0[1][{super().leaf()} & 1]")

    def statement_array(self, depth):
        name, type, size = self.pick(*self.arrays)
        self.kernel.loops += 1
        j = f"j{self.kernel.loops}"
        mask = "0xff" if type in ("float", "unsigned char") else "0x7fff"
        place = f"{name}[{self.at(size)}]"
        kind = self.rng.randint(0, 9)
        if kind <= 3:
            return f"{place} = ({type})({self.value()} & {mask});"
        if kind == 4:
            return f"for (int {j} = 0; {j} < {self.pick(size, f'{size} - ({self.leaf()} & 1)')}; ++{j}) {name}[{j}] = ({type})(((int){name}[{j}] * 3 + {self.value(1)}) & {mask});"
        if kind == 5:    # a histogram
            return f"for (int {j} = 0; {j} < ({self.leaf()} & 15); ++{j}) {name}[(unsigned)k->in[(l + {j}) & 1023] % {size}u] += 1;" if type != "unsigned char" else f"++{place};"
        if kind == 6:    # rotates
            return f"{{ const {type} z = {name}[0]; for (int {j} = 0; {j} + 1 < {size}; ++{j}) {name}[{j}] = {name}[{j} + 1]; {name}[{size - 1}] = z; }}"
        rows, columns = self.table
        if kind == 7:
            return f"m0[{self.at(rows)}][{self.at(columns)}] = {self.value()} & 0xffff;"
        if kind == 8:
            return (f"for (int {j} = 0; {j} < {rows}; ++{j}) for (int i = 0; i < {self.pick(columns, f'({j} & 1) + 1')}; ++i) "
                    f"m0[{j}][i] = (m0[{j}][i] * 3 + m0[{self.pick(j, 0)}][{self.pick(columns - 1, 'i')}] + {self.leaf()}) & 0xffff;")
        other = self.pick(*self.arrays)
        return f"{place} = ({type})((int){other[0]}[{self.at(other[2])}] & {mask});"

    def statement_struct(self, depth):
        if self.chance(0.15):
            place = self.pick(self.kernel.own_at("pa", self.at(4)), f"{self.kernel.own('ps')}.d[{self.at(4)}]", f"{self.kernel.own('ps')}.a")
            return f"{place} = {self.value()} & 0xffff;"
        return self.pick(
            f"q0 = pair_of({self.value()}, {self.leaf()});", "q1 = exchanged(q0);", "q0 = larger(q0, q1);", f"r0[{self.at(4)}] = {self.pick('q0', 'q1', 'larger(q0, q1)')};",
            f"q0 = r0[{self.at(4)}];", f"q1.a = {self.value()} & 0xffff;", f"advance(&{self.pick('q0', f'r0[{self.at(4)}]')}, {self.value(1)});", "{ const struct pair z = q0; q0 = q1; q1 = z; }",
            f"v0 = sum_of(v0, (struct vec){{(float)({self.leaf()} & 255), 2, (float)l}});", "v0 = scaled(v0, 0.5f);", f"v0.y = (float)({self.value(1)} & 255);",
            f"w0 = stepped(w0, {self.value(1)});", f"w0.l = {self.value()} & 0xffff;", f"if ({self.condition()}) w0 = stepped(w0, 3);", f"q0 = {self.condition()} ? q1 : q0;",
            f"step(&w0, {self.leaf()});")

    def statement_copy(self, depth):
        found = self.kernel.element(self.turn, True)
        if found and found[2].of == "struct cell" and self.chance(0.7):
            cell = found[0][:-2]
            return self.pick(f"c0 = {cell};", f"c0.a &= 0xffff; {cell} = c0;", f"memcpy(&c0, &{cell}, sizeof c0);", f"c0.a &= 0xffff; memcpy(&{cell}, &c0, sizeof c0);")
        return self.pick(
            "memcpy(&q1, &q0, sizeof q1);", f"memcpy(&r0[{self.at(4)}], &q0, sizeof q0);", f"memcpy(&q0, &r0[{self.at(4)}], sizeof q0);", "memcpy(r0, &r0[2], 2 * sizeof r0[0]);",
            f"{{ unsigned char bytes[sizeof c0]; memcpy(bytes, &c0, sizeof c0); bytes[{self.at(8)}] ^= (unsigned char){self.leaf()}; memcpy(&c0, bytes, sizeof c0); }}",
            f"{{ struct record z; memcpy(&z, &w0, sizeof z); z.s = (short){self.value(1)}; if ({self.condition()}) memcpy(&w0, &z, sizeof z); }}",
            f"memcpy(&m0[{self.pick(0, 1)}], &m0[{self.table[0] - 1}], sizeof m0[0]);" if self.table[0] > 2 else "memcpy(m0[0], m0[1], sizeof m0[0]);")

    def statement_sort(self, depth):
        """An insertion sort."""
        name, type, size = self.pick(*self.arrays)
        return f"for (int i = 1; i < {size}; ++i) {{ const {type} z = {name}[i]; int j = i; while (j > 0 && {name}[j - 1] > z) {{ {name}[j] = {name}[j - 1]; --j; }} {name}[j] = z; }}"

    def statement_list(self, depth):
        """A traversal with a stack."""
        self.kernel.loops += 1
        j = f"j{self.kernel.loops}"
        self.counters.append(j)
        condition, more, then = self.condition(), self.leaf(), self.statement_set(0)
        self.counters.pop()
        return (f"{{ struct list s0 = {{1, {{{self.leaf()}}}}}; for (int turns = 0; s0.n > 0 && turns < 20; ++turns) {{ const int {j} = pop(&s0) & 0xffff; "
                f"if ({condition}) push(&s0, {j} / 2); if ({j} & {self.pick(1, 2, 4)}) push(&s0, {more}); {then} }} }}")


class Rare(Body):
    """Atomic operations on elements that all work-items share, and stores, under conditions that few of them meet.

    The shared array `hits` has a region of 64 elements for each kind of operation, so that results do not depend on the order.
    """

    STATEMENTS = {"rare": 6, "atomic": 3, "stride": 3, "loop": 3, "if": 2, "set": 2, "leave": 1, "store": 1}

    def rare_condition(self):
        x, c = f"k->in[{self.index()}]", self.rng.randint(-200, 823)
        return self.pick(f"{x} == {c}", f"{x} == k->c", f"({x} & {self.pick(31, 63)}) == {c & 31}", f"{x} > {self.pick(760, 800, 815)}", f"{self.value()} == {c & 127}",
                         f"l == {c & 63}", f"(size_t)l == k->z", f"{x} < -190 || l == {c & 15}", f"{self.condition()} && ({x} & 15) == {c & 15}")

    def statement_rare(self, depth):
        then = " ".join(self.pick(self.statement_atomic, self.statement_atomic, self.statement_store, self.statement_set)(0) for _ in range(self.pick(1, 1, 1, 2)))
        if self.chance(0.2):
            then += " " + self.statement_leave(0)
        return f"if ({self.rare_condition()}) {{ {then} }}" + (f" else {{ {self.statement_atomic(0)} }}" if self.chance(0.1) else "")

    def statement_stride(self, depth):
        """Counts elements, with a stride that is known, or is not."""
        type, step = self.pick("int", "unsigned", "size_t"), self.pick("16", "64", "k->n", "k->m")
        body = " ".join(f"tw_atomic_fetch_{kind}(&k->{self.kernel.shared.views[0]}[{region} + (k->in[(g{more}) & 1023] & {mask})], 1);"
                        for kind, region, more, mask in [("add", 0, self.pick("", " + 1", " * 2"), self.pick(3, 63)), ("or", 64, " + 2", 63), ("sub", 0, " + 3", 63)][:self.rng.randint(1, 3)])
        return f"for ({type} g = ({type})(l & 63); g < {self.pick(200, 500)}; g += ({type})(({step} & 127) + 1)) {{ {body} }}"

    def statement_atomic(self, depth):
        hits = self.kernel.shared
        of, order = hits.of, self.pick("", "", "", ", TW_ORDER_RELAXED, TW_SCOPE_DEVICE")
        kind = self.rng.choices(["add", "sub", "or", "and", "xor", "min", "max", "store", "greatest", "sum"], [4, 1, 4, 1, 1, 1, 2, 1, 1, 1])[0]
        regions = ["add sub sum", "or", "and", "xor", "min", "max greatest", "store"]
        region = 64 * next(i for i, kinds in enumerate(regions) if kind in kinds.split())
        place = self.pick(str(self.rng.randrange(3)), f"({self.value(1)} & {self.pick(1, 63, 63)})", f"({self.leaf()} & 63)", f"(l & {self.pick(7, 63)})")
        place = f"&k->{hits.views[0]}[{region} + {place}]"
        x = f"({of})({self.pick('1', '1', self.value() + ' & 127', self.leaf() + ' & 63', f'1 << ({self.leaf()} & 5)')})"
        if kind == "store":
            return f"tw_atomic_store({place}, ({of})77{order});"
        if kind == "greatest":
            return f"{{ const {of} x = {x}; {of} *const at = {place}, old = tw_atomic_load(at); while (old < x && !tw_atomic_compare_exchange_weak(at, &old, x)) ; }}"
        if kind == "sum":
            return f"{{ {of} *const at = {place}, old = tw_atomic_load(at); while (!tw_atomic_compare_exchange_strong(at, &old, ({of})(old + {x}))) ; }}"
        return f"tw_atomic_fetch_{kind}({place}, {x}{order});"


class Shares(Rare):
    """Loops in which work-items take every so many elements of a range, with sums that go from turn to turn."""

    TYPES = ["int", "unsigned", "int64_t", "float"]
    STATEMENTS = {"share": 1}

    def write(self):
        declared = "".join(f"{type} {name} = {self.rng.randint(0, 99)}; " for name, type in self.variables)
        loops = " ".join(self.statement_share(0) for _ in range(self.pick(1, 1, 2)))
        return f"{{ {declared}{loops} {self.pick('', self.statement_atomic(0))} {self.last_store()} }}"

    def statement_share(self, depth):
        type = self.pick("int", "unsigned", "size_t", "long", "short")
        start = f"({type})({self.pick('l', 'l', f'l + {self.rng.randint(1, 90)}', f'l - {self.rng.randint(1, 9)}', 'l * 2', f'{self.turn.at}')})"
        step = f"({type})(({self.pick('63', 'k->n', 'k->m')} & 127) + {self.pick(1, 16, 16, 64)})"
        bound = self.pick("300", "1000", "(k->n & 511)", "(k->m & 255) * 3", "(l & 255)", "k->in[l & 1023]")
        element = self.pick("k->in[g & 1023]", "k->in[(g + 5) & 1023]", "(k->in[g & 1023] & 255) * 3")
        sums = [f"{name} = {name} * 0.5f + (float)({element} & 63);" if type == "float" else f"{name} = ({type})((({name}) * 3 + (unsigned)({element})) & 0xffff);"
                for name, type in self.rng.sample(self.variables, self.rng.randint(0, 2))]
        place = self.pick("k->in[g & 1023] & 63", "g & 63")
        hits = f"tw_atomic_fetch_add(&k->{self.kernel.shared.views[0]}[({place})], 1);" if self.chance(0.7) or not sums else ""
        inner = self.pick("", "", f"if ({element} > {self.rng.randint(-100, 600)})")
        turns = "" if bound in ("300", "1000") else " && turns < 64"  # as many as there may be
        count = "" if not turns else "int turns = 0; "
        more = "" if not turns else ", ++turns"
        return f"{{ {count}for ({type} g = {start}; g < ({type})({bound}){turns}; g = ({type})(g + {step}){more}) {inner} {{ {' '.join(sums)} {hits} }} }}"


class Widths(Body):
    """Elements and variables of 1 to 8 bytes and of floating point in one body, converted, packed, averaged and clamped."""

    TYPES = WIDTHS
    STATEMENTS = {"convert": 8, "bits": 2, "pack": 2, "sums": 1, "loop": 1, "if": 3, "set": 3, "leave": 1, "store": 2}

    def operand(self):
        """A variable or an element, as an int."""
        found = self.kernel.element(self.turn, False) if self.chance(0.5) else None
        return f"((int){found[0]} & 0xfffff)" if found and found[1] in ("int", "int64_t", "unsigned") else f"(int){found[0]}" if found else self.leaf()

    def narrow(self):
        return f"({self.pick('signed char', 'unsigned char', 'short', 'unsigned short')}){self.operand()}"

    def assign(self, value):
        """Gives an integer expression to a variable or an element."""
        found = self.kernel.element(self.turn, True) if self.chance(0.5) else None
        target, type = found[:2] if found else self.pick(*self.variables)
        if type in REAL:
            return f"{target} = ({type})(({value}) {self.pick('& 0xfff', '% 4000')});"
        if type in ("int", "int64_t", "unsigned"):
            return f"{target} = ({type})(({value}) & {'0xffff' if found else '0x1ffff'});"
        return f"{target} = ({type})({value});"

    def statement_convert(self, depth):
        a, b, c = self.operand(), self.operand(), self.rng.randint(2, 99)
        m, n = self.narrow(), self.narrow()
        return self.assign(self.pick(
            f"({a} + {b} + 1) >> 1", f"{a} * {c} >> 8", f"abs({a} - {b})", f"{a} > {b} ? {a} : {b}", f"clamp_to({a} + {b}, 0, 255)", f"clamp_to({a} - {b}, -128, 127)",
            f"(int)((int64_t){a} * {b} >> 12 & 0xffff)", f"__builtin_popcount((unsigned){a})", f"__builtin_clz((unsigned){a} | 1u)", f"{a} / {c}", f"{a} % {c}", f"({m} + {n} + 1) >> 1",
            f"({m} & 255) << 8 | ({n} & 255)", f"(int)({m} * 257u >> 8 & 0xffff)", f"(short){a} * {self.rng.randint(2, 99)} >> 4", f"{m} < {n}", f"{m} - {n}", f"{m} / (({n} & 7) + 1)",
            f"{m} >> ({n} & 7)", f"{m} < 0 ? -{m} : {m}", f"(int)((float){a} * 0.5f)", f"(int)((double){a} / 3.0)", f"(int)((float){m} * 0.00392157f * (float){n})", f"(int)floor((double){a} * 0.37)",
            f"(int)({self.pick('float', 'double')}){a} + (int)(_Bool){b}", f"(_Bool)({a} & 8) ? {m} : {n}", f"(int)(((uint64_t)(unsigned){a} << 32 | (unsigned){b}) >> {self.rng.randint(13, 30)} & 0xffff)"))

    def statement_bits(self, depth):
        """The representation of floating point."""
        names = [(name, type) for name, type in self.variables if type in REAL]
        if not names:
            return self.statement_convert(depth)
        name, type = self.pick(*names)
        bits, shift, sign = ("unsigned", 23, "1u << 31") if type == "float" else ("uint64_t", 52, "(uint64_t)1 << 63")
        change = self.pick("", f"bits ^= {sign}; memcpy(&{name}, &bits, sizeof bits); ", f"bits &= ~({bits})0 << {shift - 4}; memcpy(&{name}, &bits, sizeof bits); ")
        return f"{{ {bits} bits; memcpy(&bits, &{name}, sizeof bits); {change}{self.assign(f'(int)(bits >> {self.pick(shift, shift - 8)} & 0xffff)')} }}"

    def statement_pack(self, depth):
        names = [(name, type) for name, type in self.variables if type in ("unsigned", "uint64_t")]
        if not names:
            return self.statement_convert(depth)
        name, type = self.pick(*names)
        bytes = " | ".join(f"({type})({self.operand()} & 255) << {8 * i}" for i in range(self.pick(2, 4)))
        return self.pick(f"{name} = {bytes};", self.assign(f"(int)({name} >> {self.pick(0, 4, 8, 16, 24)} & {self.pick(255, 15, 0xfff)})"), f"{name} = {name} << 7 | {name} >> {8 * (4 if type == 'unsigned' else 8) - 7};",
                         f"{name} = __builtin_bswap{32 if type == 'unsigned' else 64}({name});")

    def statement_sums(self, depth):
        """Products of narrow numbers, added up."""
        self.kernel.loops += 1
        j = f"j{self.kernel.loops}"
        of = self.pick("int", "int64_t", "unsigned", "float", "double")
        self.counters.append(j)
        product = f"{self.narrow()} * ({self.pick('signed char', 'short', 'unsigned char')})k->in[{self.index()}]"
        self.counters.pop()
        return f"{{ {of} sum = 0; for (int {j} = 0; {j} < {self.pick('4', '8', f'({self.leaf()} & 7)')}; ++{j}) sum += ({of})({product} >> 8); {self.assign('(int)sum')} }}"


class Cube(Body):
    """Ids and sizes of three dimensions."""

    def leaf(self):
        kernel, d = self.kernel, self.rng.randrange(3)
        if self.chance(0.6):
            return super().leaf()
        if kernel.form == "range":
            return self.pick(f"(int)(tw_global_id(item, {d}) & 63)", f"(int)(tw_global_id(item, {d}) - tw_global_offset(item, {d}))", f"(int)tw_global_range(item, {d})", "(int)tw_global_linear_id(item)")
        of = kernel.of_group
        return self.pick(f"(int)tw_local_id(item, {d})", f"(int)(tw_global_id(item, {d}) & 63)", f"(int)tw_group_id({of}, {d})", f"(int)tw_local_range({of}, {d})", f"(int)tw_group_range({of}, {d})",
                         f"k->in[(tw_local_id(item, {d}) * 31 + tw_local_id(item, {(d + 1) % 3})) & 1023]")

    def condition(self, depth=1):
        """Also the border of a group."""
        if self.kernel.form == "range" or self.chance(0.6):
            return super().condition(depth)
        sides = [f"(int)tw_local_id(item, {d}) == {side}" for d in range(3) for side in ("0", f"(int)tw_local_range({self.kernel.of_group}, {d}) - 1")]
        border = " || ".join(self.rng.sample(sides, self.pick(2, 3, 4)))
        return self.pick(f"({border})", f"!({border})")


class Rows(Body):
    """Rows and columns that are found by a division, and what stands beside that place."""

    def declarations(self):
        width = self.pick("(k->n & 255) + 1", "(k->n & 63) + 1", "k->m + 8", "k->m * 40 + 8", str(self.rng.randint(2, 120)), str(self.pick(8, 16, 64, 256)))
        type, shift = self.pick("int", "int", "unsigned", "size_t"), self.pick("0", "0", "1", "k->m", str(self.rng.randint(2, 400)))
        text = f"const {type} w = ({type})({width}), place = ({type})(l + {shift}); "
        text += self.pick("int row = (int)(place / w), column = (int)(place % w); ", "const int column = (int)(place % w), row = (int)(place / w); ",
                          "int row = (int)(place / w), column = (int)(place % w) - 1; if (place % w == 0) { column = (int)w - 1; row = row - 1; } ")
        return text + "(void)row; (void)column; " + super().declarations()

    def beside(self):
        column = self.pick("column", "column + 1", "(column > 0 ? column - 1 : 0)", "(column < (int)w - 1 ? column + 1 : column)", "k->in[column & 1023]", "((int)w - 1 - column)")
        row = self.pick("row", "row", "row + 1", "(row > 0 ? row - 1 : row)", "k->in[row & 1023]")
        low = f"((int)place & {self.pick(7, 15, 31, 63, 127)})"
        butterfly = self.pick(f"2 * ((int)place - {low}) + {low}", f"((int)place - {low}) + {self.pick(3, 64)}")
        return self.pick(f"{row} * (int)w + {column}", f"{column} + (int)w * {row}", row, column, f"{column} * 2 + {row} * 64", butterfly)

    def index(self):
        return f"(unsigned)({self.beside()}) & 1023" if self.chance(0.6) else super().index()

    def leaf(self):
        return self.pick("row", "column", "(int)w", f"k->in[{self.index()}]") if self.chance(0.3) else super().leaf()

    def condition(self, depth=1):
        return self.pick("column == 0", "column > 0", "column < (int)w - 1", "row > 0", "(column & 1)", "row != column", "column < k->m") if self.chance(0.3) else super().condition(depth)


class Reduce(Body):
    """Reductions of the launch."""

    STATEMENTS = {"combine": 6, "loop": 2, "if": 3, "set": 2, "leave": 1, "store": 1}

    def statement_combine(self, depth):
        to = self.pick(*self.kernel.reductions)
        x = f"({to.of})({self.pick(self.value(), self.leaf())} & 127)"
        text = f"combine_at_to({to.name}, {to.op}, {self.value(1)} & {self.pick(3, 63, 511)}, {x});" if to.is_array else f"combine_to({to.name}, {to.op}, {x});"
        return text if self.chance(0.6) else f"if ({self.condition()}) {text}"


class Members(Body):
    """Structures and short rows: some of their elements, in any order and under conditions."""

    STATEMENTS = {"move": 6, "ways": 4, "row": 2, "if": 2, "loop": 1, "set": 2, "leave": 1}

    def statement_move(self, depth):
        return " ".join(self.statement_store(depth) for _ in range(self.rng.randint(1, 4)))

    def statement_ways(self, depth):
        """The same members on each way, or others."""
        text = f"if ({self.condition()}) {{ {self.statement_move(depth)} }}"
        return text + f" else {{ {self.statement_move(depth)} }} {self.statement_move(depth)}" if self.chance(0.7) else text

    def statement_row(self, depth):
        self.kernel.inner_counters.append("c")
        body = self.statement_store(depth)
        self.kernel.inner_counters.pop()
        return f"for (int c = 0; c < {self.kernel.block}; ++c) {{ {body} }}"


# The shapes.
BODIES = {
    "diverge": Body,
    "private": Private,
    "rare": Rare,
    "shares": Shares,
    "widths": Widths,
    "cube": Cube,
    "rows": Rows,
    "reduce": Reduce,
    "members": Members,
}
