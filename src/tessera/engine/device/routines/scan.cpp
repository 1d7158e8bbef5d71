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
  using library::ScanOp;
  if (is_boolean(dtype)) return {};
  if (op == ScanOp::add) return ir::Opcode::add;
  if (op == ScanOp::multiply) return ir::Opcode::mul;
  if (is_complex(dtype)) return {};
  if (op == ScanOp::minimum) return ir::Opcode::min;
  if (op == ScanOp::maximum) return ir::Opcode::max;
  return {};
}

/// One scan's launches.
class Scan {
 public:
  Scan(DeviceLaunches& launches, ir::Opcode op, DType dtype) : launches_(launches), op_(op), dtype_(dtype) {}

  /// Folds the rows of x into out.
  void rows(DType from, const Lanes& lanes, const char* x, const char* out) {
    std::vector<const char*> buffers{x};
    if (lanes.chunks() == 1) return run_rows(from, lanes, {x, out}, false, 0);
    Ref<runtime::Buffer> totals = launches_.allocate(lanes.outer * lanes.chunks(), dtype_);
    run_rows(from, lanes, {x, totals->data()}, true, 0);
    std::vector<Ref<runtime::Buffer>> runs;
    for (int64_t count = lanes.chunks(), groups = 0; groups != 1; count = groups) {
      groups = (count + library::scan_chunk - 1) / library::scan_chunk;
      runs.push_back(launches_.allocate(lanes.outer * count, dtype_));
      const Ref<runtime::Buffer> of_groups = launches_.allocate(lanes.outer * groups, dtype_);
      launches_.run({.name = format("scan groups {} {}", static_cast<int>(op_), name(dtype_)),
                     .make = [=, this] { return engine::scan_groups_kernel(op_, dtype_); },
                     .make_brief = [=, this] { return engine::scan_groups_kernel(op_, dtype_); },
                     .extents = {lanes.outer * groups, side}, .buffers = {totals->data(), runs.back()->data(), of_groups->data()},
                     .scalars = {count, groups}, .is_block = true});
      buffers.push_back(runs.back()->data());
      totals = of_groups;
    }
    buffers.push_back(out);
    run_rows(from, lanes, std::move(buffers), false, static_cast<int>(runs.size()));
  }

  /// The same down columns; what stands before the chunks is found by the same cut.
  void columns(DType from, const Lanes& lanes, const char* x, const char* out) {
    if (lanes.chunks() == 1) return run_columns(from, lanes, {x, x, out}, false);
    const Ref<runtime::Buffer> before = launches_.allocate(lanes.outer * lanes.chunks() * lanes.inner, dtype_);
    run_columns(from, lanes, {x, before->data()}, true);
    const Lanes totals{lanes.outer, lanes.chunks(), lanes.inner, std::min(lanes.chunks(), library::scan_chunk)};
    const Ref<runtime::Buffer> folded = launches_.allocate(lanes.outer * lanes.chunks() * lanes.inner, dtype_);
    columns(dtype_, totals, before->data(), folded->data());
    run_columns(from, lanes, {x, folded->data(), out}, false);
  }

 private:
  static constexpr int64_t side = 32;  // chunks a block
  static constexpr int64_t most_brief = int64_t{1} << 31;  // chunks that brief kernels number

  std::string kind(DType from, bool totals) const { return format("{} {} {} {}", static_cast<int>(op_), name(from), name(dtype_), totals); }
  void run_rows(DType from, const Lanes& lanes, std::vector<const char*> buffers, bool totals, int levels) {
    const int64_t all = lanes.outer * lanes.chunks();
    // Blocks whose chunks are whole and stand one behind the other, from the first on.
    const bool is_dense = lanes.chunk == library::scan_chunk && (lanes.outer == 1 || lanes.n % lanes.chunk == 0);
    const int64_t whole = is_dense ? lanes.outer * lanes.n / lanes.chunk / side : 0;
    const bool is_short = all <= most_brief;
    launches_.run({.name = format("scan rows {} {} {}", kind(from, totals), levels, is_short),
                   .make = [=, this] { return engine::scan_rows_kernel(op_, from, dtype_, totals, levels); },
                   .make_brief = is_short ? [=, this] { return engine::scan_rows_kernel(op_, from, dtype_, totals, levels, true); } : std::function<ir::Kernel()>(),
                   .extents = {(all + side - 1) / side, side}, .buffers = std::move(buffers),
                   .scalars = {lanes.n, lanes.chunk, lanes.chunks(), all, whole}, .is_block = true});
  }
  void run_columns(DType from, const Lanes& lanes, std::vector<const char*> buffers, bool totals) {
    launches_.run({.name = format("scan columns {}", kind(from, totals)),
                   .make = [=, this] { return engine::scan_columns_kernel(op_, from, dtype_, totals); },
                   .extents = {lanes.outer * lanes.chunks(), lanes.inner}, .buffers = std::move(buffers),
                   .scalars = {lanes.n, lanes.chunk, lanes.chunks(), lanes.inner}, .is_block = false});
  }

  DeviceLaunches& launches_;
  const ir::Opcode op_;
  const DType dtype_;
};

}  // namespace

std::optional<Array> device_scan(Engine& engine, library::ScanOp op, const Array& array, int axis, DType dtype) {
  runtime::Device* device = library_device(engine, {&array});
  const std::optional<ir::Opcode> opcode = opcode_of(op, dtype);
  if (!device || !opcode || array.size() == 0 || (is_complex(array.dtype()) && !is_complex(dtype))) return {};
  Lanes lanes{1, array.shape()[axis], 1, 0};
  for (int k = 0; k < array.ndim(); ++k) (k < axis ? lanes.outer : lanes.inner) *= k == axis ? 1 : array.shape()[k];
  lanes.chunk = lanes.n <= library::scan_in_order && library::scan_rounds(op, dtype) ? lanes.n : std::min(lanes.n, library::scan_chunk);
  return engine::run_routine(engine, *device, [&](DeviceLaunches& launches) {
    const engine::DenseOperand x = launches.read(array);
    DeviceResult out(engine, *device, array.shape(), dtype);
    Scan scan(launches, *opcode, dtype);
    launches.gather();
    if (lanes.inner == 1) scan.rows(array.dtype(), lanes, x.data(), out.data());
    else scan.columns(array.dtype(), lanes, x.data(), out.data());
    return out.array();
  });
}

}  // namespace tessera
