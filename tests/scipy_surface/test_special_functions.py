"""Functions of tessera.scipy.special that are built from the engine's primitives, against SciPy."""

import decimal
import warnings

import numpy
import pytest
import scipy.special
import tessera.numpy as tnp
import tessera.scipy.special as special

import tessera

ANY = numpy.concatenate((numpy.linspace(-30, 30, 1201), [0.0, -0.0, 1e-300, -1e-20, 1e-9, 700.0, -700.0, 1e5]))
POSITIVE = numpy.concatenate((numpy.linspace(0.01, 60, 900), [1e-10, 1e-3, 200.0, 1e6]))
UNIT = numpy.concatenate((numpy.linspace(0, 1, 801), [1e-300, 1e-20, 1e-5, 1 - 1e-10]))
SPECIAL = numpy.array([0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan, 1.0, -1.0])

ONE = {
    "ndtri": UNIT,
    "erfinv": numpy.concatenate((2 * UNIT - 1, [1e-30])),
    "erfcinv": 2 * UNIT,
    "erfcx": ANY[ANY > -25],
    "log_ndtr": ANY,
    "digamma": POSITIVE,
    "psi": -POSITIVE[:900] - 0.003,
    "gammasgn": ANY,
    "rgamma": ANY[abs(ANY) < 165],
    "i0": ANY,
    "i0e": ANY,
    "i1": ANY,
    "i1e": ANY,
    "exprel": ANY,
    "cosm1": ANY,
}
TWO = [
    "betaln",
    "beta",
    "rel_entr",
    "kl_div",
    "huber",
    "pseudo_huber",
    "boxcox",
    "boxcox1p",
    "inv_boxcox",
    "inv_boxcox1p",
]


def native(name, *operands):
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("error", tessera.FallbackWarning)
        return numpy.asarray(getattr(special, name)(*(tnp.asarray(x) for x in operands)))


def expect_close(actual, expected, dtype, atol=1e-14):
    assert actual.dtype == expected.dtype
    rtol = 4e-6 if dtype == "f4" else 4e-13
    numpy.testing.assert_allclose(actual, expected, rtol=rtol, atol=1e-6 if dtype == "f4" else atol)


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_functions_of_one_operand(name, dtype):
    with numpy.errstate(all="ignore"):
        x = ONE[name].astype(dtype)
        expected = getattr(scipy.special, name)(x)
    finite = numpy.abs(expected) > numpy.finfo(dtype).tiny  # SciPy flushes some results to zero early
    expect_close(native(name, x)[finite], expected[finite], dtype)


@pytest.mark.parametrize("name", [n for n in ONE if n not in ("psi", "gammasgn", "rgamma", "cosm1", "i0", "i1")])
def test_special_values(name):
    with numpy.errstate(all="ignore"):
        expected = getattr(scipy.special, name)(SPECIAL)
    numpy.testing.assert_allclose(native(name, SPECIAL), expected, rtol=1e-14)


@pytest.mark.parametrize("name", TWO)
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_functions_of_two_operands(name, dtype):
    grid = numpy.array([0.0, 1e-3, 0.1, 0.5, 1.0, 1.5, 3.0, 7.25, 20.0, 80.0], dtype)
    with numpy.errstate(all="ignore"):
        x, y = numpy.meshgrid(
            grid[1:] if name.startswith("beta") else grid, grid[1:] if name.startswith("beta") else grid
        )
        expected = getattr(scipy.special, name)(x, y)
    expect_close(native(name, x, y), expected, dtype, atol=1e-13)


def test_betaln_of_very_different_arguments():
    a, b = numpy.array([1e10, 1e15, 3e8]), numpy.array([2.5, 1.0, 10.0])
    numpy.testing.assert_allclose(native("betaln", a, b), scipy.special.betaln(a, b), rtol=1e-13)


def exact_normal_tail(x):
    """The normal distribution below -x by the continued fraction of Mills' ratio, in 60 digits."""
    with decimal.localcontext(prec=60):
        x = decimal.Decimal(x)
        ratio = x
        for k in range(400, 0, -1):
            ratio = x + k / ratio
        root_of_2_pi = (2 * decimal.Decimal("3.14159265358979323846264338327950288419716939937510582")).sqrt()
        return float((-x * x / 2).exp() / (root_of_2_pi * ratio))


def test_the_tails_of_the_normal_distribution_keep_their_digits():
    x = numpy.concatenate((numpy.linspace(3, 37.5, 997), [3.0000000000000004, 12.34567890123]))
    exact = numpy.array([exact_normal_tail(float(v)) for v in x])
    got = numpy.asarray(special.ndtr(tnp.asarray(-x)))
    assert numpy.max(abs(got - exact) / exact) < 5e-16
    single = x[x < 12].astype("float32")
    exact = numpy.array([exact_normal_tail(float(v)) for v in single])
    got = numpy.asarray(special.ndtr(tnp.asarray(-single)))
    assert got.dtype == "float32" and numpy.max(abs(got - exact) / exact) < 3e-7


