#include "tessera/routines/select/selection.h"

#include "tessera/base/error.h"
#include "tessera/routines/select/kernels.h"

namespace tessera::routines {

Selection::Selection(Launcher& launcher, DType dtype, int64_t n, const char* mask)
    : launcher_(launcher),
      mask_(mask),
      dtype_(dtype),
      n_(n),
      tiles_((n + select_tile - 1) / select_tile),
      begins_(launcher.allocate(tiles_ + 1, DType::int64)) {
  const Ref<runtime::Buffer> counts = launcher.allocate(tiles_, DType::uint32);
  launcher.run({.name = format("select_counts {}", name(dtype)),
                .make = [=] { return select_counts_kernel(dtype); },
                .extents = {tiles_, select_threads},
                .buffers = {mask, counts->data()},
                .scalars = {n},
                .is_block = true});
  launcher.run({.name = "select_begins",
                .make = [] { return select_begins_kernel(); },
                .extents = {1, select_begins_threads},
                .buffers = {counts->data(), begins_->data()},
                .scalars = {tiles_},
                .is_block = true});
  launcher.flush();
}

int64_t Selection::count() {
  if (!count_) launcher_.fetch(&count_.emplace(), counted(), sizeof *count_);
  return *count_;
}

void Selection::find(std::span<const int64_t> shape, std::span<const char* const> out) {
  const int axes = static_cast<int>(shape.size());
  if (count() == 0) return;
  const DType dtype = dtype_;
  run(format("nonzero {} {}", name(dtype), axes), [=] { return nonzero_kernel(dtype, axes); }, out, shape.subspan(1));
}

void Selection::move(const Words& words, bool expands, const char* from, const char* to) {
  if (count() == 0) return;
  const char* buffers[] = {from, to};
  const DType word = words.word;
  const int each = static_cast<int>(words.each);
  run(
      format("compress {} {} {}", name(word), each, expands), [=] { return compress_kernel(word, each, expands); },
      buffers);
}

void Selection::run(std::string name, std::function<ir::Kernel()> make, std::span<const char* const> buffers,
                    std::span<const int64_t> scalars) {
  std::vector<const char*> all_buffers{mask_, begins_->data()};
  all_buffers.insert(all_buffers.end(), buffers.begin(), buffers.end());
  std::vector<int64_t> all_scalars{n_};
  all_scalars.insert(all_scalars.end(), scalars.begin(), scalars.end());
  launcher_.run({.name = std::move(name),
                 .make = std::move(make),
                 .extents = {tiles_, select_threads},
                 .buffers = std::move(all_buffers),
                 .scalars = std::move(all_scalars),
                 .is_block = true});
  launcher_.flush();
}

}  // namespace tessera::routines
