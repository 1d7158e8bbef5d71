"""What a known loop asks for next is recorded by a shorter way: whatever differs from the turns before must not take it."""

from __future__ import annotations

import contextvars
import operator
import threading
import warnings

import numpy as np
import pytest
import tessera.numpy as tnp

N = 60  # N * N elements are recorded rather than computed at once
TURNS = 14
ODD_TURN = 9


def matrix(xp, seed=0, dtype="f8"):
    return xp.asarray((np.random.default_rng(seed).random((N, N)) + 0.5).astype(dtype))


def assert_same(program):
    theirs, ours = program(np), program(tnp)
    assert len(theirs) == len(ours)
    for expected, got in zip(theirs, ours):
        got = np.asarray(got)
        assert got.dtype == expected.dtype and got.shape == expected.shape
        np.testing.assert_array_equal(got, expected)


OTHERS = {
    "another value": lambda xp, a: a + 1.0,
    "other strides": lambda xp, a: a.T,
    "a smaller copy stretched": lambda xp, a: a[0],
    "a column": lambda xp, a: a[:, :1],
    "single precision": lambda xp, a: a.astype("f4"),
    "integers": lambda xp, a: (a * 10).astype("i8"),
    "complex": lambda xp, a: a * (1 + 2j),
    "a float": lambda xp, a: 0.25,
    "an int": lambda xp, a: 3,
    "a bool": lambda xp, a: True,
    "a complex number": lambda xp, a: 2j,
    "a NumPy scalar": lambda xp, a: np.float64(0.5),
    "a single-precision scalar": lambda xp, a: np.float32(0.5),
    "NumPy's array": lambda xp, a: np.full((N, N), 0.75),
    "one element": lambda xp, a: a[:1, :1],
    "no dimension": lambda xp, a: a[3, 4],
}


@pytest.mark.parametrize("kind", OTHERS)
def test_an_operand_of_another_kind_at_a_known_place(kind):
    def program(xp):
        t, b = matrix(xp), matrix(xp, 1)
        odd = OTHERS[kind](xp, matrix(xp, 2))
        results = []
        for turn in range(TURNS):
            other = odd if turn == ODD_TURN else b
            left = t * other + 1.5
            right = other - t
            results += [left, right, left / right]
        return results

    assert_same(program)


@pytest.mark.parametrize("kind", [kind for kind in OTHERS if kind not in ("complex", "a complex number")])
def test_another_kind_of_value_written_at_a_known_place(kind):
    def program(xp):
        t, b = matrix(xp), matrix(xp, 1)
        odd = OTHERS[kind](xp, matrix(xp, 2)[1:-1, 1:-1])
        if kind in ("a smaller copy stretched", "NumPy's array"):
            odd = odd[..., : N - 2] if np.ndim(odd) == 1 else odd[: N - 2, : N - 2]
        kept = []
        for turn in range(TURNS):
            t[1:-1, 1:-1] = odd if turn == ODD_TURN else 0.5 * (t[2:, 1:-1] + b[:-2, 1:-1])
            t[0, :] = t[1, :]
            kept.append(t.copy())
        return kept

    assert_same(program)


@pytest.mark.parametrize("rows", [20, 29, 30])
def test_a_write_that_overlaps_where_it_did_not_before(rows):
    def program(xp):
        p = matrix(xp)
        kept = []
        for turn in range(3 * TURNS):
            start = 1 if turn % 5 == 4 else rows
            p[start : start + rows] = p[:rows]
            p[:rows] = p[start : start + rows]
            p[:, -1] = p[:, -2]
            p[:, 0] = p[:, 1]
            p[5, :] += 1.0
            kept.append(p.copy())
        return kept

    assert_same(program)


def test_a_write_that_covers_a_whole_array_at_a_known_place():
    def write(target, source):
        target[0:30] = source

    def program(xp):
        large, small, source = matrix(xp), matrix(xp, 1)[:30].copy(), matrix(xp, 2)[30:]
        kept = []
        for turn in range(TURNS):
            write(small if turn % 4 == 3 else large, source * float(turn))
            source = source + 1.0
            kept += [large.copy(), small.copy()]
        return kept

    assert_same(program)


def test_the_same_array_written_to_itself_at_a_known_place():
    def write(target, source):
        target[1:-1] = source

    def program(xp):
        p, b = matrix(xp), matrix(xp, 1)
        kept = []
        for turn in range(TURNS):
            write(p, p[1:-1] if turn == ODD_TURN else b[1:-1] * float(turn))
            kept.append(p.copy())
        return kept

    assert_same(program)


