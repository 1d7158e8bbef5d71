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

/// The words by which the blocks of a sweep tell each other totals: the tickets, followed by the totals of each level.
struct Totals {
  int64_t tiles, words;
  std::vector<int64_t> levels;  // of each the first total, and how many a lane has

  Totals(const Chunks& lanes, DType dtype) {
    const int64_t in_tile = scan_sweep_chunks(dtype);
    tiles = (lanes.chunks() + in_tile - 1) / in_tile;
    int64_t totals = 0;
    for (int64_t reductions = lanes.chunks(), room = tiles * in_tile; reductions > 1 || levels.empty();) {
      levels.insert(levels.end(), {totals, room});
      totals += lanes.outer * room;
      reductions = (reductions + library::scan_chunk - 1) / library::scan_chunk;
      room = reductions;
    }
    words = 1 + totals * std::max<int64_t>(1, itemsize(dtype) / 4);
  }
};

/// Queues the launches of one scan, and keeps the memory between them.
class Scan {
 public:
  Scan(Launcher& launcher, ir::Opcode op, DType dtype) : launcher_(launcher), op_(op), dtype_(dtype) {}

  /// The totals of a part of one row, or of one lane's columns, and then its scan, from those of all before, too.
  void onward(DType from, const AxisLanes& part, const char* x, const char* out, const PartOfCall& onward) {
    const bool begins = onward.stage == PartOfCall::Stage::begins;
    const Chunks all{{1, onward.extent, part.inner}, std::min(onward.extent, library::scan_chunk)};
    // The kernels count elements from the first of all.
    x -= onward.begin * part.inner * itemsize(from), out -= onward.begin * part.inner * itemsize(dtype_);
    const int64_t first = onward.begin / library::scan_chunk, end = (onward.begin + part.n + all.chunk - 1) / all.chunk;
    if (part.inner == 1) {
      if (!begins) return sweep(from, all, x, out, {first, end, onward.totals});
      if (!onward.is_last) chunk_totals(from, x, onward.totals, first, end);
      return;
    }
    if (begins) return run_columns(from, all, {x, onward.totals}, true, first, end);
    const Chunks totals{{1, end, part.inner}, std::min(end, library::scan_chunk)};
    const char* reduced = allocate(totals.size(), dtype_);
    columns(dtype_, totals, onward.totals, reduced);
    run_columns(from, all, {x, reduced, out}, false, first, end);
  }

  /// Scans the rows of x into out.
  void rows(DType from, const Chunks& lanes, const char* x, const char* out) {
    if (lanes.chunks() > 1) return sweep(from, lanes, x, out, {0, lanes.chunks()});
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
    if (lanes.chunks() == 1) return run_columns(from, lanes, {x, nullptr, out}, false, 0, 1);
    const Chunks totals{{lanes.outer, lanes.chunks(), lanes.inner}, std::min(lanes.chunks(), library::scan_chunk)};
    const char* before = allocate(totals.size(), dtype_);
    run_columns(from, lanes, {x, before}, true, 0, lanes.chunks());
    const char* reduced = allocate(totals.size(), dtype_);
    columns(dtype_, totals, before, reduced);
    run_columns(from, lanes, {x, reduced, out}, false, 0, lanes.chunks());
  }

 private:
  static constexpr int64_t side = 32;  // rows per block

  std::string kind(DType from) const { return format("{} {} {}", static_cast<int>(op_), name(from), name(dtype_)); }
  char* allocate(int64_t count, DType dtype) { return memory_.emplace_back(launcher_.allocate(count, dtype))->data(); }

