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

}  // namespace
}  // namespace tessera::ir
