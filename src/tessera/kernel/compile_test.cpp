#include "tessera/kernel/compile.h"

#include <gtest/gtest.h>

#include "tessera/ir/run_kernel.h"
#include "tessera/kernel/compile_error.h"

namespace tessera::kernel {
namespace {

/// Dotted names are the builtins of that name; "int32" is a type.
Entity standard_names(const std::string& dotted) {
  if (dotted == "int32") {
    Entity entity{.kind = EntityKind::dtype};
    entity.value.dtype = DType::int32;
    return entity;
  }
  if (dotted == "print") return {.kind = EntityKind::builtin, .name = "builtins.print"};
  if (dotted == "range") return {.kind = EntityKind::builtin, .name = "builtins.range"};
  if (dotted.find('.') != std::string::npos) return {.kind = EntityKind::builtin, .name = dotted};
  return {};
}

Function function_of(std::string_view text) {
  return {.tree = parse_syntax(text), .file = "test.py", .lines = {"the first line"}, .globals = standard_names};
}

const Type doubles = TypeParts{.kind = TypeKind::buffer, .dtype = DType::float64, .axes = 1};
const Type number = TypeParts{.kind = TypeKind::scalar, .dtype = DType::int64};

/// The values of an array of zeros after the kernel has run on `threads` threads of one block.
std::vector<double> run(std::string_view text, int64_t threads, int64_t n) {
  const auto kernel = compile(function_of(text), {doubles, number}, Environment()).kernel;
  ir::verify(*kernel);
  ir::TestArray array = ir::TestArray::zeros(DType::float64, {threads});
  ir::run_kernel(*kernel, {1, 1, 1, 1, 1, threads}, {&array}, {Scalar::of_int(DType::int64, n)});
  return array.values<double>();
}

constexpr std::string_view thread = R"((attribute "x" (attribute "threadIdx" (name "cuda"))))";

std::string with_thread(std::string text) {
  for (size_t at; (at = text.find("THREAD")) != std::string::npos;) text.replace(at, 6, thread);
  return text;
}

TEST(KernelCompile, an_element_is_stored) {
  const auto values = run(with_thread(R"((function "f" ["a" "n"] {
    (assign (subscript (name "a") THREAD) (binary "/" (binary "*" THREAD (name "n")) (constant 2)))}))"),
                          4, 3);
  EXPECT_EQ(values, (std::vector<double>{0, 1.5, 3, 4.5}));
}

TEST(KernelCompile, a_variable_assigned_in_a_loop_widens) {
  const auto values = run(with_thread(R"((function "f" ["a" "n"] {
    (assign (name "s") (constant 0))
    (for (name "k") (call (name "range") (name "n")) {(augmented "+" (name "s") (constant 0.5))})
    (assign (subscript (name "a") THREAD) (name "s"))}))"),
                          2, 3);
  EXPECT_EQ(values, (std::vector<double>{1.5, 1.5}));
}

TEST(KernelCompile, break_leaves_the_loop_of_one_thread) {
  const auto values = run(with_thread(R"((function "f" ["a" "n"] {
    (assign (name "s") (constant 0))
    (for (name "k") (call (name "range") (name "n")) {
      (if (compare [">="] (name "k") THREAD) {(break)})
      (augmented "+" (name "s") (constant 1))})
    (assign (subscript (name "a") THREAD) (name "s"))}))"),
                          4, 2);
  EXPECT_EQ(values, (std::vector<double>{0, 1, 2, 2}));
}

TEST(KernelCompile, a_thread_that_returned_does_no_more) {
  const auto values = run(with_thread(R"((function "f" ["a" "n"] {
    (if (compare ["<"] THREAD (name "n")) {(return)})
    (assign (subscript (name "a") THREAD) (constant 1))}))"),
                          4, 2);
  EXPECT_EQ(values, (std::vector<double>{0, 0, 1, 1}));
}

TEST(KernelCompile, accesses_are_known) {
  const auto kernel = compile(function_of(R"((function "f" ["a" "b"] {
    (assign (subscript (name "b") (constant 0)) (subscript (name "a") (constant -1)))}))"),
                              {doubles, doubles}, Environment())
                          .kernel;
  EXPECT_TRUE(kernel->buffers[0].readable && !kernel->buffers[0].writable);
  EXPECT_TRUE(kernel->buffers[1].writable && !kernel->buffers[1].readable);
  EXPECT_EQ(kernel->block_axes, 3);
}

TEST(KernelCompile, a_message_shows_place_and_types) {
  try {
    compile(function_of(R"((function "f" ["a" "n"] {(if (compare ["in"] (name "a") (name "n")) {(pass)})}))"),
            {doubles, number}, Environment());
    FAIL() << "a number was searched";
  } catch (const CompileError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("test.py:1: in f: `in` looks into tuples, not int64"), std::string::npos);
    EXPECT_NE(message.find("types: a: array(float64, 1d), n: int64"), std::string::npos);
  }
}

TEST(KernelCompile, the_first_thread_that_fails_leaves_its_place_and_numbers) {
  const Compiled compiled = compile(function_of(with_thread(R"((function "f" ["a" "n"] {
    (if (compare ["=="] THREAD (name "n")) {(raise "assert" (name "n"))})
    (assign (subscript (name "a") THREAD) (constant 1))}))")),
                                    {doubles, number}, Environment());
  ir::verify(*compiled.kernel);
  ASSERT_TRUE(compiled.reports);
  ASSERT_FALSE(compiled.prints);
  ASSERT_EQ(compiled.sites.size(), 1U);
  ir::TestArray array = ir::TestArray::zeros(DType::float64, {4});
  ir::TestArray report = ir::TestArray::zeros(DType::int64, {ReportLayout::size});
  ir::run_kernel(*compiled.kernel, {1, 1, 1, 1, 1, 4}, {&array, &report}, {Scalar::of_int(DType::int64, 2)});
  EXPECT_EQ(array.values<double>(), (std::vector<double>{1, 1, 0, 1}));
  const auto words = report.values<int64_t>();
  EXPECT_EQ(words[ReportLayout::site], 1);
  EXPECT_EQ(words[ReportLayout::thread], 2);
  EXPECT_EQ(words[ReportLayout::values], 2);
}

TEST(KernelCompile, printed_lines_are_words_behind_each_other) {
  const Function function =
      function_of(with_thread(R"((function "f" [] {(expression (call (name "print") (text "x") THREAD))}))"));
  const Compiled compiled = compile(function, {}, Environment());
  ir::verify(*compiled.kernel);
  ASSERT_TRUE(compiled.prints);
  ir::TestArray report = ir::TestArray::zeros(DType::int64, {ReportLayout::size});
  ir::TestArray lines = ir::TestArray::zeros(DType::int64, {ReportLayout::line_words});
  ir::run_kernel(*compiled.kernel, {1, 1, 1, 1, 1, 2}, {&report, &lines}, {});
  EXPECT_EQ(report.values<int64_t>()[ReportLayout::printed], 4);
  const auto words = lines.values<int64_t>();
  EXPECT_EQ(std::vector<int64_t>(words.begin(), words.begin() + 5), (std::vector<int64_t>{1, 0, 1, 1, 0}));
}

}  // namespace
}  // namespace tessera::kernel
