# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc
from numpy import __array_api_version__ as __array_api_version__
from numpy import asmatrix as asmatrix
from numpy import busday_count as busday_count
from numpy import busday_offset as busday_offset
from numpy import char as char
from numpy import complex256 as complex256
from numpy import core as core
from numpy import ctypeslib as ctypeslib
from numpy import datetime_as_string as datetime_as_string
from numpy import datetime_data as datetime_data
from numpy import f2py as f2py
from numpy import flatiter as flatiter
from numpy import float128 as float128
from numpy import is_busday as is_busday
from numpy import isnat as isnat
from numpy import ma as ma
from numpy import matrix as matrix
from numpy import memmap as memmap
from numpy import nditer as nditer
from numpy import nested_iters as nested_iters
from numpy import polynomial as polynomial
from numpy import rec as rec
from numpy import recarray as recarray
from numpy import strings as strings
from tessera._core import ndarray as ndarray
from tessera.numpy import emath as emath
from tessera.numpy import fft as fft
from tessera.numpy import lib as lib
from tessera.numpy import linalg as linalg
from tessera.numpy import random as random
from tessera.numpy import testing as testing
from tessera.numpy import typing as typing
from tessera.numpy.calculus import cross as cross
from tessera.numpy.calculus import diff as diff
from tessera.numpy.calculus import ediff1d as ediff1d
from tessera.numpy.calculus import gradient as gradient
from tessera.numpy.calculus import interp as interp
from tessera.numpy.calculus import trapezoid as trapezoid
from tessera.numpy.calculus import unwrap as unwrap
from tessera.numpy.conversion import array as array
from tessera.numpy.conversion import asanyarray as asanyarray
from tessera.numpy.conversion import asarray as asarray
from tessera.numpy.conversion import asarray_chkfinite as asarray_chkfinite
from tessera.numpy.conversion import ascontiguousarray as ascontiguousarray
from tessera.numpy.conversion import asfortranarray as asfortranarray
from tessera.numpy.conversion import astype as astype
from tessera.numpy.conversion import copy as copy
from tessera.numpy.conversion import from_dlpack as from_dlpack
from tessera.numpy.conversion import frombuffer as frombuffer
from tessera.numpy.conversion import fromfunction as fromfunction
from tessera.numpy.conversion import fromiter as fromiter
from tessera.numpy.conversion import fromstring as fromstring
from tessera.numpy.conversion import require as require
from tessera.numpy.creation import empty as empty
from tessera.numpy.creation import empty_like as empty_like
from tessera.numpy.creation import eye as eye
from tessera.numpy.creation import full as full
from tessera.numpy.creation import full_like as full_like
from tessera.numpy.creation import identity as identity
from tessera.numpy.creation import ones as ones
from tessera.numpy.creation import ones_like as ones_like
from tessera.numpy.creation import zeros as zeros
from tessera.numpy.creation import zeros_like as zeros_like
from tessera.numpy.einstein import einsum as einsum
from tessera.numpy.einstein import einsum_path as einsum_path
from tessera.numpy.elementwise import angle as angle
from tessera.numpy.elementwise import around as around
from tessera.numpy.elementwise import clip as clip
from tessera.numpy.elementwise import fix as fix
from tessera.numpy.elementwise import i0 as i0
from tessera.numpy.elementwise import imag as imag
from tessera.numpy.elementwise import nan_to_num as nan_to_num
from tessera.numpy.elementwise import packbits as packbits
from tessera.numpy.elementwise import real as real
from tessera.numpy.elementwise import real_if_close as real_if_close
from tessera.numpy.elementwise import round as round
from tessera.numpy.elementwise import sinc as sinc
from tessera.numpy.elementwise import unpackbits as unpackbits
from tessera.numpy.error_state import errstate as errstate
from tessera.numpy.error_state import seterr as seterr
from tessera.numpy.functional import apply_along_axis as apply_along_axis
from tessera.numpy.functional import apply_over_axes as apply_over_axes
from tessera.numpy.functional import frompyfunc as frompyfunc
from tessera.numpy.functional import vectorize as vectorize
from tessera.numpy.grids import broadcast as broadcast
from tessera.numpy.grids import c_ as c_
from tessera.numpy.grids import indices as indices
from tessera.numpy.grids import ix_ as ix_
from tessera.numpy.grids import meshgrid as meshgrid
from tessera.numpy.grids import mgrid as mgrid
from tessera.numpy.grids import ndenumerate as ndenumerate
from tessera.numpy.grids import ogrid as ogrid
from tessera.numpy.grids import r_ as r_
from tessera.numpy.histograms import bincount as bincount
from tessera.numpy.histograms import histogram as histogram
from tessera.numpy.histograms import histogram2d as histogram2d
from tessera.numpy.histograms import histogram_bin_edges as histogram_bin_edges
from tessera.numpy.histograms import histogramdd as histogramdd
from tessera.numpy.host_names import False_ as False_
from tessera.numpy.host_names import ScalarType as ScalarType
from tessera.numpy.host_names import True_ as True_
from tessera.numpy.host_names import base_repr as base_repr
from tessera.numpy.host_names import binary_repr as binary_repr
from tessera.numpy.host_names import bool as bool
from tessera.numpy.host_names import bool_ as bool_
from tessera.numpy.host_names import broadcast_shapes as broadcast_shapes
from tessera.numpy.host_names import busdaycalendar as busdaycalendar
from tessera.numpy.host_names import byte as byte
from tessera.numpy.host_names import bytes_ as bytes_
from tessera.numpy.host_names import can_cast as can_cast
from tessera.numpy.host_names import cdouble as cdouble
from tessera.numpy.host_names import character as character
from tessera.numpy.host_names import clongdouble as clongdouble
from tessera.numpy.host_names import common_type as common_type
from tessera.numpy.host_names import complex128 as complex128
from tessera.numpy.host_names import complex64 as complex64
from tessera.numpy.host_names import complexfloating as complexfloating
from tessera.numpy.host_names import csingle as csingle
from tessera.numpy.host_names import datetime64 as datetime64
from tessera.numpy.host_names import double as double
from tessera.numpy.host_names import dtype as dtype
from tessera.numpy.host_names import dtypes as dtypes
from tessera.numpy.host_names import e as e
from tessera.numpy.host_names import euler_gamma as euler_gamma
from tessera.numpy.host_names import exceptions as exceptions
from tessera.numpy.host_names import finfo as finfo
from tessera.numpy.host_names import flexible as flexible
from tessera.numpy.host_names import float16 as float16
from tessera.numpy.host_names import float32 as float32
from tessera.numpy.host_names import float64 as float64
from tessera.numpy.host_names import floating as floating
from tessera.numpy.host_names import format_float_positional as format_float_positional
from tessera.numpy.host_names import format_float_scientific as format_float_scientific
from tessera.numpy.host_names import generic as generic
from tessera.numpy.host_names import get_include as get_include
from tessera.numpy.host_names import get_printoptions as get_printoptions
from tessera.numpy.host_names import getbufsize as getbufsize
from tessera.numpy.host_names import geterr as geterr
from tessera.numpy.host_names import geterrcall as geterrcall
from tessera.numpy.host_names import half as half
from tessera.numpy.host_names import iinfo as iinfo
from tessera.numpy.host_names import index_exp as index_exp
from tessera.numpy.host_names import inexact as inexact
from tessera.numpy.host_names import inf as inf
from tessera.numpy.host_names import info as info
from tessera.numpy.host_names import int16 as int16
from tessera.numpy.host_names import int32 as int32
from tessera.numpy.host_names import int64 as int64
from tessera.numpy.host_names import int8 as int8
from tessera.numpy.host_names import int_ as int_
from tessera.numpy.host_names import intc as intc
from tessera.numpy.host_names import integer as integer
from tessera.numpy.host_names import intp as intp
from tessera.numpy.host_names import isdtype as isdtype
from tessera.numpy.host_names import isscalar as isscalar
from tessera.numpy.host_names import issubdtype as issubdtype
from tessera.numpy.host_names import iterable as iterable
from tessera.numpy.host_names import little_endian as little_endian
from tessera.numpy.host_names import long as long
from tessera.numpy.host_names import longdouble as longdouble
from tessera.numpy.host_names import longlong as longlong
from tessera.numpy.host_names import min_scalar_type as min_scalar_type
from tessera.numpy.host_names import mintypecode as mintypecode
from tessera.numpy.host_names import nan as nan
from tessera.numpy.host_names import ndindex as ndindex
from tessera.numpy.host_names import newaxis as newaxis
from tessera.numpy.host_names import number as number
from tessera.numpy.host_names import object_ as object_
from tessera.numpy.host_names import pi as pi
from tessera.numpy.host_names import printoptions as printoptions
from tessera.numpy.host_names import promote_types as promote_types
from tessera.numpy.host_names import record as record
from tessera.numpy.host_names import result_type as result_type
from tessera.numpy.host_names import s_ as s_
from tessera.numpy.host_names import sctypeDict as sctypeDict
from tessera.numpy.host_names import set_printoptions as set_printoptions
from tessera.numpy.host_names import setbufsize as setbufsize
from tessera.numpy.host_names import seterrcall as seterrcall
from tessera.numpy.host_names import short as short
from tessera.numpy.host_names import show_config as show_config
from tessera.numpy.host_names import show_runtime as show_runtime
from tessera.numpy.host_names import signedinteger as signedinteger
from tessera.numpy.host_names import single as single
from tessera.numpy.host_names import str_ as str_
from tessera.numpy.host_names import timedelta64 as timedelta64
from tessera.numpy.host_names import typecodes as typecodes
from tessera.numpy.host_names import typename as typename
from tessera.numpy.host_names import ubyte as ubyte
from tessera.numpy.host_names import uint as uint
from tessera.numpy.host_names import uint16 as uint16
from tessera.numpy.host_names import uint32 as uint32
from tessera.numpy.host_names import uint64 as uint64
from tessera.numpy.host_names import uint8 as uint8
from tessera.numpy.host_names import uintc as uintc
from tessera.numpy.host_names import uintp as uintp
from tessera.numpy.host_names import ulong as ulong
from tessera.numpy.host_names import ulonglong as ulonglong
from tessera.numpy.host_names import unsignedinteger as unsignedinteger
from tessera.numpy.host_names import ushort as ushort
from tessera.numpy.host_names import void as void
from tessera.numpy.indexing import argwhere as argwhere
from tessera.numpy.indexing import choose as choose
from tessera.numpy.indexing import compress as compress
from tessera.numpy.indexing import count_nonzero as count_nonzero
from tessera.numpy.indexing import diag_indices as diag_indices
from tessera.numpy.indexing import diag_indices_from as diag_indices_from
from tessera.numpy.indexing import diagonal as diagonal
from tessera.numpy.indexing import extract as extract
from tessera.numpy.indexing import fill_diagonal as fill_diagonal
from tessera.numpy.indexing import flatnonzero as flatnonzero
from tessera.numpy.indexing import nonzero as nonzero
from tessera.numpy.indexing import piecewise as piecewise
from tessera.numpy.indexing import place as place
from tessera.numpy.indexing import put as put
from tessera.numpy.indexing import put_along_axis as put_along_axis
from tessera.numpy.indexing import putmask as putmask
from tessera.numpy.indexing import ravel_multi_index as ravel_multi_index
from tessera.numpy.indexing import select as select
from tessera.numpy.indexing import take as take
from tessera.numpy.indexing import take_along_axis as take_along_axis
from tessera.numpy.indexing import unravel_index as unravel_index
from tessera.numpy.indexing import where as where
from tessera.numpy.io import fromfile as fromfile
from tessera.numpy.io import fromregex as fromregex
from tessera.numpy.io import genfromtxt as genfromtxt
from tessera.numpy.io import load as load
from tessera.numpy.io import loadtxt as loadtxt
from tessera.numpy.io import save as save
from tessera.numpy.io import savetxt as savetxt
from tessera.numpy.io import savez as savez
from tessera.numpy.io import savez_compressed as savez_compressed
from tessera.numpy.joining import append as append
from tessera.numpy.joining import array_split as array_split
from tessera.numpy.joining import block as block
from tessera.numpy.joining import column_stack as column_stack
from tessera.numpy.joining import concat as concat
from tessera.numpy.joining import concatenate as concatenate
from tessera.numpy.joining import delete as delete
from tessera.numpy.joining import dsplit as dsplit
from tessera.numpy.joining import dstack as dstack
from tessera.numpy.joining import hsplit as hsplit
from tessera.numpy.joining import hstack as hstack
from tessera.numpy.joining import insert as insert
from tessera.numpy.joining import row_stack as row_stack
from tessera.numpy.joining import split as split
from tessera.numpy.joining import stack as stack
from tessera.numpy.joining import trim_zeros as trim_zeros
from tessera.numpy.joining import unstack as unstack
from tessera.numpy.joining import vsplit as vsplit
from tessera.numpy.joining import vstack as vstack
from tessera.numpy.logic import allclose as allclose
from tessera.numpy.logic import array_equal as array_equal
from tessera.numpy.logic import array_equiv as array_equiv
from tessera.numpy.logic import isclose as isclose
from tessera.numpy.logic import iscomplex as iscomplex
from tessera.numpy.logic import iscomplexobj as iscomplexobj
from tessera.numpy.logic import isfortran as isfortran
from tessera.numpy.logic import isneginf as isneginf
from tessera.numpy.logic import isposinf as isposinf
from tessera.numpy.logic import isreal as isreal
from tessera.numpy.logic import isrealobj as isrealobj
from tessera.numpy.logic import may_share_memory as may_share_memory
from tessera.numpy.logic import shares_memory as shares_memory
from tessera.numpy.manipulation import atleast_1d as atleast_1d
from tessera.numpy.manipulation import atleast_2d as atleast_2d
from tessera.numpy.manipulation import atleast_3d as atleast_3d
from tessera.numpy.manipulation import broadcast_arrays as broadcast_arrays
from tessera.numpy.manipulation import broadcast_to as broadcast_to
from tessera.numpy.manipulation import copyto as copyto
from tessera.numpy.manipulation import expand_dims as expand_dims
from tessera.numpy.manipulation import flip as flip
from tessera.numpy.manipulation import fliplr as fliplr
from tessera.numpy.manipulation import flipud as flipud
from tessera.numpy.manipulation import matrix_transpose as matrix_transpose
from tessera.numpy.manipulation import moveaxis as moveaxis
from tessera.numpy.manipulation import ndim as ndim
from tessera.numpy.manipulation import permute_dims as permute_dims
from tessera.numpy.manipulation import ravel as ravel
from tessera.numpy.manipulation import repeat as repeat
from tessera.numpy.manipulation import reshape as reshape
from tessera.numpy.manipulation import resize as resize
from tessera.numpy.manipulation import roll as roll
from tessera.numpy.manipulation import rollaxis as rollaxis
from tessera.numpy.manipulation import rot90 as rot90
from tessera.numpy.manipulation import shape as shape
from tessera.numpy.manipulation import size as size
from tessera.numpy.manipulation import squeeze as squeeze
from tessera.numpy.manipulation import swapaxes as swapaxes
from tessera.numpy.manipulation import tile as tile
from tessera.numpy.manipulation import transpose as transpose
from tessera.numpy.matrices import bmat as bmat
from tessera.numpy.matrices import diag as diag
from tessera.numpy.matrices import diagflat as diagflat
from tessera.numpy.matrices import mask_indices as mask_indices
from tessera.numpy.matrices import trace as trace
from tessera.numpy.matrices import tri as tri
from tessera.numpy.matrices import tril as tril
from tessera.numpy.matrices import tril_indices as tril_indices
from tessera.numpy.matrices import tril_indices_from as tril_indices_from
from tessera.numpy.matrices import triu as triu
from tessera.numpy.matrices import triu_indices as triu_indices
from tessera.numpy.matrices import triu_indices_from as triu_indices_from
from tessera.numpy.matrices import vander as vander
from tessera.numpy.nan_reductions import nanargmax as nanargmax
from tessera.numpy.nan_reductions import nanargmin as nanargmin
from tessera.numpy.nan_reductions import nancumprod as nancumprod
from tessera.numpy.nan_reductions import nancumsum as nancumsum
from tessera.numpy.nan_reductions import nanmax as nanmax
from tessera.numpy.nan_reductions import nanmean as nanmean
from tessera.numpy.nan_reductions import nanmedian as nanmedian
from tessera.numpy.nan_reductions import nanmin as nanmin
from tessera.numpy.nan_reductions import nanpercentile as nanpercentile
from tessera.numpy.nan_reductions import nanprod as nanprod
from tessera.numpy.nan_reductions import nanquantile as nanquantile
from tessera.numpy.nan_reductions import nanstd as nanstd
from tessera.numpy.nan_reductions import nansum as nansum
from tessera.numpy.nan_reductions import nanvar as nanvar
from tessera.numpy.order_statistics import median as median
from tessera.numpy.order_statistics import percentile as percentile
from tessera.numpy.order_statistics import quantile as quantile
from tessera.numpy.padding import pad as pad
from tessera.numpy.polynomials import poly as poly
from tessera.numpy.polynomials import poly1d as poly1d
from tessera.numpy.polynomials import polyadd as polyadd
from tessera.numpy.polynomials import polyder as polyder
from tessera.numpy.polynomials import polydiv as polydiv
from tessera.numpy.polynomials import polyfit as polyfit
from tessera.numpy.polynomials import polyint as polyint
from tessera.numpy.polynomials import polymul as polymul
from tessera.numpy.polynomials import polysub as polysub
from tessera.numpy.polynomials import polyval as polyval
from tessera.numpy.polynomials import roots as roots
from tessera.numpy.printing import array2string as array2string
from tessera.numpy.printing import array_repr as array_repr
from tessera.numpy.printing import array_str as array_str
from tessera.numpy.products import dot as dot
from tessera.numpy.products import inner as inner
from tessera.numpy.products import kron as kron
from tessera.numpy.products import matmul as matmul
from tessera.numpy.products import matvec as matvec
from tessera.numpy.products import outer as outer
from tessera.numpy.products import tensordot as tensordot
from tessera.numpy.products import vdot as vdot
from tessera.numpy.products import vecdot as vecdot
from tessera.numpy.products import vecmat as vecmat
from tessera.numpy.ranges import arange as arange
from tessera.numpy.ranges import geomspace as geomspace
from tessera.numpy.ranges import linspace as linspace
from tessera.numpy.ranges import logspace as logspace
from tessera.numpy.reductions import all as all
from tessera.numpy.reductions import amax as amax
from tessera.numpy.reductions import amin as amin
from tessera.numpy.reductions import any as any
from tessera.numpy.reductions import argmax as argmax
from tessera.numpy.reductions import argmin as argmin
from tessera.numpy.reductions import cumprod as cumprod
from tessera.numpy.reductions import cumsum as cumsum
from tessera.numpy.reductions import cumulative_prod as cumulative_prod
from tessera.numpy.reductions import cumulative_sum as cumulative_sum
from tessera.numpy.reductions import max as max
from tessera.numpy.reductions import mean as mean
from tessera.numpy.reductions import min as min
from tessera.numpy.reductions import prod as prod
from tessera.numpy.reductions import ptp as ptp
from tessera.numpy.reductions import std as std
from tessera.numpy.reductions import sum as sum
from tessera.numpy.reductions import var as var
from tessera.numpy.sets import intersect1d as intersect1d
from tessera.numpy.sets import isin as isin
from tessera.numpy.sets import setdiff1d as setdiff1d
from tessera.numpy.sets import setxor1d as setxor1d
from tessera.numpy.sets import union1d as union1d
from tessera.numpy.sets import unique as unique
from tessera.numpy.sets import unique_all as unique_all
from tessera.numpy.sets import unique_counts as unique_counts
from tessera.numpy.sets import unique_inverse as unique_inverse
from tessera.numpy.sets import unique_values as unique_values
from tessera.numpy.sorting import argpartition as argpartition
from tessera.numpy.sorting import argsort as argsort
from tessera.numpy.sorting import digitize as digitize
from tessera.numpy.sorting import lexsort as lexsort
from tessera.numpy.sorting import partition as partition
from tessera.numpy.sorting import searchsorted as searchsorted
from tessera.numpy.sorting import sort as sort
from tessera.numpy.sorting import sort_complex as sort_complex
from tessera.numpy.statistics import average as average
from tessera.numpy.statistics import convolve as convolve
from tessera.numpy.statistics import corrcoef as corrcoef
from tessera.numpy.statistics import correlate as correlate
from tessera.numpy.statistics import cov as cov
from tessera.numpy.ufuncs import abs as abs
from tessera.numpy.ufuncs import absolute as absolute
from tessera.numpy.ufuncs import acos as acos
from tessera.numpy.ufuncs import acosh as acosh
from tessera.numpy.ufuncs import add as add
from tessera.numpy.ufuncs import arccos as arccos
from tessera.numpy.ufuncs import arccosh as arccosh
from tessera.numpy.ufuncs import arcsin as arcsin
from tessera.numpy.ufuncs import arcsinh as arcsinh
from tessera.numpy.ufuncs import arctan as arctan
from tessera.numpy.ufuncs import arctan2 as arctan2
from tessera.numpy.ufuncs import arctanh as arctanh
from tessera.numpy.ufuncs import asin as asin
from tessera.numpy.ufuncs import asinh as asinh
from tessera.numpy.ufuncs import atan as atan
from tessera.numpy.ufuncs import atan2 as atan2
from tessera.numpy.ufuncs import atanh as atanh
from tessera.numpy.ufuncs import bitwise_and as bitwise_and
from tessera.numpy.ufuncs import bitwise_count as bitwise_count
from tessera.numpy.ufuncs import bitwise_invert as bitwise_invert
from tessera.numpy.ufuncs import bitwise_left_shift as bitwise_left_shift
from tessera.numpy.ufuncs import bitwise_not as bitwise_not
from tessera.numpy.ufuncs import bitwise_or as bitwise_or
from tessera.numpy.ufuncs import bitwise_right_shift as bitwise_right_shift
from tessera.numpy.ufuncs import bitwise_xor as bitwise_xor
from tessera.numpy.ufuncs import cbrt as cbrt
from tessera.numpy.ufuncs import ceil as ceil
from tessera.numpy.ufuncs import conj as conj
from tessera.numpy.ufuncs import conjugate as conjugate
from tessera.numpy.ufuncs import copysign as copysign
from tessera.numpy.ufuncs import cos as cos
from tessera.numpy.ufuncs import cosh as cosh
from tessera.numpy.ufuncs import deg2rad as deg2rad
from tessera.numpy.ufuncs import degrees as degrees
from tessera.numpy.ufuncs import divide as divide
from tessera.numpy.ufuncs import divmod as divmod
from tessera.numpy.ufuncs import equal as equal
from tessera.numpy.ufuncs import exp as exp
from tessera.numpy.ufuncs import exp2 as exp2
from tessera.numpy.ufuncs import expm1 as expm1
from tessera.numpy.ufuncs import fabs as fabs
from tessera.numpy.ufuncs import float_power as float_power
from tessera.numpy.ufuncs import floor as floor
from tessera.numpy.ufuncs import floor_divide as floor_divide
from tessera.numpy.ufuncs import fmax as fmax
from tessera.numpy.ufuncs import fmin as fmin
from tessera.numpy.ufuncs import fmod as fmod
from tessera.numpy.ufuncs import frexp as frexp
from tessera.numpy.ufuncs import gcd as gcd
from tessera.numpy.ufuncs import greater as greater
from tessera.numpy.ufuncs import greater_equal as greater_equal
from tessera.numpy.ufuncs import heaviside as heaviside
from tessera.numpy.ufuncs import hypot as hypot
from tessera.numpy.ufuncs import invert as invert
from tessera.numpy.ufuncs import isfinite as isfinite
from tessera.numpy.ufuncs import isinf as isinf
from tessera.numpy.ufuncs import isnan as isnan
from tessera.numpy.ufuncs import lcm as lcm
from tessera.numpy.ufuncs import ldexp as ldexp
from tessera.numpy.ufuncs import left_shift as left_shift
from tessera.numpy.ufuncs import less as less
from tessera.numpy.ufuncs import less_equal as less_equal
from tessera.numpy.ufuncs import log as log
from tessera.numpy.ufuncs import log10 as log10
from tessera.numpy.ufuncs import log1p as log1p
from tessera.numpy.ufuncs import log2 as log2
from tessera.numpy.ufuncs import logaddexp as logaddexp
from tessera.numpy.ufuncs import logaddexp2 as logaddexp2
from tessera.numpy.ufuncs import logical_and as logical_and
from tessera.numpy.ufuncs import logical_not as logical_not
from tessera.numpy.ufuncs import logical_or as logical_or
from tessera.numpy.ufuncs import logical_xor as logical_xor
from tessera.numpy.ufuncs import maximum as maximum
from tessera.numpy.ufuncs import minimum as minimum
from tessera.numpy.ufuncs import mod as mod
from tessera.numpy.ufuncs import modf as modf
from tessera.numpy.ufuncs import multiply as multiply
from tessera.numpy.ufuncs import negative as negative
from tessera.numpy.ufuncs import nextafter as nextafter
from tessera.numpy.ufuncs import not_equal as not_equal
from tessera.numpy.ufuncs import positive as positive
from tessera.numpy.ufuncs import pow as pow
from tessera.numpy.ufuncs import power as power
from tessera.numpy.ufuncs import rad2deg as rad2deg
from tessera.numpy.ufuncs import radians as radians
from tessera.numpy.ufuncs import reciprocal as reciprocal
from tessera.numpy.ufuncs import remainder as remainder
from tessera.numpy.ufuncs import right_shift as right_shift
from tessera.numpy.ufuncs import rint as rint
from tessera.numpy.ufuncs import sign as sign
from tessera.numpy.ufuncs import signbit as signbit
from tessera.numpy.ufuncs import sin as sin
from tessera.numpy.ufuncs import sinh as sinh
from tessera.numpy.ufuncs import spacing as spacing
from tessera.numpy.ufuncs import sqrt as sqrt
from tessera.numpy.ufuncs import square as square
from tessera.numpy.ufuncs import subtract as subtract
from tessera.numpy.ufuncs import tan as tan
from tessera.numpy.ufuncs import tanh as tanh
from tessera.numpy.ufuncs import true_divide as true_divide
from tessera.numpy.ufuncs import trunc as trunc
from tessera.numpy.ufuncs import ufunc as ufunc
from tessera.numpy.windows import bartlett as bartlett
from tessera.numpy.windows import blackman as blackman
from tessera.numpy.windows import hamming as hamming
from tessera.numpy.windows import hanning as hanning
from tessera.numpy.windows import kaiser as kaiser

