#include <algorithm>
#include <optional>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/routines/scan/kernels.h"
#include "tessera/routines/scan/scan.h"

namespace tessera::routines {

namespace {

/// Lanes and the length of a chunk.
struct Chunks : AxisLanes {
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

/// Queues the launches of one scan, and keeps the memory between them.
class Scan {
 public:
  Scan(Launcher& launcher, ir::Opcode op, DType dtype) : launcher_(launcher), op_(op), dtype_(dtype) {}

  /// Scans the rows of x into out.
  void rows(DType from, const Chunks& lanes, const char* x, const char* out) {
    if (lanes.chunks() > 1) return sweep(from, lanes, x, out);
    const auto kernel = [op = op_, from, dtype = dtype_](bool short_text) {
      return [=] { return scan_rows_kernel(op, from, dtype, short_text); };
    };
    launcher_.run({.name = format("scan rows {}", kind(from)),
                   .make = kernel(false),
                   .make_short_text = kernel(true),
                   .extents = {(lanes.outer + side - 1) / side, side},
                   .buffers = {x, out},
                   .scalars = {lanes.n, lanes.outer},
                   .is_block = true});
  }

  /// The same along columns; the totals before each chunk are scanned in the same way.
  void columns(DType from, const Chunks& lanes, const char* x, const char* out) {
    if (lanes.chunks() == 1) return run_columns(from, lanes, {x, nullptr, out}, false);
    const Chunks totals{{lanes.outer, lanes.chunks(), lanes.inner}, std::min(lanes.chunks(), library::scan_chunk)};
    const char* before = allocate(totals.size(), dtype_);
    run_columns(from, lanes, {x, before}, true);
    const char* reduced = allocate(totals.size(), dtype_);
    columns(dtype_, totals, before, reduced);
    run_columns(from, lanes, {x, reduced, out}, false);
  }

 private:
  static constexpr int64_t side = 32;  // rows per block

  std::string kind(DType from) const { return format("{} {} {}", static_cast<int>(op_), name(from), name(dtype_)); }
  char* allocate(int64_t count, DType dtype) { return memory_.emplace_back(launcher_.allocate(count, dtype))->data(); }

  /// Rows of several chunks, each element read once.
  void sweep(DType from, const Chunks& lanes, const char* x, const char* out) {
    const int64_t in_tile = scan_sweep_chunks(dtype_), tiles = (lanes.chunks() + in_tile - 1) / in_tile;
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
    char* told = allocate(words, DType::uint64);
    launcher_.flush();
    launcher_.device().stream().fill_zero(told, static_cast<size_t>(8 * words));
    const auto kernel = [op = op_, from, dtype = dtype_, levels](bool short_text) {
      return [=] { return scan_sweep_kernel(op, from, dtype, levels, short_text); };
    };
    launcher_.run({.name = format("scan sweep {} {}", kind(from), levels),
                   .make = kernel(false),
                   .make_short_text = kernel(true),
                   .extents = {lanes.outer * tiles, scan_sweep_threads},
                   .buffers = {x, out, told + 8, told},
                   .scalars = std::move(scalars),
                   .is_block = true});
  }
  void run_columns(DType from, const Chunks& lanes, std::vector<const char*> buffers, bool totals) {
    launcher_.run(
        {.name = format("scan columns {} {}", kind(from), totals),
         .make = [op = op_, from, dtype = dtype_, totals] { return scan_columns_kernel(op, from, dtype, totals); },
         .extents = {lanes.outer * lanes.chunks(), lanes.inner},
         .buffers = std::move(buffers),
         .scalars = {lanes.n, lanes.chunk, lanes.chunks(), lanes.inner},
         .is_block = false});
  }

  Launcher& launcher_;
  const ir::Opcode op_;
  const DType dtype_;
  std::vector<Ref<runtime::Buffer>> memory_;
};

}  // namespace

bool suits_device(const ScanKind& kind) {
  return opcode_of(kind.op, kind.dtype) && (!is_complex(kind.from) || is_complex(kind.dtype));
}

void scan_lanes(Launcher& launcher, const ScanKind& kind, const AxisLanes& lanes, const char* x, const char* out) {
  const bool in_order = lanes.n <= library::scan_in_order && library::scan_rounds(kind.op, kind.dtype);
  const Chunks chunks{lanes, in_order ? lanes.n : std::min(lanes.n, library::scan_chunk)};
  Scan scan(launcher, *opcode_of(kind.op, kind.dtype), kind.dtype);
  launcher.gather();
  if (lanes.inner == 1)
    scan.rows(kind.from, chunks, x, out);
  else
    scan.columns(kind.from, chunks, x, out);
  launcher.flush();
}

}  // namespace tessera::routines
