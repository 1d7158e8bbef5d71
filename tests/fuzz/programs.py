"""Random array programs as lines of source: views, in-place writes that overlap, reductions, loops, deletes, pins.

A line runs in a namespace where `xp` is NumPy or tessera. Lines are drawn while the program runs in NumPy, so that most
of them are valid; one that raises is mostly dropped, and else expected to raise in tessera too.
"""

from __future__ import annotations

import random

import numpy as np

SMALL = [(), (1,), (3,), (8,), (33,), (4, 5), (1, 7), (6, 1), (2, 3, 4), (16, 16)]
MEDIUM = [(1100,), (2500,), (40, 40), (30, 64), (3, 400), (1500, 1), (11, 10, 12), (2, 3, 5, 40)]
LARGE = [(40_000,), (300, 150), (20, 30, 64)]
FLOATS = ["f8", "f8", "f8", "f4", "f2"]
INTEGERS = ["i8", "i4", "i2", "u1", "?"]
TABLE = np.random.default_rng(7).integers(-40, 40, 1 << 16) / 8


def make_namespace(xp, export, adopt, apart):
    """The names a line may use; `export` and `adopt` share memory with NumPy arrays in either direction.

    `apart` is a copy in NumPy, which corrupts 1-D copies between views that overlap in steps of different length.
    """

    def unsigned(x):
        """With +0 for -0: in tessera minimum, maximum and sort tell them apart, in NumPy the first one is taken."""
        return x + getattr(x, "dtype", np.dtype("i8")).type(0)

    def settle(x):
        """Within what every dtype holds and every order of summation adds exactly."""
        return xp.clip(unsigned(xp.where(x == x, x, 1)), 0, 8)

    def data(shape, dtype, start):
        count = int(np.prod(shape))
        return xp.array(np.abs(TABLE[start : start + count] * 8).astype(dtype).reshape(shape))

    seen = []
    look = lambda x: seen.append(np.array(x))
    return {
        "xp": xp,
        "settle": settle,
        "unsigned": unsigned,
        "data": data,
        "export": export,
        "adopt": adopt,
        "apart": apart,
        "look": look,
        "seen": seen,
        "turn": 0,
    }


def numpy_namespace():
    return make_namespace(np, lambda x: x, lambda x: x, np.copy)


