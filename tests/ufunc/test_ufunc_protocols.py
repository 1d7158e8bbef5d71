"""What ufuncs tell other classes of a call, `__array_ufunc__` and `__array_wrap__`, and which arguments no call may have."""

from __future__ import annotations

import numpy
import pytest
import tessera.numpy as np


class Teller:
    """Answers every call with what it was told."""

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        return inputs, keywords


class Silent:
    def __array_ufunc__(self, *args, **keywords):
        return NotImplemented


def test_the_keywords_that_are_told_have_one_form():
    teller = Teller()
    assert np.sin(teller, None) == ((teller,), {})
    assert np.sin(teller, out=(None,)) == ((teller,), {})
    assert np.sin(1.0, teller) == ((1.0,), {"out": (teller,)})
    assert np.modf(1.0, out=(None, teller)) == ((1.0,), {"out": (None, teller)})
    assert np.add(teller, [1], sig="ii->i") == ((teller, [1]), {"signature": "ii->i"})
    assert np.add(1, 2, where=teller) == ((1, 2), {"where": teller})


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda a: np.multiply(a), TypeError),
        (lambda a: np.multiply(a, a, a, a), TypeError),
        (lambda a: np.multiply(a, 1, nonsense=2), TypeError),
        (lambda a: np.multiply(a, 1, sig="a", signature="a"), TypeError),
        (lambda a: np.multiply(a, 1, 1, out=1), TypeError),
        (lambda a: np.multiply(a, 1, out=(1, 2)), ValueError),
        (lambda a: np.modf(1.0, out=a), TypeError),
        (lambda a: np.modf(1.0, out=(a,)), ValueError),
    ],
)
def test_calls_that_no_ufunc_takes_are_refused_first(call, error):
    with pytest.raises(error):
        call(Teller())


def test_a_refusal_by_all_shows_the_call():
    with pytest.raises(TypeError) as caught:
        np.add(Silent(), "x", out=1)
    text = str(caught.value)
    assert "__array_ufunc__(<ufunc 'add'>, '__call__', <" in text and text.endswith(
        "'x', out=(1,)): 'Silent', 'str', 'int'"
    )


class Wrapping(np.ndarray):
    told = None

    def __array_wrap__(self, array, context=None, return_scalar=False):
        self.told = context[1]
        return "wrapped"


def test_an_output_wraps_what_was_written():
    out = np.zeros(()).view(Wrapping)
    for call in (lambda: np.add(1, 2, out), lambda: np.add(1, 2, out=out), lambda: np.add(1, 2, out=(out,))):
        assert call() == "wrapped"
        assert len(out.told) == 3 and out.told[2] is out
        assert out.item() == 3
    assert np.add(out, 2, None) == "wrapped" and len(out.told) == 2
    plain = np.zeros(())
    assert np.add(out, 2, out=plain) is plain


def test_subok_false_gives_plain_arrays():
    class Plain(np.ndarray):
        pass

    for kind in (Plain, Wrapping):
        array = np.array([0.5]).view(kind)
        assert type(np.add(array, 2, subok=False)) is np.ndarray
        assert type(np.exp(array, subok=False)) is np.ndarray
    with pytest.raises(TypeError, match="subok"):
        np.add([1], 2, subok="yes")


def test_signatures_may_be_bytes():
    assert np.add(3, 4, signature=b"ff->f").dtype == np.float32
    with pytest.raises(ValueError):
        np.add(3, 4, signature=b"ii-i")
    with pytest.raises(UnicodeDecodeError):
        np.add(3, 4, signature=b"\xff\xff->i")


def test_an_ellipsis_is_an_output_by_keyword_only():
    assert type(np.add(1, 2, out=...)) is np.ndarray
    for call in (lambda: np.add(1, 2, ...), lambda: np.add.reduce([1], 0, None, ...)):
        with pytest.raises(TypeError, match="only allowed as a keyword argument"):
            call()


def test_outer_products_have_at_most_64_axes():
    deep = np.ones((1,) * 33)
    with pytest.raises(ValueError, match="maximum supported dimension"):
        np.add.outer(deep, deep)


@pytest.mark.parametrize(
    "dtypes", [("i4",) * 2 + (None,), (numpy.dtype("i"),) * 2, (numpy.dtype("i"), None, numpy.dtype("f"))]
)
def test_resolve_dtypes_wants_dtypes(dtypes):
    with pytest.raises(TypeError):
        np.add.resolve_dtypes(dtypes)


def test_powers_of_complex_zero_are_zero_where_the_exponents_real_part_is_positive():
    zero = np.zeros(3, complex)
    for exponent in (1 + 4j, 2 - 3j, 0.5 + 1j, 3, 1 + 0j):
        assert np.power(zero, exponent).tolist() == [0, 0, 0]
    with np.errstate(invalid="ignore"):
        for exponent in (-1 + 1j, 1j, -2):
            assert np.isnan(np.power(zero, exponent).real).all()
