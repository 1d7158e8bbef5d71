#include <array>
#include <charconv>
#include <cstring>
#include <sstream>
#include <unordered_map>

#include "tessera/base/error.h"
#include "tessera/ir/opcode.h"
#include "tessera/ops/signatures.h"
#include "tessera/plan/text/default_layout.h"
#include "tessera/plan/text/event_names.h"
#include "tessera/plan/text/request_text.h"

namespace tessera::plan {

namespace {

using graph::Form;
using graph::Node;
using graph::NodeKind;
using graph::Version;

/// Numbers in parentheses or brackets.
std::string list(const Dims& dims, char open, char close) {
  std::string text(1, open);
  for (size_t k = 0; k < dims.size(); ++k) text += (k ? "," : "") + std::to_string(dims[k]);
  return text + close;
}

template <class Float>
std::string shortest(Float value) {
  std::array<char, 64> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

std::string literal(const Scalar& scalar) {
  switch (scalar.dtype) {
    case DType::boolean: return scalar.bytes[0] ? "true" : "false";
    case DType::uint64: return std::to_string(static_cast<uint64_t>(scalar.as_int()));
    case DType::float32: return shortest(static_cast<float>(scalar.as_double()));
    case DType::complex64: {
      const std::complex<float> value(scalar.as_complex());
      return '(' + shortest(value.real()) + ',' + shortest(value.imag()) + ')';
    }
    case DType::complex128: {
      const std::complex<double> value = scalar.as_complex();
      return '(' + shortest(value.real()) + ',' + shortest(value.imag()) + ')';
    }
    default: return is_integer(scalar.dtype) ? std::to_string(scalar.as_int()) : shortest(scalar.as_double());
  }
}

/// An array that existed before, as far as the request tells: the first whole one that an operand reads.
struct Existing {
  const Version* version;
  View array;
  bool is_whole = false;
  bool dead = false;
};

/// The array whose broadcast to the node's shape the view is; its axes of stride 0 have one element.
View without_broadcast(View view) {
  while (!view.shape.empty() && view.strides[0] == 0) view.shape.erase(0), view.strides.erase(0);
  for (size_t axis = 0; axis < view.shape.size(); ++axis)
    if (view.strides[axis] == 0) view.shape[axis] = std::min<int64_t>(view.shape[axis], 1);
  return view;
}

bool covers(const View& view, int64_t nbytes) {
  return view.offset == 0 && view.size() * view.itemsize() == nbytes && view.is_injective() &&
         view.byte_range() == std::pair<int64_t, int64_t>(0, nbytes);
}

class RequestPrinter {
 public:
  explicit RequestPrinter(const Request& request) : request_(request) {}

  std::string print() {
    for (int i = 0; i < request_.size(); ++i) find_existing(i);
    for (size_t k = 0; k < existing_.size(); ++k) print_existing(k);
    for (int i = 0; i < request_.size(); ++i) print_node(i);
    return std::move(out_).str();
  }

 private:
  void find_existing(int i) {
    const Node& node = request_.node(i);
    for (int k = 0; k < node.form->input_count; ++k) {
      const View view{.shape = node.form->shape,
                      .strides = node.form->inputs[k].strides,
                      .offset = node.inputs[k].offset,
                      .dtype = node.form->inputs[k].dtype};
      if (node.inputs[k].version) mention(*node.inputs[k].version, view, request_.dead[i] >> k & 1);
    }
    if (!node.old) return;
    const View view{
        .shape = node.form->shape, .strides = node.form->strides, .offset = node.offset, .dtype = node.form->dtype};
    mention(*node.old, view, !request_.shared[i]);
  }

  void mention(const Version& version, const View& view, bool dead) {
    if (request_.producer(&version) >= 0) return;
    const auto [at, fresh] = number_.try_emplace(&version, existing_.size());
    if (fresh) {
      const bool divides = version.nbytes % view.itemsize() == 0;
      const DType dtype = divides ? view.dtype : DType::uint8;
      existing_.push_back({&version, View::contiguous(Dims{version.nbytes / itemsize(dtype)}, dtype)});
    }
    Existing& array = existing_[at->second];
    array.dead |= dead;
    const View whole = without_broadcast(view);
    if (array.is_whole || !covers(whole, version.nbytes)) return;
    array.is_whole = true;
    array.array = whole;
  }

  void print_existing(size_t k) {
    const Existing& of = existing_[k];
    out_ << "%a" << k << " = array ";
    print_type(of.array, dense_strides(of.array.shape, of.array.dtype), 0);
    out_ << (of.version->foreign ? " foreign" : "") << (of.dead ? " dead" : "") << '\n';
  }

  void print_node(int i) {
    const Node& node = request_.node(i);
    const Form& form = *node.form;
    View out{.shape = form.shape, .strides = form.strides, .offset = node.offset, .dtype = form.dtype};
    out_ << '%' << i << " = ";
    switch (form.kind) {
      case NodeKind::map: print_map(node); break;
      case NodeKind::write:
        out_ << "write " << name(node.old.get()) << ", ";
        print_operand(node, 0, form.dtype);
        break;
      case NodeKind::reduce:
        out_ << "reduce " << ir::name(form.reduce) << ' ';
        print_operand(node, 0, form.dtype);
        out_ << " along";
        for (size_t axis = 0; axis < form.shape.size(); ++axis)
          if (form.axes >> axis & 1) out_ << ' ' << axis;
        break;
      case NodeKind::call: invariant(false, "a call in a plan");
    }
    out_ << " : ";
    if (form.kind == NodeKind::write) {
      const View old = array_of(node.old.get());
      print_type(out, strides_over(old, form.shape), old.offset);
      made_.emplace(node.out.get(), old);
    } else {
      const View made = made_array(form, node.offset);
      print_type(out, dense_strides(form.shape, form.dtype, form.kind == NodeKind::reduce ? form.axes : 0), 0);
      if (node.out->nbytes != made.size() * made.itemsize()) out_ << " of " << node.out->nbytes << " bytes";
      made_.emplace(node.out.get(), made);
    }
    if (form.events) out_ << " events";
    for (const EventName& event : event_names)
      if (form.events & event.bit) out_ << ' ' << event.name;
    out_ << (form.pinned ? " pinned" : "") << (node.starts_iteration ? " starts_iteration" : "")
         << (request_.live[i] ? "\n" : " dead\n");
  }

  void print_map(const Node& node) {
    const Form& form = *node.form;
    out_ << form.op->name;
    if (form.signature != first_loop(form)) out_ << '.' << ops::print(*form.signature);
    if (form.result) out_ << '#' << int{form.result};
    for (int k = 0; k < form.input_count; ++k) {
      out_ << (k ? ", " : " ");
      print_operand(node, k, form.signature->in[k]);
    }
  }

  void print_operand(const Node& node, int k, DType type_of_scalars) {
    const graph::InputForm& form = node.form->inputs[k];
    const graph::Input& input = node.inputs[k];
    if (!input.version) {
      Scalar scalar{.dtype = form.dtype};
      std::memcpy(scalar.bytes, input.scalar, sizeof scalar.bytes);
      if (form.dtype != type_of_scalars) out_ << form.dtype << ' ';
      out_ << literal(scalar);
      return;
    }
    const View array = array_of(input.version.get());
    if (form.dtype != array.dtype) out_ << form.dtype << ' ';
    out_ << name(input.version.get());
    if (input.offset != array.offset) out_ << '@' << input.offset;
    if (strides_over(array, node.form->shape) != form.strides) out_ << list(form.strides, '(', ')');
  }

  void print_type(const View& view, const std::optional<Dims>& strides, int64_t offset) {
    out_ << view.dtype << list(view.shape, '[', ']');
    if (view.offset != offset) out_ << '@' << view.offset;
    if (strides != view.strides) out_ << list(view.strides, '(', ')');
  }

  std::string name(const Version* version) const {
    const int producer = request_.producer(version);
    return producer >= 0 ? '%' + std::to_string(producer) : "%a" + std::to_string(number_.at(version));
  }
  View array_of(const Version* version) const {
    const auto made = made_.find(version);
    return made != made_.end() ? made->second : existing_[number_.at(version)].array;
  }

  const Request& request_;
  std::vector<Existing> existing_;
  std::unordered_map<const Version*, size_t> number_;  // index in existing_
  std::unordered_map<const Version*, View> made_;      // by nodes printed so far
  std::ostringstream out_;
};

}  // namespace

std::string print(const Request& request) { return RequestPrinter(request).print(); }

}  // namespace tessera::plan
