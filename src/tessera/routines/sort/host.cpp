#include <cstring>

#include "tessera/library/host/sort.h"
#include "tessera/routines/sort/sort.h"

namespace tessera::routines {

namespace {

/// Arrays without axes or elements have one row.
int64_t row_length(const View& view) { return view.ndim() ? view.shape.back() : 1; }
int64_t row_count(const View& view) { return row_length(view) ? view.size() / row_length(view) : 0; }

}  // namespace

void sort_on_host(HostCall& call) {
  const Elements &a = call.operand(), &out = call.result();
  std::memcpy(out.data, a.data, static_cast<size_t>(a.size() * itemsize(a.dtype())));
  library::sort_rows(out.data, a.dtype(), row_count(a.view), row_length(a.view));
}

void argsort_on_host(HostCall& call) {
  const Elements& a = call.operand();
  library::argsort_rows(a.data, a.dtype(), row_count(a.view), row_length(a.view), call.result().as<int64_t>());
}

void lexsort_on_host(HostCall& call) {
  argsort_on_host(call);
  const int64_t n = row_length(call.operand().view);
  for (const Elements& key : call.operands.subspan(1)) {
    for (int64_t r = 0; r < row_count(key.view); ++r)
      library::refine_order(key.data + r * n * itemsize(key.dtype()), key.dtype(), n,
                            call.result().as<int64_t>() + r * n);
  }
}

}  // namespace tessera::routines
