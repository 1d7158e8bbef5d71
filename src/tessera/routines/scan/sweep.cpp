// Scans of long rows, which are read once. A block keeps a tile of whole chunks in shared memory, where a warp scans
// them, one chunk per thread. The totals of earlier chunks are published by their blocks: totals of chunks, of groups
// of scan_chunk totals and so on, each as soon as it is known. No total depends on another one of its level, and all
// are combined in order from the first, so the result does not depend on scheduling.
#include <array>

#include "tessera/library/host/scan.h"
#include "tessera/routines/dense.h"
#include "tessera/routines/scan/kernels.h"
#include "tessera/routines/scan/passed_totals.h"

namespace tessera::routines {

using ir::AtomicKind;
using ir::Opcode;
using ir::Value;

namespace {

constexpr int threads = scan_sweep_threads, warp = 32, group = library::scan_chunk;

/// A block's work on the tile that it takes.
class ScanSweep {
 public:
  ScanSweep(Opcode op, DType from, DType dtype, int levels, bool short_text)
      : d(2, "scan_sweep"),
        b(d.b),
        op_(op),
        dtype_(dtype),
        levels_(levels),
        chunks_(scan_sweep_chunks(dtype)),
        short_text_(short_text),
        x_(d.read(from)),
        out_(d.write(dtype)),
        told_(d, dtype, counter(DType::uint64)),
        tickets_(counter(DType::uint32)),
        n_(d.number()),
        tiles_(d.number()) {
    for (int level = 0; level < levels; ++level) first_.push_back(d.number()), count_.push_back(d.number());
    tile_ = b.add_array({dtype, int64_t{chunks_} * (group + 1), true});
    for (int level = 0; level < levels; ++level) series_.push_back(b.add_array({dtype, group, true}));
    found_ = b.add_array({dtype, 3 * int64_t{levels}, true});
    before_ = b.add_array({dtype, warp, true});
    drawn_ = b.add_array({DType::int64, 1, true});
    t_ = b.index(1);
  }

  ir::Kernel take() {
    draw_tile();
    read_tile();
    b.barrier();
    d.when(b.lt(t_, d.word(chunks_)), [&] { reduce_chunk(); });
    d.when(helps(), [&] { gather(0, group_begin_, b.mul(in_group_, d.word(chunks_))); });
    b.barrier();
    d.when(b.lt(t_, d.word(warp)), [&] { join_chunks(); });
    if (levels_ > 1) d.when(helps(), [&] { gather_groups(); });
    b.barrier();
    for (int level = 1; level < levels_; ++level) d.when(b.eq(warp_of(t_), d.word(level)), [&] { join_groups(level); });
    if (levels_ > 1) b.barrier();
    tell_further_totals();
    d.when(b.lt(t_, d.word(chunks_)), [&] { b.store_array(before_, before_chunk(), t_); });
    b.barrier();
    write_tile();
    return b.take();
  }

 private:
  /// The combined totals before an index, the same without the last one, and that last one.
  struct Before {
    Value all, others, last;
  };

  uint32_t counter(DType dtype) {
    return b.add_buffer({.dtype = dtype, .ndim = 1, .writable = true, .inner = ir::InnerStride::contiguous});
  }
  int64_t tile_size() const { return int64_t{chunks_} * group; }
  Value zero() { return d.word(0); }
  Value warp_of(Value t) { return b.binary(Opcode::shift_right, t, d.word(5)); }
  Value group_of(Value place) { return b.binary(Opcode::shift_right, place, d.word(8)); }
  Value in_group(Value place) { return b.bit_and(place, d.word(group - 1)); }
  /// All threads but the first warp, which combines totals meanwhile.
  Value helps() { return b.ge(t_, d.word(warp)); }
  Value join(Value x, Value y) { return b.binary(op_, x, y); }
  Value join_if(Value exists, Value x, Value y) { return b.select(exists, join(x, y), y); }

