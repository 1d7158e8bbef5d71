/// Selection: the nonzero elements of an array in device memory, counted tile by tile.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tessera/routines/launcher.h"
#include "tessera/routines/words.h"

namespace tessera::routines {

class Selection {
 public:
  /// Queues the counting of the n elements at `mask`.
  Selection(Launcher& launcher, DType dtype, int64_t n, const char* mask);

  /// The number of nonzero elements (int64) in device memory.
  const char* counted() const { return begins_->data() + 8 * tiles_; }
  /// The same on the host; the first call waits for it.
  int64_t count();
  /// Writes the indices along each of the array's axes, of count() elements, as int64.
  void find(std::span<const int64_t> shape, std::span<const char* const> out);
  /// Copies the elements at nonzero positions of a boolean array to `to` without gaps; expand() copies such elements
  /// back to their positions.
  void compress(const Words& words, const char* from, const char* to) { move(words, false, from, to); }
  void expand(const Words& words, const char* from, const char* to) { move(words, true, from, to); }

 private:
  void move(const Words& words, bool expands, const char* from, const char* to);
  /// Runs a kernel over the tiles; buffers and scalars follow those of the mask.
  void run(std::string name, std::function<ir::Kernel()> make, std::span<const char* const> buffers,
           std::span<const int64_t> scalars = {});

  Launcher& launcher_;
  const char* mask_;
  DType dtype_;
  int64_t n_, tiles_;
  std::optional<int64_t> count_;
  Ref<runtime::Buffer> begins_;  // how many are nonzero before each tile
};

}  // namespace tessera::routines
