#!/usr/bin/env python3
"""Runs Numba's own tests, read from the installed package, with tessera's functions in Numba's place, and counts what passes by file.

    tools/numba_tests.py                        the files below: loops, arrays, mathematics, ufuncs, stencils, parallel loops
    tools/numba_tests.py test_tuples ...        some files
    tools/numba_tests.py --failures FILE ...    and writes why tests failed

Numba is installed: its types and its tests' helpers stay. What tests of its compiler's inside need is left out (LEFT_OUT, with reasons).
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import json
import os
import sys
import tempfile
from pathlib import Path

import numba.tests
import numpy_tests

INSTALLED = Path(numba.tests.__file__).parent
_IR = "Numba's intermediate representations and passes"
_CLASSES = "classes and typed containers"
_OBJECTS = "Numba's object mode"
# Files by the part of the language that they test.
AREAS = {
    "functions": "array_exprs array_methods array_manipulation array_reductions array_iterators array_constants array_return array_attr "
    "indexing fancy_indexing dyn_array slices range flow_control iteration extended_arg dataflow globals closure nested_calls inlining "
    "mathlib operators numbers builtins np_functions complex nan mandelbrot usecases tuples exceptions try_except linalg "
    "polynomial random lists comprehension recursion return_values boundscheck fastmath print optional casting enums record_dtype "
    "literal_dispatch mixed_tuple_unroller dispatcher num_threads cfunc",
    "parallel": "parfors stencils",
    "ufuncs": "ufuncs npyufunc/gufunc npyufunc/vectorize_decor npyufunc/ufunc npyufunc/dufunc npyufunc/errors "
    "npyufunc/parallel_ufunc_issues npyufunc/parallel_low_work npyufunc/update_inplace npyufunc/ufuncbuilding",
}
# Files, classes and tests, also "Class::test" where several have the name.
LEFT_OUT: dict[str, str] = {
    "TestTestLinalgBase": "Numba's own helpers of tests",
    "TestParforsRunner": "starts the other classes in processes",
    "TestParforsLeaks": "counts of Numba's memory manager",
    "TestParforsDiagnostics": "what Numba's parallel pass says of its own work",
    "TestParforsOptions": "what Numba's parallel pass says of its own work",
    "TestDiagnosticEnvVar": "what Numba's parallel pass says of its own work",
    "TestParforsVectorizer": "instructions in Numba's machine code",
    **dict.fromkeys(
        (
            "test_simple01",
            "test_simple13",
            "test_simple20",
            "test_stencil_parallel_off",
            "test_untraced_value_tuple",
            "test_recursive_untraced_value_tuple",
            "test_parfor_bitmask6",
        ),
        "that Numba's parallel pass finds nothing to do",
    ),
    **dict.fromkeys(
        (
            "test_unsupported_floordiv1",
            "test_unsupported_xor1",
            "test_use_of_reduction_var1",
            "test_prange_conflicting_reduction_ops",
        ),
        "texts of Numba's errors",
    ),
    **dict.fromkeys(
        (
            "test_basic29",
            "test_basic32",
            "test_basic60",
            "test_basic61",
            "test_prange_raises_invalid_step_size",
            "test_oversized_tuple_as_arg_to_kernel",
            "test_isin_errors",
            "test_flip_basic",
            "test_searchsorted",
            "test_roll_exceptions",
            "test_trim_zeros_exceptions",
            "test_take_along_axis_exceptions",
            "test_insert_exceptions",
            "test_average_exceptions",
            "test_allclose_exception",
        ),
        "what Numba refuses and tessera runs",
    ),
    **dict.fromkeys(
        (
            "TestLists::test_constructor_empty",
            "TestListOfList::test_c05",
            "TestListOfList::test_c10",
            "TestListOfList::test_c11",
            "test_heterogeneous_list",
            "test_list_of_list_reflected",
            "TestTryBareExcept::test_try_except_reraise",
            "TestTryExceptCaught::test_try_except_reraise",
            "test_try_except_reraise_chain",
            "test_save_caught",
            "TestMixedTupleUnroll::test_09",
            "TestMixedTupleUnroll::test_13",
            "TestMixedTupleUnroll::test_22",
            "TestMixedTupleUnroll::test_23",
            "TestMixedTupleUnroll::test_24",
            "TestMixedTupleUnroll::test_31",
            "TestMixedTupleUnroll::test_34",
            "TestMixedTupleUnroll::test_35",
            "TestConstListUnroll::test_05",
            "TestConstListUnroll::test_10",
            "TestConstListUnroll::test_13",
            "TestConstListUnroll::test_14",
            "test_non_constant_list",
            "test_unroll_tuple_nested",
            "TestListComprehension::test_bulk_use_cases",
            "test_tuple_length_error",
            "test_unpack_with_predicate_fails",
            "TestOperatorModule::test_imatmul_npm",
            "test_getattr_module_obj_not_implemented",
            "test_python_scalar_exception",
            "test_literally_defaults",
            "test_overload_error_loop",
            "test_dispatcher_raises_for_invalid_decoration",
        ),
        "what Numba refuses and tessera runs",
    ),
    **dict.fromkeys(
        (
            "test_index_exception1",
            "test_index_exception2",
            "TestUnboxing::test_errors",
            "TestListOfList::test_c01",
            "TestListOfList::test_c02",
            "TestListOfList::test_c03",
            "TestListOfList::test_c04",
            "TestListOfList::test_c06",
            "TestListOfList::test_c07",
            "TestListOfList::test_c08",
            "TestListOfList::test_c09",
            "test_heterogeneous_list_error",
            "TestLiteralLists::test_getitem",
            "TestLiteralLists::test_index",
            "TestLiteralLists::test_mutation_failure",
            "TestLiteralLists::test_not_unify",
            "TestLiteralLists::test_setitem",
            "TestLiteralLists::test_staticgetitem_slice",
            "test_setslice3_resize",
            "test_enumerate_start_invalid_start_type_npm",
            "test_max_empty_tuple",
            "test_min_empty_tuple",
            "test_max_type_unification",
            "test_min_type_unification",
            "test_sum_exceptions",
            "test_branch_prune_and_bind_to_sig",
            "test_isinstance_exceptions",
            "test_isinstance_invalid_type",
            "TestIsinstanceBuiltin::test_numba_types",
            "test_getattr_non_literal_str",
            "test_hasattr_non_const_attr",
            "test_dynamic_raise_bad_args",
            "test_raise_bare_string_nopython",
            "test_raise_invalid_class_nopython",
            "TestMixedTupleUnroll::test_15",
            "TestConstListUnroll::test_06",
            "TestConstListUnroll::test_12",
            "test_invalid_use_of_unroller",
            "test_array_comp_inferred_dtype_outside_setitem",
            "test_comp_unsupported_iter",
            "test_print_w_kwarg_raises",
            "TestConversions::test_conversions",
            "test_build_unpack_fail_on_list_assign_like",
            "test_optional_array_error",
            "test_bitwise_float",
            "test_global_write_to_arr_in_tuple",
            "test_array_to_scalar",
            "test_disabled_compilation",
            "test_disabled_compilation_through_list",
            "test_disabled_compilation_nested_call",
            "test_explicit_signatures",
            "test_matching_error_message",
            "test_signature_mismatch",
            "TestSignatureHandling::test_default_args",
            "TestSignatureHandling::test_named_args",
            "TestSignatureHandling::test_star_args",
            "test_box_runtime_error",
            "TestMutualRecursion::test_inner_error",
            "TestMutualRecursion::test_runaway",
            "test_issue_10379",
            "test_try_outside_prange_reduction",
            "test_set_num_threads_type",
            "test_unsupported_literal_type",
            "TestInlinedClosure::test_bulk_use_cases",
            "test_jit_subset_errors",
            "test_literally_varargs",
            "TestLiteralDispatch::test_non_literal",
            "test_dirichlet_exceptions",
            "test_noncentral_chisquare_exceptions",
        ),
        "texts of Numba's errors",
    ),
    **dict.fromkeys(
        (
            "TestLiteralTupleInterpretation",
            "TestListInitialValues",
            "test_literal_nested",
            "test_overload_explicit",
            "TestLiteralDispatchWithCustomType",
            "test_inline_var_dict_ret",
            "TestOperations::test_index",
            "test_literal_value_passthrough",
            "test_literal_value_involved_passthrough",
            "test_tuple_not_in_mro",
            "test_max_npm_2",
            "test_min_npm_2",
            "test_ldexp_declaration_has_signext_exponent",
            "test_dyn_pyfunc",
            "test_serialization",
            "test_size_mismatch",
            "TestNoRetryFailedSignature",
            "test_inspect_cfg",
            "test_inspect_cfg_with_python_wrapper",
            "test_inspect_types",
            "test_inspect_types_pretty",
            "test_get_annotation_info",
            "TestInlining::test_inner_function",
            "test_multiple_inner_functions",
            "test_int_preserve_type_usecase",
            "test_disable_nrt",
            "test_extended_arg_load_const",
            "TestFastMath::test_jit",
            "test_jit_subset_code",
            "TestCFunc::test_llvm_ir",
        ),
        "Numba's compiler's inside",
    ),
    **dict.fromkeys(
        (
            "TestListAndJitClasses",
            "test_list_direct_raise",
            "test_list_indirect_raise",
            "test_incompatible_refinement",
            "TestMixedTupleUnroll::test_11a",
            "test_array_comp_with_iter",
            "TestIsinstanceBuiltin::test_combinations",
            "test_isinstance_numba_types",
            "TestHasattrBuiltin::test_hasattr",
            "TestBuiltins::test_sum",
        ),
        _CLASSES,
    ),
    **dict.fromkeys(
        (
            "test_repr_fallback",
            "test_str_calls_dunder_str",
            "test_str_falls_back_to_repr",
        ),
        "types that are added to Numba",
    ),
    **dict.fromkeys(
        (
            "test_jit_closure_variable_npm",
            "test_rejitting_closure_npm",
            "test_recompile",
            "test_recompile_signatures",
        ),
        "changed values of global names, which tessera sees at the next call",
    ),
    **dict.fromkeys(
        (
            "TestRandom::test_numpy_beta",
            "TestRandom::test_numpy_chisquare",
            "TestRandom::test_numpy_f",
            "TestRandom::test_numpy_gamma",
            "TestRandom::test_numpy_logseries",
            "TestRandom::test_numpy_negative_binomial",
            "TestRandom::test_numpy_rayleigh",
            "TestRandom::test_numpy_vonmises",
            "test_random_gauss",
            "test_random_lognormvariate",
            "test_random_normalvariate",
            "TestRandom::test_random_random",
            "TestRandomArrays::test_numpy_gamma",
            "TestRandomArrays::test_numpy_standard_gamma",
        ),
        "numbers of Numba's generators, where tessera draws NumPy's and Python's",
    ),
    "test_issue9490_non_det_ssa_problem": "runs Numba itself",
    **dict.fromkeys(
        (
            "test_intersect1d_2",
            "test_intersect1d_3",
            "test_setdiff1d_2",
            "test_setdiff1d_3",
            "test_setxor1d_2",
            "test_setxor1d_3",
            "test_isin_2",
            "test_isin_3a",
            "test_isin_3b",
            "test_isin_4",
            "test_asarray_rejects_List_with_illegal_dtype",
        ),
        _CLASSES,
    ),
    **dict.fromkeys(
        (
            "test_cov_exceptions",
            "test_extract_exceptions",
            "test_setitem_readonly",
        ),
        "Numba's class of an error for which NumPy has another",
    ),
    **dict.fromkeys(
        (
            "test_check_alias_analysis",
            "test_no_warn_if_cache_set",
            "test_prange25",
            "test_parfor_array_access4",
            "test_call_hoisting_outcall",
            "test_array_flat_empty",
            "test_angle_return_type",
            "test_accumulator_dtype_parity",
            "test_mean_empty_array",
            "test_trace_w_optional_input",
            "test_contiguity_warnings",
            "test_1d_slicing_set_tuple_npm",
            "test_array_ndenumerate_empty",
            "test_optional_array_type",
            "test_optional_scalar_type",
            "test_optional_array_type_exception_on_none",
            "test_optional_scalar_type_exception_on_none",
            "test_ufunc_and_dufunc_calls",
            "test_annotations",
            "test_external_type",
            "test_slice_constructor_layout",
            "test_range_iter_len1",
        ),
        "Numba's compiler's inside",
    ),
}


def path_of(name: str) -> Path:
    """The file of a short name, such as `tuples` or `npyufunc/gufunc`."""
    folder, _, stem = name.removesuffix(".py").rpartition("/")
    return INSTALLED / folder / f"test_{stem.removeprefix('test_')}.py"


def run_file(path: Path, seconds: int, select: str | None) -> dict[str, tuple[str, str]]:
    """The outcome and last words of each test of a file."""
    with tempfile.TemporaryDirectory() as scratch:
        return numpy_tests.run_file(path, "numba", seconds, Path(scratch), select)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", help="short names of files, or of the parts: " + ", ".join(AREAS))
    parser.add_argument("--failures", type=Path, help="writes there why tests failed")
    parser.add_argument("--seconds", type=int, default=600, help="the time a file may take")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("-k", dest="select", help="only tests that match, as pytest's -k")
    given = parser.parse_args()
    named = [name for one in given.files or AREAS for name in AREAS.get(one, one).split()]
    os.environ["PYTEST_PLUGINS"] = "numba_suite_plugin"
    os.environ["NUMBA_LEFT_OUT"] = json.dumps(LEFT_OUT)
    os.environ["PYTEST_ADDOPTS"] = "-p no:unraisableexception --assert=plain"  # tests read what is printed and raised
    os.environ["SUBPROC_TEST"] = "1"  # Numba's parallel tests run where they are, not in processes of their own
    total: collections.Counter[str] = collections.Counter()
    reasons = []
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        paths = [path_of(name) for name in named]
        for path, outcomes in zip(paths, pool.map(lambda path: run_file(path, given.seconds, given.select), paths)):
            count = collections.Counter(outcome for outcome, _ in outcomes.values())
            total += count
            print(
                f"{path.stem:32}",
                ", ".join(f"{number} {outcome}" for outcome, number in sorted(count.items())),
                flush=True,
            )
            reasons += [
                f"{test}: {how}\n{text}\n" for test, (how, text) in outcomes.items() if how in ("failed", "crashed")
            ]
            if given.failures:
                given.failures.write_text("\n".join(reasons))
    wanted = total["passed"] + total["failed"] + total["crashed"]
    print(f"{'total':32}", f"{total['passed']} of {wanted}, {total['skipped']} skipped")
    return 0


if __name__ == "__main__":
    sys.exit(main())