  /// Blocks take tiles in order as they start, so no block waits for a tile that has not been taken.
  void draw_tile() {
    d.when(b.eq(t_, zero()), [&] {
      const Value at[] = {zero()};
      b.store_array(drawn_, b.cast(b.atomic(AtomicKind::add, tickets_, b.constant(DType::uint32, 1), at), DType::int64),
                    zero());
    });
    b.barrier();
    const Value drawn = b.load_array(drawn_, zero());
    lane_ = d.short_over(drawn, tiles_);
    const Value tile = b.sub(drawn, b.mul(lane_, tiles_)), tiles_a_group = d.word(group / chunks_);
    first_element_ = b.mul(tile, d.word(tile_size()));
    origin_ = b.add(b.mul(lane_, n_), first_element_);
    is_whole_ = b.ge(b.sub(n_, first_element_), d.word(tile_size()));
    const Value of_group = d.over(tile, tiles_a_group);
    in_group_ = b.sub(tile, b.mul(of_group, tiles_a_group));
    group_begin_ = b.add(b.add(first_[0], b.mul(lane_, count_[0])), b.mul(of_group, d.word(group)));
    own_group_ = of_group;
  }

  /// Runs body for the thread's elements of the tile, unrolled or in a loop.
  void each(bool rolled, const std::function<void(Value)>& body) {
    const int64_t count = tile_size() / threads;
    for (int64_t k = 0; k < count && !rolled; ++k) body(d.word(k));
    if (rolled)
      b.for_(zero(), d.word(count), d.word(1), {},
             [&](std::span<const Value> k) { return body(k[0]), std::vector<Value>{}; });
  }
  /// Index of the thread's element k, and its slot in the tile, where chunks are padded by one slot.
  Value element(Value k) { return b.add(t_, b.mul(k, d.word(threads))); }
  Value slot(Value k) { return b.add(element(k), b.binary(Opcode::shift_right, k, d.word(1))); }
  static_assert(group == 2 * threads, "a thread's elements in turn belong to the first and the second half of a chunk");

  void read_tile() {
    const Value last = b.sub(b.sub(n_, first_element_), d.word(1));
    const auto read = [&](Value k) { return b.cast(d.load(x_, b.add(origin_, k)), dtype_); };
    const auto read_bounded = [&](auto) {
      each(true, [&](Value k) { b.store_array(tile_, read(b.min(element(k), last)), slot(k)); });
      return std::vector<Value>{};
    };
    const auto read_whole = [&](auto) {
      const int64_t at_once = std::min<int64_t>(32, 128 / itemsize(dtype_));
      for (int64_t k = 0; k < tile_size() / threads; k += at_once) {
        std::vector<Value> loaded;
        for (int64_t c = 0; c < at_once; ++c) loaded.push_back(read(element(d.word(k + c))));
        for (int64_t c = 0; c < at_once; ++c) b.store_array(tile_, loaded[static_cast<size_t>(c)], slot(d.word(k + c)));
      }
      return std::vector<Value>{};
    };
    if (short_text_)
      read_bounded(0);
    else
      b.if_(is_whole_, read_whole, read_bounded);
  }

  /// Scans the thread's chunk in place and publishes its total.
  void reduce_chunk() {
    const int at_once = short_text_ ? 1 : std::min(32, 128 / static_cast<int>(itemsize(dtype_)));
    const Value begin = b.mul(t_, d.word(group + 1)), initial[] = {b.constant(dtype_, 0)};
    const Value total = b.for_(
        zero(), d.word(group), d.word(at_once), initial, [&](std::span<const Value> carried) -> std::vector<Value> {
          const Value from = b.add(begin, carried[0]);
          std::vector<Value> row;
          for (int c = 0; c < at_once; ++c) row.push_back(b.load_array(tile_, b.add(from, d.word(c))));
          Value sum = carried[1];
          for (int c = 0; c < at_once; ++c) {
            sum = on(sum, row[static_cast<size_t>(c)], c == 0 ? b.eq(carried[0], zero()) : ir::no_value);
            b.store_array(tile_, sum, b.add(from, d.word(c)));
          }
          return {sum};
        })[0];
    const Value place = b.add(b.mul(in_group_, d.word(chunks_)), t_);
    told_.tell(b.add(group_begin_, place), total);
    b.store_array(series_[0], total, place);
  }
  /// One step of a scan; if `is_first`, the element is its own result.
  Value on(Value sum, Value element, Value is_first) {
    return is_first == ir::no_value ? join(sum, element) : b.select(is_first, element, join(sum, element));
  }

