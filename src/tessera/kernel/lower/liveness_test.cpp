#include "tessera/kernel/lower/liveness.h"

#include <gtest/gtest.h>

namespace tessera::kernel {
namespace {

TEST(KernelLiveness, what_is_assigned_again_is_not_read_before) {
  const Node f = parse_syntax(R"((function "f" ["a"] {
    (assign (name "x") (constant 1))
    (assign (name "x") (constant 2))
    (expression (name "x"))}))");
  const Liveness live(f);
  EXPECT_FALSE(live.after(f.body[0]).has(live.find("x")));
  EXPECT_TRUE(live.after(f.body[1]).has(live.find("x")));
}

TEST(KernelLiveness, a_loop_reads_what_the_iteration_before_assigned) {
  const Node f = parse_syntax(R"((function "f" ["n"] {
    (assign (name "s") (constant 0))
    (while (name "n") {
      (assign (name "t") (name "s"))
      (assign (name "s") (binary "+" (name "t") (constant 1)))})}))");
  const Liveness live(f);
  EXPECT_TRUE(live.head(f.body[1]).has(live.find("s")));
  EXPECT_FALSE(live.head(f.body[1]).has(live.find("t")));
}

TEST(KernelLiveness, what_a_break_leads_to_counts) {
  const Node f = parse_syntax(R"((function "f" ["n"] {
    (assign (name "r") (constant 0))
    (while (name "n") {
      (if (name "n") {(assign (name "r") (constant 1)) (break)})
      (assign (name "r") (constant 2))})
    (expression (name "r"))}))");
  const Liveness live(f);
  EXPECT_TRUE(live.after(f.body[1].body[0].body[0]).has(live.find("r")));
  EXPECT_FALSE(live.after(f.body[1].body[0]).has(live.find("r")));
}

TEST(KernelLiveness, jumps_stay_in_their_loop) {
  const Node loop = parse_syntax(R"((while (name "n") {(break)} {(continue)}))");
  EXPECT_FALSE(jumps(loop).breaks);
  EXPECT_TRUE(jumps(loop).continues);
}

}  // namespace
}  // namespace tessera::kernel
