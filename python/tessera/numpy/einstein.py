"""einsum: subscripts read once, contracted pair by pair through matrix products."""

from __future__ import annotations

import functools
import math
import string

import numpy

from tessera import _core as core
from tessera.numpy._dispatch import as_array, native
from tessera.numpy._gufunc import GUfunc

__all__ = ["einsum", "einsum_path"]

matmul = GUfunc(core.linalg.contract, numpy.matmul, (2, 2, 2))
_letters = string.ascii_uppercase + string.ascii_lowercase


def _from_lists(operands):
    """The string form of einsum(a, [0, 1], b, [1, 2], [0, 2])."""
    arrays, lists = list(operands[0::2]), list(operands[1::2])
    output = None
    if len(operands) % 2:
        output = arrays.pop()
    labels = [_list_text(entry) for entry in lists[: len(arrays)]]
    text = ",".join(labels)
    return (text if output is None else f"{text}->{_list_text(output)}"), arrays


def _list_text(entry):
    text = ""
    for label in entry:
        if label is Ellipsis:
            text += "..."
        else:
            try:
                text += _letters[label if label >= 0 else len(_letters)]
            except IndexError as error:
                raise ValueError("subscript is not within the valid range [0, 52)") from error
            except TypeError as error:
                raise TypeError("For this input type lists must contain either int or Ellipsis") from error
    return text


@functools.lru_cache(maxsize=1024)
def parse(subscripts: str, ndims: tuple[int, ...]) -> tuple[tuple[str, ...], str]:
    """The labels of every operand and of the output, ellipses spelled out as unused letters."""
    text = subscripts.replace(" ", "")
    if text.count("-") > 1 or text.count(">") > 1 or ("-" in text or ">" in text) and text.count("->") != 1:
        raise ValueError("Subscripts can only contain one '->'.")
    left, arrow, output = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(ndims):
        if len(terms) < len(ndims):
            raise ValueError("more operands provided to einstein sum function than specified in the subscripts string")
        raise ValueError("fewer operands provided to einstein sum function than specified in the subscripts string")
    for character in left.replace(",", "").replace(".", "") + output.replace(".", ""):
        if character not in _letters:
            raise ValueError(
                f"invalid subscript '{character}' in einstein sum subscripts string, subscripts must be letters"
            )
    unused = [letter for letter in _letters if letter not in text]
    widest, spelled = 0, []
    for term, ndim in zip(terms, ndims):
        named = term.replace("...", "")
        if "." in named or term.count("...") > 1:
            raise ValueError("einstein sum subscripts string contains a '.' that is not part of an ellipsis ('...')")
        hidden = ndim - len(named)
        if "..." not in term and hidden or hidden < 0:
            if hidden > 0:
                raise ValueError(
                    "operand has more dimensions than subscripts given in einstein sum, but no '...' ellipsis "
                    "provided to broadcast the extra dimensions."
                )
            raise ValueError(f"einstein sum subscripts string contains too many subscripts for operand {len(spelled)}")
        widest = max(widest, hidden)
        spelled.append((term, hidden))
    ellipsis = "".join(unused[:widest])
    inputs = tuple([term.replace("...", ellipsis[widest - hidden :]) for term, hidden in spelled])
    if arrow:
        if "..." not in output and widest:
            raise ValueError("output has no ellipsis, but the operands have axes that an ellipsis stands for")
        result = output.replace("...", ellipsis)
    else:
        named = "".join(terms).replace(".", "")
        result = ellipsis + "".join(sorted(label for label in set(named) if named.count(label) == 1))
    for label in result:
        if result.count(label) > 1:
            raise ValueError(f"einstein sum subscripts string includes output subscript '{label}' multiple times")
        if all(label not in term for term in inputs):
            raise ValueError(
                f"einstein sum subscripts string included output subscript '{label}' which never appeared in an input"
            )
    return inputs, result


def _operands(operands):
    if not operands:
        raise ValueError(
            "must specify the einstein sum subscripts string and at least one operand, or at least one operand "
            "and its corresponding subscripts list"
        )
    if isinstance(operands[0], str):
        subscripts, arrays = operands[0], operands[1:]
    else:
        subscripts, arrays = _from_lists(operands)
    return subscripts, [as_array(a) for a in arrays]


