#include "tessera/kernel/infer/infer.h"

#include <gtest/gtest.h>

#include "tessera/base/error.h"
#include "tessera/kernel/lower/lowering.h"

namespace tessera::kernel {
namespace {

Function function_to_infer(std::string_view text) {
  Function function{.tree = parse_syntax(text), .file = "infer_test.py"};
  function.globals = [](const std::string& name) { return Entity{.kind = EntityKind::missing, .name = name}; };
  return function;
}

constexpr std::string_view widens = R"((function "f" ["n"] {
  (assign (name "x") (constant 0))
  (while (compare ["<"] (name "x") (name "n")) {(assign (name "x") (binary "+" (name "x") (constant 0.5)))})
  (return (name "x"))}))";

typed::Program infer_widened() {
  const std::vector<Type> types{Type::scalar(DType::int64)};
  return infer(function_to_infer(widens), types, Environment(), {.is_function = true});
}

TEST(Inference, a_variable_has_the_type_of_all_that_is_assigned_to_it) {
  const typed::Program program = infer_widened();
  EXPECT_EQ(describe(program.result), "float64");
  const std::vector<std::pair<std::string, std::string>> expected{{"n", "int64"}, {"x", "float64"}};
  EXPECT_EQ(typed::variables_of(program), expected);
}

struct Settled {
  std::string_view text;
  int passes;
  std::string_view result;
};

// A pass more where a variable is widened by what follows, not where one is first assigned or only read.
constexpr Settled settled[] = {{R"((function "f" ["n"] {
      (assign (name "x") (binary "*" (name "n") (constant 2)))
      (return (name "x"))}))",
                                1, "int64"},
                               {R"((function "f" ["n"] {
      (assign (name "x") (constant 0))
      (while (compare ["<"] (name "x") (name "n")) {(assign (name "x") (binary "+" (name "x") (constant 1)))})
      (return (name "x"))}))",
                                1, "int64"},
                               {widens, 2, "float64"},
                               {R"((function "f" ["n"] {
      (assign (name "x") (constant 0))
      (while (compare ["<"] (name "x") (name "n")) {
        (assign (name "y") (constant 0))
        (while (compare ["<"] (name "y") (name "n")) {(assign (name "y") (binary "+" (name "y") (constant 1)))})
        (assign (name "x") (binary "+" (name "x") (binary "/" (name "y") (constant 2))))})
      (return (name "x"))}))",
                                2, "float64"},
                               {R"((function "f" ["n"] {
      (assign (name "x") (constant 0))
      (assign (name "y") (constant 0))
      (while (compare ["<"] (name "x") (name "n")) {
        (assign (name "x") (binary "+" (name "y") (constant 1)))
        (assign (name "y") (binary "+" (name "y") (constant 0.5)))})
      (return (name "x"))}))",
                                3, "float64"}};

TEST(Inference, a_function_is_looked_at_as_often_as_its_types_take_to_settle) {
  const std::vector<Type> types{Type::scalar(DType::int64)};
  for (const Settled& one : settled) {
    const typed::Program program = infer(function_to_infer(one.text), types, Environment(), {.is_function = true});
    EXPECT_EQ(program.passes, one.passes) << one.text;
    EXPECT_EQ(describe(program.result), one.result) << one.text;
  }
}

TEST(Inference, lowering_adds_nothing_to_a_program) {
  const typed::Program program = infer_widened();
  Findings findings(program);
  EXPECT_FALSE(findings.infers());
  EXPECT_THROW(findings.change(), Error);
}

}  // namespace
}  // namespace tessera::kernel
