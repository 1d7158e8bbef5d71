#include "tessera/engine/device/routines/launcher.h"
#include "tessera/engine/device/routines/routines.h"
#include "tessera/routines/scan/kernels.h"

namespace tessera {

using engine::DeviceLaunches;

namespace {

/// The shape of an array as a scan treats it: outer lanes, length, inner lanes; and the length of a chunk.
struct Lanes {
  int64_t outer, n, inner;
  int64_t chunk;
  int64_t chunks() const { return (n + chunk - 1) / chunk; }
};

std::optional<ir::Opcode> opcode_of(library::ScanOp op, DType dtype) {
  using library::ScanOp;
  if (is_boolean(dtype)) return {};
  if (op == ScanOp::add) return ir::Opcode::add;
  if (op == ScanOp::multiply) return ir::Opcode::mul;
  if (is_complex(dtype)) return {};
  if (op == ScanOp::minimum) return ir::Opcode::min;
  if (op == ScanOp::maximum) return ir::Opcode::max;
  return {};
}

/// Queues the launches of one scan.
class Scan {
 public:
  Scan(DeviceLaunches& launches, runtime::Device& device, ir::Opcode op, DType dtype)
      : launches_(launches), device_(device), op_(op), dtype_(dtype) {}

  /// Scans the rows of x into out.
  void rows(DType from, const Lanes& lanes, const char* x, const char* out) {
    if (lanes.chunks() > 1) return sweep(from, lanes, x, out);
    launches_.run({.name = format("scan rows {}", kind(from)),
                   .make = [=, this] { return routines::scan_rows_kernel(op_, from, dtype_); },
                   .make_short_text = [=, this] { return routines::scan_rows_kernel(op_, from, dtype_, true); },
                   .extents = {(lanes.outer + side - 1) / side, side},
                   .buffers = {x, out},
                   .scalars = {lanes.n, lanes.outer},
                   .is_block = true});
  }

  /// The same along columns; the totals before each chunk are scanned in the same way.
  void columns(DType from, const Lanes& lanes, const char* x, const char* out) {
    if (lanes.chunks() == 1) return run_columns(from, lanes, {x, nullptr, out}, false);
    const Ref<runtime::Buffer> before = launches_.allocate(lanes.outer * lanes.chunks() * lanes.inner, dtype_);
    run_columns(from, lanes, {x, before->data()}, true);
    const Lanes totals{lanes.outer, lanes.chunks(), lanes.inner, std::min(lanes.chunks(), library::scan_chunk)};
    const Ref<runtime::Buffer> reduced = launches_.allocate(lanes.outer * lanes.chunks() * lanes.inner, dtype_);
    columns(dtype_, totals, before->data(), reduced->data());
    run_columns(from, lanes, {x, reduced->data(), out}, false);
  }

 private:
  static constexpr int64_t side = 32;  // rows per block

  std::string kind(DType from) const { return format("{} {} {}", static_cast<int>(op_), name(from), name(dtype_)); }

  /// Rows of several chunks, each element read once.
  void sweep(DType from, const Lanes& lanes, const char* x, const char* out) {
    const int64_t in_tile = routines::scan_sweep_chunks(dtype_), tiles = (lanes.chunks() + in_tile - 1) / in_tile;
    std::vector<int64_t> scalars{lanes.n, tiles};
    int levels = 0;
    int64_t totals = 0;
    for (int64_t reductions = lanes.chunks(), room = tiles * in_tile; reductions > 1 || levels == 0; ++levels) {
      scalars.insert(scalars.end(), {totals, room});
      totals += lanes.outer * room;
      reductions = (reductions + library::scan_chunk - 1) / library::scan_chunk;
      room = reductions;
    }
    // The tickets, followed by the words of totals; all begin as zeros.
    const int64_t words = 1 + totals * std::max<int64_t>(1, itemsize(dtype_) / 4);
    const Ref<runtime::Buffer> told = launches_.allocate(words, DType::uint64);
    launches_.flush();
    device_.stream().fill_zero(told->data(), static_cast<size_t>(8 * words));
    launches_.run(
        {.name = format("scan sweep {} {}", kind(from), levels),
         .make = [=, this] { return routines::scan_sweep_kernel(op_, from, dtype_, levels); },
         .make_short_text = [=, this] { return routines::scan_sweep_kernel(op_, from, dtype_, levels, true); },
         .extents = {lanes.outer * tiles, routines::scan_sweep_threads},
         .buffers = {x, out, told->data() + 8, told->data()},
         .scalars = std::move(scalars),
         .is_block = true});
  }
  void run_columns(DType from, const Lanes& lanes, std::vector<const char*> buffers, bool totals) {
    launches_.run({.name = format("scan columns {} {}", kind(from), totals),
                   .make = [=, this] { return routines::scan_columns_kernel(op_, from, dtype_, totals); },
                   .extents = {lanes.outer * lanes.chunks(), lanes.inner},
                   .buffers = std::move(buffers),
                   .scalars = {lanes.n, lanes.chunk, lanes.chunks(), lanes.inner},
                   .is_block = false});
  }

  DeviceLaunches& launches_;
  runtime::Device& device_;
  const ir::Opcode op_;
  const DType dtype_;
};

}  // namespace

std::optional<Array> device_scan(Engine& engine, library::ScanOp op, const Array& array, int axis, DType dtype) {
  const std::optional<ir::Opcode> opcode = opcode_of(op, dtype);
  if (!opcode || array.size() == 0 || (is_complex(array.dtype()) && !is_complex(dtype))) return {};
  const double moved = 2.0 * static_cast<double>(itemsize(array.dtype()) + itemsize(dtype));
  runtime::Device* device = library_device(engine, {&array}, engine::cost_by_element("scan", array.size(), 1, moved));
  if (!device) return {};
  Lanes lanes{1, array.shape()[axis], 1, 0};
  for (int k = 0; k < array.ndim(); ++k) (k < axis ? lanes.outer : lanes.inner) *= k == axis ? 1 : array.shape()[k];
  lanes.chunk = lanes.n <= library::scan_in_order && library::scan_rounds(op, dtype)
                    ? lanes.n
                    : std::min(lanes.n, library::scan_chunk);
  return engine::run_routine(engine, *device, [&](DeviceLaunches& launches) {
    const engine::DenseOperand x = launches.read(array);
    DeviceResult out(engine, *device, array.shape(), dtype);
    Scan scan(launches, *device, *opcode, dtype);
    launches.gather();
    if (lanes.inner == 1)
      scan.rows(array.dtype(), lanes, x.data(), out.data());
    else
      scan.columns(array.dtype(), lanes, x.data(), out.data());
    return out.array();
  });
}

}  // namespace tessera
