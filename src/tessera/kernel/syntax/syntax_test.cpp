#include "tessera/kernel/syntax/syntax.h"

#include <gtest/gtest.h>

#include "tessera/base/error.h"

namespace tessera::kernel {
namespace {

TEST(Syntax, a_text_becomes_a_tree) {
  const Node f =
      parse_syntax(R"((function "f" ["a" "i"] {(if (compare ["<"] (name "i") (constant 3)) {(pass)} {(break)})}))");
  EXPECT_EQ(f.kind, NodeKind::function);
  EXPECT_EQ(f.names, (std::vector<std::string>{"a", "i"}));
  ASSERT_EQ(f.body.size(), 1u);
  EXPECT_EQ(f.body[0].operands[0].names[0], "<");
  EXPECT_EQ(f.body[0].operands[0].operands[1].value.as_int(), 3);
  EXPECT_EQ(f.body[0].other[0].kind, NodeKind::break_);
}

TEST(Syntax, an_attribute_of_a_name_has_a_dotted_name) {
  EXPECT_EQ(dotted_name(parse_syntax(R"((attribute "x" (attribute "threadIdx" (name "cuda"))))")), "cuda.threadIdx.x");
  EXPECT_FALSE(dotted_name(parse_syntax(R"((attribute "x" (constant 1)))")));
}

TEST(Syntax, text_that_is_no_tree_is_refused) {
  EXPECT_THROW(parse_syntax("(nonsense)"), ValueError);
  EXPECT_THROW(parse_syntax("(pass"), ValueError);
  EXPECT_THROW(parse_syntax("(pass) (pass)"), ValueError);
}

}  // namespace
}  // namespace tessera::kernel
