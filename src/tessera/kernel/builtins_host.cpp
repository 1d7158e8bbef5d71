// Functions of NumPy that the host runs, and methods that are those.
#include <algorithm>
#include <optional>

#include "tessera/kernel/builtins.h"
#include "tessera/kernel/host_routines.h"

namespace tessera::kernel {

namespace {

size_t number_of(std::string_view name) {
  const std::span<const HostRoutine> all = host_routines();
  return static_cast<size_t>(std::ranges::find(all, name, &HostRoutine::name) - all.begin());
}

/// The arrays and numbers among the arguments, tuples' elements in their place.
void collect(const Item& item, std::vector<Item>& found) {
  if (item.type.kind == TypeKind::tuple)
    for (size_t k = 0; k < item.type.elements.size(); ++k) collect(element(item, k), found);
  else if (item.type.is_scalar() || item.type.is_array_like())
    found.push_back(item);
}

int axes_of(const Item& item) { return item.type.is_array_like() ? item.type.axes : 0; }

/// The axes of the array that NumPy makes of it.
int axes_in(const Item& item) {
  const bool nested = item.type.kind == TypeKind::tuple && !item.type.elements.empty();
  return nested ? 1 + axes_in(element(item, 0)) : axes_of(item);
}

/// Types of a routine's results for a call's arguments.
class Results {
 public:
  Results(Lowering& l, const HostRoutine& routine, const Call& call) : routine_(routine), call_(call) {
    for (const Item& item : call.args) collect(item, values_);
    if (values_.empty()) values_.push_back(l.constant(0));
    if (call.args.empty()) return;
    std::vector<Item> first;
    collect(call.args[0], first);
    if (!first.empty()) first_ = first[0];
    // Arrays in a tuple are joined; numbers in one are an array.
    const bool joins = routine.parameters.starts_with("arrays") || routine.parameters.starts_with("tup");
    own_axes_ = joins ? axes_of(first_) : axes_in(call.args[0]);
    own_dtype_ = first_.type.dtype;
    for (const Item& item : first) own_dtype_ = promote(own_dtype_, item.type.dtype);
  }

  std::vector<Type> find() const {
    std::vector<Type> types;
    for (size_t at = 0; at + 1 < routine_.results.size(); at += 3)
      types.push_back(
          {.kind = TypeKind::buffer, .dtype = dtype(routine_.results[at]), .axes = axes(routine_.results[at + 1])});
    return types;
  }

 private:
  static DType floating(DType t) { return is_integer(t) || is_boolean(t) ? DType::float64 : t; }
  static DType real(DType t) {
    return t == DType::complex64 ? DType::float32 : t == DType::complex128 ? DType::float64 : floating(t);
  }

  DType promoted() const {
    DType common = values_[0].type.dtype;
    for (const Item& value : values_) common = promote(common, value.type.dtype);
    return common;
  }

  DType dtype(char letter) const {
    const DType own = own_dtype_;
    switch (letter) {
      case '=': return own;
      case 'v': return call_.args[1].type.dtype;
      case 'p': return promoted();
      case 'f': return floating(own);
      case 'P': return floating(promoted());
      case 'r': return real(own);
      case 'c': return real(own) == DType::float32 ? DType::complex64 : DType::complex128;
      case 'a': return is_integer(own) || is_boolean(own) ? arithmetic_dtype(own, own) : own;
      case 'i': return has("weights") ? DType::float64 : DType::int64;
      case 'b': return DType::boolean;
      default: return DType::float64;
    }
  }

  const Item* argument(std::string_view name) const {
    size_t k = 0, at = 0;
    const std::string_view text = routine_.parameters;
    while (at < text.size()) {
      const size_t end = std::min(text.find(' ', at), text.size());
      std::string_view own = text.substr(at, end - at);
      if (own.ends_with('=')) own.remove_suffix(1);
      if (own == name) return &call_.args[k];
      at = end + 1;
      ++k;
    }
    return nullptr;
  }

  bool has(std::string_view name) const {
    const Item* item = argument(name);
    return item && item->type.kind != TypeKind::none;
  }

  int axes(char letter) const {
    const int own = own_axes_;
    switch (letter) {
      case 'n': return own;
      case 'v': return axes_in(call_.args[1]);
      case '+': return own + 1;
      case 'g': return own == 1 ? 2 : 1;
      case 'x': return has("axis") ? own - 1 : 0;
      case 'y': return has("axis") ? own : 1;
      case 'k': return static_cast<int>(call_.args.size());
      case 'm': {
        int most = 0;
        for (const Item& value : call_.args) most = std::max(most, axes_in(value));
        return most;
      }
      case 's': {
        const Item* size = argument("size");
        if (!size || size->type.kind == TypeKind::none) return 0;
        return size->type.kind == TypeKind::tuple ? static_cast<int>(size->type.elements.size()) : 1;
      }
      default: return letter - '0';
    }
  }

