#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes random kernels in which work-items return to what they did, and the same as plain C.

usage: random_kernels.py SEED KERNELS FOLDER [NUMBER]

Writes kernels.c (Teamwork) and plain.c (work-items one after the other between two barriers, without Teamwork) into
FOLDER; random_kernels.c compares them. With NUMBER only that kernel is written.

There is no data race: of an array that is written between two barriers, a work-item touches what it owns and nothing
else. It owns elements l, l + N, l + 2 N ... of N work-items, or blocks of elements, or the places of a tile in all tiles;
all parts of one buffer that members lead to begin at multiples of that. What it does with its own elements is arbitrary:
shifted reads, stores for later turns, columns, several members.
"""
import random
import re
import sys

TYPES = {"int": "int", "unsigned": "unsigned", "signed char": "schar", "unsigned char": "uchar", "short": "short",
         "unsigned short": "ushort", "int64_t": "long64", "float": "float", "double": "double"}
MASKS = {"int": 0xffff, "unsigned": 0xffff, "signed char": 0x7f, "unsigned char": 0xff, "short": 0x7fff,
         "unsigned short": 0xffff, "int64_t": 0xffff, "float": 0xfff, "double": 0xffff}
COUNTERS = ["int", "int", "size_t", "size_t", "unsigned", "long", "short", "unsigned short", "unsigned char", "signed char"]
MOST = {"short": 32767, "unsigned short": 65535, "unsigned char": 255, "signed char": 127}
SIGNED = ("int", "long", "short", "signed char")
LIMIT, LOCAL, READ = 640, 2048, 1024  # counters end there; elements of local arrays; elements that are only read


class Array:
    def __init__(self, of, views=(), local=False):
        self.of, self.views, self.local = of, list(views), local


class Turn:
    """A place of the text where `at` is what the work-item owns, but for `less`; it is in [low, high)."""

    def __init__(self, at, type, less, low, high):
        self.at, self.type, self.less, self.low, self.high = at, type, less, low, high


class Kernel:
    def __init__(self, seed, number):
        self.rng = rng = random.Random(f"{seed} {number}")
        self.name = f"kernel_{number}"
        self.form = rng.choice(["nd", "nd", "groups", "groups", "groups", "range"])
        self.dims = 1 if rng.random() < 0.75 else 2
        self.fixed = rng.random() < 0.6 and self.form != "range"
        if self.form == "range":
            self.sizes = [(rng.choice([1, 5, 16, 64, 100, 256]),) if self.dims == 1 else (rng.choice([3, 8]), rng.choice([5, 16, 40]))
                          for _ in range(3)]
        elif self.dims == 1:
            self.sizes = [(rng.choice([1, 2, 4, 8, 8, 16, 33, 64, 64, 100, 128, 256]),) for _ in range(3)]
        else:
            self.sizes = [(rng.choice([2, 4, 8]), rng.choice([3, 8, 16, 32])) for _ in range(3)]
        if self.fixed:
            self.sizes = self.sizes[:1] * 3
        self.items = max(prod(s) for s in self.sizes)
        self.grid = self.form == "range"           # work-items own elements of the whole array, not of their group's
        self.single_group = self.form == "range" or rng.random() < 0.5
        self.block = rng.choice([2, 3, 4, 8]) if self.items <= 64 else 2
        self.n_type = rng.choice(["int", "size_t", "unsigned", "inline"])
        self.phases = []                            # (kind, name, text, range) of work-items, in the order of the text
        self.depth = self.loops = 0
        self.simple = rng.random() < 0.6            # few statements, as the plugin's passes look for them
        self.make_arrays()
        self.pad = rng.choice([0, 0, 1])            # a distance that the launch gives, so that indices may be below `at`
        self.n_literal = str(prod(self.sizes[0])) if self.fixed and rng.random() < 0.8 else None
        self.private_size = rng.choice([4, 6, 12])
        self.nodes = self.program()
        self.first = self.first_phase()

    # ---- what there is

    def pick(self, *choices):
        return self.rng.choice(choices)

    def chance(self, p):
        return self.rng.random() < p

    def make_arrays(self):
        names = iter("abdeg")
        self.arrays = []
        for _ in range(self.pick(1, 1, 2)):
            of = self.pick("int", "int", *TYPES)
            self.arrays.append(Array(of, [next(names) for _ in range(self.pick(1, 2, 2, 3) if len(self.arrays) == 0 else self.pick(1, 2))]))
        self.locals = []
        if self.form != "range" and self.chance(0.7):
            for name in "ts"[:self.pick(1, 2)]:
                self.locals.append(Array(self.pick("int", "int", *TYPES), [name], local=True))
        self.const_views = set()
        for a in self.arrays:
            for view in a.views[1:]:
                if self.chance(0.35):
                    self.const_views.add(view)

    def count(self):
        """The number of work-items that own elements by turns, in the text."""
        if self.n_literal:
            return self.n_literal
        whole = "tw_global_range(item, 0)" if self.grid else None
        if self.grid and self.dims == 2:
            whole = "(tw_global_range(item, 0) * tw_global_range(item, 1))"
        if self.n_type == "inline":
            return f"(int){whole or 'tw_local_linear_range(GROUP)'}"
        return "N"

    def as_type(self, type, text):
        return text if re.fullmatch(r"-?\d+", text) and type in ("int", "size_t", "long") else f"({type})({text})"

    # ---- values

    def value(self, turn, depth=1):
        """An int between -2^20 and 2^20."""
        if self.simple and turn is not None and self.chance(0.8):
            e = self.read(turn) if self.chance(0.4) else None
            return self.pick(f"(int){turn.at}", "77", "5", "k->m", f"k->in[{turn.at} & 1023]") if not e else f"((int){e} + 1)"
        kind = self.rng.randint(0, 11)
        if kind <= 2 and turn is not None:
            e = self.read(turn)
            if e:
                return f"(int){e}"
        if kind == 3:
            return f"k->in[{self.anywhere(turn)}]"
        if kind == 4 and turn is not None:
            return f"(int){turn.at}"
        if kind in (5, 6):
            return self.pick("$v", "$u", "$v")
        if kind == 7:
            return self.pick("l", "k->n", "k->m", str(self.rng.randint(-5, 9)))
        if kind == 8:
            return f"$pa{{{self.place(turn)}}}"
        if kind == 9:
            return self.pick("(int)$ps.a", "(int)$ps.b", "(int)$ps.c", "$ps.d[1]", f"$ps.d[{self.place(turn)} & 3]")
        if depth > 0:
            a, b = self.value(turn, depth - 1), self.value(turn, depth - 1)
            return self.pick(f"(({a} + {b}) & 0x1ffff)", f"(({a} - {b}) & 0xffff)", f"({a} ^ {b})", f"(({a} & 255) * ({b} & 127))",
                             f"twice({a})", f"clamp_to({a}, {self.rng.randint(-9, 3)}, {self.rng.randint(4, 900)})",
                             f"({self.condition(turn)} ? {a} : {b})", f"(({a} & 1023) / 3)", f"(({a} & 1023) % 7)")
        return self.pick("$v", "$u", "7")

    def place(self, turn):
        """An index of the work-item's array."""
        return self.pick(str(self.rng.randrange(self.private_size)), f"($v & 3)", "(l & 3)", "($u & 3)") if turn is None or self.chance(0.5) else f"((int){turn.at} & 3)"

    def anywhere(self, turn):
        return self.pick("l & 1023", f"{turn.at} & 1023" if turn else "($v & 1023)", "$v & 1023", f"(l + {self.rng.randint(1, 70)}) & 1023",
                         f"((unsigned)l * 3u + 5u) & 1023u", f"{turn.at} & 1023" if turn else "($u & 1023)")

    def condition(self, turn):
        c = self.rng.randint(0, 9)
        choices = [f"($v & {self.pick(1, 3, 7)}) == {self.pick(0, 1)}", f"l == {c}", f"l > {c}", f"(l & 1)", "$u > $v", f"k->in[{self.anywhere(turn)}] > {self.pick(0, 100, -200)}",
                   f"k->m > {c % 4}"]
        if turn:
            at = turn.at
            choices += [f"{at} == ({turn.type})k->c", f"(size_t){at} == k->z", f"{at} == ({turn.type}){self.rng.randint(0, 100)}", f"((int){at} & {self.pick(1, 3, 15)}) == {self.pick(0, 1)}",
                        f"(int){at} < k->c", f"(int){at} > {self.rng.randint(0, 300)}"]
            e = self.read(turn)
            if e:
                choices += [f"((int){e} & 1)", f"(int){e} > {self.rng.randint(0, 200)}"]
        return self.pick(*choices)

    def uniform_condition(self):
        return self.pick("k->m > 1", "k->n > 100", "(k->c & 1)", "k->in[5] > 0")

    # ---- elements

    def element(self, turn, writes, shift=None):
        """The text of an element that the work-item owns, and its array."""
        owned = [a for a in self.arrays + self.locals if self.owner.get(id(a)) == "turns"]
        if not owned:
            return None
        a = self.pick(*owned)
        views = [v for v in a.views if not (writes and v in self.const_views)]
        view = self.pick(*views)
        index = self.index(turn, a, shift)
        return self.elem(a, view, index), a

    def index(self, turn, a, shift=None):
        n = self.count()
        e = shift if shift is not None else self.pick(0, 0, 0, 1, 1, 2, 3, -1, "k->m", "m", "data")
        inner = self.inner_counters
        if inner and self.chance(0.7) and shift is None:
            e = self.pick(*inner)
        less = -turn.less
        signed = turn.type in SIGNED
        text, type = turn.at, turn.type
        cast = self.pick(type, "int", "size_t") if signed and turn.low >= 0 else type
        if MOST.get(type):
            cast = self.pick("int", "int", "size_t") if turn.low >= 0 else "int"
        if cast != type:
            text = f"({cast}){text}"
        if less > 0:
            text = f"{text} + {less}"
        if isinstance(e, int) and e < 0:
            if self.pad and not a.local:
                text = f"{text} - {self.as_type(cast, n)} * {-e}"
            else:
                e = -e
        if isinstance(e, int):
            if e > 0:
                step = self.as_type(cast, n)
                text = f"{text} + {step}" if e == 1 else f"{text} + {self.pick(f'{e} * {step}', f'{step} * {e}')}"
        elif e == "data":
            text = f"{text} + {self.as_type(cast, n)} * ({cast})({self.pick('$v & 3', f'k->in[{self.anywhere(turn)}] & 3', 'l & 3')})"
        elif e in ("k->m", "m"):
            text = f"{text} + {self.as_type(cast, n)} * ({cast})k->m"
        else:
            text = self.pick(f"{text} + {self.as_type(cast, n)} * ({cast}){e}", f"{text} + ({cast}){e} * {self.as_type(cast, n)}")
        if turn.less > 0:                           # the counter is ahead of what is owned by a constant
            text = f"{text} - {turn.less}" if turn.low >= turn.less and signed else f"{text} - ({cast}){turn.less} + {self.as_type(cast, n)}"
        elif turn.low < 0 and less < -turn.low:
            text = f"{text} + {self.as_type(cast, n)}"
        if self.pad and not a.local:
            text = f"{text} + ({cast})k->pad"
        return text

    def elem(self, a, view, index):
        if a.local:
            return f"${view}[{index}]"
        if not self.single_group:
            if self.base_kind == "pointer":
                return f"{view}_[{index}]"
            return f"k->{view}[base + (size_t)({index})]"
        return f"k->{view}[{index}]"

    def read(self, turn):
        if self.chance(0.2):
            shared = [a for a in self.locals if self.owner.get(id(a)) == "all"]
            if shared:
                a = self.pick(*shared)
                return f"${a.views[0]}[{self.pick('(l + 1)', '$v', f'{turn.at}', f'(l * 5 + {self.rng.randint(0, 99)})')} & {LOCAL - 1}]"
        found = self.element(turn, False)
        return found and found[0]

    def stored(self, of, text):
        if of in ("float", "double"):
            return f"({of})(({text}) & {MASKS[of]})"
        if of == "signed char":
            return f"(signed char)((({text}) & 255) - 128)"
        if of == "short":
            return f"(short)((({text}) & 0x7fff) - 0x2000)"
        return f"({of})(({text}) & {MASKS[of]})"

    # ---- statements

    def store(self, turn, shift=None):
        found = self.element(turn, True, shift)
        if not found:
            return self.change(turn)
        e, a = found
        value = self.value(turn)
        kind = 0 if self.simple else self.rng.randint(0, 9)
        if kind <= 4:
            return f"{e} = {self.stored(a.of, value)};"
        if kind <= 6:
            return f"{e} = {self.stored(a.of, f'(int){e} * {self.pick(3, 5)} + {value}')};"
        if a.of in ("float", "double"):
            return self.pick(f"{e} = {e} * ({a.of})0.5 + ({a.of})({value} & 1023);", f"{e} = {e} > ({a.of})100 ? {e} - ({a.of})3 : ({a.of})({value} & 255);")
        if kind == 7:
            return f"{e} {self.pick('^=', '&=')} ({a.of})({value} & {MASKS[a.of]});"
        if kind == 8:
            return f"bump_{TYPES[a.of]}(&{e}, {value});"
        return f"{{ {a.of} *const q = &{e}; if ({self.condition(turn)}) *q = {self.stored(a.of, value)}; }}"

    def change(self, turn):
        name = self.pick("$v", "$u", "$v", "$u", f"$pa{{{self.place(turn)}}}", "$ps.a", "$ps.d[2]", f"$ps.d[{self.place(turn)} & 3]")
        op = self.pick(f"{name} * 3 + ", f"{name} ^ ", f"{name} + ", "")
        narrow = self.pick(f"$ps.b = (short)(({self.value(turn)}) & 0x3ff);", f"$ps.c = (unsigned char)($ps.c + {self.value(turn)});")
        return narrow if self.chance(0.15) else f"{name} = ({op}({self.value(turn)})) & 0xffff;"

    def chain(self, turn):
        """Reads what an earlier turn of the work-item wrote."""
        to, from_ = self.pick((1, 0), (2, 0), (1, 0), (2, 1), (0, 1), (3, 1), (0, 2))
        first, second = self.element(turn, True, to), self.element(turn, False, from_)
        if not first or not second:
            return self.change(turn)
        return f"{first[0]} = {self.stored(first[1].of, f'(int){second[0]} + {self.pick(1, 3, self.value(turn, 0))}')};"

    def single(self, turn):
        """What one turn does, perhaps for a later one."""
        c = self.pick(f"{turn.at} == ({turn.type})k->c", f"{turn.at} == ({turn.type}){self.rng.randint(0, 120)}", f"(size_t){turn.at} == k->z", f"l == {self.rng.randint(0, 9)}")
        first, second = self.store(turn), self.store(turn, self.pick(1, 1, 2, 3))
        return self.pick(f"if ({c}) {{ {second} }}", f"{first} if ({c}) {{ {second} }}", f"{first} if ({c}) {{ {second} }} else {{ {first} }}", f"if ({c}) {{ {second} {first} }}")

    def inner(self, turn, depth):
        """A loop inside, which goes over columns, blocks or the private array."""
        self.loops += 1
        j, type = f"j{self.loops}", self.pick(*COUNTERS)
        m = self.pick("k->m", str(self.rng.randint(1, 5)), "3", "(k->m + 1)", "($v & 3)", f"(k->in[{self.anywhere(turn)}] & 3)")
        self.inner_counters.append(j)
        self.breakable.append("loop")
        body = "" if self.simple else self.block_of(turn, depth - 1, self.rng.randint(1, 2))
        if self.simple or self.chance(0.6):
            found = self.element(turn, True, j)
            if found:
                text = self.stored(found[1].of, f"{self.pick('', f'(int){found[0]} * 3 + ')}{self.value(turn)}")
                body += f" {found[0]} = {text};"
        if self.chance(0.2):
            body = f"if ({self.condition(turn)}) {self.pick('break', 'continue')}; {body}"
        self.breakable.pop()
        self.inner_counters.pop()
        if self.chance(0.2) and type in SIGNED:
            return f"for ({type} {j} = ({type})({m} - 1); {j} >= 0; --{j}) {{ {body} }}"
        if self.chance(0.15):
            return f"for ({type} {j} = ({type})({m}); {j}-- > 0; ) {{ {body} }}"
        if self.chance(0.1):
            return f"{{ {type} {j} = 0; do {{ {body.replace('continue;', 'break;')} {j} = ({type})({j} + 1); }} while ({j} < ({type})({m})); }}"
        return f"for ({type} {j} = 0; {j} < ({type})({m}); {self.pick(f'++{j}', f'++{j}', f'{j} += 2')}) {{ {body} }}"

    def statement(self, turn, depth):
        kind = self.rng.randint(0, 19)
        if self.simple:
            kind = self.pick(0, 6, 6, 9, 13, 13) if depth > 0 else self.pick(0, 6, 9)
        if kind <= 5:
            return self.store(turn)
        if kind <= 8:
            return self.chain(turn)
        if kind <= 10:
            return self.single(turn)
        if kind == 11 and depth > 0 or kind == 12 and depth > 1:
            text = f"if ({self.condition(turn)}) {{ {self.block_of(turn, depth - 1, 1)} }}"
            return text + (f" else {{ {self.block_of(turn, depth - 1, 1)} }}" if self.chance(0.4) else "")
        if kind in (13, 14, 15) and depth > 0:
            return self.inner(turn, depth)
        if kind == 16:
            return self.leave(turn)
        if kind == 17:
            a, b = self.element(turn, True, 0), self.element(turn, True, 1)
            if a and b and a[1].of == b[1].of:
                return f"{{ const {a[1].of} z = {a[0]}; {a[0]} = {b[0]}; {b[0]} = z; }}"
        return self.change(turn)

    def leave(self, turn):
        """break, continue, or the end of the work-item where it may end."""
        choices = []
        if self.breakable and self.breakable[-1] == "loop":
            choices += ["break;", "continue;"]
        if self.breakable and self.breakable[-1] == "items":
            choices += ["$exit;"]
        if self.may_return:
            choices += ["return;"]
        return f"if ({self.condition(turn)}) {self.pick(*choices)}" if choices else self.change(turn)

    def block_of(self, turn, depth, count):
        return " ".join(self.statement(turn, depth) for _ in range(count))

    def elements_loop(self, depth):
        """A loop over elements of the work-item, in one of many forms."""
        self.loops += 1
        n, at = self.count(), f"i{self.loops}"
        type = self.pick("int", "size_t") if self.simple and self.chance(0.7) else self.pick(*COUNTERS)
        most = MOST.get(type, 1 << 30)
        if most < 4 * self.items + 8:
            type, most = self.pick("int", "size_t", "short"), 32767
        room = min(LIMIT, most - self.items - 5)
        step = self.as_type(type, n)
        signed = type in SIGNED
        l = self.item_text
        kind = self.rng.randint(0, 9)
        less = low = 0
        end = self.pick("k->n", str(self.rng.randint(min(room, 1), room)), "k->n") if room >= LIMIT else str(self.rng.randint(1, room))
        end = f"({type}){end}" if end == "k->n" or not signed else end
        compare = "<"
        if kind <= 4:
            start = f"({type})({l})"
            head = f"for ({type} {at} = {start}; {at} {compare} {end}; {at} += {step})"
        elif kind <= 6:                             # begins below zero, or behind it
            less = self.pick(-1, -1, -2, -3, 1, 2)
            start = f"({type})(({self.pick(type, type, 'int') if signed else type})({l}) {'-' if less < 0 else '+'} {abs(less)})"
            low = less if signed and less < 0 else max(less, 0)
            head = f"for ({type} {at} = {start}; {at} {compare} {end}; {at} += {step})"
        elif kind == 7:
            turns = self.pick("k->m", str(self.rng.randint(0, 4))) if room > 5 * self.items else "1"
            if signed:
                head = f"for ({type} {at} = ({type})(({type})({l}) + {step} * ({type}){turns}); {at} >= 0; {at} -= {step})"
            else:
                head = f"for ({type} {at} = ({type})(({type})({l}) + {step} * (({type}){turns} + 1)); {at} >= {step} && ({at} -= {step}, 1); )"
        elif kind == 8:
            turns = self.pick("k->m", str(self.rng.randint(0, 4))) if room > 5 * self.items else "1"
            head = f"for ({type} {at} = ({type})({l}); {at} != ({type})(({type})({l}) + {step} * ({type}){turns}); {at} += {step})"
        else:
            head = f"for ({type} {at} = ({type})({l}); {at} < {end}; {at} = ({type})({at} + {step}))"
        turn = Turn(at, type, less, low, room)
        self.breakable.append("loop")
        body = self.block_of(turn, depth, 1 if self.simple else self.pick(1, 1, 2, 3))
        if not self.simple and self.chance(0.3):
            body = f"{self.store(turn)} {body}"
        if low < 0 and self.chance(0.5):
            body = f"if ({at} >= 0) {{ {body} }}"
        self.breakable.pop()
        if kind == 9 and self.chance(0.5) and "continue;" not in body:
            return f"{{ {type} {at} = ({type})({l}); while ({at} < {end}) {{ {body} {at} = ({type})({at} + {step}); }} }}"
        return f"{head} {{ {body} }}"

    def blocks_loop(self, depth):
        """The work-item owns blocks of elements."""
        b, total = self.block, self.count()
        of = self.pick("int", "size_t", "unsigned")
        owned = [a for a in self.arrays + self.locals if self.owner.get(id(a)) == "blocks"]
        if not owned:
            return ""
        a = self.pick(*owned)
        c, d = self.pick("c", "c", f"(c + 1) % {b}", str(self.rng.randrange(b))), self.pick("c", f"{b - 1} - c", "0", str(self.rng.randrange(b)))
        view, other = self.pick(*[v for v in a.views if v not in self.const_views]), self.pick(*a.views)
        start = f"({of}){b} * ({of})({self.item_text})"
        if self.pad and not a.local:
            start += f" + ({of})k->pad"
        where = self.pick(f"o + ({of}){{}}", f"o + ({of}){{}} + ({of}){b} * ({of}){total}")
        e, f = self.elem(a, view, f"o + ({of})({c})"), self.elem(a, other, where.format(f"({d})"))
        update = f"{e} = {self.stored(a.of, f'(int){f} * 3 + {self.value(None)}')};"
        update = self.pick(update, f"if ({self.condition(None)}) {update}", f"{update} $v ^= (int){self.elem(a, other, 'o')} & 255;")
        extra = self.pick("", f"{self.elem(a, view, 'o')} = {self.stored(a.of, '$v + k->m')};")
        return f"{{ const {of} o = {start}; for (int c = 0; c < {b}; ++c) {{ {update} }} {extra} }}"

    # ---- phases

    def owners(self, first=False):
        """Who owns what between the next two barriers."""
        self.owner = {}
        for a in self.arrays:
            self.owner[id(a)] = "turns" if self.chance(0.85) else "blocks"
            if not self.fences or self.grid:
                self.owner[id(a)] = "turns"
        for a in self.locals:
            self.owner[id(a)] = self.pick("turns", "turns", "all", "blocks")
        self.item_text = "l"
        if self.fences and self.chance(0.15):
            self.item_text = f"({self.count()} - 1 - l)" if self.count() == "N" or self.n_literal else "l"
        self.inner_counters, self.breakable = [], []

    def first_phase(self):
        text = f"$v = k->in[l & 1023] & 0xffff; $u = l; "
        rest = repr(self.nodes)
        if "$pa" in rest:
            text += f"for (int j = 0; j < {self.private_size}; ++j) $pa{{j}} = j * 3 + l; "
        if "$ps" in rest:
            text += "$ps.a = l & 7; $ps.b = 2; $ps.c = 3; for (int j = 0; j < 4; ++j) $ps.d[j] = j; "
        for a in self.locals:
            text += f"for (int j = l; j < {LOCAL}; j += (int){self.count() if self.count() == 'N' else '(' + self.count() + ')'}) ${a.views[0]}[j] = ({a.of})(j & {self.pick(1, 31, 127)}); "
        return text

    def items_phase(self, last):
        self.owners()
        self.may_return = last and self.form != "groups" and self.depth == 0
        if self.form == "groups":
            self.breakable.append("items")
        parts = []
        for _ in range(self.pick(1, 1, 2)):
            kind = self.rng.randint(0, 9)
            if kind == 0:
                parts.append(self.blocks_loop(1))
            elif kind == 1:
                parts.append(self.block_of(Turn("l", "int", 0, 0, self.items), 1, 2) if self.item_text == "l" else self.elements_loop(1))
            else:
                parts.append(self.elements_loop(2))
            if self.chance(0.15):
                parts.append(self.change(None) if not self.breakable else self.pick(self.change(None), self.leave(None)))
        return ("items", " ".join(parts), None)

    def range_phase(self):
        self.owners()
        self.item_text, self.may_return = "l", False
        self.breakable.append("items")
        if self.chance(0.75):
            points = self.pick("k->n", str(self.rng.randint(1, LIMIT)), str(self.rng.randint(1, LIMIT)), str(self.items * 2))
            if points == "k->n":
                extent = "tw_range_1d((size_t)k->n)"
            else:
                extent = f"tw_range_1d({points})"
            dims = (points,)
        else:
            h, w = self.rng.randint(1, 16), self.rng.randint(1, 40)
            extent, dims = f"tw_range_2d({h}, {w})", (str(h), str(w))
        type = self.pick("int", "size_t", "unsigned", "short")
        id = "tw_local_id(item, 0)" if len(dims) == 1 else f"(tw_local_id(item, 0) * {dims[1]} + tw_local_id(item, 1))"
        turn = Turn("i", type, 0, 0, LIMIT)
        text = f"const {type} i = ({type}){id}; " + self.block_of(turn, 2, self.rng.randint(1, 3))
        return ("range", text, (extent, dims))

    def program(self):
        """A list of phases; ("loop", head, nodes) and ("if", condition, nodes) are uniform."""
        self.base_kind = self.pick("pointer", "index")
        self.fences = self.form == "groups" or self.chance(0.6)  # whether barriers order global memory
        nodes = []
        self.owner = {}
        count = 1 if self.form == "range" else self.pick(1, 1, 1, 2, 2, 3)
        for i in range(count):
            nodes.append(self.node(i == count - 1))
        return nodes

    def node(self, last):
        if self.form != "range" and self.depth == 0 and self.chance(0.2):
            self.depth += 1
            nodes = [self.node(False) for _ in range(self.pick(1, 1, 2))]
            self.depth -= 1
            self.loops += 1
            r = f"r{self.loops}"
            if self.chance(0.7):
                until = self.pick("k->m", "2", "3")
                return ("loop", f"for (int {r} = 0; {r} < {until}; ++{r})", nodes)
            return ("if", f"if ({self.uniform_condition()})", nodes)
        if self.form == "groups" and self.chance(0.45):
            return self.range_phase()
        return self.items_phase(last)

    # ---- the text

    def block_struct(self):
        members = ""
        for a in self.arrays:
            for view in a.views:
                members += f"{'const ' if view in self.const_views else ''}{a.of} *{view}; "
        return f"struct {self.name} {{ {members}const int *in; int n, m, c, pad; size_t z, region; }};"

    def head(self, item, group):
        """Declarations that all phases begin with."""
        if self.form == "range":
            l = "(int)tw_global_id(item, 0)" if self.dims == 1 else "(int)(tw_global_id(item, 0) * tw_global_range(item, 1) + tw_global_id(item, 1))"
        elif self.form == "groups":
            l = "(int)tw_physical_local_linear_id(item)"
        else:
            l = "(int)tw_local_linear_id(item)" if self.dims == 2 or len(self.name) % 2 else "(int)tw_local_id(item, 0)"
        text = f"const int l = {l}; (void)l; "
        if not self.n_literal and self.n_type != "inline":
            whole = f"tw_local_linear_range({group})"
            if self.grid:
                whole = "tw_global_range(item, 0)" + (" * tw_global_range(item, 1)" if self.dims == 2 else "")
            text += f"const {self.n_type} N = ({self.n_type})({whole}); (void)N; "
        if not self.single_group:
            text += f"const size_t base = tw_group_linear_id({group}) * k->region; (void)base; "
            if self.base_kind == "pointer":
                for a in self.arrays:
                    for view in a.views:
                        text += f"{'const ' if view in self.const_views else ''}{a.of} *const {view}_ = k->{view} + base; (void){view}_; "
        return text

    def subst(self, text, v, pa, local, exit, group):
        text = re.sub(r"\$(v|u|ps)\b", lambda m: v(m.group(1)), text)
        text = re.sub(r"\$pa\{([^{}]*)\}", lambda m: pa(m.group(1)), text)
        text = re.sub(r"\$([ts])\b", lambda m: local(m.group(1)), text)
        return text.replace("$exit", exit).replace("GROUP", group)

    def teamwork(self):
        first = self.first
        declare_local = "".join(f"TW_LOCAL({a.of}, {a.views[0]}, [{LOCAL}]); " for a in self.locals)
        own = lambda text: self.subst(text, lambda n: n, lambda i: f"pa[{i}]", lambda n: n, "return", "item")
        variables = f"int v, u; int pa[{self.private_size}]; struct priv ps; "
        fixed = "".join(f", {n}" for n in self.sizes[0]) if self.fixed else ""
        if self.form == "range":
            text = self.head("item", "item") + variables + own(first) + " ".join(own(n[1]) for n in self.nodes)
            text += " (void)v, (void)u;"
            return f"static inline void {self.name}(tw_item item, const struct {self.name} *k) {{ {text} }}\nTW_RANGE_KERNEL({self.name}, {self.dims});"
        if self.form == "nd":
            fence = self.rng.choice(["TW_GLOBAL_AND_LOCAL", "TW_GLOBAL_AND_LOCAL"]) if self.fences else "TW_LOCAL_SPACE"
            barrier = f"tw_barrier(item, {fence});"

            def write(nodes, last):
                out = []
                for i, n in enumerate(nodes):
                    if n[0] == "items":
                        out.append(f"{{ {own(n[1])} }} {barrier}" if not (last and i == len(nodes) - 1) else f"{{ {own(n[1])} }}")
                    else:
                        out.append(f"{n[1]} {{ {write(n[2], False)} }}")
                return " ".join(out)
            text = f"{declare_local}{self.head('item', 'item')}{variables}{own(first)} {barrier} {write(self.nodes, True)} (void)v, (void)u;"
            return f"static inline void {self.name}(tw_nd_item item, const struct {self.name} *k) {{ {text} }}\nTW_ND_RANGE_KERNEL({self.name}{fixed});"
        private = f"TW_PRIVATE(group, int, v); TW_PRIVATE(group, int, u); TW_PRIVATE(group, int, pa, [{self.private_size}]); TW_PRIVATE(group, struct priv, ps); "
        leave = self.rng.choice(["continue", "break"])
        of_item = lambda text: self.subst(text, lambda n: f"tw_private({n}, item)", lambda i: f"tw_private(pa, item, {i})", lambda n: n, leave, "group")

        def write(nodes):
            out = []
            for n in nodes:
                if n[0] == "items":
                    out.append(f"tw_parallel_for_work_item(group, item) {{ {self.head('item', 'group')}{of_item(n[1])} }}")
                elif n[0] == "range":
                    out.append(f"tw_parallel_for_work_item_range(group, item, {n[2][0]}) {{ {self.head('item', 'group')}{of_item(n[1])} }}")
                else:
                    out.append(f"{n[1]} {{ {write(n[2])} }}")
            return " ".join(out)
        text = f"{declare_local}{private}{write([('items', first, None)] + self.nodes)}"
        return f"static inline void {self.name}(tw_group group, const struct {self.name} *k) {{ {text} }}\nTW_WORK_GROUP_KERNEL({self.name}{fixed});"

    def plain(self):
        """Functions of phases, and one that calls them for each work-item in turn."""
        shared = "".join(f"{a.of} {a.views[0]}[{LOCAL}]; " for a in self.locals) + "char none;"
        out = [f"struct {self.name}_local {{ {shared} }};",
               f"struct {self.name}_state {{ int v, u; int pa[{self.private_size}]; struct priv ps; }};"]
        self.number = 0
        own = lambda text: self.subst(text, lambda n: f"s->{n}", lambda i: f"s->pa[{i}]", lambda n: f"L->{n}", "return", "item")

        def phase(text):
            self.number += 1
            name = f"{self.name}_{self.number}"
            out.append(f"static void {name}(struct item item, const struct {self.name} *k, struct {self.name}_state *s, struct {self.name}_local *L) {{ (void)L; {self.head('item', 'item')}{own(text)} }}")
            return name

        def write(nodes):
            body = []
            for n in nodes:
                if n[0] == "items":
                    body.append(f"EACH(w) {phase(n[1])}(item_of(s, group, w), k, &state[w], local);")
                elif n[0] == "range":
                    d = n[2][1]
                    h, w = (d if len(d) == 2 else (None, d[0]))
                    total = f"(size_t)({w})" + (f" * {h}" if h else "")
                    call = f"{phase(n[1])}(point_of(item_of(s, group, w), p, {'(size_t)' + w if h else 0}), k, &state[w], local);"
                    body.append(f"EACH(w) for (size_t p = w; p < {total}; p += items) {call}")
                else:
                    body.append(f"{n[1]} {{ {write(n[2])} }}")
            return " ".join(body)
        if self.form == "range":                    # one phase, with what is in front of it
            text = write([("items", self.first + " ".join(n[1] for n in self.nodes), None)])
        else:
            text = write([("items", self.first, None)] + self.nodes)
        out.append(f"void plain_{self.name}(const struct launch *s) {{ struct {self.name} block; {self.fill('block')} const struct {self.name} *k = &block; "
                   f"static struct {self.name}_state state[MOST_ITEMS]; static struct {self.name}_local memory, *const local = &memory; "
                   f"const size_t items = items_of(s); for (size_t group = 0; group < groups_of(s); ++group) {{ {text} }} }}")
        return "\n".join(out)

    def fill(self, block):
        text, v = "", 0
        for i, a in enumerate(self.arrays):
            for view in a.views:
                text += f"{block}.{view} = ({a.of} *)s->array[{i}] + s->shift[{v}]; "
                v += 1
        return text + f"{block}.in = s->in; {block}.n = s->n; {block}.m = s->m; {block}.c = s->c; {block}.pad = (int)s->pad; {block}.z = s->z; {block}.region = s->region;"

    def launch(self):
        """How Teamwork runs it: with addresses, or with accessors of buffers."""
        d = self.dims
        local = f"tw_range_{d}d({', '.join(f's->local[{i}]' for i in range(d))})"
        groups = f"tw_range_{d}d({', '.join(f's->groups[{i}]' for i in range(d))})"
        whole = f"tw_range_{d}d({', '.join(f's->groups[{i}] * s->local[{i}]' for i in range(d))})"
        head = {"range": f"tw_parallel_for(cg, {whole}, {self.name}", "nd": f"tw_parallel_for_nd_range(cg, tw_nd_range_make({whole}, {local}), {self.name}",
                "groups": f"tw_parallel_for_work_group(cg, {groups}, {local}, {self.name}"}[self.form]
        rest = ".in = s->in, .n = s->n, .m = s->m, .c = s->c, .pad = (int)s->pad, .z = s->z, .region = s->region"
        plain, buffers, create, destroy, v = [], [], "", "", 0
        for i, a in enumerate(self.arrays):
            create += f"CHECK(tw_buffer_create_over(s->array[{i}], sizeof({a.of}), tw_range_1d(s->count[{i}]), &b{i})); "
            destroy += f"CHECK(tw_buffer_destroy(&b{i})); "
            for view in a.views:
                plain.append(f".{view} = ({a.of} *)s->array[{i}] + s->shift[{v}]")
                mode = "read" if view in self.const_views else "read_write"
                buffers.append(f".{view} = tw_{mode}_part(cg, b{i}, tw_id_1d(s->shift[{v}]), tw_range_1d(s->count[{i}] - s->shift[{v}]))")
                v += 1
        declare = ", ".join(f"*b{i} = NULL" for i in range(len(self.arrays)))
        return (f"static void launch_{self.name}(tw_queue *queue, const struct launch *s) {{\n"
                f"    if (s->addresses) {{ tw_command_group *cg = tw_queue_begin(queue); {head}, {', '.join(plain)}, {rest}); CHECK(tw_queue_submit(queue, cg, NULL)); CHECK(tw_queue_wait(queue)); return; }}\n"
                f"    tw_buffer {declare}; {create}tw_command_group *cg = tw_queue_begin(queue); {head}, {', '.join(buffers)}, {rest}); CHECK(tw_queue_submit(queue, cg, NULL)); CHECK(tw_queue_wait(queue)); {destroy}\n}}")

    def launches(self):
        """Rows of the table of launches. Each array has room for what all its views reach."""
        out = []
        for i, size in enumerate(self.sizes):
            groups = (1,) * self.dims if self.single_group and self.form != "range" else tuple(self.rng.choice([1, 2, 3]) for _ in size)
            if self.form == "range":
                groups = (1,) * self.dims
            items = prod(size)
            unit = items * self.block
            pad = unit * 2 if self.pad else 0
            region = -(-(LIMIT + 16 + pad + 14 * items + 3 * unit) // unit) * unit
            shift, counts = [], []
            for a in self.arrays:
                own = [0 if j == 0 or self.rng.random() < 0.35 else unit * self.rng.choice([0, 1, 1, 2]) for j, _ in enumerate(a.views)]
                apart = self.rng.random() < 0.25 # one launch of several has parts that do not meet
                whole = region * prod(groups) + 2 * unit
                if apart:
                    own = [whole * j for j in range(len(own))]
                    whole *= len(own)
                shift += own
                counts.append(whole)
            if not self.single_group: # groups own regions, so that shifts would lead into another's
                at, shift = 0, []
                for a, c in zip(self.arrays, counts):
                    step = region * prod(groups)
                    shift += [self.rng.choice([0, 0, 0, step * j]) for j in range(len(a.views))]
                    counts[at] = step * len(a.views) + 2 * unit
                    at += 1
            n, m = self.rng.randint(1, LIMIT), self.rng.randint(0, 4)
            types = ["type_" + TYPES[a.of] for a in self.arrays]
            c = self.rng.randint(0, min(n, 300))
            row = (f"{{&case_{self.name}, {{.groups = {{{', '.join(map(str, groups))}}}, .local = {{{', '.join(map(str, size))}}}, .dims = {self.dims}, .n = {n}, .m = {m}, .c = {c}, "
                   f".z = {self.rng.randint(0, 300)}, .pad = {pad}, .region = {region}, .count = {{{', '.join(map(str, counts))}}}, .shift = {{{', '.join(map(str, shift))}}}, "
                   f".type = {{{', '.join(types)}}}, .arrays = {len(self.arrays)}, .addresses = {self.rng.choice([0, 1])}}}}},")
            out.append(row)
        return out


def prod(numbers):
    result = 1
    for n in numbers:
        result *= n
    return result


def main():
    seed, count, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    numbers = [int(sys.argv[4])] if len(sys.argv) > 4 else range(count)
    kernels = [Kernel(seed, i) for i in numbers]
    with open(f"{folder}/kernels.c", "w") as f:
        f.write('#include "random_kernels.h"\n')
        for k in kernels:
            f.write(f"\n{k.block_struct()}\n{k.teamwork()}\n{k.launch()}\nvoid plain_{k.name}(const struct launch *s);\n"
                    f"static const struct random_case case_{k.name} = {{\"{k.name}\", launch_{k.name}, plain_{k.name}}};\n")
        f.write("\nconst struct random_launch random_launches[] = {\n    " + "\n    ".join(row for k in kernels for row in k.launches()) + "\n    {0}};\n")
    with open(f"{folder}/plain.c", "w") as f:
        f.write('#define PLAIN 1\n#include "random_kernels.h"\n')
        for k in kernels:
            f.write(f"\n{k.block_struct()}\n{k.plain()}\n")


if __name__ == "__main__":
    main()
