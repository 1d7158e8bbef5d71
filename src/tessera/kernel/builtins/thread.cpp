// Where a thread is, how many there are, and barriers.
#include "tessera/kernel/builtins/builtins.h"

namespace tessera::kernel {

namespace {

constexpr int warp_size = 32;

// The kernel's axes: blockIdx.z, .y, .x, threadIdx.z, .y, .x.
constexpr int block_axis(int k) { return 2 - k; }

constexpr int thread_axis(int k) { return 5 - k; }

enum class Quantity { thread, block, block_size, grid_size };

template <Quantity quantity, int k>
Item lower_quantity(Lowering& l, const Builtin&, const Call&) {
  switch (quantity) {
    case Quantity::thread: return l.scalar(l.b.index(thread_axis(k)));
    case Quantity::block: return l.scalar(l.b.index(block_axis(k)));
    case Quantity::block_size: return l.scalar(l.b.extent(thread_axis(k)));
    case Quantity::grid_size: return l.scalar(l.b.extent(block_axis(k)));
  }
  std::unreachable();
}

/// of(k) for the x, y and z that the call asks for: a number for one, a tuple for more.
template <class F>
Item each_axis(Lowering& l, const Builtin& self, const Call& call, F of) {
  const Scalar* count = l.constant_of(call.args[0]);
  if (!count || !is_integer(count->dtype) || count->as_int() < 1 || count->as_int() > 3)
    l.fail(call.node, format("RequireLiteralValue: {} takes 1, 2 or 3, written out", self.name),
           format("{}(1)", self.name));
  std::vector<Item> items;
  for (int k = 0; k < count->as_int(); ++k) items.push_back(l.scalar(of(k)));
  return items.size() == 1 ? items[0] : tuple_of(items);
}

Item lower_grid(Lowering& l, const Builtin& self, const Call& call) {
  return each_axis(l, self, call, [&](int k) {
    return l.b.add(l.b.mul(l.b.index(block_axis(k)), l.b.extent(thread_axis(k))), l.b.index(thread_axis(k)));
  });
}

Item lower_gridsize(Lowering& l, const Builtin& self, const Call& call) {
  return each_axis(l, self, call,
                   [&](int k) { return l.b.mul(l.b.extent(block_axis(k)), l.b.extent(thread_axis(k))); });
}

Item lower_syncthreads(Lowering& l, const Builtin&, const Call& call) {
  l.checks.check_meeting(call.node, ir::CheckCall::barrier);
  l.b.barrier();
  return {};
}

// The group of all threads, whose methods are builtins of this name.
Item lower_this_grid(Lowering& l, const Builtin&, const Call&) {
  l.has_grid_group = true;
  return {Type::of_entity({.kind = EntityKind::builtin, .name = "cuda.cg.grid"}), {}};
}

// What it returns is 1 on a device, too.
Item lower_sync_grid(Lowering& l, const Builtin&, const Call& call) {
  l.b.grid_barrier();
  l.checks.check_meeting(call.node, ir::CheckCall::grid_barrier);
  return l.scalar(l.b.constant(DType::int32, 1));
}

Item lower_warpsize(Lowering& l, const Builtin&, const Call&) { return l.constant(warp_size); }

Item lower_laneid(Lowering& l, const Builtin&, const Call&) {
  ir::Builder& b = l.b;
  const ir::Value plane = b.add(b.mul(b.index(thread_axis(2)), b.extent(thread_axis(1))), b.index(thread_axis(1)));
  const ir::Value linear = b.add(b.mul(plane, b.extent(thread_axis(0))), b.index(thread_axis(0)));
  return l.scalar(b.bit_and(linear, b.constant(DType::int64, warp_size - 1)));
}

/// All three, as a tuple with names.
template <Quantity quantity>
Item lower_quantities(Lowering& l, const Builtin& self, const Call& call) {
  return tuple_of({lower_quantity<quantity, 0>(l, self, call), lower_quantity<quantity, 1>(l, self, call),
                   lower_quantity<quantity, 2>(l, self, call)},
                  {"x", "y", "z"});
}

template <Quantity quantity>
void add_quantity(std::vector<Builtin>& table, std::string_view all, std::string_view x, std::string_view y,
                  std::string_view z) {
  table.push_back({.name = all, .lower = lower_quantities<quantity>, .is_value = true});
  table.push_back({.name = x, .lower = lower_quantity<quantity, 0>, .is_value = true});
  table.push_back({.name = y, .lower = lower_quantity<quantity, 1>, .is_value = true});
  table.push_back({.name = z, .lower = lower_quantity<quantity, 2>, .is_value = true});
}

}  // namespace

void add_thread_builtins(std::vector<Builtin>& table) {
  add_quantity<Quantity::thread>(table, "cuda.threadIdx", "cuda.threadIdx.x", "cuda.threadIdx.y", "cuda.threadIdx.z");
  add_quantity<Quantity::block>(table, "cuda.blockIdx", "cuda.blockIdx.x", "cuda.blockIdx.y", "cuda.blockIdx.z");
  add_quantity<Quantity::block_size>(table, "cuda.blockDim", "cuda.blockDim.x", "cuda.blockDim.y", "cuda.blockDim.z");
  add_quantity<Quantity::grid_size>(table, "cuda.gridDim", "cuda.gridDim.x", "cuda.gridDim.y", "cuda.gridDim.z");
  table.push_back({.name = "cuda.grid", .parameters = "ndim", .lower = lower_grid});
  table.push_back({.name = "cuda.gridsize", .parameters = "ndim", .lower = lower_gridsize});
  table.push_back({.name = "cuda.syncthreads", .lower = lower_syncthreads});
  table.push_back({.name = "cuda.cg.this_grid", .lower = lower_this_grid});
  table.push_back({.name = "cuda.cg.grid.sync", .lower = lower_sync_grid});
  table.push_back({.name = "cuda.warpsize", .lower = lower_warpsize, .is_value = true});
  table.push_back({.name = "cuda.laneid", .lower = lower_laneid, .is_value = true});
}

}  // namespace tessera::kernel