  const HostRoutine& routine_;
  const Call& call_;
  std::vector<Item> values_;
  Item first_;
  int own_axes_ = 0;
  DType own_dtype_ = DType::boolean;
};

/// Single random numbers: the draw, and what its two parameters are where they are left out.
struct SingleDraw {
  std::string_view name;
  HostDraw draw;
  int parameters;
  int64_t left_out[2];
};
constexpr SingleDraw single_draws[] = {
    {"numpy.random.random", HostDraw::uniform, 0, {0, 1}},
    {"numpy.random.random_sample", HostDraw::uniform, 0, {0, 1}},
    {"numpy.random.ranf", HostDraw::uniform, 0, {0, 1}},
    {"numpy.random.sample", HostDraw::uniform, 0, {0, 1}},
    {"numpy.random.rand", HostDraw::uniform, 0, {0, 1}},
    {"numpy.random.uniform", HostDraw::uniform, 2, {0, 1}},
    {"numpy.random.standard_exponential", HostDraw::exponential, 0, {1, 0}},
    {"numpy.random.exponential", HostDraw::exponential, 1, {1, 0}},
    {"numpy.random.randn", HostDraw::normal, 0, {0, 1}},
    {"numpy.random.standard_normal", HostDraw::normal, 0, {0, 1}},
    {"numpy.random.normal", HostDraw::normal, 2, {0, 1}},
};

/// The call as a single draw, where it is one of numbers.
std::optional<Item> lower_draw(Lowering& l, const HostRoutine& routine, const Call& call) {
  const SingleDraw* draw = std::ranges::find(single_draws, routine.name, &SingleDraw::name);
  if (draw == std::end(single_draws) || !l.options().is_function) return {};
  ir::Builder& b = l.b;
  std::vector<ir::Value> words{l.constant(static_cast<int64_t>(draw->draw)).values[0]};
  for (size_t k = 0; k < call.args.size(); ++k) {
    const Type& type = call.args[k].type;
    const bool is_parameter = static_cast<int>(k) < draw->parameters && type.is_scalar() && !is_complex(type.dtype);
    if (type.kind != TypeKind::none && !is_parameter) return {};
  }
  for (size_t k = 0; k < 2; ++k) {
    const bool is_given = static_cast<int>(k) < draw->parameters && call.args[k].type.kind != TypeKind::none;
    const Item value = is_given ? call.args[k] : l.constant(draw->left_out[k]);
    words.push_back(b.bitcast(l.cast(value, DType::float64), DType::int64));
  }
  const HostFunction function = draw->draw == HostDraw::normal ? HostFunction::draw_normal : HostFunction::draw;
  return l.scalar(b.bitcast(b.call_host(static_cast<uint32_t>(function), words), DType::float64));
}

Item lower_routine(Lowering& l, const Builtin& self, const Call& call) {
  const HostRoutine& routine = host_routines()[number_of(self.op.empty() ? self.name : self.op)];
  if (const std::optional<Item> drawn = lower_draw(l, routine, call)) return *drawn;
  return l.call_numpy(call, number_of(routine.name), Results(l, routine, call).find());
}

Item lower_thread_number(Lowering& l, const Builtin& self, const Call& call) {
  if (!l.options().is_function)
    l.refuse(call.node, format("{} in a kernel", self.name), "cuda.grid(1), or cuda.threadIdx.x");
  return l.scalar(l.b.call_host(static_cast<uint32_t>(HostFunction::thread_number), {}));
}

Item lower_get_threads(Lowering& l, const Builtin& self, const Call& call) {
  if (!l.options().is_function) l.refuse(call.node, format("{} in a kernel", self.name), "cuda.gridsize(1)");
  return l.thread_count();
}

Item lower_get_chunk_size(Lowering& l, const Builtin& self, const Call& call) {
  if (!l.options().is_function) l.refuse(call.node, format("{} in a kernel", self.name), "cuda.blockDim.x");
  return l.chunk_size();
}

Item lower_set_threads(Lowering& l, const Builtin& self, const Call& call) {
  if (!l.options().is_function) l.refuse(call.node, format("{} in a kernel", self.name), "the launch's shape");
  if (!call.args[0].type.is_scalar() || !is_integer(call.args[0].type.dtype))
    l.fail(call.node, format("{} of {}", self.name, describe(call.args[0].type)), "an integer");
  l.set_thread_count(call.node, l.cast(call.args[0], DType::int64));
  return {};
}

/// a.sort(): the elements in order, in place of those that are there.
Item lower_sort(Lowering& l, const Builtin& self, const Call& call) {
  const Item sorted = lower_routine(l, self, call);
  if (!call.args[0].type.is_array()) l.fail(call.node, "sort in place of what is no array", "numpy.sort(x)");
  l.store(call.node, l.view_of(call.args[0]), sorted);
  return {};
}

}  // namespace

void add_host_builtins(std::vector<Builtin>& table) {
  for (const HostRoutine& routine : host_routines()) table.push_back({routine.name, routine.parameters, lower_routine});
  constexpr std::string_view methods[] = {"array.argsort", "array.argpartition", "array.cumprod",      "array.cumsum",
                                          "array.ptp",     "array.repeat",       "array.searchsorted", "array.std",
                                          "array.trace",   "array.var"};
  for (std::string_view method : methods)
    for (const HostRoutine& routine : host_routines())
      if (routine.name.substr(routine.name.find('.')) == method.substr(method.find('.')))
        table.push_back({method, routine.parameters, lower_routine, routine.name});
  table.push_back({"builtins.get_thread_id", "", lower_thread_number});
  table.push_back({"builtins.get_num_threads", "", lower_get_threads});
  table.push_back({"builtins.get_parallel_chunksize", "", lower_get_chunk_size});
  table.push_back({"builtins.set_num_threads", "n", lower_set_threads});
  table.push_back({"array.sort", "a", lower_sort, "numpy.sort"});
}

}  // namespace tessera::kernel
