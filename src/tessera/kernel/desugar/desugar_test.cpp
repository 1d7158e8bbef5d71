#include "tessera/kernel/desugar/desugar.h"

#include <gtest/gtest.h>

#include "tessera/kernel/compile_error.h"

namespace tessera::kernel {
namespace {

Entity chunk_size_only(const std::string& dotted) {
  if (dotted == "chunks") return {.kind = EntityKind::builtin, .name = "builtins.parallel_chunksize"};
  return {};
}

/// The function's text before and after, both as print_syntax writes them.
std::pair<std::string, std::string> around(std::string_view text, std::string_view expected,
                                           const std::set<std::string>& converted = {}) {
  Function function{.tree = parse_syntax(text), .file = "test.py", .globals = chunk_size_only};
  desugar(function, converted);
  return {print_syntax(function.tree), print_syntax(parse_syntax(expected))};
}

#define EXPECT_DESUGARED(text, ...)                          \
  {                                                          \
    const auto [made, expected] = around(text, __VA_ARGS__); \
    EXPECT_EQ(made, expected);                               \
  }

TEST(Desugar, a_text_of_a_tree_is_read_again) {
  const char* text = R"((function "f" ["a"] {
  (if (compare ["<"] (name "a") (constant 3)) {
    (pass)} {
    (break)})}))";
  EXPECT_EQ(print_syntax(parse_syntax(text)), text);
}

TEST(Desugar, a_name_for_a_value_is_assigned_before_the_statement) {
  EXPECT_DESUGARED(
      R"((function "f" ["a"] {(return (binary "+" (named (name "n") (name "a")) (constant 1)))}))",
      R"((function "f" ["a"] {(assign (name "n") (name "a")) (return (binary "+" (name "n") (constant 1)))}))");
}

TEST(Desugar, a_name_for_a_value_in_a_condition_of_a_loop_is_assigned_in_it) {
  EXPECT_DESUGARED(R"((function "f" ["a"] {(while (named (name "n") (name "a")) {(pass)})}))",
                   R"((function "f" ["a"] {(while (constant true) {
                        (assign (name "n") (name "a")) (if (unary "not" (name "n")) {(break)}) (pass)})}))");
}

TEST(Desugar, a_name_for_a_value_that_may_not_be_evaluated_is_refused) {
  const char* text = R"((function "f" ["a"] {(return (boolean "and" (name "a") (named (name "n") (name "a"))))}))";
  EXPECT_THROW(around(text, text), CompileError);
}

TEST(Desugar, cases_are_conditions_in_order) {
  EXPECT_DESUGARED(
      R"((function "f" ["a"] {(match (name "a") {
        (part "case" (pattern "or" (pattern "value" (constant 1)) (pattern "value" (nothing))) {(return (constant 1))})
        (part "case" (pattern "as" ["x"]) {(return (name "x"))})})}))",
      R"((function "f" ["a"] {
        (if (boolean "or" (compare ["=="] (name "a") (constant 1)) (compare ["is"] (name "a") (nothing)))
          {(return (constant 1))}
          {(assign (name "x") (name "a")) (return (name "x"))})}))");
}

TEST(Desugar, a_guard_does_not_change_what_is_matched) {
  EXPECT_DESUGARED(
      R"((function "f" ["a"] {(match (name "a") {
        (part "case" (pattern "as" ["x"]) (compare [">"] (name "x") (constant 2)) {(return (name "x"))})
        (part "case" (pattern "as") {(return (constant 0))})})}))",
      R"((function "f" ["a"] {
        (assign (name "subject_of_line_1") (name "a"))
        (assign (name "x") (name "subject_of_line_1"))
        (if (compare [">"] (name "x") (constant 2)) {(return (name "x"))} {(return (constant 0))})}))");
}

TEST(Desugar, what_is_evaluated_before_a_name_for_a_value_is_kept) {
  EXPECT_DESUGARED(R"((function "f" ["a"] {
                     (return (binary "+" (call (name "g")) (named (name "n") (call (name "h")))))}))",
                   R"((function "f" ["a"] {
                     (assign (name "kept#1:68-69") (call (name "g")))
                     (assign (name "n") (call (name "h")))
                     (return (binary "+" (name "kept#1:68-69") (name "n")))}))");
}

TEST(Desugar, a_parameter_of_a_lambda_is_no_variable_of_the_comprehension_around) {
  EXPECT_DESUGARED(R"((function "f" ["a"] {(return (comprehension (function "<lambda>" ["x"] {(return (name "x"))})
                     (part (name "x") (name "a"))))}))",
                   R"((function "f" ["a"] {(return (call (function "<listcomp>" {
                     (assign (name "list#1:43") (list))
                     (for (name "x#1:43") (name "a") {(expression (call (attribute "append" (name "list#1:43"))
                       (function "<lambda>" ["x"] {(return (name "x"))})))})
                     (return (name "list#1:43"))})))}))");
}

TEST(Desugar, patterns_of_sequences_are_refused) {
  const char* text = R"((function "f" ["a"] {(match (name "a") {(part "case" (pattern "other") {(pass)})})}))";
  EXPECT_THROW(around(text, text), CompileError);
}

TEST(Desugar, a_function_inside_gets_and_returns_what_it_assigns_around) {
  EXPECT_DESUGARED(
      R"((function "f" ["a"] {
        (assign (name "n") (constant 0))
        (function "add" ["x"] {(nonlocal ["n"]) (augmented "+" (name "n") (name "x"))})
        (expression (call (name "add") (name "a")))}))",
      R"((function "f" ["a"] {
        (assign (name "n") (constant 0))
        (function "add" ["n" "x"] {(pass) (augmented "+" (name "n") (name "x")) (return (tuple (nothing) (name "n")))})
        (assign (tuple (name "result_1_of_nonlocal") (name "n")) (call (name "add") (name "n") (name "a")))
        (expression (name "result_1_of_nonlocal"))}))");
}

