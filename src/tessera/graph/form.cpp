#include "tessera/graph/form.h"

#include <algorithm>

#include "tessera/base/hash.h"
#include "tessera/graph/freelist.h"

namespace tessera::graph {

namespace {

uint64_t hash_of(const Form& form) {
  SumHash hash;
  hash.add(static_cast<uint64_t>(form.kind) | uint64_t{form.input_count} << 8 | uint64_t{form.result} << 16 |
           uint64_t{form.events} << 24 | uint64_t{form.op ? form.op->id : ops::OpId{0}} << 32 |
           static_cast<uint64_t>(form.reduce) << 48 | uint64_t{form.pinned} << 56);
  hash.add(form.axes ^ form.call);
  hash.add(form.signature ? form.signature->key : 0);
  hash.add(static_cast<uint64_t>(form.dtype) | form.shape.size() << 8);
  hash.add(form.shape);
  hash.add(form.strides);
  for (int i = 0; i < form.input_count; ++i) {
    const InputForm& input = form.inputs[i];
    hash.add(static_cast<uint64_t>(input.dtype) | uint64_t{input.scalar} << 8 | input.strides.size() << 16);
    hash.add(input.strides);
  }
  return hash.value();
}

}  // namespace

Form* Form::make() { return freelist<Form>.take(); }
void Form::destroy(Form* form) {
  form->owner = nullptr;
  freelist<Form>.give(form);
}

uint64_t Form::set_hash() { return hash = hash_of(*this); }

bool Form::matches(const Form& other) const {
  return kind == other.kind && input_count == other.input_count && result == other.result && events == other.events &&
         op == other.op && pinned == other.pinned && natural == other.natural && reduce == other.reduce &&
         dtype == other.dtype && axes == other.axes && call == other.call && signature == other.signature &&
         shape == other.shape && strides == other.strides && std::equal(inputs, inputs + input_count, other.inputs);
}

}  // namespace tessera::graph
