#include "tessera/engine/call/sum_events.h"

#include <vector>

#include "tessera/eager/scan.h"
#include "tessera/library/host/scan.h"
#include "tessera/ops/eager_loop.h"
#include "tessera/ops/op.h"

namespace tessera::engine {

uint32_t events_of_sum(const runtime::Buffer& sums, DType dtype, int64_t parts, int64_t size) {
  if (is_integer(dtype) || is_boolean(dtype)) return 0;
  const int64_t shape[] = {parts, size};
  const View view = View::contiguous(shape, dtype);
  std::vector<char> running(static_cast<size_t>(parts * size * itemsize(dtype)));
  library::scan(library::ScanOp::add, sums.data(), dtype, 1, parts, size, running.data());
  const ops::EagerLoop* loop = ops::EagerLoop::uniform(*ops::OpTable::standard().find("add"), dtype);
  return eager::scan_events(*loop, {const_cast<char*>(sums.data()), view}, 0, {running.data(), view}, false);
}

}  // namespace tessera::engine
