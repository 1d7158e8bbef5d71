#include <gtest/gtest.h>

#include "tessera/base/error.h"
#include "tessera/ir/kernel.h"

namespace tessera::ir {
namespace {

/// Parses a body for a kernel over one axis with a readable float64 buffer, a writable one, and a local array.
std::string refusal(const std::string& body) {
  const std::string text =
      "kernel k 1 flags 1 {\n  buffer float64 1 read strided no_alias\n  buffer float64 1 write strided no_alias\n"
      "  array float64 4\n" +
      body + "}\n";
  try {
    parse(text);
  } catch (const ValueError& error) {
    return error.what();
  }
  return "accepted";
}

void expect_refused(const std::string& body, const std::string& reason) {
  const std::string message = refusal(body);
  EXPECT_NE(message.find(reason), std::string::npos) << message;
}

TEST(Verifier, accepts_a_plain_kernel) {
  EXPECT_EQ(refusal("%0 = index.int64 @0\n%1 = load.float64 @0 %0\n%2 = neg.float64 %1\nstore.float64 @1 %2 %0\n"),
            "accepted");
}

TEST(Verifier, refuses_wrong_operand_types) {
  expect_refused("%0 = index.int64 @0\n%1 = sqrt.int64 %0\n", "sqrt takes int64");
  expect_refused("%0 = index.int64 @0\n%1 = load.float64 @0 %0\n%2 = add.float64 %1 %0\n",
                 "add takes int64 as operand 1");
  expect_refused("%0 = index.int64 @0\n%1 = lt.int64 %0 %0\n", "lt is int64, wanted bool");
  expect_refused("%0 = constant.complex64 1 2\n%1 = neg.complex64 %0\n", "neg takes complex64");
  expect_refused("%0 = constant.float16 0\n%1 = neg.float16 %0\n", "neg takes float16");
  expect_refused("%0 = index.int64 @0\n%1 = select.int64 %0 %0 %0\n", "select of int64");
}

TEST(Verifier, refuses_wrong_accesses) {
  expect_refused("%0 = index.int64 @0\n%1 = load.float64 @1 %0\n", "loads from a buffer not readable");
  expect_refused("%0 = index.int64 @0\n%1 = load.float64 @0 %0\nstore.float64 @0 %1 %0\n",
                 "stores to a buffer not writable");
  expect_refused("%0 = index.int64 @0\n%1 = load.float64 @0 %0 %0\n", "2 indices for 1 axes");
  expect_refused("%0 = index.int64 @0\n%1 = load.float64 @7 %0\n", "load refers to 7 of 2");
  expect_refused("%0 = index.int64 @0\n%1 = load_array.float32 @0 %0\n", "load_array is float32, wanted float64");
}

TEST(Verifier, refuses_alignments_that_no_access_has) {
  const std::string head = "%0 = index.int64 @0\n";
  EXPECT_EQ(refusal(head + "%1 = is_aligned.bool @1 16 %0\n%2 = load.float64 @0 last_use aligned 8 %0\n" +
                    "store.float64 @1 aligned 16 %2 %0\n"),
            "accepted");
  expect_refused(head + "%1 = load.float64 @0 aligned 12 %0\n", "aligned by 12");
  expect_refused(head + "%1 = is_aligned.bool @0 32 %0\n", "is_aligned by 32");
  expect_refused(head + "%1 = is_aligned.bool @0 16 %0 %0\n", "2 indices for 1 axes");
  expect_refused(head + "%1 = is_aligned.float64 @0 16 %0\n", "wanted bool");
}

TEST(Verifier, refuses_wrong_calls_of_other_code) {
  const std::string foreign = "foreign f numba -> float32 (int64 float32)\n";
  const std::string head = foreign + "%0 = index.int64 @0\n%1 = constant.float32 2\n";
  EXPECT_EQ(refusal(head + "%2 = address_array.int64 @0 %0\n%3 = call_foreign.float32 @0 %2 %1\n"), "accepted");
  expect_refused(head + "%2 = call_foreign.float32 @0 %0\n", "calls f with 1 arguments of 2");
  expect_refused(head + "%2 = call_foreign.float32 @0 %1 %1\n", "is float32, wanted int64");
  expect_refused(head + "%2 = call_foreign.int64 @0 %0 %1\n", "is int64, wanted float32");
  expect_refused(head + "%2 = call_foreign.float32 @1 %0 %1\n", "call_foreign refers to 1 of 1");
  expect_refused(head + "%2 = address.int64 @0 %0\n", "not writable");
  expect_refused(head + "%2 = address.int64 @1 %0\n", "not readable");
  expect_refused(head + "%2 = address_array.float64 @0 %0\n", "is float64, wanted int64");
}

TEST(Verifier, refuses_values_out_of_their_region) {
  expect_refused(
      "%0 = index.int64 @0\n%1 = eq.bool %0 %0\nif.bool %1 {()\n%2 = neg.int64 %0\n} {()\n}\n%3 = neg.int64 %2\n",
      "uses an undefined value");
}

TEST(Verifier, refuses_regions_that_yield_something_else) {
  const std::string head = "%0 = index.int64 @0\n%1 = eq.bool %0 %0\n";
  expect_refused(head + "%2 = if.int64 %1 {()\nyield %0\n} {()\n}\n", "yields nothing");
  expect_refused(head + "%2 = if.int64 %1 {()\nyield %0\n} {()\nyield %1\n}\n", "eq is bool, wanted int64");
  expect_refused(head + "%2 = for.int64 %0 %0 %0 %0 {(%3:int64)\nyield %3\n}\n", "for has other region arguments");
  expect_refused(head + "yield %0\n", "yields midway");
  expect_refused(head + "%2 = reduce.int64 add pairwise %0 %0 {(%3:int64)\n}\n", "yields nothing");
}

TEST(Verifier, refuses_blocks_of_more_axes_than_there_are) {
  EXPECT_NO_THROW(parse("kernel k 2 block 2 flags 0 {\n}\n"));
  EXPECT_THROW(parse("kernel k 2 block 3 flags 0 {\n}\n"), ValueError);
  EXPECT_THROW(parse("kernel k 2 block 0 flags 0 {\n}\n"), ValueError);
}

TEST(Verifier, refuses_marks_that_do_not_exist) {
  expect_refused("%0 = index.int64 @0\n%1 = load.float64 @0 %0\ncheck.float64 @3 divide %1 %1 %1\n",
                 "check refers to 3 of 1");
  expect_refused("%0 = index.int64 @1\n", "index refers to 1 of 1");
}

/// An index, a condition, a mask, a narrow and a wide value, and what a shuffle counts by: %0 to %5.
const std::string warp_values =
    "%0 = index.int64 @0\n%1 = eq.bool %0 %0\n%2 = constant.uint32 15\n%3 = constant.int16 1\n"
    "%4 = constant.float64 2\n%5 = constant.int32 3\n";

TEST(Verifier, accepts_votes_and_shuffles_of_words) {
  EXPECT_EQ(refusal(warp_values + "%6 = ballot.uint32 %1 %2\n%7 = ballot.uint32 %1\n%8 = match_any.uint32 %4 %2\n"
                                  "%9 = shuffle.float64 @32 up %4 %5 %2\n%10 = shuffle.int64 @8 index %0 %5 %2\n"
                                  "%11 = active_mask.uint32\n%12 = barrier_count.int32 %1\nwarp_barrier %2\n"
                                  "fence system\n%13 = match_byte.uint32 %2\n"),
            "accepted");
}

TEST(Verifier, refuses_votes_and_shuffles_of_other_types) {
  expect_refused(warp_values + "%6 = ballot.uint32 %0 %2\n", "index is int64, wanted bool");
  expect_refused(warp_values + "%6 = ballot.uint32 %1 %5\n", "constant is int32, wanted uint32");
  expect_refused(warp_values + "%6 = ballot.int32 %1 %2\n", "ballot is int32, wanted uint32");
  expect_refused(warp_values + "%6 = ballot.uint32\n", "ballot lacks operands");
  expect_refused(warp_values + "%6 = ballot.uint32 %1 %2 %2\n", "ballot has 3 operands");
  expect_refused(warp_values + "%6 = match_any.uint32 %3 %2\n", "match_any of int16");
  expect_refused(warp_values + "%6 = match_any.uint32 %4\n", "match_any has 1 operands");
  expect_refused(warp_values + "%6 = match_byte.uint32 %5\n", "constant is int32, wanted uint32");
  expect_refused(warp_values + "%6 = shuffle.int16 @32 index %3 %5 %2\n", "shuffle of int16");
  expect_refused(warp_values + "%6 = shuffle.float64 @32 index %4 %0 %2\n", "index is int64, wanted int32");
  expect_refused(warp_values + "%6 = shuffle.float64 @32 index %4 %5 %5\n", "constant is int32, wanted uint32");
  expect_refused(warp_values + "%6 = shuffle.int64 @32 index %4 %5 %2\n", "shuffle is int64, wanted float64");
  expect_refused(warp_values + "%6 = barrier_count.int32 %0\n", "index is int64, wanted bool");
  expect_refused(warp_values + "%6 = barrier_count.int64 %1\n", "barrier_count is int64, wanted int32");
  expect_refused(warp_values + "warp_barrier %5\n", "constant is int32, wanted uint32");
  expect_refused(warp_values + "%6 = active_mask.int32\n", "active_mask is int32, wanted uint32");
}

TEST(Verifier, refuses_shuffles_of_widths_that_are_no_power_of_two) {
  for (const char* width : {"0", "3", "24", "64"})
    expect_refused(warp_values + "%6 = shuffle.float64 @" + width + " down %4 %5 %2\n", "shuffles");
  expect_refused(warp_values + "%6 = shuffle.float64 @32 sideways %4 %5 %2\n", "expected a shuffle");
  expect_refused(warp_values + "fence warp\n", "expected block, device or system");
}

TEST(Verifier, refuses_atomics_that_a_type_does_not_have) {
  expect_refused(warp_values + "%6 = atomic_array.float64 @0 increment %4 %0\n", "atomic increment on float64");
  expect_refused(warp_values + "%6 = atomic_array.float64 @0 bit_or %4 %0\n", "atomic bit_or on float64");
  EXPECT_EQ(refusal(warp_values + "%6 = atomic_array.float64 @0 min_num %4 %0\n"), "accepted");
}

}  // namespace
}  // namespace tessera::ir
