#include "tessera/routines/rows/rows.h"

#include <optional>

#include "tessera/base/error.h"
#include "tessera/routines/take/slabs.h"
#include "tessera/routines/words.h"

namespace tessera::routines {

namespace {

std::string kernel_name(const char* kernel, DType word, const RowAxes& axes) {
  return format("{} {} {} {} {}", kernel, name(word), axes.before, axes.rows, axes.behind);
}

/// Which rows are named more than once, and the last index in `rows` that names each of these.
struct LastPlaces {
  Ref<runtime::Buffer> bits, last;
  const char* again;
  LastPlaces(Launcher& launcher, const char* rows, int64_t picks, int64_t count) {
    // Only rows that are named more than once have a word that is written and read.
    const int64_t bit_bytes = (count + 31) / 32 * 4;
    last = launcher.allocate(count, DType::uint32);
    bits = launcher.allocate(2 * bit_bytes, DType::uint8);
    launcher.device().stream().fill_zero(bits->data(), static_cast<size_t>(2 * bit_bytes));
    again = bits->data() + bit_bytes;
    launcher.run({.name = "mark_rows",
                  .make = [] { return mark_rows_kernel(); },
                  .extents = {picks},
                  .buffers = {rows, bits->data(), again, last->data()},
                  .scalars = {}});
    launcher.run({.name = "last_places",
                  .make = [] { return last_places_kernel(); },
                  .extents = {picks},
                  .buffers = {rows, again, last->data()},
                  .scalars = {}});
  }
};

/// One element of several words, as often as a row has elements.
Ref<runtime::Buffer> spread(Launcher& launcher, DType dtype, int64_t count, const char* element) {
  const Ref<runtime::Buffer> row = launcher.allocate(count, dtype), zeros = launcher.allocate(count, DType::int64);
  launcher.device().stream().fill_zero(zeros->data(), static_cast<size_t>(8 * count));
  take_slabs(launcher, {dtype, 1, 1, count, 1}, element, zeros->data(), row->data());
  return row;
}

}  // namespace

void pick_rows(Launcher& launcher, const char* a, const RowLayout& layout, const char* rows, int64_t count,
               const char* out) {
  const Words words(layout.rows.dtype);
  const RowWalk walk(layout, itemsize(words.word));
  launcher.run({.name = kernel_name("pick_rows", words.word, walk.axes()),
                .make = [word = words.word, axes = walk.axes()] { return pick_rows_kernel(word, axes); },
                .extents = {walk.before(), count, walk.behind()},
                .buffers = {rows, a, out},
                .scalars = walk.scalars()});
}

void put_rows(Launcher& launcher, const char* a, const RowLayout& layout, const char* rows, int64_t count,
              const PutValues& values) {
  const Words words(layout.rows.dtype);
  const RowWalk walk(layout, itemsize(words.word));
  const bool spreads = values.is_single && words.each > 1, repeats = values.period > 1;
  Ref<runtime::Buffer> row;
  if (spreads) row = spread(launcher, layout.rows.dtype, layout.behind.size(), values.data);
  const int64_t along = values.is_single && !spreads ? 0 : 1, step = values.is_single ? 0 : walk.behind();
  std::vector<int64_t> scalars = walk.scalars();
  for (int64_t scalar : {values.period * step, values.period, step, along}) scalars.push_back(scalar);
  std::vector<const char*> buffers{rows, spreads ? row->data() : values.data};
  std::optional<LastPlaces> last;
  if (repeats) {
    last.emplace(launcher, rows, count, layout.rows.size());
    buffers.insert(buffers.end(), {last->again, last->last->data()});
  }
  buffers.push_back(a);
  launcher.run(
      {.name = kernel_name(repeats ? "put_rows again" : "put_rows", words.word, walk.axes()),
       .make = [word = words.word, axes = walk.axes(), repeats] { return put_rows_kernel(word, axes, repeats); },
       .extents = {walk.before(), count, walk.behind()},
       .buffers = std::move(buffers),
       .scalars = std::move(scalars)});
}

}  // namespace tessera::routines