@native
def einsum(*operands, out=None, optimize=False, **kwargs):
    """Einstein's summation: products of operands summed over the labels that the output lacks.

    Shapes: the extents of the output's labels. Dtypes: what all promote to, or `dtype`. Errors: ValueError for labels that do
    not suit the operands, an output with a label twice or an unknown one, extents that differ. Source: pairs of operands by
    matrix products where `optimize` asks for it.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.einsum("ij,j->i", [[1, 2], [3, 4]], [1, 1])
    array([3, 7])
    """
    subscripts, arrays = _operands(operands)
    dtype, order = kwargs.pop("dtype", None), str(kwargs.pop("order", "K")).upper()
    casting = kwargs.pop("casting", "safe")
    if kwargs:
        raise TypeError(f"Did not understand the following kwargs: {list(kwargs)}")
    if order not in ("C", "F", "A", "K"):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got '{order}')")
    inputs, output = parse(subscripts, tuple([a.ndim for a in arrays]))
    common = numpy.dtype(dtype) if dtype is not None else numpy.result_type(*[a.dtype for a in arrays])
    for a in arrays:
        if not numpy.can_cast(a.dtype, common, casting):
            raise TypeError(
                f"Iterator operand 0 dtype could not be cast from {a.dtype!r} to {common!r} according to the rule '{casting}'"
            )
    extents = _extents(inputs, output, arrays)
    given, single = arrays[0], len(arrays) == 1
    fortran = order in "AK" and all(a.flags.f_contiguous for a in arrays)
    is_view = single and out is None and set(inputs[0]) == set(output)  # which NumPy neither casts nor orders
    if not is_view:
        arrays = [a if a.dtype == common else a.astype(common) for a in arrays]
    terms = list(inputs)
    for k, (term, a) in enumerate(zip(terms, arrays)):
        terms[k], arrays[k] = _take_diagonals(term, a)
    if len(arrays) > 2:
        path = _plan(",".join(inputs) + "->" + output, inputs, extents, optimize)
    else:
        path = [tuple(range(len(arrays)))]
    for step in path:
        chosen = sorted(step, reverse=True)
        picked = [(terms.pop(k), arrays.pop(k)) for k in chosen]
        picked.reverse()
        term, a = picked[0]
        for position, (other, b) in enumerate(picked[1:], 1):
            needed = set(output).union(*terms, *[later for later, _ in picked[position + 1 :]])
            term, a = _contract_pair(term, a, other, b, needed)
        terms.append(term)
        arrays.append(a)
    if len(terms) > 1:
        raise RuntimeError(f"Invalid einsum_path is specified: {len(terms) - 1} more operands has to be contracted.")
    term, result = terms[0], arrays[0]
    term, result = _sum_out(term, result, set(output))
    if term != output or result is given:  # never the operand itself
        result = result.transpose([term.index(label) for label in output])
    wanted = tuple([extents[label] for label in output])
    if result.shape != wanted:
        result = core.broadcast_to(result, wanted)
        if not single:
            result = core.array(result)
    if out is not None:
        core.copyto(out, result, "unsafe" if casting == "unsafe" or optimize else "same_kind")
        return out
    if order == "A" or order == "K" and optimize:
        order = "F" if fortran else "K"
    if order in "CF" and result.ndim and (optimize or not is_view):
        result = core.asarray(result, None, order)
    return result if output else result[()]


def _extents(inputs, output, arrays):
    extents = {}
    for term, a in zip(inputs, arrays):
        for label, extent in zip(term, a.shape):
            known = extents.setdefault(label, extent)
            if known == 1:
                extents[label] = extent
            elif extent not in (1, known):
                _take_diagonals(term, a)  # refuses labels of two extents in one operand
                raise ValueError(_words_of_misfit(inputs, output, arrays))
    return extents


def _words_of_misfit(inputs, output, arrays):
    """NumPy's words: each operand's shape, and that in the order of all labels, those of the output first."""
    order = output + "".join(sorted({*"".join(inputs)} - {*output}))
    text = "operands could not be broadcast together with remapped shapes [original->remapped]: "
    for term, a in zip(inputs, arrays):
        moved = ",".join(str(a.shape[term.index(label)]) if label in term else "newaxis" for label in order)
        while moved.startswith("newaxis,"):
            moved = moved.removeprefix("newaxis,")
        text += str(a.shape).replace(" ", "") + f"->({moved}) "
    return text


def _plan(text, inputs, extents, optimize):
    if isinstance(optimize, (list, tuple)) and optimize and optimize[0] == "einsum_path":
        return [tuple(step) for step in optimize[1:]]
    strategy = optimize if isinstance(optimize, (str, tuple)) else "greedy"
    return _cached_plan(text, tuple([tuple([extents[label] for label in term]) for term in inputs]), strategy)