  /// Chunks of each row, all of them or, from the totals of those before, some of the only row's.
  struct SweptChunks {
    int64_t first, end;
    const char* totals = nullptr;
  };
  /// Rows of several chunks, each element read once.
  void sweep(DType from, const Chunks& lanes, const char* x, const char* out, const SweptChunks& swept) {
    const Totals totals(lanes, dtype_);
    std::vector<int64_t> scalars{lanes.n, totals.tiles};
    scalars.insert(scalars.end(), totals.levels.begin(), totals.levels.end());
    const int levels = static_cast<int>(totals.levels.size() / 2);
    char* told = allocate(totals.words, DType::uint64);
    launcher_.flush();
    launcher_.device().stream().fill_zero(told, static_cast<size_t>(8 * totals.words));
    const int64_t in_tile = scan_sweep_chunks(dtype_);
    if (swept.first > 0) tell_totals(totals, swept.totals, told, swept.first);
    const int64_t tiles = lanes.outer * ((swept.end - swept.first + in_tile - 1) / in_tile);
    const auto kernel = [op = op_, from, dtype = dtype_, levels](bool short_text) {
      return [=] { return scan_sweep_kernel(op, from, dtype, levels, short_text); };
    };
    launcher_.run({.name = format("scan sweep {} {}", kind(from), levels),
                   .make = kernel(false),
                   .make_short_text = kernel(true),
                   .extents = {tiles, scan_sweep_threads},
                   .buffers = {x, out, told + 8, told},
                   .scalars = std::move(scalars),
                   .is_block = true});
  }
  /// Tells the totals of the first chunks of the only row, and of groups of them.
  void tell_totals(const Totals& totals, const char* of_chunks, const char* told, int64_t chunks) {
    launcher_.run({.name = format("scan told chunks {}", name(dtype_)),
                   .make = [dtype = dtype_] { return scan_told_chunks_kernel(dtype); },
                   .extents = {chunks},
                   .buffers = {of_chunks, told + 8, told},
                   .scalars = {chunks / scan_sweep_chunks(dtype_)}});
    int64_t count = chunks / library::scan_chunk;
    const char* below = of_chunks;
    for (size_t level = 2; level < totals.levels.size() && count > 0; level += 2, count /= library::scan_chunk) {
      const char* const own = allocate(count, dtype_);
      launcher_.run({.name = format("scan told groups {} {}", static_cast<int>(op_), name(dtype_)),
                     .make = [op = op_, dtype = dtype_] { return scan_told_groups_kernel(op, dtype); },
                     .extents = {count},
                     .buffers = {below, own, told + 8},
                     .scalars = {totals.levels[level]}});
      below = own;
    }
  }
  /// Totals of whole tiles of chunks of the only row.
  void chunk_totals(DType from, const char* x, const char* totals, int64_t first, int64_t end) {
    launcher_.run({.name = format("scan chunk totals {}", kind(from)),
                   .make = [op = op_, from, dtype = dtype_] { return scan_chunk_totals_kernel(op, from, dtype); },
                   .extents = {(end - first) / scan_sweep_chunks(dtype_), scan_sweep_threads},
                   .buffers = {x, totals},
                   .scalars = {first},
                   .is_block = true});
  }
  /// Of the chunks [first, end) of all lanes.
  void run_columns(DType from, const Chunks& lanes, std::vector<const char*> buffers, bool totals, int64_t first,
                   int64_t end) {
    launcher_.run(
        {.name = format("scan columns {} {}", kind(from), totals),
         .make = [op = op_, from, dtype = dtype_, totals] { return scan_columns_kernel(op, from, dtype, totals); },
         .extents = {lanes.outer * (end - first), lanes.inner},
         .buffers = std::move(buffers),
         .scalars = {lanes.n, lanes.chunk, lanes.chunks(), lanes.inner, first},
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

void scan_onward(Launcher& launcher, const ScanKind& kind, const AxisLanes& lanes, const char* x, const char* out,
                 const PartOfCall& onward) {
  Scan scan(launcher, *opcode_of(kind.op, kind.dtype), kind.dtype);
  launcher.gather();
  scan.onward(kind.from, lanes, x, out, onward);
  launcher.flush();
}

int64_t scan_rows_together(DType dtype, int64_t inner) {
  return (inner == 1 ? scan_sweep_chunks(dtype) : 1) * library::scan_chunk;
}

}  // namespace tessera::routines
