# SPDX-License-Identifier: Apache-2.0
"""What the work-items of a group do together in kernels of random_kernels.py whose shape is one of GROUPS.

These are phases, with barriers between them. In a phase a work-item writes its own elements of a local array, and reads no element
that another one writes in the same phase.
"""
from random_bodies import Body


class Phases:
    def __init__(self, kernel):
        self.kernel, self.rng, self.pick, self.chance = kernel, kernel.rng, kernel.pick, kernel.chance
        self.n = f"(int){kernel.count()}"
        self.whole = self.n if kernel.literal else f"(int){kernel.form}_whole"  # in front of phases
        self.body = Body

    def phase(self, last, depth=1):
        """A phase that ends with what `last` gives for its body."""
        kernel = self.kernel
        kernel.phases += 1
        kernel.owners()
        kernel.offset, kernel.reversed = None, False
        for a in kernel.locals:
            a.owner = "none"  # bodies leave them alone
        body = self.body(kernel, kernel.turn("l"))
        text = body.declarations() + body.statements(depth, self.pick(0, 0, 0, 1)) + " " + last(body)
        return kernel.phase(f"{kernel.form}_items({kernel.phases})", f"{{ {text} }}")

    def keep(self, value):
        """A phase in which each work-item stores a value in the end."""
        def last(body):
            found = self.kernel.element(body.turn, True, 0)
            return f"{found[0]} = {self.kernel.stored(found[1], value(body))};"
        return self.phase(last)

    def loop(self, head, *phases):
        return f"    for ({head}) {{\n{''.join(phases)}    }}\n"

    def counter(self):
        self.kernel.loops += 1
        return f"r{self.kernel.loops}"