def test_a_read_only_array_at_a_known_place():
    def write(target, value):
        target[:, 0] = value

    p, fixed = matrix(tnp), matrix(tnp, 1)
    before = np.array(fixed)
    fixed.flags.writeable = False
    for turn in range(TURNS):
        write(p, float(turn))
        if turn == ODD_TURN:
            with pytest.raises(ValueError, match="read-only"):
                write(fixed, 1.0)
            with pytest.raises(ValueError, match="delete"):
                del p[:, 0]
    np.testing.assert_array_equal(np.asarray(fixed), before)
    assert (np.asarray(p)[:, 0] == TURNS - 1).all()


def test_results_that_are_held_for_several_turns():
    def program(xp):
        t, b = matrix(xp), matrix(xp, 1)
        held, last = [], []
        for turn in range(3 * TURNS):
            u = t * b
            v = u + 0.5
            t = v / 2.0
            last = (last + [u, v])[-7:]
            if turn % 5 == 0:
                held += last
        return held + [t]

    assert_same(program)


def test_one_place_that_different_ops_go_through():
    order = np.random.default_rng(5).integers(0, 4, 200)

    def apply(op, a, b):
        return op(a, b)

    def program(xp):
        t, b = matrix(xp), matrix(xp, 1)
        ops = [operator.add, operator.sub, operator.mul, operator.truediv]
        for k in order:
            t = apply(ops[k], t, b) * 0.5 + 0.25
        return [t]

    assert_same(program)


def test_instances_of_a_subclass_keep_their_class():
    class Marked(tnp.ndarray):
        pass

    b = matrix(tnp, 1)
    marked = matrix(tnp, 2).view(Marked)
    t = matrix(tnp)
    for turn in range(TURNS):
        other = marked if turn == ODD_TURN else b
        u = t * other
        assert type(u) is (Marked if turn == ODD_TURN else tnp.ndarray)
        v = other + u
        assert type(v) is type(u)
        b[:, 3] = 0.5
        t = 0.5 * (t + b)


def test_outputs_that_are_given():
    def program(xp):
        t, b, out = matrix(xp), matrix(xp, 1), xp.zeros((N, N))
        kept = []
        for turn in range(TURNS):
            u = t * b
            xp.multiply(t, b, out=out if turn % 3 else t)
            t = u + out * 0.5
            t += b
            kept += [u, t.copy()]
        return kept + [out]

    assert_same(program)


def modes_by_turn(xp, modes):
    """Warnings, exceptions and results of divisions by zero where some turns have an errstate of their own."""
    t, zeros = matrix(xp), xp.zeros((N, N))
    said, results = [], []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for turn in range(TURNS):
            with np.errstate(**modes.get(turn, {})):
                try:
                    u = t / zeros
                    results.append(u * 0.5)
                except FloatingPointError as error:
                    said.append((turn, str(error)))
        results = [np.asarray(result) for result in results]
    return said, sorted((str(w.message), w.lineno) for w in caught), results


@pytest.mark.parametrize(
    "modes",
    [
        {},
        {ODD_TURN: {"divide": "ignore"}},
        {ODD_TURN: {"divide": "raise"}, ODD_TURN + 2: {"all": "ignore"}},
        {turn: {"divide": "ignore"} for turn in range(TURNS) if turn != ODD_TURN},
    ],
)
def test_an_errstate_of_its_own_for_one_turn(modes):
    theirs, ours = modes_by_turn(np, modes), modes_by_turn(tnp, modes)
    assert ours[0] == theirs[0]
    assert set(ours[1]) == set(theirs[1])
    for expected, got in zip(theirs[2], ours[2], strict=True):
        np.testing.assert_array_equal(got, expected)


def test_an_errstate_of_another_context():
    t, zeros = matrix(tnp), tnp.zeros((N, N))
    quiet = contextvars.copy_context()
    quiet.run(np.seterr, all="ignore")
    strict = contextvars.copy_context()
    strict.run(np.seterr, all="raise")

    def divide():
        return t / zeros

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(TURNS):
            assert np.isinf(np.asarray(quiet.run(divide))).all()
            with pytest.raises(FloatingPointError):
                strict.run(divide)
        with pytest.raises(RuntimeWarning, match="divide by zero"):
            divide()


