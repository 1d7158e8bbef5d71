#include "tessera/engine/device/routines/launcher.h"
#include "tessera/engine/device/routines/routines.h"
#include "tessera/ops/op.h"
#include "tessera/routines/at/kernels.h"

namespace tessera {

using engine::DeviceLaunches;

namespace {

/// The atomic that performs the op on integers, in any order.
std::optional<ir::AtomicKind> atomic_of(const ops::Op& op, const ops::Signature& signature, DType target) {
  if (op.nin != 2 || !is_integer(target) || itemsize(target) < 4 || signature.in[0] != target ||
      signature.in[1] != target)
    return {};
  if (op.name == "subtract") return ir::AtomicKind::sub;
  const std::optional<ir::ReduceKind> kind = ops::reduce_kind_of(op, target);
  if (!kind || signature.out[0] != target) return {};
  switch (*kind) {
    case ir::ReduceKind::add: return ir::AtomicKind::add;
    case ir::ReduceKind::min:
    case ir::ReduceKind::min_num: return ir::AtomicKind::min;
    case ir::ReduceKind::max:
    case ir::ReduceKind::max_num: return ir::AtomicKind::max;
    case ir::ReduceKind::bit_and: return ir::AtomicKind::bit_and;
    case ir::ReduceKind::bit_or: return ir::AtomicKind::bit_or;
    case ir::ReduceKind::bit_xor: return ir::AtomicKind::bit_xor;
    case ir::ReduceKind::mul: return {};
  }
  return {};
}

/// The narrowest type that can sort numbers below `count`.
DType narrowest(int64_t count) {
  if (count <= 1 << 8) return DType::uint8;
  if (count <= 1 << 16) return DType::uint16;
  return count <= int64_t{1} << 32 ? DType::uint32 : DType::int64;
}

}  // namespace

bool device_at(Engine& engine, const ops::Op& op, const ops::Signature& signature, const Array& target,
               const Array& places, const Array* values, uint32_t& events) {
  const ir::ErrorRule errors = ops::errors_of(op, signature.in[0]);
  if (places.size() == 0 || target.size() == 0 ||
      (errors != ir::ErrorRule::none && errors != ir::ErrorRule::arithmetic))
    return false;
  const bool by_atomics = atomic_of(op, signature, target.dtype()).has_value();
  runtime::Device* device = library_device(
      engine, {&target, &places},
      engine::cost_by_element("at", places.size(), 8, by_atomics ? 100 : 600, !by_atomics, by_atomics ? 2 : 30));
  if (!device) return false;
  const int64_t count = places.size();
  const Array flat = places.with_view([&] {
    View view = View::contiguous(Dims{count}, DType::int64);
    view.offset = places.view.offset;
    return view;
  }());
  const int64_t step = values && values->size() > 1 ? 1 : 0;
  const DType dtype = target.dtype();
  return engine::run_routine(
             engine, *device,
             [&](DeviceLaunches& launches) -> std::optional<Array> {
               if (const auto kind = atomic_of(op, signature, dtype)) {
                 const engine::DenseOperand at = launches.read(flat), with = launches.read(*values);
                 engine::write_dense(engine, *device, target, [&](char* to) {
                   launches.run({.name = format("change_places {} {}", static_cast<int>(*kind), name(dtype)),
                                 .make = [=] { return routines::change_places_kernel(*kind, dtype); },
                                 .extents = {count},
                                 .buffers = {at.data(), with.data(), to},
                                 .scalars = {step}});
                 });
                 return Array{};
               }
               const Array order = engine.call("argsort", {engine.contiguous(flat, narrowest(target.size()))});
               const std::optional<Array> sorted = device_take(engine, flat, order, 0, routines::PickMode::clip);
               std::optional<Array> ordered;
               if (step)
                 ordered = device_take(engine, values->with_view(*values->view.try_reshape(Dims{count})), order, 0,
                                       routines::PickMode::clip);
               if (!sorted || (step && !ordered)) return {};
               const engine::DenseOperand at = launches.read(*sorted);
               const Ref<runtime::Buffer> found = launches.allocate(1, DType::int32);
               device->stream().fill_zero(found->data(), 4);
               std::vector<const char*> buffers{at.data()};
               std::optional<engine::DenseOperand> with;
               if (values) buffers.push_back(with.emplace(launches.read(step ? *ordered : *values)).data());
               engine::write_dense(engine, *device, target, [&](char* to) {
                 buffers.insert(buffers.end(), {to, found->data()});
                 launches.run(
                     {.name = format("reduce_places {} {} {} {}", op.name, name(signature.in[0]),
                                     name(signature.out[0]), name(dtype)),
                      .make = [&op, &signature, dtype] { return routines::reduce_places_kernel(op, signature, dtype); },
                      .extents = {count},
                      .buffers = std::move(buffers),
                      .scalars = {count, step}});
               });
               if (errors != ir::ErrorRule::none) launches.fetch(&events, found->data(), sizeof events);
               return Array{};
             })
      .has_value();
}

}  // namespace tessera
