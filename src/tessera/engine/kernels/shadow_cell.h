/// ShadowCell: who wrote and who read a piece of memory last; Shadow: the cells of the arrays of a launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "tessera/ir/checks.h"

namespace tessera::engine {

/// A lane and a time in one word, so that it is stored and loaded at once. A time of 0 means never.
struct ShadowMark {
  uint64_t word = 0;

  static ShadowMark of(uint32_t lane, uint32_t time) { return {uint64_t{time} << 32 | lane}; }
  uint32_t lane() const { return static_cast<uint32_t>(word); }
  uint32_t time() const { return static_cast<uint32_t>(word >> 32); }
};

/// One access as its lane sees it.
struct Touch {
  uint32_t lane, time, site;
  uint32_t since;    // earlier marks do not count
  uint32_t horizon;  // what others did before that time comes before it
  bool writes, is_atomic, is_shared;
  uint64_t value;        // that is stored
  const int64_t* index;  // of the element
  size_t axes;
};

/// Marks older than the launch, or for shared arrays than the block, do not count. Compiled code knows cells as
/// ir::CheckCell.
struct ShadowCell {
  uint64_t value;  // that the writer stored
  ShadowMark writer, atomic, reader, other_reader;
  uint16_t writer_site, atomic_site, reader_site, other_site;

  bool is_written_since(uint32_t time) const { return writer.time() >= time || atomic.time() >= time; }
};
static_assert(sizeof(ShadowCell) == sizeof(ir::CheckCell) &&
              offsetof(ShadowCell, writer) == offsetof(ir::CheckCell, writer) &&
              offsetof(ShadowCell, atomic) == offsetof(ir::CheckCell, atomic) &&
              offsetof(ShadowCell, reader) == offsetof(ir::CheckCell, reader) &&
              offsetof(ShadowCell, other_reader) == offsetof(ir::CheckCell, other_reader) &&
              offsetof(ShadowCell, other_site) == offsetof(ir::CheckCell, other_site));

/// Cells, all zero at first; those that nobody touches take no memory.
class ShadowCells {
 public:
  ShadowCell& operator[](size_t k) { return cells_.get()[k]; }
  ShadowCell* data() { return cells_.get(); }
  size_t size() const { return size_; }
  /// Keeps what there is if that is enough, else begins anew.
  void reserve(size_t count) {
    if (count <= size_) return;
    cells_.reset();
    cells_.reset(static_cast<ShadowCell*>(std::calloc(count, sizeof(ShadowCell))));
    if (!cells_) throw std::bad_alloc();
    size_ = count;
  }

 private:
  struct Free {
    void operator()(ShadowCell* cells) const { std::free(cells); }
  };
  std::unique_ptr<ShadowCell, Free> cells_;
  size_t size_ = 0;
};

/// Cells are reused from launch to launch: their times tell old marks.
struct Shadow {
  ShadowCells cells;
  uint32_t now = 1;

  static std::unique_ptr<Shadow> take();
  static void give_back(std::unique_ptr<Shadow> shadow);
};

}  // namespace tessera::engine