  /// Loads `count` totals of a level, starting at index `begin`, into its series.
  void gather(int level, Value begin, Value count) {
    constexpr int helpers = threads - warp, rounds = (group + helpers - 1) / helpers;
    if (short_text_) {
      const std::vector<Value> unseen(static_cast<size_t>(told_.pieces()),
                                      b.constant(Scalar::of_uint(DType::uint64, 0)));
      b.for_(b.sub(t_, d.word(warp)), count, d.word(helpers), {}, [&](std::span<const Value> slot) {
        b.store_array(series_[static_cast<size_t>(level)],
                      told_.wait(b.add(begin, slot[0]), unseen, b.constant(Scalar::of_bool(true))), slot[0]);
        return std::vector<Value>{};
      });
      return;
    }
    const Value last = b.max(b.sub(count, d.word(1)), zero());
    std::array<Value, rounds> slots, places;
    std::array<std::vector<Value>, rounds> seen;
    for (size_t k = 0; k < rounds; ++k) {
      slots[k] = b.add(b.sub(t_, d.word(warp)), d.word(static_cast<int64_t>(k) * helpers));
      places[k] = b.add(begin, b.min(slots[k], last));
      for (int piece = 0; piece < told_.pieces(); ++piece) seen[k].push_back(told_.synchronise(places[k], piece));
    }
    for (size_t k = 0; k < rounds; ++k) {
      const Value wanted = b.lt(slots[k], count), total = told_.wait(places[k], seen[k], wanted);
      d.when(wanted, [&] { b.store_array(series_[static_cast<size_t>(level)], total, slots[k]); });
    }
  }

  /// The first warp combines the totals of the group's chunks, from its first one: the total before each of the tile's
  /// own.
  void join_chunks() {
    const Value own = b.mul(in_group_, d.word(chunks_)), is_first = b.eq(in_group_, zero()),
                nothing = b.constant(dtype_, 0), initial[] = {nothing};
    const auto at = [&](Value place) { return b.load_array(series_[0], place); };
    const Value before =
        b.for_(zero(), own, d.word(chunks_), initial, [&](std::span<const Value> carried) -> std::vector<Value> {
          if (short_text_) {
            const Value sum[] = {carried[1]};
            return b.for_(carried[0], b.add(carried[0], d.word(chunks_)), d.word(1), sum,
                          [&](std::span<const Value> step) -> std::vector<Value> {
                            return {on(step[1], at(step[0]), b.eq(step[0], zero()))};
                          });
          }
          std::vector<Value> row;
          for (int c = 0; c < chunks_; ++c) row.push_back(at(b.add(carried[0], d.word(c))));
          Value sum = carried[1];
          for (int c = 0; c < chunks_; ++c)
            sum = on(sum, row[static_cast<size_t>(c)], c == 0 ? b.eq(carried[0], zero()) : ir::no_value);
          return {sum};
        })[0];
    const auto step = [&](Value c, Value sum, Value mine, bool may_be_first) -> std::vector<Value> {
      const Value first = may_be_first ? b.bit_and(is_first, b.eq(c, zero())) : ir::no_value;
      return {on(sum, at(b.add(own, c)), first), b.select(b.eq(t_, c), sum, mine)};
    };
    std::vector<Value> state{before, nothing};
    if (short_text_) {
      state = b.for_(zero(), d.word(chunks_), d.word(1), state,
                     [&](std::span<const Value> k) { return step(k[0], k[1], k[2], true); });
    } else {
      for (int c = 0; c < chunks_; ++c) state = step(d.word(c), state[0], state[1], c == 0);
    }
    b.store_array(before_, state[1], t_);
    if (levels_ == 1) return;
    d.when(b.bit_and(b.eq(t_, zero()), b.eq(in_group_, d.word(group / chunks_ - 1))), [&] {
      told_.tell(b.add(b.add(first_[1], b.mul(lane_, count_[1])), own_group_), state[0]);
      b.store_array(found_, state[0], zero());
    });
  }