class Local(Phases):
    """Local memory: exchanges, trees, sweeps, scans, histograms, stencils and tiles."""

    def write(self):
        self.first, self.second = self.kernel.locals[0], self.kernel.locals[-1]
        kinds = [self.exchange, self.tree, self.sweeps, self.scan, self.histogram, self.stencil, self.rounds]
        return "".join(kind() for kind in self.rng.sample(kinds, self.pick(1, 1, 1, 2)))

    def put(self, array, index, value):
        return f"{array.views[0]}[{index}] = {self.kernel.stored(array.of, value)};"

    def at(self, array, index):
        return f"(int){array.views[0]}[{index}]"

    def fill(self, array, index="l"):
        return self.phase(lambda body: self.put(array, index, body.value()))

    def exchange(self):
        """Each work-item reads what others wrote."""
        a, n = self.first, self.n
        to, size = self.pick(("l", n), ("l", n), ("(l & 7) * 33 + l / 8", "256"), (f"{n} - 1 - l", n), ("l * 2", f"{n} * 2"))  # an injective map of 0 to 255
        text = self.fill(a, to)
        if self.chance(0.3):  # several elements of each
            text = self.phase(lambda body: f"for (int j = l; j < 3 * {n}; j += {n}) {self.put(a, 'j', f'j * 3 + {body.value(1)}')}")
        return text + self.keep(lambda body: " + ".join(self.at(a, self.pick(f"(l + {c}) % ({size})", f"(l * {c} + 1) % ({size})", f"(unsigned){body.value(1)} % (unsigned)({size})", f"{size} - 1 - l", "l ^ 1"))
                                                        for c in (1, 3)[:self.pick(1, 2)]))

    def tree(self):
        a, s, n = self.first, self.counter(), self.n
        op = lambda x, y: self.pick(f"{x} + {y}", f"({x} > {y} ? {x} : {y})", f"({x} ^ {y})")
        if self.chance(0.5):
            head, condition = f"int {s} = 1; {s} < {self.whole}; {s} *= 2", f"l % (2 * {s}) == 0 && l + {s} < {n}"
        else:
            head, condition = f"int {s} = 128; {s} > 0; {s} /= 2", f"l < {s} && l + {s} < {n}"
        step = self.phase(lambda body: f"if ({condition}) {{ {self.put(a, 'l', op(self.at(a, 'l'), self.at(a, f'l + {s}')))} }}", 0)
        return self.fill(a) + self.loop(head, step) + self.keep(lambda body: f"{self.at(a, '0')} + {body.leaf()}")

    def sweeps(self):
        """Trees whose work-items have 2, 4, 8 ... elements each, of which they change one or two in place."""
        a, s, n = self.first, self.counter(), self.n
        size, low = self.pick(n, f"2 * {n}"), self.pick(f"(2 * l + 1) * {s} - 1", f"2 * {s} * l")
        text = self.phase(lambda body: f"for (int j = l; j < {size}; j += {n}) {self.put(a, 'j', f'j * 3 + {body.value(1)}')}")

        def step(body):
            i, j = self.rng.sample([low, f"{low} + {s}"], 2)
            x, y = self.at(a, i), self.at(a, j)
            one = self.put(a, i, self.pick(f"{x} + {y}", f"({x} ^ {y})", f"{y} - 1", f"{x} * 2 + {y}"))
            both = f"const int x = {x}; {self.put(a, i, y)} {self.put(a, j, f'x + {y}')}"
            more = self.pick("", f" && {y} > 5", f" && {body.condition()}") if self.chance(0.3) else ""
            return f"if ({low} + {s} < {size}{more}) {{ {self.pick(one, one, both)} }}"
        up, down = f"int {s} = 1; {s} < {self.whole}; {s} *= 2", f"int {s} = {self.pick(64, 128)}; {s} > 0; {s} /= 2"
        for head in self.pick([up], [down], [up, down], [f"int {s} = {self.pick(1, 2, 3, 4)}, once = 1; once; --once"]):
            text += self.loop(head, self.phase(step, 0))
        return text + self.keep(lambda body: self.at(a, self.pick("l", f"{size} - 1 - l")))

    def scan(self):
        a, b, s = self.first, self.second, self.counter()
        up = self.phase(lambda body: self.put(b, "l", f"(l >= {s} ? {self.at(a, 'l')} + {self.at(a, f'l - {s}')} : {self.at(a, 'l')})"), 0)
        back = self.phase(lambda body: self.put(a, "l", self.at(b, "l")), 0)
        return self.fill(a) + self.loop(f"int {s} = 1; {s} < {self.whole}; {s} *= 2", up, back) + self.keep(lambda body: self.at(a, "l"))

    def histogram(self):
        a, hits, n = self.second, self.kernel.shared, self.n
        bins = self.pick(16, 64, 256)
        name, order = a.views[0], self.pick("", ", TW_ORDER_RELAXED, TW_SCOPE_WORK_GROUP")
        op = self.pick("add", "add", "or", "max")
        add = lambda body: f"tw_atomic_fetch_{op}(&{name}[{self.pick(body.value(), f'k->in[{body.index()}]')} & {bins - 1}], ({a.of})({self.pick('1', '1', f'{body.leaf()} & 15')}){order});"
        text = self.phase(lambda body: f"for (int j = l; j < {bins}; j += {n}) {name}[j] = 0;", 0)
        text += self.phase(lambda body: self.pick(add(body), f"if ({body.condition()}) {add(body)}", f"for (int j = l; j < {self.pick('k->n', '300')}; j += {n}) {add(body)}"))
        if self.chance(0.6):
            text += self.phase(lambda body: f"for (int j = l; j < {bins}; j += {n}) {self.pick('', f'if ({name}[j] != 0) ')}tw_atomic_fetch_{op}(&k->{hits.views[0]}[j], ({hits.of}){name}[j]);", 0)
        return text + self.keep(lambda body: self.at(a, f"(l + {self.rng.randint(0, 5)}) & {bins - 1}"))

    def stencil(self):
        a, b, s, n = self.first, self.second, self.counter(), self.n
        left, right = "(l > 0 ? l - 1 : 0)", f"(l < {n} - 1 ? l + 1 : l)"
        step = self.phase(lambda body: self.put(b, "l", f"{self.at(a, left)} + 2 * {self.at(a, 'l')} + {self.at(a, right)}"), 0)
        back = self.phase(lambda body: f"if ({body.condition()}) {self.put(a, 'l', self.at(b, 'l'))}", 0)
        return self.fill(a) + self.loop(f"int {s} = 0; {s} < {self.pick('k->m', '2')}; ++{s}", step, back) + self.keep(lambda body: self.at(a, self.pick("l", left)))

    def rounds(self):
        """Tiles of the read-only array, over which each work-item adds up."""
        a, s, n, v = self.first, self.counter(), self.n, self.kernel.own("v")
        load = self.phase(lambda body: self.put(a, "l", f"k->in[({s} * {n} + {self.pick('l', 'l * 3')}) & 1023]"), 0)
        turns = self.pick(n, "8", f"(l & 7)")
        use = self.phase(lambda body: f"for (int j = 0; j < {turns}; ++j) {v} = ({v} + {self.at(a, self.pick('j', f'(j + l) % {n}'))} * {self.pick('1', '3', 'k->in[(l + j) & 1023]')}) & 0xffff;", 0)
        return self.loop(f"int {s} = 0; {s} < {self.pick('k->m', '2', '3')}; ++{s}", load, use) + self.keep(lambda body: v)