def test_values_that_do_not_fit_warn_at_a_known_place():
    def warned(xp, dtype, usual, odd):
        p = matrix(xp, dtype=dtype)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for turn in range(TURNS):
                p[1:-1, 2] = odd if turn == ODD_TURN else usual
                p = p * 1.0
        return sorted((w.category.__name__, str(w.message)) for w in caught), np.asarray(p)

    column = matrix(np)[1:-1, 2]
    for dtype, usual, odd in (("f4", 0.5, 1e300), ("f4", 1, 10**12), ("f8", column, column * (1 + 1j))):
        expected, got = (
            warned(xp, dtype, *(xp.asarray(v) if isinstance(v, np.ndarray) else v for v in (usual, odd)))
            for xp in (np, tnp)
        )
        assert got[0] == expected[0]
        np.testing.assert_array_equal(got[1], expected[1])


def test_memory_that_is_shared_in_the_middle_of_a_loop():
    p, b = matrix(tnp), matrix(tnp, 1)
    seen = None
    for turn in range(2 * TURNS):
        p[1:-1, 1:-1] = b[1:-1, 1:-1] * float(turn)
        p[:, 0] = p[:, 1]
        if turn == ODD_TURN:
            seen = np.asarray(p)
        if seen is not None:
            assert seen[5, 0] == seen[5, 1] == float(b[5, 1]) * turn


def test_generators_that_take_turns_in_the_same_code():
    def steps(xp, rows, seed):
        t, b = matrix(xp, seed)[:rows], matrix(xp, seed + 1)[:rows]
        while True:
            t = t * b + 0.5
            b[:, 1] = t[:, 2]
            yield t

    def program(xp):
        generators = [steps(xp, rows, rows) for rows in (60, 40, 60, 30)]
        return [next(generator) for _ in range(TURNS) for generator in generators]

    assert_same(program)


def test_code_that_is_made_anew_each_turn():
    def program(xp):
        t, b = matrix(xp), matrix(xp, 1)
        for turn in range(TURNS):
            names = {"t": t, "b": b}
            exec(f"u = t * b\nu[:, {turn}] = 0.5\nt = u + {float(turn)}", names)
            t = names["t"]
        return [t]

    assert_same(program)


def test_arrays_that_are_pending_in_another_thread():
    """Two threads walk through the same code and name each other's unfinished arrays."""

    def program(xp):
        parts = [matrix(xp), matrix(xp, 1)]
        barrier = threading.Barrier(2)

        def walk(own):
            for _ in range(TURNS):
                mine, other = parts[own], parts[1 - own]
                barrier.wait()
                result = mine * 0.5 + other
                result[:, 0] = other[:, 1]
                barrier.wait()
                parts[own] = result
                barrier.wait()

        threads = [threading.Thread(target=walk, args=(own,)) for own in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return parts

    assert_same(program)


def test_a_slice_means_the_same_of_every_array_it_is_asked_of():
    def program(xp):
        arrays = [
            matrix(xp),
            matrix(xp, 1).T,
            matrix(xp, 2)[::2],
            matrix(xp, 3)[5:],
            xp.arange(3600).reshape(30, 120),
            xp.arange(5),
            xp.zeros((0, 4)),
            xp.arange(24.0).reshape(2, 3, 4),
        ]
        results = []
        for _ in range(4):
            for a in arrays:
                results += [a[1:-1], a[:2], a[-3:], a[7:3], a[1000:], a[-1000:1000], a[1:], a[:]]
                if a.ndim > 1:
                    results += [a[1:-1, 2:], a[:, -1], a[..., 1:], a[:, 1], a[1:2, :-1], a[:, None], a[:-1, 300:]]
                if len(a) > 1:
                    results += [a[1, 0:2], a[-1, :]] if a.ndim > 1 else []
        return [np.array(r) for r in results]

    assert_same(program)


def test_a_place_that_is_out_of_range_stays_so():
    for size in (5, 3, 5, 3, 5, 3):
        a = matrix(tnp)[:size]
        if size == 5:
            assert a[4, :].shape == (N,)
        else:
            with pytest.raises(IndexError, match="index 4 is out of bounds for axis 0 with size 3"):
                a[4, :]


def test_equal_keys_of_other_types_are_not_taken_for_each_other():
    a, b = matrix(tnp), matrix(np)
    for _ in range(4):
        for key in (
            (1, slice(None)),
            (True, slice(None)),
            (np.int64(1), slice(1, 3)),
            (slice(0, 2), 1),
            (slice(0, 2), True),
            (slice(np.int64(1), None), slice(None, 2)),
            (slice(1, None, 2), 0),
            (slice(10**9), 0),
            1,
            True,
            None,
        ):
            np.testing.assert_array_equal(np.asarray(a[key]), b[key])
