#include "tessera/routines/neighbours/rows.h"

#include <algorithm>

#include "tessera/routines/networks/ordered_sum.h"

namespace tessera::routines {

using ir::Value;

namespace {

using Body = void (*)(const StepParts&);

uint32_t declare(Dense& d, const StepBuffer& buffer) {
  switch (buffer.access) {
    case StepBuffer::read: return d.read(buffer.dtype);
    case StepBuffer::written: return d.write(buffer.dtype);
    case StepBuffer::changed: break;
  }
  return d.b.add_buffer({.dtype = buffer.dtype, .ndim = 1, .writable = true, .inner = ir::InnerStride::contiguous});
}

ir::Kernel step_kernel(const std::string& name, const std::vector<StepBuffer>& buffers, size_t count, Body body) {
  std::string word = name;  // in the kernel's text
  std::ranges::replace(word, ' ', '_');
  Dense d(1, word.c_str());
  std::vector<uint32_t> declared;
  for (const StepBuffer& buffer : buffers) declared.push_back(declare(d, buffer));
  std::vector<Value> numbers;
  for (size_t k = 0; k < count; ++k) numbers.push_back(d.number());
  body({d, d.b, declared, numbers, d.b.index(0)});
  return d.b.take();
}

}  // namespace

void run_step(Launcher& launcher, std::string_view name, int64_t count, std::initializer_list<StepBuffer> buffers,
              std::initializer_list<int64_t> numbers, Body body) {
  if (count == 0) return;
  std::string full(name);
  std::vector<const char*> data;
  for (const StepBuffer& buffer : buffers) {
    full += format(" {}", tessera::name(buffer.dtype));
    data.push_back(buffer.data);
  }
  launcher.run({.name = full,
                .make = [full, all = std::vector(buffers), amount = numbers.size(),
                         body] { return step_kernel(full, all, amount, body); },
                .extents = {count},
                .buffers = std::move(data),
                .scalars = numbers});
  launcher.flush();  // what the step reads may be freed, or fetched, next
}

Ref<runtime::Buffer> sum_all(Launcher& launcher, int64_t count, const char* terms) {
  Ref<runtime::Buffer> from;
  for (bool first = true; first || count > 1; first = false) {
    const int64_t lanes = networks::lanes_of_sum(count);
    Ref<runtime::Buffer> sums = launcher.allocate(lanes, DType::float64);
    run_step(
        launcher, "sum in lanes", lanes, {{terms, DType::float64}, {sums->data(), DType::float64, StepBuffer::written}},
        {count, lanes}, [](const StepParts& s) {
          const Value start = s.real(0), lanes = s.number(1), rest = s.b.sub(s.number(0), s.i);
          const Value terms = s.d.over(s.b.sub(s.b.add(rest, lanes), s.word(1)), lanes);
          const auto sum = s.b.for_(s.word(0), terms, s.word(1), std::span(&start, 1), [&](std::span<const Value> at) {
            return std::vector<Value>{s.b.add(at[1], s.load(0, s.b.add(s.i, s.b.mul(at[0], lanes))))};
          });
          s.store(1, sum[0]);
        });
    from = std::move(sums);
    terms = from->data();
    count = lanes;
  }
  return from;
}

}  // namespace tessera::routines
