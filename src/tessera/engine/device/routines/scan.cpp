#include "tessera/engine/device/routines/launcher.h"
#include "tessera/engine/device/routines/routines.h"

namespace tessera {

using engine::DeviceLaunches;

namespace {

/// Lanes of one array as a scan sees them.
struct Lanes {
  int64_t outer, n, inner;
  int64_t chunk;
  int64_t chunks() const { return (n + chunk - 1) / chunk; }
};

std::optional<ir::Opcode> opcode_of(library::ScanOp op, DType dtype) {
  if (is_complex(dtype) || is_boolean(dtype) || dtype == DType::float16 || dtype == DType::bfloat16) return {};
  if (op == library::ScanOp::add) return ir::Opcode::add;
  if (op == library::ScanOp::multiply) return ir::Opcode::mul;
  return {};
}

/// Folds x's lanes into out; before holds the folds of all chunks in front of each.
void scan_lanes(DeviceLaunches& launches, ir::Opcode op, DType from, DType dtype, const Lanes& lanes, const char* x, char* out) {
  constexpr int64_t side = 32;  // chunks a block
  const bool rows = lanes.inner == 1;
  const int64_t all = lanes.outer * lanes.chunks();
  // Blocks whose chunks are whole and stand one behind the other, from the first on.
  const bool is_dense = rows && lanes.chunk == library::scan_chunk && (lanes.outer == 1 || lanes.n % lanes.chunk == 0);
  const int64_t whole = is_dense ? lanes.outer * lanes.n / lanes.chunk / side : 0;
  const auto run = [&](bool totals, const std::vector<const char*>& buffers) {
    const std::string kind = format("{} {} {} {}", static_cast<int>(op), name(from), name(dtype), totals);
    if (whole > 0)
      launches.run({.name = format("scan whole {}", kind), .make = [=] { return engine::scan_whole_kernel(op, from, dtype, totals); },
                    .extents = {whole, side}, .buffers = buffers, .scalars = {lanes.chunks()}, .is_block = true});
    if (rows && whole * side < all)
      launches.run({.name = format("scan rows {}", kind), .make = [=] { return engine::scan_rows_kernel(op, from, dtype, totals); },
                    .extents = {(all + side - 1) / side - whole, side}, .buffers = buffers,
                    .scalars = {lanes.n, lanes.chunk, lanes.chunks(), all, whole * side}, .is_block = true});
    if (!rows)
      launches.run({.name = format("scan columns {}", kind), .make = [=] { return engine::scan_columns_kernel(op, from, dtype, totals); },
                    .extents = {all, lanes.inner}, .buffers = buffers,
                    .scalars = {lanes.n, lanes.chunk, lanes.chunks(), lanes.inner}, .is_block = false});
  };
  if (lanes.chunks() == 1) return run(false, {x, x, out});
  const Ref<runtime::Buffer> before = launches.allocate(lanes.outer * lanes.chunks() * lanes.inner, dtype);
  run(true, {x, before->data()});
  const Lanes totals{lanes.outer, lanes.chunks(), lanes.inner, std::min(lanes.chunks(), library::scan_chunk)};
  const Ref<runtime::Buffer> folded = launches.allocate(lanes.outer * lanes.chunks() * lanes.inner, dtype);
  scan_lanes(launches, op, dtype, dtype, totals, before->data(), folded->data());
  run(false, {x, folded->data(), out});
}

}  // namespace

std::optional<Array> device_scan(Engine& engine, library::ScanOp op, const Array& array, int axis, DType dtype) {
  constexpr int64_t few = 1 << 14;  // one chain of them is faster on the host
  runtime::Device* device = library_device(engine, {&array});
  const std::optional<ir::Opcode> opcode = opcode_of(op, dtype);
  if (!device || !opcode || array.size() < few || is_complex(array.dtype())) return {};
  Lanes lanes{1, array.shape()[axis], 1, 0};
  for (int k = 0; k < array.ndim(); ++k) (k < axis ? lanes.outer : lanes.inner) *= k == axis ? 1 : array.shape()[k];
  lanes.chunk = lanes.n <= library::scan_in_order && library::scan_rounds(op, dtype) ? lanes.n : std::min(lanes.n, library::scan_chunk);
  return engine::run_routine(engine, *device, [&](DeviceLaunches& launches) {
    const engine::DenseOperand x = launches.read(array);
    DeviceResult out(engine, *device, array.shape(), dtype);
    scan_lanes(launches, *opcode, array.dtype(), dtype, lanes, x.data(), out.data());
    return out.array();
  });
}

}  // namespace tessera