class __array_namespace_info__:
    """Capabilities, dtypes and devices, as the array API standard names them."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def capabilities(self) -> NDArray[Any]:
        """What the standard leaves to the implementation."""
    def default_device(self) -> NDArray[Any]:
        """Where new arrays are."""
    def default_dtypes(self, *, device: Any = ...) -> NDArray[Any]:
        """The dtypes of arrays made without one."""
    def devices(self) -> list[Any]:
        """All devices."""
    def dtypes(self, *, device: Any = ..., kind: str | None = ...) -> NDArray[Any]:
        """The dtypes of a kind."""
__version__: str
def asnumpy(array: ArrayLike) -> numpy.ndarray[Any, Any]:
    """The NumPy array that shares `array`'s memory on the host, copied there if need be; anything else as `numpy.asarray`
    reads it."""
def get_array_module(*args: Any) -> ModuleType:
    """CuPy's question which library the arrays are from: this package, or NumPy when none of them is a tessera array."""
def in1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = ..., invert: bool = ..., *, kind: str | None = ...) -> Any:
    """Whether each element of the flattened first array is in the second."""
def test(label: str = ..., verbose: SupportsIndex = ..., extra_argv: Any = ..., doctests: bool = ..., coverage: bool = ..., durations: SupportsIndex = ..., tests: Any = ...) -> bool:
    """Pytest test runner."""

