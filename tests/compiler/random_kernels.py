#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes random kernels in which work-items return to what they did, as one text for Teamwork and for plain C.

usage: random_kernels.py SEED KERNELS FOLDER [SHAPE [NUMBER]]

Writes kernels.c into FOLDER. random_kernels.h makes it Teamwork's or, with PLAIN, plain C, and random_kernels.c compares them.
With SHAPE (see SHAPES; `all` for any) kernels have that shape alone; with NUMBER only that kernel is written.

There is no data race: of an array that is written between two barriers, a work-item touches what it owns and nothing else. It owns
elements l, l + N, l + 2 N ... of N work-items ("turns"), blocks of elements, or the same place of all tiles. All parts of one buffer
that members lead to begin at multiples of that. What it does with its own elements is arbitrary: shifted reads, stores for later
turns, columns, several members.
"""
import random
import re
import sys

from random_bodies import BODIES
from random_groups import GROUPS
from random_odd import ODD

BODIES = {**BODIES, **ODD}

# What kernels are about, and how often. Up to `tile` they are one loop with one statement, which the plugin transforms.
SHAPES = {
    "alias": 3,     # members that lead to the same memory
    "counter": 3,   # counters that begin below zero or elsewhere, or are narrow
    "column": 3,    # an inner loop over what other turns of the work-item own
    "single": 3,    # one turn does more, for a later turn
    "points": 3,    # points of a range that is larger than the group
    "tile": 2,      # loops over rows and columns of a tile
    "near": 8,      # a few statements of all of these
    "mixed": 2,     # many statements, phases and private variables
    # those of random_bodies.py
    "diverge": 6,   # loops, branches and ends that differ from work-item to work-item
    "private": 5,   # arrays, structs and lists of a work-item
    "rare": 5,      # stores and atomic operations that few work-items do
    "shares": 4,    # loops in which work-items share out a range
    "widths": 5,    # elements and variables of many types in one body
    "cube": 3,      # ranges of three dimensions
    "rows": 4,      # rows and columns that are found by a division
    "reduce": 3,    # reductions of launches
    "members": 5,   # structures and short rows, one for each work-item
    # that of random_odd.py
    "odd": 6,       # volatile, bit fields, 128 bits, goto, bytes, pointers to anything, NaN, counters that wrap around
    # those of random_groups.py
    "local": 4,     # what work-items exchange in local memory
    "together": 3,  # functions of groups and sub-groups
}

SUFFIX = {"int": "int", "unsigned": "unsigned", "signed char": "schar", "unsigned char": "uchar", "short": "short",
          "unsigned short": "ushort", "int64_t": "long64", "float": "float", "double": "double", "struct cell": "cell"}
MASKS = {"int": 0xffff, "unsigned": 0xffff, "signed char": 0xff, "unsigned char": 0xff, "short": 0x7fff, "unsigned short": 0xffff,
         "int64_t": 0xffff, "float": 0xfff, "double": 0xffff}
BELOW_ZERO = {"signed char": 128, "short": 0x2000}  # what is taken off after the mask
FIELDS = {"a": "int", "b": "short", "c": "unsigned char", "d": "signed char", "e": "float"}  # of struct cell
TYPES = [t for t in SUFFIX if t != "struct cell"]
COUNTERS = ["int", "int", "size_t", "size_t", "unsigned", "long", "short", "unsigned short", "unsigned char", "signed char"]
MOST = {"short": 32767, "unsigned short": 65535, "unsigned char": 255, "signed char": 127}
SIGNED = ("int", "long", "short", "signed char")
LIMIT, LOCAL, ROWS = 640, 2624, 60  # where counters end; elements of local arrays; rows of tiles


class Array:
    def __init__(self, of, views, local=False):
        self.of, self.views, self.local = of, list(views), local
        self.given = False    # a local accessor, whose size the launch gives
        self.owner = "turns"  # of the phase that is being written; `everyone` of arrays with atomic operations alone


class Reduction:
    """A member of the block that reduces into an element of an array, or into all of it."""

    def __init__(self, kernel, array):
        self.name, self.array, self.of = f"sum{array}", array, kernel.arrays[array].of
        self.op = kernel.pick("TW_SUM", "TW_SUM", "TW_MIN", "TW_MAX", *(["TW_OR", "TW_XOR", "TW_AND"] if self.of not in ("float", "double") else []))
        self.is_array = kernel.chance(0.3)
        self.replaces = not self.is_array and self.op in ("TW_SUM", "TW_OR", "TW_XOR") and kernel.chance(0.4)
        self.element = kernel.pick(0, 7)

    def member(self, plain):
        if plain:
            result = f"({self.of} *)s->array[{self.array}] + {0 if self.is_array else self.element}"
            return f".{self.name} = " + (f"({{ {self.of} *const result = {result}; *result = 0; result; }})" if self.replaces else result)
        if self.is_array:
            return f".{self.name} = TW_REDUCE_ARRAY(cg, b{self.array})"
        return f".{self.name} = TW_REDUCE{'_INIT' * self.replaces}_AT(cg, b{self.array}, {self.element})"


class Turn:
    """A place of the text where `at`, a counter of this type, is an element that the work-item owns."""

    def __init__(self, at, type):
        self.at, self.type = at, type


class Kernel:
    def __init__(self, seed, number, shape="all"):
        self.rng = random.Random(f"{seed} {number}")
        self.number = number
        self.shape = self.rng.choices(list(SHAPES), SHAPES.values())[0] if shape == "all" else shape
        self.name = f"{self.shape}_{number}"
        self.small = self.shape not in ("near", "mixed")
        self.form = {"points": "groups", "tile": self.pick("nd", "groups")}.get(self.shape) or self.pick("nd", "nd", "nd", "groups", "groups", "groups", "range", *["range"] * 2 * (self.shape in BODIES))
        if self.shape in GROUPS:
            self.form = self.pick("nd", "nd", "groups")
        self.choose_sizes()
        self.make_arrays()
        self.has_pad = self.chance(0.3)     # a distance that the launch gives, so that indices may be below the counter
        self.base_is_pointer = self.chance(0.5)
        self.fences = self.form == "groups" or self.chance(0.7)  # whether barriers order global memory
        self.offset = None
        self.extra = []     # private variables besides v, u, pa and ps: types and names
        self.private_size = self.pick(4, 6, 12)
        self.phases = self.loops = 0
        self.breakable, self.inner_counters, self.in_points = [], [], False
        self.row = self.pick(48, 50, 64, 72, 100) if self.shape == "tile" else 0
        self.reach = ROWS * self.row if self.row else LIMIT + 400
        self.has_offset = self.chance(0.5)
        self.has_results = self.chance(0.6) and self.form != "range" and self.fences and not self.row
        self.text = self.program()

    def pick(self, *choices):
        return self.rng.choice(choices)

    def chance(self, p):
        return self.rng.random() < p

    # ---- what there is

    def choose_sizes(self):
        """Sizes of groups, or of whole ranges; one if the kernel has a fixed size."""
        fixed = self.form != "range" and self.chance(0.975)  # any other size takes ten times as long to compile
        self.dims = 2 if self.shape == "tile" or self.chance(0.08) else 1
        if self.shape == "cube":
            self.dims = 3
            choose = lambda: (self.pick(1, 2, 3, 4), self.pick(1, 2, 4, 5), self.pick(1, 4, 8, 12))
        elif self.dims == 2:
            choose = lambda: (self.pick(1, 2, 4, 8), self.pick(3, 4, 8, 16, 32))
        elif self.form == "range":
            choose = lambda: (self.pick(1, 4, 5, 8, 16, 64, 100, 256),)
        else:
            least = (1, 2, 4, 4, 8, 8, 8, 16, 16) if self.shape in ("alias", "points") or self.chance(0.3) else ()
            choose = lambda: (self.pick(4, 8, 16, 32, 33, 64, 64, 64, 100, 128, 256, *least),)
        self.fixed = choose() if fixed else None
        self.sizes = [self.fixed] * 3 if fixed else [choose() for _ in range(3)]
        self.items = max(prod(s) for s in self.sizes)
        self.literal = fixed and self.chance(0.85)
        self.is_single_group = self.form == "range" or self.chance(0.6)
        self.block = self.pick(*(b for b in (2, 3, 4, 4, 5, 8) if b == 2 or b * self.items <= 512)) if self.shape == "members" else 1 if self.small else self.pick(2, 3, 4, 8) if self.items <= 64 else 2
        self.count_type = self.pick("int", "size_t", "unsigned", "inline")
        self.of_group = "group" if self.form == "groups" else "item"

    def make_arrays(self):
        names = iter("abdeghpq")
        views = {"alias": (2, 2, 3), "counter": (1,), "column": (1, 1, 2), "single": (1, 2)}.get(self.shape, (1, 2, 2, 3))
        self.arrays = []
        types = self.rng.sample(TYPES, 3) if self.shape == "widths" else []
        for i in range(self.pick(2, 3, 3) if types else 2 if self.chance({"single": 0.5, "near": 0.3, "mixed": 0.3}.get(self.shape, 0.15)) else 1):
            of = "int" if self.chance(0.5) else "struct cell" if self.shape == "private" and self.chance(0.4) else self.pick(*SUFFIX)
            of = types[i] if types else of
            self.arrays.append(Array(of, [next(names) for _ in range(self.pick(*views) if i == 0 else self.pick(1, 2))]))
        if self.shape in ("rare", "shares", "local"):
            self.shared = Array(self.pick("int", "int", "unsigned", "int64_t", "short", "unsigned char"), ["hits"])
            self.shared.owner = "everyone"
            self.arrays.append(self.shared)
        self.reductions = []
        if self.shape == "reduce":
            del self.arrays[1:]
            for _ in range(self.pick(1, 1, 2)):
                self.arrays.append(Array(self.pick("int", "unsigned", "int64_t", "float", "double"), []))
                self.arrays[-1].owner = "everyone"
                self.reductions.append(Reduction(self, len(self.arrays) - 1))
        self.locals = []
        if self.form != "range" and self.chance({"mixed": 0.6, "near": 0.35, "single": 0.5, "tile": 0.5}.get(self.shape, 0.1)):
            self.locals = [Array(self.pick("int", "int", *TYPES), [name], local=True) for name in self.pick("t", "t", "ts")]
        if self.shape == "local":
            self.locals = [Array(self.pick("int", *TYPES), ["t"], local=True), Array(self.pick("int", "unsigned", "short", "int64_t"), ["s"], local=True)]
        for a in self.locals:
            a.given = not self.shape == "tile" and self.number % 3 == 1
        self.const_views = {view for a in self.arrays for view in a.views[1:] if self.chance(0.35)}

    def count(self):
        """The number of work-items that own elements by turns, in the text."""
        if self.literal:
            return str(prod(self.fixed))
        return f"(int){self.whole()}" if self.count_type == "inline" else "N"

    def whole(self):
        if self.form == "range":
            ranges = " * ".join(f"tw_global_range(item, {d})" for d in range(self.dims))
            return ranges if self.dims == 1 else f"({ranges})"
        return f"tw_local_linear_range({self.of_group})"

    def cast(self, type, text):
        return text if re.fullmatch(r"-?\d+", text) and type in ("int", "size_t", "long") else f"({type})({text})"

    def own(self, name):
        return f"{self.form}_own({name})"

    def own_at(self, name, index):
        return f"{self.form}_own_at({name}, {index})"

    # ---- values

    def value(self, turn, depth=1):
        """An int between -2^20 and 2^20."""
        if self.shape != "mixed" and turn is not None and self.chance(0.85 if self.small else 0.7):
            e = self.read(turn) if self.chance(0.3) else None
            return f"((int){e} + 1)" if e else self.pick(f"(int){turn.at}", "77", "5", "k->m", f"k->in[{turn.at} & 1023]", "l" if self.chance(0.3) else "1")
        v, u, ps = self.own("v"), self.own("u"), self.own("ps")
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
            return self.pick(v, u, v)
        if kind == 7:
            return self.pick("l", "k->n", "k->m", str(self.rng.randint(-5, 9)), "l" if self.in_points else "(int)(tw_global_id(item, 0) & 1023)")
        if kind == 8:
            return self.own_at("pa", self.place(turn))
        if kind == 9:
            return self.pick(f"(int){ps}.a", f"(int){ps}.b", f"(int){ps}.c", f"{ps}.d[1]", f"{ps}.d[{self.place(turn)} & 3]")
        if depth > 0:
            a, b = self.value(turn, depth - 1), self.value(turn, depth - 1)
            return self.pick(f"(({a} + {b}) & 0x1ffff)", f"(({a} - {b}) & 0xffff)", f"({a} ^ {b})", f"(({a} & 255) * ({b} & 127))",
                             f"twice({a})", f"clamp_to({a}, {self.rng.randint(-9, 3)}, {self.rng.randint(4, 900)})",
                             f"({self.condition(turn)} ? {a} : {b})", f"(({a} & 1023) / 3)", f"(({a} & 1023) % 7)")
        return self.pick(v, u, "7")

    def place(self, turn):
        """An index of the work-item's array."""
        if turn is None or self.chance(0.5):
            return self.pick(str(self.rng.randrange(self.private_size)), f"({self.own('v')} & 3)", "(l & 3)", f"({self.own('u')} & 3)")
        return f"((int){turn.at} & 3)"

    def anywhere(self, turn):
        at = turn.at if turn else self.own("u")
        return self.pick("l & 1023", f"{at} & 1023", f"{at} & 1023", f"{self.own('v')} & 1023", f"(l + {self.rng.randint(1, 70)}) & 1023",
                         "((unsigned)l * 3u + 5u) & 1023u")

    def condition(self, turn):
        c = self.rng.randint(0, 9)
        choices = [f"l == {c}", f"l > {c}", "(l & 1)", f"k->m > {c % 4}", f"k->in[{self.anywhere(turn)}] > {self.pick(0, 100, -200)}"]
        if self.shape == "mixed":
            choices += [f"({self.own('v')} & {self.pick(1, 3, 7)}) == {self.pick(0, 1)}", f"{self.own('u')} > {self.own('v')}"]
        if turn:
            at = turn.at
            choices += [f"{at} == ({turn.type})k->c", f"(size_t){at} == k->z", f"{at} == ({turn.type}){self.rng.randint(0, 100)}",
                        f"((int){at} & {self.pick(1, 3, 15)}) == {self.pick(0, 1)}", f"(int){at} < k->c", f"(int){at} > {self.rng.randint(0, 300)}"]
            e = self.read(turn)
            if e:
                choices += [f"((int){e} & 1)", f"(int){e} > {self.rng.randint(0, 200)}"]
        return self.pick(*choices)

    # ---- elements

    def element(self, turn, writes, shift=None, of=None, other=None):
        """The text of an element that the work-item owns, its type and its array: of this one, or through another member than this."""
        owned = [a for a in self.arrays + self.locals if a.owner == ("tiles" if self.row else "blocks" if self.shape == "members" else "turns")]
        if not owned:
            return None
        a = of or self.pick(*owned)
        views = [v for v in a.views if not (writes and v in self.const_views)]
        view = self.pick(*([v for v in views if other and not re.search(rf"\b{v}_?\[", other)] or views))
        if self.shape == "members":
            return self.elem(a, view, self.member(a))
        if not self.row:
            return self.elem(a, view, self.index(turn, a, shift))
        y, x = self.tile_index(shift)
        return (f"{view}[{y}][{x}]", a.of, a) if a.local else self.elem(a, view, f"({y}) * {self.row} + {x}")

    def elem(self, a, view, index):
        if a.local:
            return f"{view}[{index}]", a.of, a
        if self.is_single_group:
            text = f"k->{view}[{index}]"
        else:
            text = f"{view}_[{index}]" if self.base_is_pointer else f"k->{view}[base + (size_t)({index})]"
        if a.of != "struct cell":
            return text, a.of, a
        field = self.pick(*FIELDS)
        return f"{text}.{field}", FIELDS[field], a

    def index(self, turn, a, shift=None):
        """The element of a turn, or that of another turn of the work-item."""
        n, type, text = self.count(), turn.type, turn.at
        e = shift if shift is not None else self.pick(0, 0, 0, 1, 1, 2, 3, -1, "k->m", "data" if not self.small else 1)
        if self.inner_counters and shift is None and self.chance(0.7):
            e = self.pick(*self.inner_counters)
        cast = type
        if type in SIGNED and not self.may_be_below:
            cast = self.pick(type, "int", "size_t")
        if MOST.get(type):
            cast = "int" if self.may_be_below else self.pick("int", "int", "size_t")
        if cast != type:
            text = f"({cast}){text}"
        step = self.cast(cast, n)
        if e == -1 and self.has_pad and not a.local:
            text = f"{text} - {step}"
        elif isinstance(e, int):
            e = abs(e)
            text += f" + {step}" if e == 1 else f" + {self.pick(f'{e} * {step}', f'{step} * {e}')}" if e else ""
        elif e == "data":
            text += f" + {step} * ({cast})({self.pick(self.own('v') + ' & 3', f'k->in[{self.anywhere(turn)}] & 3', 'l & 3')})"
        else:
            text = self.pick(f"{text} + {step} * ({cast}){e}", f"{text} + ({cast}){e} * {step}")
        return f"{text} + ({cast})k->pad" if self.has_pad and not a.local else text

    def member(self, a):
        """The index of an element of the block that the work-item owns, or of its second block."""
        b, of = self.block, self.pick("int", "int", "size_t", "unsigned")
        place = self.pick("c", f"{b - 1} - c", *[str(self.rng.randrange(b))] * 2) if "c" in self.inner_counters else str(self.rng.randrange(b))
        first = f"({of})l * {b}" + (f" + ({of})k->pad" if self.has_pad and not a.local else "")
        return f"{first} + ({of})({place})" + self.pick("", "", "", f" + ({of}){b} * ({of}){self.count()}")

    def read(self, turn):
        shared = [a for a in self.locals if a.owner == "all"]
        if shared and self.chance(0.2 if not self.small else 0.5):
            a = self.pick(*shared)
            if self.row:
                return f"{a.views[0]}[y + {self.pick(0, 1, 2)}][x + {self.pick(0, 1, 2)}]"
            i = self.pick("(l + 1)", f"{turn.at}", f"{turn.at}", f"(l * 5 + {self.rng.randint(0, 99)})")
            return f"{a.views[0]}[{i} & 2047]"
        found = self.element(turn, False)
        return found and found[0]

    def stored(self, of, text):
        if of in BELOW_ZERO:
            return f"({of})((({text}) & {MASKS[of]}) - {BELOW_ZERO[of]})"
        return f"({of})(({text}) & {MASKS[of]})"

    # ---- statements

    def store(self, turn, shift=None):
        found = self.element(turn, True, shift)
        if not found:
            return self.change(turn)
        e, of, a = found
        value = self.value(turn)
        kind = self.rng.randint(0, 9 if not self.small else 6)
        if kind <= 4:
            return f"{e} = {self.stored(of, value)};"
        if kind <= 6:
            return f"{e} = {self.stored(of, f'(int){e} * {self.pick(1, 3, 5)} + {value}')};"
        if of in ("float", "double"):
            return self.pick(f"{e} = {e} * ({of})0.5 + ({of})({value} & 1023);", f"{e} = {e} > ({of})100 ? {e} - ({of})3 : ({of})({value} & 255);")
        if kind == 7:
            return f"{e} {self.pick('^=', '&=')} ({of})({value} & {MASKS[of]});"
        if kind == 8:
            return f"bump_{SUFFIX[of]}(&{e}, {value});"
        return f"{{ {of} *const q = &{e}; if ({self.condition(turn)}) *q = {self.stored(of, value)}; }}"

    def change(self, turn):
        """A change of a private variable."""
        v, ps = self.own("v"), self.own("ps")
        if self.shape != "mixed":
            return f"{v} = ({v} * 3 + {self.value(turn)}) & 0xffff;"
        name = self.pick(v, self.own("u"), v, self.own("u"), self.own_at("pa", self.place(turn)), f"{ps}.a", f"{ps}.d[2]", f"{ps}.d[{self.place(turn)} & 3]")
        if self.chance(0.15):
            return self.pick(f"{ps}.b = (short)(({self.value(turn)}) & 0x3ff);", f"{ps}.c = (unsigned char)({ps}.c + {self.value(turn)});")
        return f"{name} = ({self.pick(f'{name} * 3 + ', f'{name} ^ ', f'{name} + ', '')}({self.value(turn)})) & 0xffff;"

    def chain(self, turn):
        """Reads what an earlier turn of the work-item wrote."""
        to, from_ = self.pick((1, 0), (2, 0), (1, 0), (2, 1), (0, 1), (3, 1), (0, 2), (0, 0), ("k->m", 0), (0, "k->m"))
        first = self.element(turn, True, to)
        if not first:
            return self.change(turn)
        second = self.element(turn, False, from_, *((first[2], first[0]) if self.chance(0.8) else ()))
        if first[2] is second[2] and second[2].of == "struct cell" and self.chance(0.4):
            return f"{first[0][:-2]} = {second[0][:-2]};"
        factor = self.pick("", "", " * 3")
        text = f"{first[0]} = {self.stored(first[1], f'(int){second[0]}{factor} + {self.pick(1, 3, self.value(turn, 0))}')};"
        return text + (f" {self.store(turn)}" if self.chance(0.15) else "")

    def swap(self, turn):
        a, b = self.element(turn, True, 0), self.element(turn, True, 1)
        if not a or not b or a[1] != b[1]:
            return self.chain(turn)
        return f"{{ const {a[1]} z = {a[0]}; {a[0]} = {b[0]}; {b[0]} = z; }}"

    def single(self, turn):
        """What one turn does, perhaps for a later one."""
        at, type = turn.at, turn.type
        c = self.pick(f"{at} == ({type})k->c", f"{at} == ({type})k->c", f"(size_t){at} == k->z", f"k->z == (size_t){at}",
                      f"{at} == ({type}){self.rng.randint(0, 120)}", f"l == {self.rng.randint(0, 9)}" if self.chance(0.3) else f"{at} == ({type})k->c")
        later = self.element(turn, True, self.pick(1, 1, 1, 2, 3))
        if not later:
            return self.change(turn)
        then = f"if ({c}) {{ {later[0]} = {self.stored(later[1], self.pick('77', self.value(turn)))}; }}"
        if self.chance(0.7):                        # each turn uses what the single one may have written
            others = [a for a in self.arrays if a is not later[2] and a.owner == later[2].owner]
            to, from_ = self.element(turn, True, 0, self.pick(*others) if others and self.chance(0.7) else None), self.element(turn, False, 0, later[2])
            more = self.pick("", "", " + 1", " * 3 + 5", f" + k->in[{at} & 1023]")
            each = f"{to[0]} = {self.stored(to[1], f'(int){from_[0]}{more}')};"
        else:
            each = self.pick("", self.store(turn, self.pick(0, 0, None)))
        return self.pick(f"{each} {then}", f"{each} {then}", f"{then} {each}", f"{each} {then} else {{ {each} }}")

    def inner(self, turn, depth):
        """A loop inside, which goes over columns, blocks or the private array."""
        self.loops += 1
        j, type = f"j{self.loops}", self.pick("int", *COUNTERS) if not self.small else self.pick("int", "size_t", "unsigned", "short")
        m = self.pick("k->m", "k->m", str(self.rng.randint(1, 5)), "3", "(k->m + 1)", f"(k->in[{self.anywhere(turn)}] & 3)")
        self.inner_counters.append(j)
        self.breakable.append("loop")
        body = self.block_of(turn, depth - 1, 1) if self.shape == "mixed" or self.chance(0.15) else ""
        found = self.element(turn, True, j) if not body or self.chance(0.6) else None
        if found:
            e, of, _ = found
            body += f" {e} = {self.stored(of, self.pick('', f'(int){e} * 3 + ') + self.value(turn))};"
        if self.chance(0.1 if self.small else 0.2):
            body = f"if ({self.condition(turn)}) {self.pick('break', 'continue')}; {body}"
        self.breakable.pop()
        self.inner_counters.pop()
        kind = self.rng.randint(0, 9)
        if kind <= 1 and type in SIGNED:
            return f"for ({type} {j} = ({type})({m} - 1); {j} >= 0; --{j}) {{ {body} }}"
        if kind == 2:
            return f"for ({type} {j} = ({type})({m}); {j}-- > 0; ) {{ {body} }}"
        if kind == 3 and "continue;" not in body:
            return f"{{ {type} {j} = 0; do {{ {body} {j} = ({type})({j} + 1); }} while ({j} < ({type})({m})); }}"
        return f"for ({type} {j} = 0; {j} < ({type})({m}); {self.pick(f'++{j}', f'++{j}', f'++{j}', f'{j} += 2')}) {{ {body} }}"

    def statement(self, turn, depth):
        """What a turn does. In small kernels the shape says what."""
        shape = self.shape
        if shape in BODIES:
            return BODIES[self.shape](self, turn).write()
        if shape == "points":
            shape = self.pick("alias", "alias", "column", "single", "value")
        elif shape == "near":
            shape = self.pick("alias", "column", "single", "store", "store", "swap", "value", "if")
        elif shape == "mixed":
            shape = self.pick("store", "store", "alias", "single", "if", "column", "column", "leave", "swap", "value", "value")
        elif shape == "tile":
            shape = self.pick("alias", "alias", "store", "single", "column")
        elif shape == "counter":
            shape = self.pick("store", "store", "store", "alias")
        if shape == "alias":
            return self.swap(turn) if self.chance(0.1) else self.chain(turn)
        if shape == "single":
            return self.single(turn)
        if shape == "column" and depth > 0:
            return self.inner(turn, depth)
        if shape == "if" and depth > 0:
            text = f"if ({self.condition(turn)}) {{ {self.block_of(turn, depth - 1, 1)} }}"
            return text + (f" else {{ {self.block_of(turn, depth - 1, 1)} }}" if self.chance(0.4) else "")
        if shape == "swap":
            return self.swap(turn)
        if shape == "value":
            return self.change(turn)
        return self.leave(turn) if shape == "leave" else self.store(turn)

    def leave(self, turn):
        """break, continue, or the end of the work-item where it may end."""
        choices = []
        if self.breakable and self.breakable[-1] == "loop":
            choices += ["break;", "continue;"]
        if self.may_leave and (self.form != "groups" or not self.breakable):
            choices += [f"{self.form}_leave({self.phases});"]
        return f"if ({self.condition(turn)}) {self.pick(*choices)}" if choices else self.change(turn)

    def block_of(self, turn, depth, count):
        return " ".join(self.statement(turn, depth) for _ in range(count))

    # ---- loops

    def start(self, type):
        """The first element of the work-item, as a counter of this type."""
        l = "l" if not self.reversed else f"({self.count()} - 1 - l)"
        if self.offset is None:
            return f"({type})({l})"
        if self.offset == "first":
            return self.pick(f"({type})(k->first + (size_t)({l}))", f"({type})(({type})k->first + ({type})({l}))")
        sign = "-" if self.offset < 0 else "+"
        return self.pick(f"({type})({l}) {sign} {abs(self.offset)}" if type not in MOST else f"({type})({l} {sign} {abs(self.offset)})",
                         f"({type})(({type})({l}) {sign} {abs(self.offset)})")

    def elements_loop(self, depth):
        """A loop over elements of the work-item, in one of many forms."""
        self.loops += 1
        n, at = self.count(), f"i{self.loops}"
        type = self.pick("int", "size_t") if self.shape not in ("counter", "mixed") and self.chance(0.8) else self.pick(*COUNTERS)
        most = MOST.get(type, 1 << 30)
        wraps = self.offset == "first" and most < 256 and any(256 % prod(s) for s in self.sizes)  # into another work-item's elements
        if most < 4 * self.items + 8 or wraps:
            type, most = self.pick("int", "size_t", "short"), 32767
        room = min(LIMIT, most - self.items - 5)
        step, signed, start = self.cast(type, n), type in SIGNED, self.start(type)
        end = self.pick("k->n", "k->n", "k->n", str(self.rng.randint(1, room))) if room >= LIMIT else str(self.rng.randint(1, room))
        if end == "k->n" or not signed:
            end = f"({type}){end}"
        plain = self.offset in (None, 1, 2)
        turns = self.pick("k->m", str(self.rng.randint(0, 4))) if room > 5 * self.items + 2 else "1"
        kind = self.rng.randint(0, 19)
        self.may_be_below = signed and not plain
        turn = Turn(at, type)
        self.breakable.append("loop")
        body = self.block_of(turn, depth, 1 if self.small else self.pick(1, 1, 2, 2 if self.shape == "near" else 3))
        self.breakable.pop()
        if self.may_be_below and not (self.has_pad and not self.locals and self.chance(0.7)):
            body = f"if ({at} >= 0) {{ {body} }}"
        self.may_be_below = False
        if kind <= 1 and plain and signed:
            return f"for ({type} {at} = ({type})({start} + {step} * ({type}){turns}); {at} >= 0; {at} -= {step}) {{ {body} }}"
        if kind <= 1 and plain:
            return f"for ({type} {at} = ({type})({start} + {step} * (({type}){turns} + 1)); {at} >= {step} && ({at} -= {step}, 1); ) {{ {body} }}"
        if kind == 2 and plain:
            return f"for ({type} {at} = {start}; {at} != ({type})({start} + {step} * ({type}){turns}); {at} += {step}) {{ {body} }}"
        if kind == 3:
            return f"for ({type} {at} = {start}; {at} < {end}; {at} = ({type})({at} + {step})) {{ {body} }}"
        if kind == 4 and "continue;" not in body:
            return f"{{ {type} {at} = {start}; while ({at} < {end}) {{ {body} {at} = ({type})({at} + {step}); }} }}"
        if kind == 5 and plain and turns != "1":  # the turns are counted
            t = f"t{self.loops}"
            return f"for (int {t} = 0; {t} < {turns}; ++{t}) {{ const {type} {at} = ({type})({start} + {step} * ({type}){t}); {body} }}"
        if kind == 6 and plain and not self.reversed and most > 2 * LIMIT:  # the work-item is added inside
            g = f"g{self.loops}"
            return f"for (int {g} = 0; {g} < {LIMIT} - (int){n}; {g} += (int){n}) {{ const {type} {at} = ({type})({start} + ({type}){g}); {body} }}"
        return f"for ({type} {at} = {start}; {at} < {end}; {at} += {step}) {{ {body} }}"

    def tile_steps(self):
        return [str(n) for n in self.fixed] if self.literal else ["(int)R0", "(int)R1"]

    def tile_loop(self):
        """Rows and columns of a tile, which the work-items of a group share out."""
        y_step, x_step = self.tile_steps()
        height, width = self.pick("18", "16", "k->m * 2", "k->m + 3"), self.pick("16", "18", "34", "k->n % 40")
        self.breakable.append("loop")
        body = self.block_of(Turn(self.pick("x", "y"), "int"), 1, 1)
        self.breakable.pop()
        return f"for (int y = l0; y < {height}; y += {y_step}) for (int x = l1; x < {width}; x += {x_step}) {{ {body} }}"

    def tile_index(self, shift):
        """Row and column of a turn, or those of another turn of the work-item."""
        y_step, x_step = self.tile_steps()
        if shift is None:
            shift = self.pick(*self.inner_counters) if self.inner_counters else self.pick(0, 0, 1, 2, "k->m")
        if shift == 1 and self.row >= 72 and self.chance(0.3):
            return "y", f"x + {x_step}"
        return f"y + {y_step} * (int){shift}" if shift else "y", "x"

    def blocks_loop(self):
        """The work-item owns blocks of elements."""
        owned = [a for a in self.arrays + self.locals if a.owner == "blocks"]
        if not owned:
            return ""
        a, b, of = self.pick(*owned), self.block, self.pick("int", "size_t", "unsigned")
        c, d = self.pick("c", "c", f"(c + 1) % {b}", str(self.rng.randrange(b))), self.pick("c", f"{b - 1} - c", "0", str(self.rng.randrange(b)))
        view, other = self.pick(*[v for v in a.views if v not in self.const_views]), self.pick(*a.views)
        first = f"({of}){b} * ({of})l" + (f" + ({of})k->pad" if self.has_pad and not a.local else "")
        e, type, _ = self.elem(a, view, f"o + ({of})({c})")
        f, _, _ = self.elem(a, other, f"o + ({of})({d})" + self.pick("", f" + ({of}){b} * ({of}){self.count()}"))
        update = f"{e} = {self.stored(type, f'(int){f} * 3 + {self.value(None)}')};"
        update = self.pick(update, f"if ({self.condition(None)}) {update}")
        return f"{{ const {of} o = {first}; for (int c = 0; c < {b}; ++c) {{ {update} }} }}"

    # ---- phases

    def owners(self):
        """Who owns what between the next two barriers."""
        free = self.fences and self.form != "range"
        for a in self.arrays:
            if a.owner != "everyone":
                a.owner = "tiles" if self.row else "blocks" if self.shape == "members" or free and self.shape in ("near", "mixed") and self.chance(0.15) else "turns"
        for a in self.locals:
            a.owner = self.pick("tiles", "all") if self.row else self.pick("blocks", "all") if self.shape == "members" else self.pick("turns", "turns", "all", "all" if self.small else "blocks")
        self.reversed = free and not self.small and self.chance(0.1)
        if self.phases == 1 or self.fences:
            self.offset = None
            if self.chance({"counter": 0.8, "near": 0.3, "mixed": 0.2}.get(self.shape, 0.1)):
                self.offset = self.pick(-1, -1, -2, -3, 1, 2, "first", "first", "first")
        self.may_be_below = self.may_leave = False

    def head(self):
        """Declarations that phases begin with."""
        if self.form == "range":
            ids = [f"(tw_global_id(item, {d}) - tw_global_offset(item, {d}))" for d in range(self.dims)]
            l = ids[0]
            for d in range(1, self.dims):
                l = f"({l} * tw_global_range(item, {d}) + {ids[d]})"
        elif self.form == "groups":
            l = "tw_physical_local_linear_id(item)"
        else:
            l = "tw_local_linear_id(item)" if self.dims > 1 or self.number % 2 else "tw_local_id(item, 0)"
        text = f"const int l = (int){l}; (void)l; "
        if self.row:
            text += "".join(f"const int l{d} = (int)tw_local_id(item, {d}); const size_t R{d} = tw_local_range({self.of_group}, {d}); (void)R{d}; " for d in (0, 1))
        if not self.literal and self.count_type != "inline":
            text += f"const {self.count_type} N = ({self.count_type}){self.whole()}; (void)N; "
        if not self.is_single_group:
            text += f"const size_t base = tw_group_linear_id({self.of_group}) * k->region; (void)base; "
            if self.base_is_pointer:
                text += "".join(f"{'const ' if v in self.const_views else ''}{a.of} *const {v}_ = k->{v} + base; (void){v}_; " for a in self.arrays for v in a.views)
        return text

    def phase(self, head, text):
        return f"    {head} {self.head()}{text} {self.form}_end({self.phases})\n{self.barrier()}"

    def barrier(self):
        return f"    nd_barrier({'TW_GLOBAL_AND_LOCAL' if self.fences else 'TW_LOCAL_SPACE'});\n" if self.form == "nd" else ""

    def items_phase(self, last):
        self.phases += 1
        self.owners()
        self.may_leave = self.form == "groups" or last and not self.has_results
        if self.row:
            parts = [self.tile_loop()]
        elif self.shape in BODIES and self.chance(0.5):
            self.offset, self.reversed = None, False
            parts = [self.block_of(Turn("l", "int"), 1, 1)]
        elif self.small:
            parts = [self.elements_loop(1)]
        else:
            parts = []
            for _ in range(self.pick(1, 1, 2)):
                kind = self.rng.randint(0, 9)
                loop = self.blocks_loop() if kind == 0 else self.block_of(Turn("l", "int"), 1, 1) if kind == 1 and self.offset is None and not self.reversed else ""
                parts.append(loop or self.elements_loop(2))
                if self.shape == "mixed" and self.chance(0.15):
                    parts.append(self.leave(None))
        return self.phase(f"{self.form}_items({self.phases})", " ".join(parts))

    def points_phase(self):
        self.phases += 1
        self.owners()
        self.reversed, self.offset, self.may_leave = False, None, True
        type = self.pick("int", "size_t", "unsigned", "short")
        first = self.pick(0, 0, 0, 1, 3, 64)
        if self.chance(0.75):
            points = self.pick("k->n", str(self.rng.randint(1, LIMIT)), str(self.rng.randint(1, LIMIT)), str(min(self.items * 4, LIMIT)))
            head = f"groups_points_1d({self.phases}, {points}, {first})" if first else f"groups_all_points_1d({self.phases}, {points})"
            id = "tw_local_id(item, 0)" + (f" - {first}" if first and self.chance(0.5) else "")
        else:
            h, w = self.rng.randint(1, 16), self.rng.randint(1, 40)
            head = f"groups_points({self.phases}, {h}, {w}, {first}, 2)" if first else f"groups_all_points({self.phases}, {h}, {w})"
            id = f"(tw_local_id(item, 0) - {first}) * {w} + tw_local_id(item, 1) - {2 if first else 0}"
        self.in_points = True
        body = self.block_of(Turn("i", type), 1 if self.small else 2, 1 if self.small else self.pick(1, 1, 2))
        self.in_points = False
        return self.phase(head, f"const {type} i = ({type})({id}); {body}")

    def first_phase(self):
        """Gives variables and local arrays their first values, if the rest uses them."""
        private = {name: self.own(name) in self.text or f"{self.form}_own_at({name}," in self.text for name in ("v", "u", "pa", "ps")}
        declared = "".join(f"    {self.form}_local{'_data' if a.given else ''}({a.of}, {a.views[0]}, {f'[{ROWS}][{self.row}]' if self.row else f'[{LOCAL}]'});\n" for a in self.locals)
        declared += "".join(f"    {self.form}_private(int, {name});\n" for name in "vu" if private[name])
        text = f"{self.own('v')} = k->in[l & 1023] & 0xffff; " if private["v"] else ""
        text += f"{self.own('u')} = l; " if private["u"] else ""
        for type, name in self.extra:
            declared += f"    {self.form}_private({type}, {name});\n"
        if private["pa"]:
            declared += f"    {self.form}_private(int, pa, [{self.private_size}]);\n"
            text += f"for (int j = 0; j < {self.private_size}; ++j) {self.own_at('pa', 'j')} = j * 3 + l; "
        if private["ps"]:
            declared += f"    {self.form}_private(struct priv, ps);\n"
            ps = self.own("ps")
            text += f"{ps}.a = l & 7; {ps}.b = 2; {ps}.c = 3; for (int j = 0; j < 4; ++j) {ps}.d[j] = j; "
        for a in self.locals:
            n = self.count() if self.count() == "N" else f"({self.count()})"
            size, index = (ROWS * self.row, f"[j / {self.row}][j % {self.row}]") if self.row else (LOCAL, "[j]")
            text += f"for (int j = l; j < {size}; j += (int){n}) {a.views[0]}{index} = ({a.of})(j & {self.pick(1, 31, 127)}); "
        self.phases += 1
        if not text and (self.form != "nd" or self.chance(0.5)):  # a barrier makes loops of an nd_range kernel
            return declared + self.barrier()
        return declared + self.phase(f"{self.form}_items({self.phases})", text)

    def turn(self, at):
        return Turn(at, "int")

    def program(self):
        if self.shape in GROUPS:
            return GROUPS[self.shape](self).write()
        count = 1 if self.form == "range" or self.small and self.chance(0.6 if self.shape in BODIES else 0.85) else self.pick(1, 1, 2) if self.shape != "mixed" else self.pick(1, 2, 2, 3)
        text = "".join(self.node(i == count - 1, 0) for i in range(count))
        return text + self.results() if self.has_results and self.own("v") in text else text

    def results(self):
        """What the work-items have in the end."""
        self.phases += 1
        self.owners()
        self.offset, self.reversed = None, False
        if not any(a.owner == "turns" for a in self.arrays):
            return ""
        for a in self.locals:
            a.owner = "all"
        e, of, _ = self.element(Turn("l", "int"), True, 0)
        return self.phase(f"{self.form}_items({self.phases})", f"{e} = {self.stored(of, self.own('v'))};")

    def node(self, last, depth):
        """A phase, a group function, or a uniform loop or branch with phases in it."""
        kind = self.rng.random()
        if self.form != "range" and depth == 0 and kind < {"mixed": 0.2, "near": 0.08}.get(self.shape, 0.02):
            self.loops += 1
            r = f"r{self.loops}"
            head = self.pick(f"for (int {r} = 0; {r} < {self.pick('k->m', '2', '3')}; ++{r})", f"if ({self.pick('k->m > 1', 'k->n > 100', '(k->c & 1)', 'k->in[5] > 0')})")
            return f"    {head} {{\n{''.join(self.node(False, 1) for _ in range(self.pick(1, 1, 2)))}    }}\n"
        if self.form != "range" and not last and self.shape in ("mixed", "near") and kind > 0.85:
            op = self.pick("TW_SUM", "TW_MIN", "TW_MAX", "TW_XOR", "TW_OR")
            call = self.pick(f"reduce(v, {op})", f"scan(v, {op})", "broadcast(v)")
            self.phases += 1
            return self.phase(f"{self.form}_items({self.phases})", f"{self.own('v')} = ({self.own('v')} + l) & 0xffff;") + f"    {self.form}_{call};\n" + self.barrier()
        if self.shape == "points" or self.form == "groups" and not self.small and self.chance(0.4):
            return self.points_phase()
        return self.items_phase(last)

    # ---- the text

    def write(self):
        members = "".join(f"    {'const ' if v in self.const_views else ''}{a.of} *{v};\n" for a in self.arrays for v in a.views)
        members += "".join(f"    LOCAL_MEMBER({a.views[0]})\n" for a in self.locals if a.given)
        members += "".join(f"    REDUCTION{'_ARRAY' * r.is_array}({r.of}, {r.op}, {r.name})\n" for r in self.reductions)
        text = self.first_phase() + self.text
        if self.form == "nd" and text.endswith(self.barrier()):
            text = text[:-len(self.barrier())]
        define = {"range": f"TW_RANGE_KERNEL({self.name}, {self.dims})", "nd": f"TW_ND_RANGE_KERNEL({self.name}", "groups": f"TW_WORK_GROUP_KERNEL({self.name}"}[self.form]
        if self.form != "range":
            define += "".join(f", {n}" for n in self.fixed or ()) + ")"
        if self.reductions:
            size = self.dims if self.form == "range" else f"({', '.join(map(str, self.fixed or ()))})"
            define = f"TW_{ {'range': 'RANGE', 'nd': 'ND_RANGE', 'groups': 'WORK_GROUP'}[self.form]}_REDUCTION({self.name}, {size}, {', '.join(r.name for r in self.reductions)})"
        if self.number % 20 == 5:
            define = define.replace(self.name, f"TW_SPECIALIZE({self.pick('m, 2', 'm, 0, 3', 'c, 0, 1')}) {self.name}", 1)
        sizes = ", ".join("{" + ", ".join(map(str, [*s, 1, 1][:3])) + "}" for s in self.sizes)
        types, views = ", ".join("type_" + SUFFIX[a.of] for a in self.arrays), ", ".join(str(len(a.views)) for a in self.arrays)
        return (f"\nstruct {self.name} {{\n{members}    const int *in;\n    int n, m, c;\n    size_t z, first, pad, region;\n}};\n"
                f"{self.form}_kernel({self.name})\n{{\n{text}}}\nvoid run_{self.name}(const struct launch *s);\n"
                f"#ifdef PLAIN\nstatic struct {self.name} fill_{self.name}(const struct launch *s) {{ return (struct {self.name}){{{self.members(None)}}}; }}\nRUN({self.name})\n"
                f"#else\n{define};\n{self.launch()}\n"
                f"static const struct random_kernel case_{self.name} = {{\"{self.name}\", {self.number}, {int(self.form == 'range')}, {self.dims}, {int(self.is_single_group)}, {int(self.has_pad)}, {int(self.has_offset)}, "
                f"{{{sizes}}}, {self.block}, {self.row}, {self.reach}, {len(self.arrays)}, {{{views}}}, {{{types}}}, run_{self.name}, launch_{self.name}}};\n#endif\n")

    def members(self, accessor):
        """Initializers of the block: with addresses, or with accessors of buffers."""
        out = []
        for i, a in enumerate(self.arrays):
            for j, v in enumerate(a.views):
                shift = f"s->shift[{i}][{j}]"
                mode = "read" if v in self.const_views else "read_write"
                out.append(f".{v} = " + (f"tw_{mode}_part(cg, b{i}, tw_id_1d({shift}), tw_range_1d(s->count[{i}] - {shift}))" if accessor else f"({a.of} *)s->array[{i}] + {shift}"))
        out += [r.member(accessor is None) for r in self.reductions]
        if accessor is not None:
            out += [f".{a.views[0]}_memory = tw_local(cg, {LOCAL} * sizeof({a.of}))" for a in self.locals if a.given]
        return ", ".join(out) + ", .in = s->in, .n = s->n, .m = s->m, .c = s->c, .z = s->z, .first = s->first, .pad = s->pad, .region = s->region"

    def launch(self):
        d, offset = self.dims, self.has_offset
        of = lambda kind, text: f"tw_{kind}_{d}d({', '.join(text.format(i) for i in range(d))})"
        local, groups, at = of("range", "s->local[{}]"), of("range", "s->groups[{}]"), of("id", "s->offset[{}]")
        whole = of("range", "s->groups[{0}] * s->local[{0}]")
        call = {"range": f"tw_parallel_for{'_offset' if offset else ''}(cg, {whole}, {at + ', ' if offset else ''}{self.name}",
                "nd": f"tw_parallel_for_nd_range(cg, tw_nd_range_make{'_offset' if offset else ''}({whole}, {local}{', ' + at if offset else ''}), {self.name}",
                "groups": f"tw_parallel_for_work_group{'_offset' if offset else ''}(cg, {groups}, {local}, {at + ', ' if offset else ''}{self.name}"}[self.form]
        every, reduced = range(len(self.arrays)), sorted({r.array for r in self.reductions})  # arrays that have buffers

        def launched(arrays, accessor):
            declare = f"tw_buffer {', '.join(f'*b{i} = NULL' for i in arrays)}; " if arrays else ""
            create = " ".join(f"CHECK(tw_buffer_create_over(s->array[{i}], sizeof({self.arrays[i].of}), tw_range_1d(s->count[{i}]), &b{i}));" for i in arrays)
            destroy = " ".join(f"CHECK(tw_buffer_destroy(&b{i}));" for i in arrays)
            return f"{declare}{create}\n    tw_command_group *cg = tw_queue_begin(queue); {call}, {self.members(accessor)}); finish(queue, cg); {destroy}"
        return (f"static void launch_{self.name}(tw_queue *queue, const struct launch *s)\n{{\n"
                f"    if (s->storage != accessors) {{ {launched(reduced, False)} return; }}\n    {launched(every, True)}\n}}")


def prod(numbers):
    result = 1
    for n in numbers:
        result *= n
    return result


def write(seed, count, folder, shape="all", number=None):
    kernels = [Kernel(seed, i, shape) for i in ([number] if number is not None else range(count))]
    with open(f"{folder}/kernels.c", "w") as f:
        f.write('#include "random_kernels.h"\n' + "".join(k.write() for k in kernels))
        f.write("\n#ifndef PLAIN\nconst struct random_kernel *const random_kernels[] = {\n" + "".join(f"    &case_{k.name},\n" for k in kernels) + "    NULL};\n#endif\n")
    return kernels


if __name__ == "__main__":
    write(sys.argv[1], int(sys.argv[2]), sys.argv[3], *sys.argv[4:5], *map(int, sys.argv[5:6]))
