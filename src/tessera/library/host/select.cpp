#include "tessera/library/host/select.h"

#include <cstring>
#include <vector>

#include "tessera/layout/element_cast.h"
#include "tessera/library/host/rows.h"

namespace tessera::library {

namespace {

/// Both passes of a two-pass selection split their input at multiples of this.
constexpr int64_t chunk = int64_t{1} << 15;

template <class T>
bool is_nonzero(T value) {
  return element_cast<bool>(value);
}

template <class T>
int64_t count_in(const T* data, int64_t n) {
  int64_t count = 0;
  // Short inner sums fit narrow vector lanes.
  for (int64_t k = 0; k < n;) {
    uint8_t part = 0;
    int64_t end = std::min(n, k + 255);
    for (; k < end; ++k) part += is_nonzero(data[k]);
    count += part;
  }
  return count;
}

/// Booleans from other sources may be any nonzero byte, so they are read as bytes.
DType tested_dtype(DType dtype) { return is_boolean(dtype) ? DType::uint8 : dtype; }

int64_t count_range(const char* data, DType dtype, int64_t begin, int64_t end) {
  return visit_dtype(tested_dtype(dtype),
                     [&]<class T>(T) { return count_in(reinterpret_cast<const T*>(data) + begin, end - begin); });
}

/// starts[c] = the number of nonzero elements before chunk c; the last entry is the total.
std::vector<int64_t> chunk_starts(const char* data, DType dtype, int64_t n) {
  int64_t chunks = (n + chunk - 1) / chunk;
  std::vector<int64_t> starts(chunks + 1, 0);
  auto piece = [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c)
      starts[c + 1] = count_range(data, dtype, c * chunk, std::min(n, (c + 1) * chunk));
  };
  runtime::parallel_for(chunks, 4, piece);
  for (int64_t c = 0; c < chunks; ++c) starts[c + 1] += starts[c];
  return starts;
}

/// Writes the flat index of each nonzero element; the store is unconditional, so that nothing is mispredicted.
template <class T>
int64_t list_range(const T* data, int64_t begin, int64_t end, int64_t room, int64_t* out) {
  int64_t count = 0, k = begin;
  for (; k < end && count < room; ++k) {
    out[count] = k;
    count += is_nonzero(data[k]);
  }
  return count;
}

/// Converts flat indices to coordinates, in place for the first axis.
void unravel(int64_t count, std::span<const int64_t> shape, std::span<int64_t* const> out, int64_t first) {
  size_t ndim = shape.size();
  for (int64_t k = first; k < first + count; ++k) {
    int64_t flat = out[0][k];
    for (size_t axis = ndim; axis-- > 1;) {
      int64_t rest = flat / shape[axis];
      out[axis][k] = flat - rest * shape[axis];
      flat = rest;
    }
    out[0][k] = flat;
  }
}

/// Masks consist mostly of runs, so eight mask bytes are tested at once.
constexpr int64_t word = 8;
constexpr uint64_t all_set = 0x0101010101010101;

uint64_t load_word(const uint8_t* mask) {
  uint64_t bytes;
  std::memcpy(&bytes, mask, sizeof bytes);
  return bytes;
}

template <class T>
void compress_range(const uint8_t* mask, int64_t begin, int64_t end, const T* blocks, T* out, int64_t room) {
  int64_t count = 0, k = begin;
  auto one = [&] {
    out[count] = blocks[k];
    count += mask[k] != 0;
    ++k;
  };
  while (k + word <= end && count + word <= room) {
    uint64_t bytes = load_word(mask + k);
    if (bytes == 0) {
      k += word;
    } else if (bytes == all_set) {
      std::memcpy(out + count, blocks + k, word * sizeof(T));
      count += word;
      k += word;
    } else {
      for (int64_t byte = 0; byte < word; ++byte) one();
    }
  }
  while (k < end && count < room) one();
}

/// to[k] = the next element of values where mask[k] is set; all contiguous.
template <class T>
void expand_row(const uint8_t* mask, int64_t n, const T* values, int64_t available, T* to) {
  int64_t taken = 0, k = 0;
  for (; k + word <= n && taken + word <= available; k += word) {
    uint64_t bytes = load_word(mask + k);
    if (bytes == 0) continue;
    if (bytes == all_set) {
      std::memcpy(to + k, values + taken, word * sizeof(T));
      taken += word;
      continue;
    }
    for (int64_t j = k; j < k + word; ++j) {
      bool set = mask[j] != 0;
      to[j] = set ? values[taken] : to[j];
      taken += set;
    }
  }
  for (; k < n; ++k) {
    if (mask[k]) to[k] = values[taken++];
  }
}

void compress_blocks(const uint8_t* mask, int64_t begin, int64_t end, const char* blocks, int64_t block_bytes,
                     char* out) {
  for (int64_t k = begin; k < end; ++k) {
    if (!mask[k]) continue;
    std::memcpy(out, blocks + k * block_bytes, block_bytes);
    out += block_bytes;
  }
}

bool is_itemsize(int64_t bytes) { return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16; }

}  // namespace