__all__ = [
    "False_",
    "ScalarType",
    "True_",
    "__array_namespace_info__",
    "__version__",
    "abs",
    "absolute",
    "acos",
    "acosh",
    "add",
    "all",
    "allclose",
    "amax",
    "amin",
    "angle",
    "any",
    "append",
    "apply_along_axis",
    "apply_over_axes",
    "arange",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "argmax",
    "argmin",
    "argpartition",
    "argsort",
    "argwhere",
    "around",
    "array",
    "array2string",
    "array_equal",
    "array_equiv",
    "array_repr",
    "array_split",
    "array_str",
    "asanyarray",
    "asarray",
    "asarray_chkfinite",
    "ascontiguousarray",
    "asfortranarray",
    "asin",
    "asinh",
    "asmatrix",
    "astype",
    "atan",
    "atan2",
    "atanh",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "average",
    "bartlett",
    "base_repr",
    "binary_repr",
    "bincount",
    "bitwise_and",
    "bitwise_count",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "blackman",
    "block",
    "bmat",
    "bool",
    "bool_",
    "broadcast",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "busday_count",
    "busday_offset",
    "busdaycalendar",
    "byte",
    "bytes_",
    "c_",
    "can_cast",
    "cbrt",
    "cdouble",
    "ceil",
    "char",
    "character",
    "choose",
    "clip",
    "clongdouble",
    "column_stack",
    "common_type",
    "complex128",
    "complex256",
    "complex64",
    "complexfloating",
    "compress",
    "concat",
    "concatenate",
    "conj",
    "conjugate",
    "convolve",
    "copy",
    "copysign",
    "copyto",
    "core",
    "corrcoef",
    "correlate",
    "cos",
    "cosh",
    "count_nonzero",
    "cov",
    "cross",
    "csingle",
    "ctypeslib",
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "datetime64",
    "datetime_as_string",
    "datetime_data",
    "deg2rad",
    "degrees",
    "delete",
    "diag",
    "diag_indices",
    "diag_indices_from",
    "diagflat",
    "diagonal",
    "diff",
    "digitize",
    "divide",
    "divmod",
    "dot",
    "double",
    "dsplit",
    "dstack",
    "dtype",
    "dtypes",
    "e",
    "ediff1d",
    "einsum",
    "einsum_path",
    "emath",
    "empty",
    "empty_like",
    "equal",
    "errstate",
    "euler_gamma",
    "exceptions",
    "exp",
    "exp2",
    "expand_dims",
    "expm1",
    "extract",
    "eye",
    "f2py",
    "fabs",
    "fft",
    "fill_diagonal",
    "finfo",
    "fix",
    "flatiter",
    "flatnonzero",
    "flexible",
    "flip",
    "fliplr",
    "flipud",
    "float128",
    "float16",
    "float32",
    "float64",
    "float_power",
    "floating",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "format_float_positional",
    "format_float_scientific",
    "frexp",
    "from_dlpack",
    "frombuffer",
    "fromfile",
    "fromfunction",
    "fromiter",
    "frompyfunc",
    "fromregex",
    "fromstring",
    "full",
    "full_like",
    "gcd",
    "generic",
    "genfromtxt",
    "geomspace",
    "get_include",
    "get_printoptions",
    "getbufsize",
    "geterr",
    "geterrcall",
    "gradient",
    "greater",
    "greater_equal",
    "half",
    "hamming",
    "hanning",
    "heaviside",
    "histogram",
    "histogram2d",
    "histogram_bin_edges",
    "histogramdd",
    "hsplit",
    "hstack",
    "hypot",
    "i0",
    "identity",
    "iinfo",
    "imag",
    "index_exp",
    "indices",
    "inexact",
    "inf",
    "info",
    "inner",
    "insert",
    "int16",
    "int32",
    "int64",
    "int8",
    "int_",
    "intc",
    "integer",
    "interp",
    "intersect1d",
    "intp",
    "invert",
    "is_busday",
    "isclose",
    "iscomplex",
    "iscomplexobj",
    "isdtype",
    "isfinite",
    "isfortran",
    "isin",
    "isinf",
    "isnan",
    "isnat",
    "isneginf",
    "isposinf",
    "isreal",
    "isrealobj",
    "isscalar",
    "issubdtype",
    "iterable",
    "ix_",
    "kaiser",
    "kron",
    "lcm",
    "ldexp",
    "left_shift",
    "less",
    "less_equal",
    "lexsort",
    "lib",
    "linalg",
    "linspace",
    "little_endian",
    "load",
    "loadtxt",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logspace",
    "long",
    "longdouble",
    "longlong",
    "ma",
    "mask_indices",
    "matmul",
    "matrix",
    "matrix_transpose",
    "matvec",
    "max",
    "maximum",
    "may_share_memory",
    "mean",
    "median",
    "memmap",
    "meshgrid",
    "mgrid",
    "min",
    "min_scalar_type",
    "minimum",
    "mintypecode",
    "mod",
    "modf",
    "moveaxis",
    "multiply",
    "nan",
    "nan_to_num",
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmedian",
    "nanmin",
    "nanpercentile",
    "nanprod",
    "nanquantile",
    "nanstd",
    "nansum",
    "nanvar",
    "ndarray",
    "ndenumerate",
    "ndim",
    "ndindex",
    "nditer",
    "negative",
    "nested_iters",
    "newaxis",
    "nextafter",
    "nonzero",
    "not_equal",
    "number",
    "object_",
    "ogrid",
    "ones",
    "ones_like",
    "outer",
    "packbits",
    "pad",
    "partition",
    "percentile",
    "permute_dims",
    "pi",
    "piecewise",
    "place",
    "poly",
    "poly1d",
    "polyadd",
    "polyder",
    "polydiv",
    "polyfit",
    "polyint",
    "polymul",
    "polynomial",
    "polysub",
    "polyval",
    "positive",
    "pow",
    "power",
    "printoptions",
    "prod",
    "promote_types",
    "ptp",
    "put",
    "put_along_axis",
    "putmask",
    "quantile",
    "r_",
    "rad2deg",
    "radians",
    "random",
    "ravel",
    "ravel_multi_index",
    "real",
    "real_if_close",
    "rec",
    "recarray",
    "reciprocal",
    "record",
    "remainder",
    "repeat",
    "require",
    "reshape",
    "resize",
    "result_type",
    "right_shift",
    "rint",
    "roll",
    "rollaxis",
    "roots",
    "rot90",
    "round",
    "row_stack",
    "s_",
    "save",
    "savetxt",
    "savez",
    "savez_compressed",
    "sctypeDict",
    "searchsorted",
    "select",
    "set_printoptions",
    "setbufsize",
    "setdiff1d",
    "seterr",
    "seterrcall",
    "setxor1d",
    "shape",
    "shares_memory",
    "short",
    "show_config",
    "show_runtime",
    "sign",
    "signbit",
    "signedinteger",
    "sin",
    "sinc",
    "single",
    "sinh",
    "size",
    "sort",
    "sort_complex",
    "spacing",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "str_",
    "strings",
    "subtract",
    "sum",
    "swapaxes",
    "take",
    "take_along_axis",
    "tan",
    "tanh",
    "tensordot",
    "test",
    "testing",
    "tile",
    "timedelta64",
    "trace",
    "transpose",
    "trapezoid",
    "tri",
    "tril",
    "tril_indices",
    "tril_indices_from",
    "trim_zeros",
    "triu",
    "triu_indices",
    "triu_indices_from",
    "true_divide",
    "trunc",
    "typecodes",
    "typename",
    "typing",
    "ubyte",
    "ufunc",
    "uint",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "uintc",
    "uintp",
    "ulong",
    "ulonglong",
    "union1d",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "unpackbits",
    "unravel_index",
    "unsignedinteger",
    "unstack",
    "unwrap",
    "ushort",
    "vander",
    "var",
    "vdot",
    "vecdot",
    "vecmat",
    "vectorize",
    "void",
    "vsplit",
    "vstack",
    "where",
    "zeros",
    "zeros_like",
]
