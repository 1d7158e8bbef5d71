#!/usr/bin/env python3
"""Runs Numba's own tests, read from the installed package, with tessera's functions in Numba's place, and counts what passes by file.

    tools/numba_tests.py                        the files below: loops, arrays, mathematics, ufuncs, stencils, parallel loops
    tools/numba_tests.py wide                   and those of types, texts, dates, generators, classes and extending
    tools/numba_tests.py test_tuples ...        some files
    tools/numba_tests.py --failures FILE ...    and writes why tests failed
    tools/numba_tests.py --host ...             and counts those that call functions of NumPy on the host

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
# Files by the part of the language that they test.
AREAS = {
    "functions": "array_exprs array_methods array_manipulation array_reductions array_iterators array_constants array_return array_attr "
    "indexing fancy_indexing dyn_array slices range flow_control iteration extended_arg dataflow globals closure nested_calls inlining "
    "mathlib operators numbers builtins np_functions complex nan mandelbrot usecases tuples exceptions try_except linalg "
    "polynomial random lists comprehension recursion return_values boundscheck fastmath print optional casting enums record_dtype "
    "literal_dispatch mixed_tuple_unroller dispatcher num_threads cfunc",
    "containers": "dictobject dicts typedlist typedobjectutils sets",
    "parallel": "parfors stencils",
    "ufuncs": "ufuncs npyufunc/gufunc npyufunc/vectorize_decor npyufunc/ufunc npyufunc/dufunc npyufunc/errors "
    "npyufunc/parallel_ufunc_issues npyufunc/parallel_low_work npyufunc/update_inplace npyufunc/ufuncbuilding",
}
# What `wide` adds: packages' own types, texts, generators, classes, functions as values, what programs ask of types.
WIDE = (
    "extending extending_types recarray_usecases npdatetime np_randomgen typeof types withlifting unicode unicode_array generators jitclasses "
    "struct_ref hashing heapq sort function_type func_interface ctypes cffi locals npyufunc/ufuncbuilding array_iterators buffer_protocol "
    "typenames numberctor numpy_support jit_module jitmethod asnumbatype getitem_on_types practical_lowering_issues errorhandling errormodels "
    "overlap map_filter_reduce storeslice maxmin multi3 ndarray_subclasses python_int intwidth chained_assign conditions_as_predicates "
    "controlflow typingerror unpack_sequence unicode_names vectorization_type_inference warnings ssa unsafe_intrinsics ir_inlining listobject "
    "auto_constants blackscholes alignment api gil conversion npyufunc/caching"
)
# Classes and tests that are not run, also "Class::test" where several have the name: outside of what is wanted.
LEFT_OUT: dict[str, str] = {}
# Tests of which everything is checked but the words of errors.
OTHER_WORDS: list[str] = []
# Tests that check more than that Numba refuses something which runs here: the rest of them counts.
NOT_REFUSED: list[str] = []


def leave_out(reason: str, names: str) -> None:
    """These are left out for this reason."""
    LEFT_OUT.update(dict.fromkeys(names.split(), reason))


leave_out("Numba's own helpers of tests", "TestTestLinalgBase")
leave_out("starts the other classes in processes", "TestParforsRunner")
leave_out("counts of Numba's memory manager", "TestParforsLeaks")
leave_out(
    "the inside of Numba's typed containers: capacity, counts of references, memory, immutability, its switch to none",
    "TestAllocation TestImmutable test_dict_to_from_meminfo test_str_item_refcount_replace test_dict_as_item_in_list_multi_refcount "
    "TestNoJit test_list_create_no_jit_using_List test_list_create_no_jit_using_empty_list",
)
leave_out(
    "what Numba's parallel pass says of its own work",
    "TestParforsDiagnostics TestParforsOptions TestDiagnosticEnvVar test_try_outside_prange_reduction",
)
leave_out("instructions in Numba's machine code", "TestParforsVectorizer")
leave_out(
    "that Numba's parallel pass finds nothing to do",
    "test_simple01 test_simple13 test_simple20 test_stencil_parallel_off test_untraced_value_tuple "
    "test_recursive_untraced_value_tuple test_parfor_bitmask6",
)
leave_out(
    "what Numba refuses and tessera runs, nothing else",
    "test_unsupported_floordiv1 test_unsupported_xor1 test_use_of_reduction_var1 test_prange_conflicting_reduction_ops "
    "test_basic29 test_basic32 test_basic60 test_basic61 test_prange_raises_invalid_step_size "
    "test_oversized_tuple_as_arg_to_kernel test_roll_exceptions test_average_exceptions TestLists::test_constructor_empty "
    "TestListOfList::test_c05 TestListOfList::test_c07 TestListOfList::test_c10 TestListOfList::test_c11 test_heterogeneous_list "
    "test_list_of_list_reflected TestTryBareExcept::test_try_except_reraise TestTryExceptCaught::test_try_except_reraise "
    "test_try_except_reraise_chain test_save_caught TestMixedTupleUnroll::test_09 TestMixedTupleUnroll::test_13 "
    "TestMixedTupleUnroll::test_22 TestMixedTupleUnroll::test_23 TestMixedTupleUnroll::test_24 TestMixedTupleUnroll::test_31 "
    "TestMixedTupleUnroll::test_34 TestMixedTupleUnroll::test_35 TestConstListUnroll::test_05 TestConstListUnroll::test_10 "
    "TestConstListUnroll::test_13 TestConstListUnroll::test_14 test_non_constant_list test_unroll_tuple_nested "
    "test_tuple_length_error test_unpack_with_predicate_fails TestOperatorModule::test_imatmul_npm "
    "test_getattr_module_obj_not_implemented test_python_scalar_exception test_literally_defaults test_overload_error_loop "
    "test_dispatcher_raises_for_invalid_decoration TestBuiltins::test_max_npm_2 TestBuiltins::test_min_npm_2 "
    "TestLiteralLists::test_index test_isinstance_exceptions test_1d_dtype_non_const_str test_like_dtype_non_const_str "
    "test_like_dtype_non_const_str_kwarg test_1d_with_non_const_str_dtype test_np_frombuffer_dtype_non_const_str "
    "test_optional_on_key",
)
leave_out(
    "Numba's compiler's inside",
    "TestInliningFunctionType TestLiteralTupleInterpretation TestListInitialValues test_literal_nested test_overload_explicit "
    "TestLiteralDispatchWithCustomType test_inline_var_dict_ret TestOperations::test_index test_literal_value_passthrough "
    "test_literal_value_involved_passthrough test_tuple_not_in_mro test_ldexp_declaration_has_signext_exponent test_dyn_pyfunc "
    "test_serialization test_size_mismatch TestNoRetryFailedSignature test_inspect_cfg test_inspect_cfg_with_python_wrapper "
    "test_inspect_types test_inspect_types_pretty test_get_annotation_info TestInlining::test_inner_function "
    "test_multiple_inner_functions test_int_preserve_type_usecase test_disable_nrt test_extended_arg_load_const "
    "TestFastMath::test_jit TestFastMath::test_vectorize TestFastMath::test_guvectorize test_jit_subset_code test_check_alias_analysis test_no_warn_if_cache_set test_prange25 "
    "test_parfor_array_access4 test_call_hoisting_outcall test_array_flat_empty test_contiguity_warnings "
    "test_1d_slicing_set_tuple_npm test_array_ndenumerate_empty test_optional_array_type test_optional_scalar_type "
    "test_optional_array_type_exception_on_none test_optional_scalar_type_exception_on_none test_ufunc_and_dufunc_calls "
    "test_caching_overload_method TestJitOptionsNoNRT test_flags_no_nrt test_mk_func_literal test_deserialization "
    "test_annotations test_external_type test_slice_constructor_layout test_range_iter_len1 TestHelpers::test_copy_to_fortran_order "
    "test_literal_slice_distinct test_range_iter_list test_inline_call_branch_pruning",
)
leave_out(
    "classes and typed containers",
    "TestListAndJitClasses test_list_direct_raise test_list_indirect_raise test_incompatible_refinement "
    "TestMixedTupleUnroll::test_11a test_isinstance_numba_types TestHasattrBuiltin::test_hasattr TestBuiltins::test_sum "
    "test_array_comp_with_iter TestIsinstanceBuiltin::test_combinations "
    "test_asarray_rejects_List_with_illegal_dtype TestJitclassFlagsSegfault",
)
leave_out(
    "Numba's object mode",
    "TestTryExceptOtherControlFlow::test_objmode test_objmode_output_type TestCFunc::test_object_mode",
)
leave_out(
    "types that are added to Numba",
    "test_repr_fallback test_str_calls_dunder_str test_str_falls_back_to_repr test_unbox_runtime_error",
)
leave_out(
    "changed values of global names, which tessera sees at the next call",
    "test_jit_closure_variable_npm test_rejitting_closure_npm test_recompile test_recompile_signatures",
)
leave_out(
    "numbers of Numba's generators, where tessera draws NumPy's and Python's",
    "TestRandom::test_numpy_beta TestRandom::test_numpy_chisquare TestRandom::test_numpy_f TestRandom::test_numpy_gamma "
    "TestRandom::test_numpy_logseries TestRandom::test_numpy_negative_binomial TestRandom::test_numpy_rayleigh "
    "TestRandom::test_numpy_vonmises test_random_gauss test_random_lognormvariate test_random_normalvariate "
    "TestRandom::test_random_random TestRandomArrays::test_numpy_gamma TestRandomArrays::test_numpy_standard_gamma "
    "test_np_implicit_initialization",
)
leave_out("runs Numba itself", "test_issue9490_non_det_ssa_problem")
leave_out(
    "Numba's class of an error for which NumPy has another",
    "test_cov_exceptions test_cov_invalid_ddof test_extract_exceptions test_setitem_readonly test_take_along_axis_exceptions",
)
leave_out("values that Numba gives where Python has others", "test_slice_passing test_slice_constructor")
OTHER_WORDS += (
    "test_setslice3_resize TestUnboxing::test_errors test_sum_exceptions test_explicit_signatures test_matching_error_message "
    "test_signature_mismatch TestSignatureHandling::test_default_args TestSignatureHandling::test_named_args "
    "TestSignatureHandling::test_star_args test_disabled_compilation test_disabled_compilation_through_list TestListOfList::test_c08 "
    "test_heterogeneous_list_error TestListOfList::test_c01 test_optional_array_error test_jit_subset_errors "
    "test_setitem_broadcast_error test_invalid_size_array TestNdZeros TestNdOnes TestNdFull "
    "test_dirichlet_exceptions test_noncentral_chisquare_exceptions"
).split()
NOT_REFUSED += (
    "test_isin_errors test_flip_basic test_searchsorted test_trim_zeros_exceptions "
    "test_insert_exceptions test_allclose_exception TestListComprehension::test_bulk_use_cases test_dirichlet_exceptions "
    "test_noncentral_chisquare_exceptions test_sum_exceptions TestInlinedClosure::test_bulk_use_cases "
    "TestNpArray::test_raises test_asarray_chkfinite_exceptions test_repeat_exception TestArraySort::test_exceptions "
    "TestArrayArgsort::test_exceptions test_windowing test_linalg_lstsq test_linalg_solve test_kron "
    # Functions of several types are chosen at run time, and take arguments by name where it is known which one is called.
    "test_issue_10758 test_issue_5540 TestMiscIssues::test_signature_mismatch test_preexisting_literal_str_mismatch "
    # Values of a dict take a wider type, None, or the type that is found later.
    "TestDictObject::test_002_cannot_downcast_default TestDictObject::test_010_cannot_downcast_default test_disallow_list test_disallow_set "
    "test_conflicting_value_type TestDictInferred::test_unused test_dict_use_with_none_key test_dict_use_with_optional_key "
    "test_dict_use_with_optional_value test_catch_global_typed_list"
).split()


def path_of(name: str) -> Path:
    """The file of a short name, such as `tuples` or `npyufunc/gufunc`."""
    folder, _, stem = name.removesuffix(".py").rpartition("/")
    return INSTALLED / folder / f"test_{stem.removeprefix('test_')}.py"


def run_file(path: Path, seconds: int, select: str | None) -> dict[str, tuple[str, str]]:
    """The outcome and last words of each test of a file."""
    with tempfile.TemporaryDirectory() as scratch:
        return numpy_tests.run_file(path, "numba", seconds, Path(scratch), select)


def why_skipped(text: str) -> str:
    """The reason in pytest's words for a skipped test."""
    reason = text.rpartition("Skipped: ")[2].rstrip("')\"").split("\\n")[0]
    return reason.splitlines()[-1] if reason else reason


