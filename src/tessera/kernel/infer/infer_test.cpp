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

TEST(Inference, lowering_adds_nothing_to_a_program) {
  const typed::Program program = infer_widened();
  Findings findings(program);
  EXPECT_FALSE(findings.infers());
  EXPECT_THROW(findings.change(), Error);
}

}  // namespace
}  // namespace tessera::kernel