  /// The last total of the level that precedes this tile: on level 1 the group before the tile's own, on each further
  /// level the one before the group that contains that one.
  Value last_of(int level) {
    const Value before = level == 1 ? own_group_ : group_of(last_of(level - 1));
    return b.sub(before, d.word(1));
  }
  void gather_groups() {
    for (int level = 1; level < levels_; ++level) {
      const auto l = static_cast<size_t>(level);
      const Value last = last_of(level), place = b.max(last, zero());
      const Value begin = b.add(b.add(first_[l], b.mul(lane_, count_[l])), b.sub(place, in_group(place)));
      gather(level, begin, b.select(b.ge(last, zero()), b.add(in_group(place), d.word(1)), zero()));
    }
  }

  /// A warp combines a level's totals, up to the last and up to the one before it.
  void join_groups(int level) {
    constexpr int at_once = 32;
    const uint32_t series = series_[static_cast<size_t>(level)];
    const Value last = in_group(b.max(last_of(level), zero())), nothing = b.constant(dtype_, 0),
                initial[] = {nothing, nothing};
    const auto at = [&](Value place) { return b.load_array(series, place); };
    const auto bounded = [&](Value place, Value sum, Value others) -> std::vector<Value> {
      return {on(sum, at(place), b.eq(place, zero())), b.select(b.eq(place, last), sum, others)};
    };
    std::vector<Value> state;
    if (short_text_) {
      state = b.for_(zero(), b.add(last, d.word(1)), d.word(1), initial,
                     [&](std::span<const Value> k) { return bounded(k[0], k[1], k[2]); });
    } else {
      const Value whole = b.bit_and(last, d.word(group - at_once)), from_first[] = {nothing};
      Value sum =
          b.for_(zero(), whole, d.word(at_once), from_first, [&](std::span<const Value> carried) -> std::vector<Value> {
            std::vector<Value> row;
            for (int c = 0; c < at_once; ++c) row.push_back(at(b.add(carried[0], d.word(c))));
            Value so_far = carried[1];
            for (int c = 0; c < at_once; ++c)
              so_far = on(so_far, row[static_cast<size_t>(c)], c == 0 ? b.eq(carried[0], zero()) : ir::no_value);
            return {so_far};
          })[0];
      Value others = sum;
      std::vector<Value> row;
      for (int c = 0; c < at_once; ++c) row.push_back(at(b.add(whole, d.word(c))));
      for (int c = 0; c < at_once; ++c) {
        const Value place = b.add(whole, d.word(c));
        const Value next = on(sum, row[static_cast<size_t>(c)], c == 0 ? b.eq(whole, zero()) : ir::no_value);
        others = b.select(b.eq(place, last), sum, others);
        sum = b.select(b.le(place, last), next, sum);
      }
      state = {sum, others};
    }
    d.when(b.eq(b.bit_and(t_, d.word(warp - 1)), zero()), [&] {
      b.store_array(found_, state[0], d.word(3 * level));
      b.store_array(found_, state[1], d.word(3 * level + 1));
      b.store_array(found_, at(last), d.word(3 * level + 2));
    });
  }