def print_host_calls(file: Path, passed: set[str]) -> None:
    """How many of the tests that passed have called functions of NumPy on the host, and which."""
    called = [json.loads(line) for line in file.read_text().splitlines()]
    on_host = {test: (names, refused) for test, names, refused in called if names and test in passed}
    print(f"{len(on_host)} of {len(passed)} passed with calls of the host:")
    by_name = collections.Counter(name for names, _ in on_host.values() for name in names)
    for name, number in by_name.most_common():
        print(f"{number:6} {name}")
    print("by test, with the arguments for which nothing is compiled:")
    for test, (names, refused) in sorted(on_host.items()):
        print(f"{test.rpartition('::')[2]}: {', '.join(names)}: {'; '.join(refused[:4])}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", help="short names of files, or of the parts: " + ", ".join(AREAS))
    parser.add_argument("--failures", type=Path, help="writes there why tests failed")
    parser.add_argument(
        "--host", action="store_true", help="also counts tests that call functions of NumPy on the host"
    )
    parser.add_argument("--seconds", type=int, default=600, help="the time a file may take")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("-k", dest="select", help="only tests that match, as pytest's -k")
    parser.add_argument("--everything", action="store_true", help="also runs what is left out")
    given = parser.parse_args()
    areas = {**AREAS, "wide": " ".join([*AREAS.values(), WIDE])}
    named = [name for one in given.files or AREAS for name in areas.get(one, one).split()]
    os.environ["PYTEST_PLUGINS"] = "numba_suite_plugin"
    os.environ["NUMBA_LEFT_OUT"] = json.dumps({} if given.everything else LEFT_OUT)
    os.environ["NUMBA_OTHER_WORDS"] = json.dumps(OTHER_WORDS)
    os.environ["NUMBA_NOT_REFUSED"] = json.dumps(NOT_REFUSED)
    os.environ["PYTEST_ADDOPTS"] = "-p no:unraisableexception --assert=plain"  # tests read what is printed and raised
    os.environ["SUBPROC_TEST"] = "1"  # Numba's parallel tests run where they are, not in processes of their own
    calls = Path(tempfile.mkdtemp()) / "host_calls"
    if given.host:
        os.environ["NUMBA_HOST_CALLS"] = str(calls)
    passed: set[str] = set()
    total: collections.Counter[str] = collections.Counter()
    skipped: collections.Counter[str] = collections.Counter()
    reasons = []
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        paths = [path_of(name) for name in named]
        for path, outcomes in zip(paths, pool.map(lambda path: run_file(path, given.seconds, given.select), paths)):
            count = collections.Counter(outcome for outcome, _ in outcomes.values())
            total += count
            passed |= {test for test, (how, _) in outcomes.items() if how == "passed"}
            print(
                f"{path.stem:32}",
                ", ".join(f"{number} {outcome}" for outcome, number in sorted(count.items())),
                flush=True,
            )
            reasons += [
                f"{test}: {how}\n{text}\n" for test, (how, text) in outcomes.items() if how in ("failed", "crashed")
            ]
            skipped.update(why_skipped(text) for how, text in outcomes.values() if how == "skipped")
            if given.failures:
                given.failures.write_text("\n".join(reasons))
    wanted = total["passed"] + total["failed"] + total["crashed"]
    left_out = sum(number for reason, number in skipped.items() if reason.startswith("left out"))
    print(f"{'total':32}", f"{total['passed']} of {wanted}, of {wanted + left_out} with those left out")
    for reason, number in skipped.most_common():
        print(f"{number:6} {reason}")
    if given.host:
        print_host_calls(calls, passed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
