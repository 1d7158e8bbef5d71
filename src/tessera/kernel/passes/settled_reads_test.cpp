#include "tessera/kernel/passes/settled_reads.h"

#include <gtest/gtest.h>

#include "tessera/ir/checks.h"
#include "tessera/ir/user_kernels.h"

namespace tessera::kernel {
namespace {

using ir::CheckCall;
using ir::Value;

/// A kernel with one shared array, whose accesses are told.
struct ToldKernel : ir::UserBuilder {
  explicit ToldKernel(int64_t size = 64)
      : UserBuilder("told"), array(add_array({.dtype = DType::float64, .size = size, .shared = true})) {}

  void tell(CheckCall call) {
    std::vector<Value> words{number(0)};
    if (call == CheckCall::write_array) words.push_back(number(0));
    words.push_back(number(0));
    call_host(ir::check_number(call, array), words);
  }
  void read() { tell(CheckCall::read_array); }
  void write() { tell(CheckCall::write_array); }
  void repeat(const std::function<void()>& body) {
    for_(number(0), number(3), number(1), {}, [&](std::span<const Value>) {
      body();
      return std::vector<Value>{};
    });
  }
  /// For each read, in the order of the text, whether it is settled.
  std::string settled() {
    const ir::Kernel kernel = settle_reads(take());
    std::string said;
    const std::function<void(const ir::Region&)> walk = [&](const ir::Region& region) {
      for (Value v : region.body) {
        const ir::Instruction& i = kernel.instructions[v];
        for (int k = 0; k < i.region_count; ++k) walk(kernel.region(v, k));
        if (i.op != ir::Opcode::call_host) continue;
        if (ir::check_of(i.imm) == CheckCall::read_array) said += "-";
        if (ir::check_of(i.imm) == CheckCall::read_settled_array) said += "s";
      }
    };
    walk(kernel.regions[0]);
    return said;
  }

  uint32_t array;
};

TEST(SettledReads, barriers_part_reads_from_writes) {
  ToldKernel k;
  k.write();
  k.barrier();
  k.read();
  EXPECT_EQ(k.settled(), "s");
}

TEST(SettledReads, a_read_beside_a_write_is_not_settled) {
  ToldKernel k;
  k.read();
  k.write();
  k.barrier();
  k.write();
  k.read();
  EXPECT_EQ(k.settled(), "--");
}

TEST(SettledReads, a_loop_goes_from_its_end_to_its_begin) {
  ToldKernel tiles;
  tiles.repeat([&] {
    tiles.write();
    tiles.barrier();
    tiles.read();
    tiles.barrier();
    tiles.read();
  });
  tiles.read();
  EXPECT_EQ(tiles.settled(), "s--");
}

TEST(SettledReads, a_barrier_that_may_be_left_out_parts_nothing) {
  ToldKernel k;
  k.write();
  k.when(k.lt(k.extent(0), k.number(2)), [&] { k.barrier(); });
  k.read();
  k.repeat([&] {
    k.read();
    k.barrier();
  });
  k.read();
  EXPECT_EQ(k.settled(), "---");
}

TEST(SettledReads, other_arrays_and_warp_barriers_change_nothing) {
  ToldKernel k;
  const uint32_t other = k.add_array({.dtype = DType::float64, .size = 8, .shared = true});
  k.write();
  k.barrier();
  k.read();
  k.array = other;
  k.write();
  k.read();
  k.warp_barrier();
  k.read();
  EXPECT_EQ(k.settled(), "s--");
}

TEST(SettledReads, dynamic_arrays_are_one_memory) {
  ToldKernel k(0);
  k.read();
  EXPECT_EQ(k.settled(), "-");
}

}  // namespace
}  // namespace tessera::kernel