@functools.lru_cache(maxsize=256)
def _cached_plan(text, shapes, strategy):
    return tuple([tuple(step) for step in numpy.einsum_path(text, *_hollow(shapes), optimize=strategy)[0][1:]])


def _hollow(shapes):
    """Arrays of these shapes without elements of their own: NumPy's planner looks at shapes alone."""
    return [numpy.broadcast_to(numpy.empty(()), shape) for shape in shapes]


def einsum_path(*operands, optimize="greedy", einsum_call=False):
    """The order in which einsum would contract its operands, and a report on its cost.

    Shapes: only looked at. Dtypes: any. Errors: ValueError as `einsum`. Source: greedy or exhaustive search as in opt_einsum
    (Smith and Gray 2018).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.einsum_path("ij,jk", np.ones((2, 2)), np.ones((2, 2)))[0]
    ['einsum_path', (0, 1)]
    """
    subscripts, arrays = _operands(operands)
    return numpy.einsum_path(
        subscripts, *_hollow([a.shape for a in arrays]), optimize=optimize, einsum_call=einsum_call
    )


def _take_diagonals(term, a):
    """A view in which every label occurs once."""
    for label in term:
        while term.count(label) > 1:
            first = term.index(label)
            second = term.index(label, first + 1)
            if a.shape[first] != a.shape[second]:
                raise ValueError(
                    f"dimensions in single operand for collapsing index '{label}' don't match "
                    f"({a.shape[first]} != {a.shape[second]})"
                )
            shape, strides = list(a.shape), list(a.strides)
            strides[first] += strides[second]
            del shape[second], strides[second]
            a = core.as_strided(a, tuple(shape), tuple(strides))
            term = term[:second] + term[second + 1 :]
    return term, a


def _sum_out(term, a, keep):
    axes = tuple([k for k, label in enumerate(term) if label not in keep])
    if not axes:
        return term, a
    total = core.asarray(core.add.reduce(a, axes, a.dtype))
    return "".join(label for label in term if label in keep), total


def _contract_pair(term_a, a, term_b, b, needed):
    """One array for two, summed over the labels that are in both and not needed later."""
    term_a, a = _sum_out(term_a, a, needed | set(term_b))
    term_b, b = _sum_out(term_b, b, needed | set(term_a))
    shared = [label for label in term_a if label in term_b]
    summed = [label for label in shared if label not in needed]
    for label in summed:
        # A summed axis of extent 1 on one side only is broadcast: that side does not have it.
        if a.shape[term_a.index(label)] != b.shape[term_b.index(label)]:
            return _contract_elementwise(term_a, a, term_b, b, summed)
    batch = [label for label in shared if label in needed]
    free_a = [label for label in term_a if label not in term_b]
    free_b = [label for label in term_b if label not in term_a]
    if not summed or not (free_a or free_b) and (batch or len(summed) > 1) or a.dtype.char == "?":
        return _contract_elementwise(term_a, a, term_b, b, summed)
    left = a.transpose([term_a.index(label) for label in batch + free_a + summed])
    right = b.transpose([term_b.index(label) for label in batch + summed + free_b])
    nb, na = len(batch), len(free_a)
    depth = math.prod(left.shape[nb + na :])
    left_batch, right_batch = left.shape[:nb], right.shape[:nb]
    shape_a, shape_b = left.shape[nb : nb + na], right.shape[nb + len(summed) :]
    left = left.reshape(left_batch + (math.prod(shape_a), depth))
    right = right.reshape(right_batch + (depth, math.prod(shape_b)))
    product = matmul(left, right)
    shape = numpy.broadcast_shapes(left_batch, right_batch) + shape_a + shape_b
    return "".join(batch + free_a + free_b), core.asarray(product).reshape(shape)


def _contract_elementwise(term_a, a, term_b, b, summed):
    labels = term_a + "".join(label for label in term_b if label not in term_a)
    product = core.asarray(core.multiply(_spread(term_a, a, labels), _spread(term_b, b, labels)))
    return _sum_out(labels, product, set(labels) - set(summed))


def _spread(term, a, labels):
    order = [label for label in labels if label in term]
    a = a.transpose([term.index(label) for label in order])
    return a[tuple([slice(None) if label in term else None for label in labels])]