def test_log_gamma_of_both_infinities_is_infinite():
    got = numpy.asarray(special.gammaln(tnp.asarray([-numpy.inf, numpy.inf, 0.0, -3.0])))
    assert numpy.array_equal(got, numpy.full(4, numpy.inf))


# Values by mpmath with 40 digits.
INCOMPLETE_GAMMA = [
    (0.5, 0.3, 0.561421973919000136, 0.438578026080999864),
    (1e-09, 0.4, 0.999999999297619881, 7.02380119126334103e-10),
    (0.001, 2.0, 0.999951023082169019, 0.0000489769178309814798),
    (1.2, 1.05, 0.566589451456039651, 0.433410548543960349),
    (3.0, 2.5, 0.456186884116670482, 0.543813115883329518),
    (20.0, 31.0, 0.985587899686552042, 0.0144121003134479576),
    (25.0, 24.0, 0.445998776925004314, 0.554001223074995686),
    (26.0, 18.5, 0.0576190018271460931, 0.942380998172853907),
    (60.0, 95.0, 0.999951027619474025, 0.0000489723805259746752),
    (150.0, 120.0, 0.00456344130415124297, 0.995436558695848757),
    (10000.0, 10200.0, 0.976712677866401196, 0.0232873221335988039),
    (1000000.0, 998000.0, 0.0226961140067368028, 0.977303885993263197),
    (40.0, 3.0, 8.00309509252189158e-31, 1.0),
    (7.5, 300.0, 1.0, 3.5505152134076991e-118),
]
BESSEL = [
    (0.1, 0.997501562066040032, 0.0499375260362420003),
    (2.4048255576957724, 1.69460149269549536e-16, 0.519147497289466859),
    (3.8317059702075125, -0.402759395702552972, -6.14980735699490609e-17),
    (5.5, -0.00684386941781919682, -0.34143821542904335),
    (7.9999, 0.171674270060591464, 0.234622113483752967),
    (8.5, 0.0419392518429345036, 0.273121963674053744),
    (33.25, 0.0694544691286948821, 0.120725471116490025),
    (12345.678, 0.0000305867133227582474, -0.00718089496473937342),
]


def test_incomplete_gamma_functions_have_their_exact_values():
    a, x, lower, upper = numpy.array(INCOMPLETE_GAMMA).T
    numpy.testing.assert_allclose(native("gammainc", a, x), lower, rtol=2e-14)
    numpy.testing.assert_allclose(native("gammaincc", a, x), upper, rtol=6e-14)


def test_incomplete_gamma_functions_agree_with_scipy():
    rng = numpy.random.default_rng(4)
    a = numpy.concatenate((10 ** rng.uniform(-3, 4, 4000), rng.uniform(0.01, 60, 4000)))
    x = a * 10 ** rng.uniform(-0.5, 0.5, a.size)
    for name in ("gammainc", "gammaincc"):
        expected = getattr(scipy.special, name)(a, x)
        large = expected > 1e-60  # further out SciPy loses digits of the exponent
        numpy.testing.assert_allclose(native(name, a, x)[large], expected[large], rtol=4e-12)
        single = native(name, a.astype("f4"), x.astype("f4"))
        numpy.testing.assert_allclose(
            single[large], getattr(scipy.special, name)(a.astype("f4"), x.astype("f4"))[large], rtol=1e-5, atol=1e-30
        )
        first, second = (
            grid.ravel()
            for grid in numpy.meshgrid(
                [0.0, 1.0, 2.5, -1.0, numpy.inf, numpy.nan], [0.0, 1.0, -1.0, numpy.inf, numpy.nan]
            )
        )
        numpy.testing.assert_allclose(
            native(name, first, second), getattr(scipy.special, name)(first, second), rtol=1e-14
        )


def test_bessel_functions_have_their_exact_values():
    x, zeroth, first = numpy.array(BESSEL).T
    for sign in (1, -1):
        numpy.testing.assert_allclose(native("j0", sign * x), zeroth, rtol=1e-14, atol=3e-17)
        numpy.testing.assert_allclose(native("j1", sign * x), sign * first, rtol=1e-14, atol=3e-17)


def test_bessel_functions_agree_with_scipy():
    x = numpy.concatenate((numpy.linspace(-60, 60, 4001), [0.0, 1e-300, 1e-9, 1e4, numpy.inf, -numpy.inf, numpy.nan]))
    for name in ("j0", "j1"):
        with numpy.errstate(invalid="ignore"):
            numpy.testing.assert_allclose(native(name, x), getattr(scipy.special, name)(x), rtol=1e-13, atol=2e-15)
            expected = getattr(scipy.special, name)(x.astype("f4"))
        numpy.testing.assert_allclose(native(name, x.astype("f4")), expected, rtol=2e-6, atol=3e-7)