TEST(Desugar, a_declaration_of_what_is_outside_of_the_whole_function_is_unsupported) {
  EXPECT_DESUGARED(R"((function "f" {(nonlocal ["n"])}))", R"((function "f" {(unsupported "nonlocal")}))");
}

TEST(Desugar, a_size_of_chunks_is_set_back_finally) {
  EXPECT_DESUGARED(R"((function "f" {(with (part (call (name "chunks") (constant 4))) {(pass)})}))",
                   R"((function "f" {
                     (assign (name "chunk_size_before_1") (call (attribute "set" (name "chunks")) (constant 4)))
                     (try {(part "try" {(pass)})
                           (part "finally" {(expression
                             (call (attribute "set" (name "chunks")) (name "chunk_size_before_1")))})})}))");
  EXPECT_DESUGARED(R"((function "f" {(with (part (call (name "open") (constant 4))) {(pass)})}))",
                   R"((function "f" {(unsupported "with")}))");
}

TEST(Desugar, what_is_assigned_to_a_typed_variable_is_converted) {
  EXPECT_DESUGARED(R"((function "f" ["a"] {(augmented "+" (name "a") (constant 1))}))", R"((function "f" ["a"] {
                     (assign (name "a'2") (call (name "a:type") (name "a")))
                     (assign (name "a'3") (call (name "a:type") (binary "+" (name "a'2") (constant 1))))}))",
                   {"a"});
}

TEST(Desugar, a_variable_assigned_anew_is_another_one) {
  EXPECT_DESUGARED(R"((function "f" ["a"] {
                     (assign (name "a") (binary "*" (name "a") (constant 0.5)))
                     (return (name "a"))}))",
                   R"((function "f" ["a"] {
                     (assign (name "a'2") (binary "*" (name "a") (constant 0.5)))
                     (return (name "a'2"))}))");
}

TEST(Desugar, a_variable_that_begins_in_a_loops_body_is_another_one_when_assigned_anew) {
  EXPECT_DESUGARED(R"((function "f" ["a"] {
                     (for (name "i") (name "a") {
                       (assign (tuple (name "n") (name "x")) (name "i"))
                       (assign (name "x") (binary "*" (name "x") (constant 0.5)))
                       (if (name "x") {(assign (name "n") (name "x"))})})}))",
                   R"((function "f" ["a"] {
                     (for (name "i") (name "a") {
                       (assign (tuple (name "n") (name "x")) (name "i"))
                       (assign (name "x'2") (binary "*" (name "x") (constant 0.5)))
                       (if (name "x'2") {(assign (name "n") (name "x'2"))})})}))");
  // Read by the next iteration, behind the loop, or not assigned in each iteration.
  constexpr const char* kept[] = {
      R"((function "f" ["a"] {(for (name "i") (name "a") {
            (assign (name "x") (binary "+" (name "x") (name "i")))
            (assign (name "x") (binary "*" (name "x") (constant 0.5)))})}))",
      R"((function "f" ["a"] {(for (name "i") (name "a") {
            (assign (name "x") (name "i"))
            (assign (name "x") (binary "*" (name "x") (constant 0.5)))})
          (return (name "x"))}))",
      R"((function "f" ["a"] {(for (name "i") (name "a") {
            (if (name "i") {(assign (name "x") (name "i"))})
            (assign (name "x") (constant 0.5))})}))"};
  for (const char* text : kept) EXPECT_DESUGARED(text, text);
}

TEST(Desugar, a_comprehension_is_a_function_whose_variables_are_its_own) {
  EXPECT_DESUGARED(R"((function "f" ["a"] {(return
                     (comprehension (name "x")
                       (part (name "x") (name "a") (compare [">"] (name "x") (constant 0)))))}))",
                   R"((function "f" ["a"] {(return (call (function "<listcomp>" {
                     (assign (name "list#1:64") (list))
                     (for (name "x#1:64") (name "a") {
                       (if (compare [">"] (name "x#1:64") (constant 0))
                         {(expression (call (attribute "append" (name "list#1:64")) (name "x#1:64")))})})
                     (return (name "list#1:64"))})))}))");
}

TEST(Desugar, formatted_texts_are_sums) {
  EXPECT_DESUGARED(
      R"((function "f" ["a"] {(return (joined (text "a") (part "repr" (name "a"))))}))",
      R"((function "f" ["a"] {(return (binary "+" (text "a") (call (name "builtins.repr") (name "a"))))}))");
}

TEST(Desugar, an_assertion_raises_under_its_condition) {
  EXPECT_DESUGARED(R"((function "f" ["a"] {(assert (name "a") (text "no"))}))",
                   R"((function "f" ["a"] {(if (unary "not" (name "a")) {(raise "assert" (text "no"))})}))");
}

TEST(Desugar, an_element_is_deleted_by_a_method) {
  EXPECT_DESUGARED(R"((function "f" ["a"] {(delete (subscript (name "a") (constant 1)))}))",
                   R"((function "f" ["a"] {(expression (call (attribute "__delitem__" (name "a")) (constant 1)))}))");
  EXPECT_DESUGARED(R"((function "f" ["a"] {(delete (name "a"))}))",
                   R"((function "f" ["a"] {(unsupported "del of a name")}))");
}

}  // namespace
}  // namespace tessera::kernel
