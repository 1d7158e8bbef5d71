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
  const auto run = [&](bool totals, std::vector<const char*> buffers) {
    const bool rows = lanes.inner == 1;
    const int64_t all = lanes.outer * lanes.chunks();
    launches.run({.name = format("scan {} {} {} {} {}", rows, static_cast<int>(op), name(from), name(dtype), totals),
                  .make = [=] { return rows ? engine::scan_rows_kernel(op, from, dtype, totals) : engine::scan_columns_kernel(op, from, dtype, totals); },
                  .extents = rows ? Dims{(all + 31) / 32, 32} : Dims{all, lanes.inner},
                  .buffers = std::move(buffers),
                  .scalars = {lanes.n, lanes.chunk, lanes.chunks(), rows ? all : lanes.inner},
                  .is_block = rows});
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