class Together(Phases):
    """Group functions of work-groups, on a value `y` of each work-item, and of sub-groups."""

    def write(self):
        kernel = self.kernel
        self.type = self.pick("int", "int", "unsigned", "int64_t", "double", "float")
        kernel.extra = [(self.type, "y")]
        self.y = kernel.own("y")
        if kernel.form == "nd":
            self.body = self.pick(Body, InSubGroups)
        text = self.phase(lambda body: f"{self.y} = ({self.type})({body.value()} & 0x3ff);")
        for _ in range(self.pick(1, 2, 2)):
            call = self.function()
            if self.chance(0.2):
                loops = ["for (int i = 0; i < k->m; ++i) {"] if "SUM" not in call else []  # since sums of sums overflow
                call = self.pick("if (k->m > 1) {", *loops) + f" {call} }}"
            text += f"    {call}\n" + kernel.barrier()
            last = lambda body: f"{self.y} = ({self.type})(((int){self.y} + {body.value(1)}) & 0x3ff);"
            text += self.phase(last) if self.chance(0.5) else self.phase(lambda body: f"{self.y} = ({self.type})((int){self.y} & 0x3ff);", 0)
        return text + self.keep(lambda body: f"(int){self.y}")

    def function(self):
        form, type = self.kernel.form, self.type
        whole = type not in ("float", "double")
        kind = self.pick("reduce", "reduce", "scan", "exclusive_scan", "broadcast", *["quantify"] * 2 * (form == "nd"))
        if kind == "quantify":
            return f"{form}_quantify_of(y, {self.pick('any', 'all', 'none')}, {self.pick(0, 10, 500, 1022)}, {type});"
        if kind == "broadcast":
            return f"{form}_broadcast_of(y, {self.pick('0', f'{self.whole} - 1', f'{self.whole} / 2', f'k->n % {self.whole}')}, {type});"
        ops = ["TW_SUM", "TW_SUM"] + (["TW_OR", "TW_XOR"] if whole else []) + (["TW_AND"] if whole and kind != "exclusive_scan" else [])
        return f"{form}_{kind}_of(y, {self.pick(*ops, *(['TW_MIN', 'TW_MAX'] if kind != 'exclusive_scan' else []))}, {type});"


class InSubGroups(Body):
    """A sub-group of a CPU is one work-item: so are those of plain C."""

    def declarations(self):
        return super().declarations() + "const tw_sub_group g0 = tw_get_sub_group(item); (void)g0; "

    def leaf(self):
        x = super().leaf()
        if self.chance(0.6):
            return x
        return self.pick(f"tw_reduce_over_group(g0, {x}, {self.pick('TW_SUM', 'TW_MAX', 'TW_XOR')})", f"tw_inclusive_scan_over_group(g0, {x}, TW_SUM)", f"tw_exclusive_scan_over_group(g0, {x}, TW_SUM)",
                         f"tw_group_broadcast(g0, {x}, 0)", f"tw_select_from_group(g0, {x}, tw_sub_group_local_id(g0))", f"tw_permute_group_by_xor(g0, {x}, 0)", f"tw_shift_group_left(g0, {x}, 0)",
                         f"tw_shift_group_right(g0, {x}, 0)", f"(int)tw_group_ballot(g0, {x} > 5)", f"(int)tw_any_of_group(g0, {x} > 9)", f"(int)tw_all_of_group(g0, {x} > 9)", f"(int)tw_none_of_group(g0, {x} > 9)",
                         "(int)tw_sub_group_id(g0)", "(int)tw_sub_group_range(g0)", "(int)tw_sub_group_local_id(g0)", "(int)tw_sub_group_local_range(g0)", "(int)tw_sub_group_max_local_range(g0)")


# The shapes.
GROUPS = {
    "local": Local,
    "together": Together,
}
