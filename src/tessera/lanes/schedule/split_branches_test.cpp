#include "tessera/lanes/schedule/split_branches.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tessera/ir/user_kernels.h"

namespace tessera::lanes {
namespace {

using ir::Opcode;
using ir::Value;

size_t count(const ir::Kernel& kernel, ir::RegionId region, Opcode op) {
  return static_cast<size_t>(
      std::ranges::count_if(kernel.regions[region].body, [&](Value v) { return kernel.instructions[v].op == op; }));
}

TEST(SplitBranches, a_guard_around_barriers_is_cut_there) {
  const std::optional<ir::Kernel> split = split_branches(ir::early_return_kernel());
  ASSERT_TRUE(split);
  ir::verify(*split);
  EXPECT_EQ(count(*split, 0, Opcode::barrier), 1) << ir::print(*split);
  EXPECT_EQ(count(*split, 0, Opcode::for_), 1);
  EXPECT_EQ(count(*split, 0, Opcode::if_), 2);
  EXPECT_FALSE(split_branches(*split));
}

TEST(SplitBranches, votes_in_a_branch_become_ballots_and_shuffles_of_all_lanes) {
  const std::optional<ir::Kernel> split = split_branches(ir::warp_kernel());
  ASSERT_TRUE(split);
  ir::verify(*split);
  for (const Opcode op : {Opcode::match_any, Opcode::active_mask}) {
    for (const ir::Instruction& i : split->instructions) EXPECT_NE(i.op, op) << ir::print(*split);
  }
  EXPECT_GT(count(*split, 0, Opcode::ballot), 0);
  EXPECT_EQ(count(*split, 0, Opcode::barrier_count), 1);
  for (const ir::Instruction& i : split->instructions) {
    if (i.op == Opcode::ballot) EXPECT_EQ(i.arg_count, 1) << ir::print(*split);
    if (i.op == Opcode::shuffle) EXPECT_EQ(i.attr, static_cast<uint8_t>(ir::ShuffleKind::index)) << ir::print(*split);
  }
}

TEST(SplitBranches, branches_that_a_block_takes_together_stay) {
  EXPECT_FALSE(split_branches(ir::matmul_kernel()));
  EXPECT_FALSE(split_branches(ir::block_sum_kernel()));
  EXPECT_FALSE(split_branches(ir::transpose_kernel()));
}

TEST(SplitBranches, a_loop_in_a_branch_runs_while_a_lane_is_active) {
  ir::UserBuilder b("waits");
  const uint32_t to = b.write(DType::int64, 1);
  const Value zero = b.number(0), step = b.scalar(b.add_scalar(DType::int64));
  b.when(b.lt(b.thread_index('x'), step), [&] {
    const std::array initial{zero};
    const Value last = b.while_(
        initial, [&](auto args) { return std::vector<Value>{b.lt(args[0], b.number(10))}; },
        [&](auto args) {
          b.barrier();
          return std::vector<Value>{b.add(args[0], step)};
        })[0];
    b.put(to, last, {b.thread_index('x')});
  });
  const std::optional<ir::Kernel> split = split_branches(b.take());
  ASSERT_TRUE(split);
  ir::verify(*split);
  ASSERT_EQ(count(*split, 0, Opcode::while_), 1) << ir::print(*split);
  const auto loop = std::ranges::find(split->instructions, Opcode::while_, &ir::Instruction::op);
  EXPECT_EQ(count(*split, loop->first_region, Opcode::barrier_count), 1) << "whether any lane is active";
  EXPECT_EQ(count(*split, loop->first_region + 1, Opcode::barrier), 1);
}

}  // namespace
}  // namespace tessera::lanes
