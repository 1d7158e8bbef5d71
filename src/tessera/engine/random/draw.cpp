#include "tessera/base/error.h"
#include "tessera/engine/host_access.h"
#include "tessera/engine/random/broadcast_walk.h"
#include "tessera/engine/random/random_stream.h"
#include "tessera/library/random/draw_many.h"
#include "tessera/library/random/fill.h"
#include "tessera/library/random/ziggurat.h"

namespace tessera {

using library::Distribution;
using library::Parameter;
using library::Value;

namespace {

void check_values(const Distribution& row, std::span<const Value> values) {
  for (size_t k = 0; k < values.size(); ++k) library::check(row.parameters[k], values[k], false);
}

/// A parameter as memory of doubles or int64: an array's memory, or a stored number.
struct ParameterRead {
  std::optional<HostRead> array;
  Value number{};
  View view;

  const char* data() const { return array ? array->data() : reinterpret_cast<const char*>(&number); }
};

ParameterRead read_parameter(Engine& engine, const Parameter& parameter, const DrawParameter& given) {
  const DType dtype = parameter.integer ? DType::int64 : DType::float64;
  ParameterRead read;
  if (const Array* array = std::get_if<Array>(&given)) {
    require<TypeError>(can_cast(array->dtype(), dtype, Casting::safe),
                       "Cannot cast array data from dtype('{}') to dtype('{}') according to the rule 'safe'",
                       array->dtype(), dtype);
    read.array.emplace(engine, *array, dtype);
    read.view = read.array->view();
  } else {
    read.number = std::get<Value>(given);
    read.view = View::contiguous({}, dtype);
  }
  return read;
}

void check_all(const Parameter& parameter, const ParameterRead& read) {
  if (parameter.constraint == library::Constraint::none) return;
  BroadcastWalk(read.view.shape, std::span(&read.view, 1)).run([&](int64_t, std::span<const int64_t> offsets) {
    Value value;
    std::memcpy(&value, read.data() + offsets[0], sizeof value);
    library::check(parameter, value, true);
  });
}

/// Fills `out` for distributions that have optimised loops for scalar parameters; false for others.
bool try_fill(RandomStream& stream, const Distribution& row, std::span<const Value> v, std::span<double> out) {
  library::BitGenerator& bits = stream.generator();
  if (row.name == "uniform") {
    library::fill_uniform(bits, out, v[0].real, v[1].real);
  } else if (row.name == "normal") {
    if (stream.legacy()) {
      library::fill_polar_normal(bits, stream.sampler().kept, out, v[0].real, v[1].real);
    } else {
      library::fill_normal(bits, out, v[0].real, v[1].real);
    }
  } else if (row.name == "exponential") {
    stream.legacy() ? library::fill_legacy_exponential(bits, out, v[0].real)
                    : library::fill_exponential(bits, out, v[0].real);
  } else {
    return false;
  }
  return true;
}

/// The draw as the routine has it; nothing for other distributions.
std::optional<StreamDraw> stream_draw_of(const Distribution& row, std::span<const Value> v, bool legacy) {
  using Method = StreamDraw::Method;
  const auto scaled = [](Method method, double first, double second) {
    const bool is_standard = first == 0 && second == 1;
    return StreamDraw{method, DType::float64, !is_standard, std::bit_cast<int64_t>(first),
                      std::bit_cast<int64_t>(second)};
  };
  if (row.name == "uniform") return scaled(Method::uniform, v[0].real, v[1].real);
  if (row.name == "normal") return scaled(legacy ? Method::polar : Method::normal, v[0].real, v[1].real);
  if (legacy) return std::nullopt;
  if (row.name == "exponential") return scaled(Method::exponential, 0, v[0].real);
  return std::nullopt;
}

}  // namespace

double RandomStream::draw_real(const Distribution& row, std::span<const Value> values) {
  check_values(row, values);
  std::lock_guard lock(bits_->mutex);
  return row.draw(sampler_, values.data());
}

int64_t RandomStream::draw_integer(const Distribution& row, std::span<const Value> values) {
  check_values(row, values);
  std::lock_guard lock(bits_->mutex);
  return row.draw_integer(sampler_, values.data());
}

Array RandomStream::draw(Engine& engine, const Distribution& row, std::span<const DrawParameter> parameters,
                         std::optional<Dims> size) {
  std::vector<ParameterRead> reads;
  std::vector<View> views;
  std::vector<Value> values(parameters.size());
  bool scalar = true;
  for (size_t k = 0; k < parameters.size(); ++k) {
    reads.push_back(read_parameter(engine, row.parameters[k], parameters[k]));
    views.push_back(reads.back().view);
    scalar &= views.back().ndim() == 0;
  }
  for (size_t k = 0; k < parameters.size(); ++k) {
    std::memcpy(&values[k], reads[k].data(), scalar ? sizeof(Value) : 0);
    if (scalar) {
      library::check(row.parameters[k], values[k], false);
    } else {
      check_all(row.parameters[k], reads[k]);
    }
  }
  const Dims shape = draw_shape(size, views);
  if (const auto named = scalar ? stream_draw_of(row, values, legacy()) : std::nullopt) {
    if (auto drawn = draw_anywhere(engine, *named, shape)) return *drawn;
  }
  const HostResult result(engine, shape, row.draw ? DType::float64 : DType::int64);
  auto* reals = reinterpret_cast<double*>(result.data());
  auto* integers = reinterpret_cast<int64_t*>(result.data());
  const int64_t total = result.array().size();
  const HostWork work(engine, 4 * total);
  std::lock_guard lock(bits_->mutex);
  if (scalar) {
    const auto count = static_cast<size_t>(total);
    if (!row.draw)
      library::draw_many(sampler_, row, values.data(), std::span(integers, count));
    else if (!try_fill(*this, row, values, {reals, count}))
      library::draw_many(sampler_, row, values.data(), std::span(reals, count));
    return result.array();
  }
  BroadcastWalk(shape, views).run([&](int64_t i, std::span<const int64_t> offsets) {
    for (size_t k = 0; k < values.size(); ++k) std::memcpy(&values[k], reads[k].data() + offsets[k], sizeof(Value));
    if (row.draw)
      reals[i] = row.draw(sampler_, values.data());
    else
      integers[i] = row.draw_integer(sampler_, values.data());
  });
  return result.array();
}

namespace {

template <class T>
void fill_standard(library::BitGenerator& bits, RandomStream::Standard kind, std::span<T> out) {
  switch (kind) {
    case RandomStream::Standard::uniform: return library::fill_uniform(bits, out);
    case RandomStream::Standard::normal: return library::fill_normal(bits, out);
    case RandomStream::Standard::exponential: return library::fill_exponential(bits, out);
    case RandomStream::Standard::exponential_by_inversion: return library::fill_exponential_by_inversion(bits, out);
  }
}

}  // namespace

Array RandomStream::draw_standard(Engine& engine, Standard kind, std::span<const int64_t> shape, DType dtype) {
  using Method = StreamDraw::Method;
  std::optional<Method> method;
  if (kind == Standard::uniform) method = Method::uniform;
  if (kind == Standard::normal) method = legacy() ? Method::polar : Method::normal;
  if (kind == Standard::exponential && !legacy()) method = Method::exponential;
  if (method) {
    if (auto drawn = draw_anywhere(engine, {*method, dtype}, shape)) return *drawn;
  }
  Array out = engine.empty(shape, dtype);
  fill(engine, kind, out);
  return out;
}

void RandomStream::fill(Engine& engine, Standard kind, const Array& out) {
  const auto count = static_cast<size_t>(out.size());
  char* data = engine.write(out);
  const HostWork work(engine, out.size());
  std::lock_guard lock(bits_->mutex);
  if (out.dtype() == DType::float32)
    return fill_standard(generator(), kind, std::span(reinterpret_cast<float*>(data), count));
  auto reals = std::span(reinterpret_cast<double*>(data), count);
  if (legacy() && kind == Standard::normal) {
    library::fill_polar_normal(generator(), sampler_.kept, reals);
  } else if (legacy() && kind == Standard::exponential) {
    library::fill_legacy_exponential(generator(), reals);
  } else {
    fill_standard(generator(), kind, reals);
  }
}

double RandomStream::standard(Standard kind, DType dtype) {
  std::lock_guard lock(bits_->mutex);
  if (dtype == DType::float32) {
    float x;
    fill_standard(generator(), kind, std::span(&x, 1));
    return x;
  }
  if (kind == Standard::normal) return sampler_.normal();
  if (kind == Standard::exponential) return sampler_.exponential();
  double x;
  fill_standard(generator(), kind, std::span(&x, 1));
  return x;
}

void RandomStream::fill_gamma_float(Engine& engine, const DrawParameter& given, const Array& out) {
  const Parameter parameter{"shape", library::Constraint::non_negative};
  ParameterRead shape = read_parameter(engine, parameter, given);
  check_all(parameter, shape);
  auto* data = reinterpret_cast<float*>(engine.write(out));
  const HostWork work(engine, 4 * out.size());
  std::lock_guard lock(bits_->mutex);
  if (shape.view.ndim() == 0) {
    const auto single = static_cast<float>(*reinterpret_cast<const double*>(shape.data()));
    return library::fill_gamma_float(sampler_, single, std::span(data, static_cast<size_t>(out.size())));
  }
  BroadcastWalk(out.shape(), std::span(&shape.view, 1)).run([&](int64_t i, std::span<const int64_t> offsets) {
    data[i] = sampler_.gamma_float(static_cast<float>(*reinterpret_cast<const double*>(shape.data() + offsets[0])));
  });
}

}  // namespace tessera