class Generator:
    """Draws one program. `names` maps array names to the NumPy arrays they stand for."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.space = numpy_namespace()
        self.lines = []
        self.count = 0
        pool = self.random.choices([MEDIUM, SMALL + MEDIUM, MEDIUM + LARGE], [6, 3, 1])[0]
        self.shapes = self.random.sample(pool, self.random.randint(1, 3))
        self.dtypes = self.random.choice([["f8"], FLOATS, FLOATS + INTEGERS, INTEGERS, ["f8", "i8"], ["c16", "f8"]])

    def program(self):
        for _ in range(self.random.randint(2, 4)):
            self.attempt(self.create())
        for _ in range(self.random.randint(5, 30)):
            self.attempt(self.loop() if self.random.random() < 0.12 else self.line())
        return self.lines

    def attempt(self, line):
        """Keeps the line when NumPy takes it; now and then when NumPy raises, too."""
        if line is None:
            return
        raised = run_line(line, self.space)
        if raised is None or (self.random.random() < 0.05 and not line.startswith("for")):
            self.lines.append(line)

    # --- what there is ------------------------------------------------------------------------------------------------
    def names(self, test=lambda a: True):
        return [n for n, a in self.space.items() if n[0] == "v" and isinstance(a, np.ndarray) and test(a)]

    def pins(self):
        return [n for n in self.space if n[0] == "p"]

    def pick(self, test=lambda a: True):
        names = self.names(test)
        return self.random.choice(names) if names else None

    def array(self, name):
        return self.space[name]

    def fresh(self):
        self.count += 1
        return f"v{self.count}" if self.random.random() < 0.7 else (self.pick() or f"v{self.count}")

    # --- pieces of lines ----------------------------------------------------------------------------------------------
    def slice_of(self, extent):
        start, stop = sorted((self.random.randint(0, extent), self.random.randint(0, extent)))
        step = self.random.choice([1, 1, 1, 2, 3, -1, -1, -2])
        pieces = [
            ":",
            f"{start}:{stop}",
            f"{start}:",
            f":{stop}",
            "1:-1",
            f"{start}:{stop}:{abs(step)}",
            f"::{step}",
            f"{stop}:{start}:{-abs(step)}",
        ]
        return self.random.choices(pieces, [6, 2, 2, 2, 3, 2, 4, 2])[0]

    def index(self, array):
        axes = [self.slice_of(extent) for extent in array.shape]
        for k, extent in enumerate(array.shape):
            if extent and self.random.random() < 0.12:
                axes[k] = str(self.random.randint(-extent, extent - 1))
        if axes and self.random.random() < 0.1:
            axes.insert(self.random.randint(0, len(axes)), "None")
        if self.random.random() < 0.1:
            axes = axes[: self.random.randint(0, len(axes))] + ["..."]
        return ", ".join(axes) or "..."

    def view(self, name):
        """An expression for a view of the named array, mostly the array itself."""
        array = self.array(name)
        draw = self.random.random()
        if draw < 0.45:
            return name
        if draw < 0.8:
            return f"{name}[{self.index(array)}]"
        if draw < 0.9:
            return f"{name}.T"
        order = list(range(array.ndim))
        self.random.shuffle(order)
        others = [
            f"xp.transpose({name}, {tuple(order)})",
            f"xp.flip({name})",
            f"{name}.reshape(-1)",
            f"{name}.reshape({self.other_shape(array)})",
            f"xp.broadcast_to({name}, {(2, *array.shape)})",
            f"{name}.ravel()",
            f"{name}.real",
            f"xp.squeeze({name})",
        ]
        return self.random.choice(others)

    def other_shape(self, array):
        size = array.size
        for factor in self.random.sample([2, 3, 4, 5, 7, 10], 6):
            if size and size % factor == 0:
                return self.random.choice([(factor, size // factor), (size // factor, factor), (factor, -1)])
        return (-1,)

    def operand(self, shape, depth=0):
        """An expression that broadcasts to shape."""
        if depth < 2 and self.random.random() < 0.35:
            return self.expression(shape, depth + 1)
        if self.random.random() < 0.15:
            return self.scalar()
        for _ in range(8):
            name = self.pick()
            if name is None:
                break
            text = self.view(name)
            try:
                value = eval(text, self.space)
                if np.broadcast_shapes(value.shape, shape) == shape:
                    return text
            except Exception:
                continue
        return self.scalar()

    def scalar(self):
        return self.random.choice(["2", "3", "1", "0.5", "0.25", "1.5", "7", "True"])

    def expression(self, shape, depth=0):
        a, b = self.operand(shape, depth), self.operand(shape, depth)
        forms = [
            f"({a} + {b})",
            f"({a} - {b})",
            f"({a} * {b})",
            f"({a} / {self.random.choice([2, 3, 4.0])})",
            f"xp.maximum(unsigned({a}), unsigned({b}))",
            f"xp.minimum(unsigned({a}), unsigned({b}))",
            f"({a} < {b})",
            f"({a} == {b})",
            f"xp.where({a} > {b}, {a}, {b})",
            f"xp.abs({a})",
            f"xp.sqrt(xp.abs({a}))",
            f"xp.negative({a})",
            f"xp.floor({a})",
            f"xp.square({a})",
            f"(({a} + {b}) * 0.5)",
            f"xp.add({a}, {b}, dtype='f8')",
            f"settle({a}).astype('{self.random.choice(INTEGERS + FLOATS)}')",
            f"settle({a})",
            f"xp.logical_and({a}, {b})",
            f"({a} // 3)",
            f"({a} % 5)",
            f"({a} ** 2)",
            f"({a} & {b})",
            f"({a} ^ {b})",
        ]
        return self.random.choices(forms, [8, 8, 8, 4, 3, 3, 2, 1, 3, 2, 2, 2, 1, 1, 4, 1, 2, 1, 1, 1, 1, 1, 1, 1])[0]

    # --- lines --------------------------------------------------------------------------------------------------------
    def create(self):
        shape, dtype = self.random.choice(self.shapes), self.random.choice(self.dtypes)
        size = int(np.prod(shape))
        forms = [
            f"data({shape}, '{dtype}', {self.random.randint(0, 1000)})",
            f"xp.zeros({shape}, '{dtype}')",
            f"xp.ones({shape}, '{dtype}', order='F')",
            f"xp.full({shape}, 3, '{dtype}')",
            f"(xp.arange({size}) % 100).astype('{dtype}').reshape({shape})",
        ]
        return f"{self.fresh()} = {self.random.choices(forms, [5, 1, 1, 1, 2])[0]}"

    def line(self):
        kinds = [
            self.create,
            self.bind_view,
            self.bind_expression,
            self.bind_reduction,
            self.write_slice,
            self.update_slice,
            self.update_whole,
            self.write_out,
            self.overlap,
            self.mask,
            self.pick_elements,
            self.forget,
            self.copy,
            self.pin,
            self.touch_pin,
            self.unpin,
            self.looks,
            self.host_routine,
            self.swap,
        ]
        return self.random.choices(kinds, [1, 4, 8, 3, 7, 6, 4, 3, 6, 2, 2, 3, 2, 1, 2, 2, 2, 1, 1])[0]()

    def bind_view(self):
        name = self.pick()
        return name and f"{self.fresh()} = {self.view(name)}"

    def bind_expression(self):
        name = self.pick()
        return name and f"{self.fresh()} = {self.expression(self.array(name).shape)}"

    def bind_reduction(self):
        name = self.pick(lambda a: a.ndim > 0)
        if not name:
            return None
        array = self.array(name)
        axis = self.random.choice(
            [None, 0, -1, tuple(self.random.sample(range(array.ndim), self.random.randint(1, array.ndim)))]
        )
        keep = self.random.choice(["", ", keepdims=True"])
        source = self.view(name) if self.random.random() < 0.5 else self.expression(array.shape)
        half = array.dtype == np.float16
        forms = [
            f"settle({source}).astype('f8').sum"
            if half or self.random.random() < 0.3
            else f"xp.floor(settle({source})).sum",
            f"unsigned({source}).max",
            f"unsigned({source}).min",
            f"({source} > 2).any",
            f"({source} > 0).all",
        ]
        return f"{self.fresh()} = xp.asarray({self.random.choice(forms)}(axis={axis}{keep}))"

    def target(self):
        """A writable view and its value, or (None, None)."""
        name = self.pick(lambda a: a.size > 0)
        if name is None:
            return None, None
        text = f"{name}[{self.index(self.array(name))}]"
        try:
            value = eval(text, self.space)
        except Exception:
            return None, None
        return (text, value) if isinstance(value, np.ndarray) else (None, None)

    def fitting(self, value):
        """An expression for what is stored into value: tame where the cast could be undefined."""
        text = self.expression(value.shape) if self.random.random() < 0.7 else f"apart({self.operand(value.shape)})"
        return text if value.dtype.kind in "fc" else f"settle({text})"

    def write_slice(self):
        text, value = self.target()
        return text and f"{text} = {self.fitting(value)}"

    def update_slice(self):
        text, value = self.target()
        return text and f"{text} {self.random.choice(['+=', '-=', '*=', '+='])} {self.operand(value.shape, 1)}"

    def update_whole(self):
        name = self.pick()
        return name and f"{name} {self.random.choice(['+=', '-=', '*='])} {self.operand(self.array(name).shape, 1)}"

    def write_out(self):
        text, value = self.target()
        if not text:
            return None
        op = self.random.choice(["add", "subtract", "multiply", "maximum"])
        where = f", where={self.operand(value.shape)} > 1" if self.random.random() < 0.3 else ""
        operands = self.operand(value.shape), self.operand(value.shape)
        if op == "maximum":
            operands = (f"unsigned({operand})" for operand in operands)
        return f"xp.{op}({', '.join(operands)}, out={text}{where})"

    def overlap(self):
        """A write whose operands are other views of the memory it writes."""
        name = self.pick(lambda a: a.ndim > 0 and a.size > 4)
        if not name:
            return None
        array = self.array(name)
        axis = self.random.randrange(array.ndim)
        extent = array.shape[axis]
        if extent < 3:
            return None
        length = self.random.randint(max(1, extent // 3), extent - 1)

        def part():
            steps = [s for s in (1, -1, 2, -2) if (length - 1) * abs(s) < extent]
            step = self.random.choice(steps)
            low = self.random.randint(0, extent - 1 - (length - 1) * abs(step))
            high = low + (length - 1) * abs(step)
            if step > 0:
                text = f"{low}:{high + 1}:{step}"
            else:
                text = f"{high}:{low - 1 if low else ''}:{step}"
            return f"{name}[{', '.join([':'] * axis + [text])}]"

        tame = "" if array.dtype.kind in "fc" else "settle"
        forms = [
            f"{part()} = apart({part()})",
            f"{part()} += {part()}",
            f"{part()} = {tame}({part()} + {part()})",
            f"{part()} = {tame}(({part()} + {part()} - {part()}) * 0.5)",
            f"xp.add({part()}, {part()}, out={part()})",
            f"{part()} = {tame}({self.operand(eval(part(), self.space).shape)} * {part()})",
            f"{name}[...] = {name}[::-1]",
            f"{name}[...] = {name}.T",
        ]
        return self.random.choice(forms)

    def mask(self):
        name = self.pick()
        if not name:
            return None
        shape = self.array(name).shape
        forms = [
            f"{name}[{name} > 4] = {self.scalar()}",
            f"{name}[{self.operand(shape)} == 2] = 3",
            f"{self.fresh()} = {name}[{name} > 3]",
            f"xp.copyto({name}, {self.operand(shape)}, where={self.operand(shape)} > 2)",
            f"xp.putmask({name}, {self.expression(shape)} > 3, 1)",
        ]
        return self.random.choice(forms)

    def pick_elements(self):
        name = self.pick(lambda a: a.ndim > 0 and a.shape[0] > 0)
        if not name:
            return None
        rows = [self.random.randrange(self.array(name).shape[0]) for _ in range(self.random.randint(1, 5))]
        forms = [
            f"{name}[{rows}] = {self.scalar()}",
            f"{self.fresh()} = {name}[{rows}]",
            f"{name}[{rows}] += 1",
            f"xp.add.at({name}, {rows}, 1)",
            f"{name}[{rows[0]}] = {self.scalar()}",
            f"{name}.fill(2)",
            f"{name}.flat[{rows}] = 1",
            f"{self.fresh()} = xp.take({name}, {rows}, axis=0)",
        ]
        return self.random.choice(forms)

    def forget(self):
        names = self.names()
        return f"del {self.random.choice(names)}" if len(names) > 2 else None

    def copy(self):
        name = self.pick()
        return (
            name
            and f"{self.fresh()} = {self.random.choice([f'{name}.copy()', f'{name}', f'xp.copy({name}, order=chr(75))', f'xp.ascontiguousarray({name})'])}"
        )

    def pin(self):
        name = self.pick()
        if not name:
            return None
        self.count += 1
        if self.pins() and self.random.random() < 0.3:
            return f"v{self.count} = adopt({self.random.choice(self.pins())})"
        return f"p{self.count} = export({self.view(name)})"

    def touch_pin(self):
        if not self.pins():
            return None
        name = self.random.choice(self.pins())
        return self.random.choice(
            [f"{name}[...] = {self.random.randint(0, 9)}", f"look({name})", f"{name}[:1] += 1", f"{name}[::2] = 5"]
        )

    def unpin(self):
        return f"del {self.random.choice(self.pins())}" if self.pins() else None

    def looks(self):
        name = self.pick(lambda a: a.size > 0)
        if not name:
            return None
        forms = [
            f"look({name})",
            f"look({self.view(name)})",
            f"look({name}.item(0))",
            f"look(bool(({name} > 1).any()))",
            f"look(unsigned({name}).max())",
            f"look(settle({name}).tolist())",
        ]
        return self.random.choice(forms)

    def host_routine(self):
        name = self.pick(lambda a: a.ndim > 0 and a.size > 0)
        if not name:
            return None
        forms = [
            f"xp.sort(unsigned({name}), axis=0)",
            f"xp.cumsum(xp.floor(settle({name})), axis=0)",
            f"xp.argsort({name}, kind='stable')",
            f"xp.concatenate([{name}, {name}[::-1]])",
            f"xp.unique(settle({name}))",
            f"xp.repeat({name}, 2, axis=0)",
            f"xp.roll({name}, 3)",
            f"xp.diff(settle({name}).astype('f8'), axis=0)",
            f"xp.stack([{name}, {name}])",
        ]
        return f"{self.fresh()} = {self.random.choice(forms)}"

    def swap(self):
        first = self.pick()
        same = first and self.names(lambda a: a.shape == self.array(first).shape and a.dtype == self.array(first).dtype)
        return first and f"{first}, {(second := self.random.choice(same))} = {second}, {first}"

    def loop(self):
        """A body that repeats, long enough for the loop detector, with temporaries that are bound anew every turn."""
        body = []
        kinds = [
            self.write_slice,
            self.update_slice,
            self.update_whole,
            self.overlap,
            self.temporary,
            self.moving,
            self.write_out,
            self.swap,
            self.looks,
            self.mask,
        ]
        for _ in range(self.random.randint(1, 5)):
            line = self.random.choices(kinds, [5, 4, 3, 4, 5, 5, 2, 1, 0.4, 0.4])[0]()
            # Each line is tried alone, so that those that follow may use its names.
            if line and run_line(line, self.space) is None:
                self.lines.append(line)
                body.append(line)
        turns = self.random.choice([3, 10, 10, 17, 40, 60])
        return f"for turn in range({turns}):\n" + "".join(f"    {line}\n" for line in body) if body else None

    def moving(self):
        """A write whose place depends on the turn of the loop."""
        name = self.pick(lambda a: a.ndim > 0 and a.shape[0] > 5)
        if not name:
            return None
        array = self.array(name)
        length = self.random.randint(1, array.shape[0] - 3)
        places = array.shape[0] - length
        tame = "" if array.dtype.kind in "fc" else "settle"

        def part():
            start = f"turn % {places}" if self.random.random() < 0.7 else f"{self.random.randrange(places)}"
            return f"{name}[{start}:{start} + {length}]"

        forms = [
            f"{name}[turn % {array.shape[0]}] = {self.scalar()}",
            f"{part()} = {tame}({self.operand(array[:length].shape, 1)} * 0.5)",
            f"{part()} = apart({part()})",
            f"{part()} += {part()}",
            f"{part()} = {tame}(({part()} + {part()}) * 0.5)",
            f"{name} += turn",
            f"{part()} = turn",
        ]
        return self.random.choice(forms)

    def temporary(self):
        name = self.pick()
        return name and f"v{self.random.randint(900, 903)} = {self.expression(self.array(name).shape)}"


def run_line(line, space):
    """The kind of error the line raised, or None."""
    try:
        exec(compile(line, "<fuzz>", "exec"), space)
    except Exception as error:
        return type(error)
    return None
