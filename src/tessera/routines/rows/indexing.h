/// Indexing: the arguments of gather and scatter, as descriptors and implementations read them.
#pragma once

#include "tessera/library/host/gather.h"
#include "tessera/ops/routine.h"
#include "tessera/routines/rows/row_indices.h"
#include "tessera/routines/rows/rows.h"

namespace tessera::routines {

/// Arguments: the first indexed axis; an IndexKind; an IndexMode; the axes' numbers in messages, if they are others.
struct Indexing {
  const View& array;
  const ops::Arguments& arguments;
  library::IndexKind kind;
  library::IndexMode mode;
  int first, arrays;   // the first indexed axis, and the number of index arrays
  const Dims& picked;  // shape of the index arrays

  /// Indexes by arrays that are like `index`.
  Indexing(const View& array, const View& index, size_t count, const ops::Arguments& arguments);
  /// Throws for operands and arguments that do not fit.
  static void check(const View& array, std::span<const View* const> indices, const ops::Arguments& arguments);
  /// Throws for index arrays that are not of one shape and integer type.
  static void check_alike(std::span<const View* const> indices);
  /// The number of index tuples.
  int64_t count() const;
  Dims result_shape() const {
    return kind == library::IndexKind::axes ? picked_shape(array, first, arrays, picked) : picked;
  }
  /// The number of the array's axis in messages.
  int axis_number(int k) const;
  RowLayout layout() const;
  RowIndices on_device(std::span<const Elements> indices) const;
};

/// Index arrays on the host as int64, converted where they have another type.
class HostIndices {
 public:
  HostIndices(std::span<const Elements> arrays, const Indexing& indexing);
  std::span<const library::IndexAxis> axes() const { return axes_; }
  /// The offsets of elements that are not indexed by one array an axis.
  std::vector<int64_t> offsets(const Indexing& indexing) const;

 private:
  SmallVector<library::IndexAxis, 2> axes_;
  std::vector<std::vector<int64_t>> converted_;  // those that had another type
};

/// The elements as int64; those of another type are converted, and kept by `converted`.
const int64_t* as_int64(const Elements& numbers, std::vector<std::vector<int64_t>>& converted);

}  // namespace tessera::routines
