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

TEST(SplitBranches, branches_that_a_block_takes_together_stay) {
  EXPECT_FALSE(split_branches(ir::matmul_kernel()));
  EXPECT_FALSE(split_branches(ir::block_sum_kernel()));
  EXPECT_FALSE(split_branches(ir::transpose_kernel()));
}

TEST(SplitBranches, a_loop_that_might_not_end_stays_in_its_branch) {
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
  EXPECT_FALSE(split_branches(b.take()));
}

}  // namespace
}  // namespace tessera::lanes