  /// Publishes the total of a group of groups if this tile is its last one, and so on for further levels.
  void tell_further_totals() {
    if (levels_ < 3) return;
    Value is_last = b.bit_and(b.eq(t_, zero()), b.eq(in_group_, d.word(group / chunks_ - 1))), place = own_group_,
          total = b.load_array(found_, zero());
    for (int level = 2; level < levels_; ++level) {
      const auto l = static_cast<size_t>(level);
      is_last = b.bit_and(is_last, b.eq(in_group(place), d.word(group - 1)));
      place = group_of(place);
      total = join(b.load_array(found_, d.word(3 * (level - 1))), total);
      d.when(is_last, [&] { told_.tell(b.add(b.add(first_[l], b.mul(lane_, count_[l])), place), total); });
    }
  }

  Before before_group(int level) {
    const auto found = [&](int k) { return b.load_array(found_, d.word(3 * level + k)); };
    Before own{found(0), found(1), found(2)};
    if (level + 1 == levels_) return own;
    const Before further = before_group(level + 1);
    const Value last = last_of(level), left = group_of(last), follows = b.gt(left, zero());
    const Value of_left = join_if(b.gt(left, d.word(1)), further.others, further.last);
    return {join_if(follows, further.all, own.all),
            b.select(b.eq(in_group(last), zero()), of_left, join_if(follows, further.all, own.others)), own.last};
  }
  /// The total of everything before the thread's chunk.
  Value before_chunk() {
    const Value own = b.load_array(before_, t_);
    if (levels_ == 1) return own;
    const Before groups = before_group(1);
    const Value begins = b.bit_and(b.eq(in_group_, zero()), b.eq(t_, zero()));
    return b.select(begins, join_if(b.gt(own_group_, d.word(1)), groups.others, groups.last),
                    join_if(b.gt(own_group_, zero()), groups.all, own));
  }

  void write_tile() {
    const Value size = b.sub(n_, first_element_), is_first = b.eq(first_element_, zero());
    const auto write = [&](Value k) {
      const Value chunk = b.binary(Opcode::shift_right, k, d.word(1)), own = b.load_array(tile_, slot(k)),
                  joined = join(b.load_array(before_, chunk), own);
      d.store(out_, b.select(b.bit_and(is_first, b.eq(chunk, zero())), own, joined), b.add(origin_, element(k)));
    };
    const auto write_whole = [&](auto) { return each(false, write), std::vector<Value>{}; };
    const auto write_bounded = [&](auto) {
      each(true, [&](Value k) { d.when(b.lt(element(k), size), [&] { write(k); }); });
      return std::vector<Value>{};
    };
    if (short_text_)
      write_bounded(0);
    else
      b.if_(is_whole_, write_whole, write_bounded);
  }

  Dense d;
  ir::Builder& b;
  const Opcode op_;
  const DType dtype_;
  const int levels_, chunks_;
  const bool short_text_;
  const uint32_t x_, out_;
  PassedTotals told_;
  const uint32_t tickets_;
  const Value n_, tiles_;
  std::vector<Value> first_, count_;
  uint32_t tile_, found_, before_, drawn_;
  std::vector<uint32_t> series_;
  Value t_, lane_ = 0, first_element_ = 0, origin_ = 0, is_whole_ = 0, in_group_ = 0, own_group_ = 0, group_begin_ = 0;
};

}  // namespace

// Fewer for the largest elements, so that the totals of all levels fit in shared memory too.
int scan_sweep_chunks(DType dtype) {
  return std::min(warp, itemsize(dtype) == 16 ? 4 : 128 / static_cast<int>(itemsize(dtype)));
}

// buffers: x, out, words of totals, tickets; scalars: length of a lane, tiles per lane, then for each level the index
// of its first total and the number of totals per lane
ir::Kernel scan_sweep_kernel(Opcode op, DType from, DType dtype, int levels, bool short_text) {
  return ScanSweep(op, from, dtype, levels, short_text).take();
}

}  // namespace tessera::routines