int64_t count_nonzero(const char* data, DType dtype, int64_t n) {
  if (n <= chunk) return count_range(data, dtype, 0, n);
  return chunk_starts(data, dtype, n).back();
}

void nonzero(const char* data, DType dtype, std::span<const int64_t> shape, std::span<int64_t* const> out) {
  int64_t n = 1;
  for (int64_t extent : shape) n *= extent;
  std::vector<int64_t> starts = chunk_starts(data, dtype, n);
  auto piece = [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      int64_t first = starts[c], count = starts[c + 1] - first;
      visit_dtype(tested_dtype(dtype), [&]<class T>(T) {
        list_range(reinterpret_cast<const T*>(data), c * chunk, std::min(n, (c + 1) * chunk), count, out[0] + first);
      });
      if (shape.size() > 1) unravel(count, shape, out, first);
    }
  };
  runtime::parallel_for(static_cast<int64_t>(starts.size()) - 1, 2, piece);
}

void compress(const uint8_t* mask, int64_t n, const char* blocks, int64_t block_bytes, char* out) {
  std::vector<int64_t> starts = chunk_starts(reinterpret_cast<const char*>(mask), DType::boolean, n);
  auto piece = [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      int64_t first = c * chunk, last = std::min(n, first + chunk), room = starts[c + 1] - starts[c];
      char* to = out + starts[c] * block_bytes;
      if (!is_itemsize(block_bytes)) {
        compress_blocks(mask, first, last, blocks, block_bytes, to);
        continue;
      }
      visit_itemsize(block_bytes, [&]<class T>(T) {
        compress_range(mask, first, last, reinterpret_cast<const T*>(blocks), reinterpret_cast<T*>(to), room);
      });
    }
  };
  runtime::parallel_for(static_cast<int64_t>(starts.size()) - 1, 2, piece);
}

void mask_assign(char* destination, const View& to, const char* mask, const View& mask_view, const char* values,
                 bool one_value) {
  if (to.size() == 0) return;
  // Broadcast the mask over its missing axes, so that both views have one shape.
  View wide = mask_view;
  for (int axis = mask_view.ndim(); axis < to.ndim(); ++axis) {
    wide.shape.push_back(to.shape[axis]);
    wide.strides.push_back(0);
  }
  std::array<View, 2> views{to, wide};
  if (one_value) sort_axes(views);
  collapse_axes(views);
  if (views[0].ndim() == 0)
    for (View& view : views) view = view.new_axis(0);
  std::array<char*, 2> data{destination, const_cast<char*>(mask)};
  int last = views[0].ndim() - 1;
  int64_t n = views[0].shape[last], to_stride = views[0].strides[last], mask_stride = views[1].strides[last];
  bool dense = !one_value && views[0].ndim() == 1 && mask_stride == 1 && to_stride == to.itemsize();
  int64_t available = dense ? count_nonzero(mask, DType::boolean, n) : 0;
  visit_itemsize(to.itemsize(), [&]<class T>(T) {
    auto* next = reinterpret_cast<const T*>(values);
    if (dense) {
      expand_row(reinterpret_cast<const uint8_t*>(mask), n, next, available, reinterpret_cast<T*>(destination));
      return;
    }
    int64_t step = one_value ? 0 : 1;
    auto row = [&](const RowCursor<2>& cursor) {
      char* at = cursor[0];
      const char* set = cursor[1];
      const T* value = next;
      for (int64_t k = 0; k < n; ++k, at += to_stride, set += mask_stride) {
        if (!*set) continue;
        std::memcpy(at, value, sizeof(T));
        value += step;
      }
      if (step) next = value;
    };
    // Rows that consume values in order depend on one another, so they stay in one task.
    int64_t grain = one_value ? grain_for(n * (to.itemsize() + 1)) : INT64_MAX / 4;
    for_each_row(std::span<const View, 2>(views), data, grain, row);
  });
}

}  // namespace tessera::library
