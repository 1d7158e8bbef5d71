#include "tessera/library/host/copy.h"

#include <cstring>

#include "tessera/library/host/rows.h"

namespace tessera::library {

namespace {

template <class T>
void move_row(const char* source, int64_t source_stride, char* destination, int64_t destination_stride, int64_t n) {
  if (source_stride == sizeof(T) && destination_stride == sizeof(T)) {
    std::memcpy(destination, source, n * sizeof(T));
    return;
  }
  if (source_stride == 0) {
    T value;
    std::memcpy(&value, source, sizeof value);
    for (int64_t k = 0; k < n; ++k) std::memcpy(destination + k * destination_stride, &value, sizeof value);
    return;
  }
  for (int64_t k = 0; k < n; ++k)
    std::memcpy(destination + k * destination_stride, source + k * source_stride, sizeof(T));
}

CastLoop find_row_loop(DType from, DType to) {
  if (from != to) return find_cast_loop(from, to);
  return visit_itemsize(itemsize(from), []<class T>(T) -> CastLoop { return move_row<T>; });
}

/// Tile size for matrices whose source is dense along the other axis: small square tiles keep both sides in cache.
constexpr int64_t tile = 32;

/// For rows too short for tiles: copies column by column, in groups of rows that fit the cache.
void copy_columns(CastLoop loop, const View& from, const char* source, const View& to, char* destination, int64_t begin,
                  int64_t end) {
  constexpr int64_t rows = 8 * tile;
  for (int64_t row = begin; row < end; row += rows) {
    const int64_t height = std::min(rows, end - row);
    for (int64_t column = 0; column < to.shape[1]; ++column) {
      loop(source + row * from.strides[0] + column * from.strides[1], from.strides[0],
           destination + row * to.strides[0] + column * to.strides[1], to.strides[0], height);
    }
  }
}

void copy_tiles(CastLoop loop, const View& from, const char* source, const View& to, char* destination, int64_t begin,
                int64_t end) {
  int64_t columns = to.shape[1];
  if (columns < tile / 2) return copy_columns(loop, from, source, to, destination, begin, end);
  for (int64_t row = begin; row < end; row += tile) {
    int64_t row_end = std::min(row + tile, end);
    for (int64_t column = 0; column < columns; column += tile) {
      int64_t width = std::min(tile, columns - column);
      for (int64_t r = row; r < row_end; ++r) {
        loop(source + r * from.strides[0] + column * from.strides[1], from.strides[1],
             destination + r * to.strides[0] + column * to.strides[1], to.strides[1], width);
      }
    }
  }
}

/// Whether the last two axes are a transposition for which tiling amortises.
bool wants_tiles(const View& from) {
  int last = from.ndim() - 1;
  return last >= 1 && std::abs(from.strides[last]) > std::abs(from.strides[last - 1]) && from.strides[last - 1] != 0 &&
         from.shape[last - 1] >= tile / 2;
}

void copy_transposed(CastLoop loop, std::span<const View, 2> views, const std::array<char*, 2>& data) {
  // Treat all axes but the last two as the outer loop over matrices.
  int last = views[0].ndim() - 1;
  View matrices[2], matrix[2];
  for (int k = 0; k < 2; ++k) {
    matrix[k].shape = Dims{views[k].shape[last - 1], views[k].shape[last]};
    matrix[k].strides = Dims{views[k].strides[last - 1], views[k].strides[last]};
    matrices[k].shape = Dims(std::span<const int64_t>(views[k].shape).first(last - 1));
    matrices[k].strides = Dims(std::span<const int64_t>(views[k].strides).first(last - 1));
    matrices[k].shape.push_back(1);
    matrices[k].strides.push_back(0);
  }
  RowCursor<2> cursor(std::span<const View, 2>(matrices), data, 0);
  for (int64_t k = row_count(matrices[0]); k > 0; --k, cursor.next()) {
    const char* source = cursor[1];
    char* destination = cursor[0];
    int64_t bands = (matrix[0].shape[0] + tile - 1) / tile;
    auto piece = [&](int64_t begin, int64_t end) {
      copy_tiles(loop, matrix[1], source, matrix[0], destination, begin * tile,
                 std::min(end * tile, matrix[0].shape[0]));
    };
    runtime::parallel_for(bands, grain_for(tile * matrix[0].shape[1] * 16), piece);
  }
}

}  // namespace

void copy_view(const char* source, const View& from, char* destination, const View& to) {
  if (to.size() == 0) return;
  CastLoop loop = find_row_loop(from.dtype, to.dtype);
  std::array<View, 2> views{to, from};
  std::array<char*, 2> data{destination, const_cast<char*>(source)};
  sort_axes(views);
  collapse_axes(views);
  if (views[0].ndim() == 0) {
    loop(source, 0, destination, 0, 1);
    return;
  }
  if (wants_tiles(views[1])) return copy_transposed(loop, views, data);
  int last = views[0].ndim() - 1;
  int64_t n = views[0].shape[last], to_stride = views[0].strides[last], from_stride = views[1].strides[last];
  int64_t bytes = from.itemsize() + to.itemsize();
  if (last == 0) {
    auto piece = [&](int64_t begin, int64_t end) {
      loop(source + begin * from_stride, from_stride, destination + begin * to_stride, to_stride, end - begin);
    };
    runtime::parallel_for(n, grain_for(bytes), piece);
    return;
  }
  for_each_row(std::span<const View, 2>(views), data, grain_for(n * bytes),
               [&](const RowCursor<2>& cursor) { loop(cursor[1], from_stride, cursor[0], to_stride, n); });
}

}  // namespace tessera::library
