// The module tessera._core.frames: what tables are computed with, for tessera.pandas.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "tessera/base/error.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/bindings.h"
#include "tessera/bind/engine/errors.h"
#include "tessera/bind/engine/without_gil.h"
#include "tessera/bind/frames/columns.h"
#include "tessera/bind/interop/foreign_memory.h"
#include "tessera/library/host/sort.h"
#include "tessera/routines/frames/factorize.h"
#include "tessera/routines/frames/gather.h"
#include "tessera/routines/frames/group_pairs.h"
#include "tessera/routines/frames/group_reduce.h"
#include "tessera/routines/frames/groups.h"
#include "tessera/routines/frames/join.h"
#include "tessera/routines/frames/match.h"
#include "tessera/routines/frames/rank.h"
#include "tessera/routines/frames/window_reduce.h"
#include "tessera/routines/frames/words.h"

namespace tessera::bind {

namespace {

using namespace frames;
namespace routine = routines::frames;

nb::object factorize(const AnyColumn& values, bool times, bool keep_null, bool sorted, const AnyResult& codes) {
  const routine::ColumnView column = column_of(values);
  const routine::CodesSpan result = codes_to_write(codes);
  require<ValueError>(codes.size() == values.size(), "factorize: {} codes for {} keys", codes.size(), values.size());
  routine::Rows first;
  without_gil(column.size, [&] { first = routine::factorize(column, times, keep_null, sorted, result); });
  return to_array(std::move(first));
}

routine::TextsView texts_of(const Dense<int64_t>& offsets, const Dense<uint8_t>& data,
                            const std::optional<Dense<uint8_t>>& valid, int64_t first_bit) {
  return {.data = reinterpret_cast<const char*>(data.data()),
          .offsets = span_of(offsets),
          .valid = valid ? valid->data() : nullptr,
          .first_bit = first_bit};
}

nb::object factorize_texts(Dense<int64_t> offsets, Dense<uint8_t> data, std::optional<Dense<uint8_t>> valid,
                           int64_t first_bit, bool keep_null, bool sorted, const AnyResult& codes) {
  require<ValueError>(offsets.size() == codes.size() + 1, "factorize_texts: {} offsets for {} codes", offsets.size(),
                      codes.size());
  const routine::TextsView texts = texts_of(offsets, data, valid, first_bit);
  const routine::CodesSpan result = codes_to_write(codes);
  routine::Rows first;
  without_gil(texts.size(), [&] {
    const routine::FactorizeOptions options{.nullable = valid.has_value(), .keep_null = keep_null, .sorted = sorted};
    first = routine::factorize(texts, options, result);
  });
  return to_array(std::move(first));
}

nb::object factorize_codes(const std::vector<AnyColumn>& keys, const std::vector<int64_t>& sizes, bool sorted,
                           const AnyResult& codes) {
  require<ValueError>(keys.size() == sizes.size() && !keys.empty(), "factorize_codes: {} keys, {} sizes", keys.size(),
                      sizes.size());
  std::vector<routine::CodesView> columns;
  for (const auto& key : keys) {
    require<ValueError>(key.size() == codes.size(), "factorize_codes: keys of different lengths");
    columns.push_back(codes_of(key));
  }
  const routine::CodesSpan result = codes_to_write(codes);
  routine::Rows first;
  without_gil(result.size(), [&] { first = routine::factorize(columns, sizes, sorted, result); });
  return to_array(std::move(first));
}

/// A column of keys: its elements, or the parts of its texts.
using TextParts = std::tuple<Dense<int64_t>, Dense<uint8_t>, std::optional<Dense<uint8_t>>, int64_t>;

/// How many codes both columns have together, or None where the columns are better numbered as one.
std::optional<int64_t> match_keys(const AnyColumn& built, const AnyColumn& probe, const AnyResult& built_codes,
                                  const AnyResult& probe_codes) {
  const routine::ColumnView first = column_of(built), second = column_of(probe);
  const routine::CodesSpan one = codes_to_write(built_codes), other = codes_to_write(probe_codes);
  require<ValueError>(one.size() == first.size && other.size() == second.size, "match_keys: a code for each key");
  std::optional<int64_t> found;
  without_gil(second.size, [&] { found = routine::match_keys(first, second, one, other); });
  return found;
}

std::optional<int64_t> match_texts(const TextParts& built, const TextParts& probe, const AnyResult& built_codes,
                                   const AnyResult& probe_codes) {
  const auto view = [](const TextParts& parts) { return std::apply(texts_of, parts); };
  const routine::TextsView first = view(built), second = view(probe);
  const routine::CodesSpan one = codes_to_write(built_codes), other = codes_to_write(probe_codes);
  require<ValueError>(one.size() == first.size() && other.size() == second.size(), "match_texts: a code for each key");
  std::optional<int64_t> found;
  without_gil(second.size(), [&] { found = routine::match_keys(first, second, one, other); });
  return found;
}

void group_reduce(const std::string& name, const AnyColumn& values, const AnyColumn& codes, int64_t least_count,
                  int64_t degrees, bool times, std::optional<Dense<uint8_t>> missing, AnyResult out,
                  DenseResult<int64_t> counts) {
  const auto op = routine::group_op_from_name(name);
  require<ValueError>(op.has_value(), "group_reduce: there is no operation {}", name);
  const routine::ColumnView column = column_of(values);
  require<ValueError>(codes.size() == values.size(), "group_reduce: {} codes for {} rows", codes.size(), values.size());
  const DType result = dtype_of(out.dtype());
  require<ValueError>(out.size() == counts.size() && (result == column.dtype || result == DType::float64),
                      "group_reduce: results must have the values' dtype, or be float64, and a count each");
  const routine::GroupRequest request{.op = *op,
                                      .values = column,
                                      .result = result,
                                      .codes = codes_of(codes),
                                      .groups = static_cast<int64_t>(counts.size()),
                                      .least_count = least_count,
                                      .degrees = degrees,
                                      .times = times,
                                      .missing = missing ? missing->data() : nullptr};
  without_gil(column.size, [&] { routine::group_reduce(request, static_cast<char*>(out.data()), span_of(counts)); });
}

/// (rows of the left side, rows of the right side); None stands for all rows in their order.
nb::object join(const AnyColumn& left, const AnyColumn& right, int64_t groups, const std::string& how, bool sorted) {
  using routine::JoinKind;
  const JoinKind kind = how == "inner"   ? JoinKind::inner
                        : how == "left"  ? JoinKind::left
                        : how == "right" ? JoinKind::right
                                         : JoinKind::outer;
  routine::JoinedRows rows;
  without_gil(static_cast<int64_t>(left.size() + right.size()),
              [&] { rows = routine::join(codes_of(left), codes_of(right), groups, kind, sorted); });
  const auto side = [](routine::Buffer<int64_t>& of, bool all) {
    return all ? nb::object(nb::none()) : to_array(std::move(of));
  };
  return nb::make_tuple(side(rows.left, rows.all_left), side(rows.right, rows.all_right));
}

void window_reduce(const std::string& name, Dense<double> values, Dense<int64_t> starts, Dense<int64_t> ends,
                   int64_t least_count, int64_t degrees, DenseResult<double> out) {
  const auto op = routine::window_op_from_name(name);
  require<ValueError>(op.has_value(), "window_reduce: there is no operation {}", name);
  require<ValueError>(starts.size() == out.size() && ends.size() == out.size(),
                      "window_reduce: bounds for each result");
  const routine::WindowRequest request{.op = *op,
                                       .values = span_of(values),
                                       .starts = span_of(starts),
                                       .ends = span_of(ends),
                                       .least_count = least_count,
                                       .degrees = degrees};
  without_gil(static_cast<int64_t>(out.size()), [&] { routine::window_reduce(request, span_of(out)); });
}

/// Windows that lie about their rows as all others do: [row + first, row + last).
void fixed_window_reduce(const std::string& name, Dense<double> values, int64_t first, int64_t last,
                         int64_t least_count, int64_t degrees, DenseResult<double> out) {
  const auto op = routine::window_op_from_name(name);
  require<ValueError>(op.has_value(), "window_reduce: there is no operation {}", name);
  require<ValueError>(first <= last && values.size() == out.size(), "window_reduce: windows from {} to {} of {} rows",
                      first, last, values.size());
  const routine::WindowRequest request{.op = *op,
                                       .values = span_of(values),
                                       .fixed = routine::FixedWindows{first, last},
                                       .least_count = least_count,
                                       .degrees = degrees};
  without_gil(static_cast<int64_t>(out.size()), [&] { routine::window_reduce(request, span_of(out)); });
}

/// The order of rows by several keys, the first one weighs most: (values, times, falling, nulls first) each.
nb::object sort_rows(const std::vector<std::tuple<AnyColumn, bool, bool, bool>>& keys, int64_t rows) {
  routine::Buffer<int64_t> order(rows);
  without_gil(rows, [&] {
    const routine::Buffer<uint64_t> words(rows);
    for (size_t at = keys.size(); at-- > 0;) {
      const auto& [values, times, falling, nulls_first] = keys[at];
      routine::write_sort_keys(column_of(values), times, {.falling = falling, .nulls_first = nulls_first},
                               words.span());
      const char* bytes = reinterpret_cast<const char*>(words.data());
      if (at + 1 == keys.size())
        library::argsort_rows(bytes, DType::uint64, 1, rows, order.data());
      else
        library::refine_order(bytes, DType::uint64, rows, order.data());
    }
  });
  return to_array(std::move(order));
}

routine::ElementsView elements_of(const AnyTable& table) {
  const auto itemsize = static_cast<int64_t>(table.itemsize());
  require<ValueError>(table.shape(1) <= 1 || table.stride(1) == 1, "frames: columns must have their elements together");
  return {.data = static_cast<const char*>(table.data()),
          .itemsize = itemsize,
          .columns = static_cast<int64_t>(table.shape(0)),
          .rows = static_cast<int64_t>(table.shape(1)),
          .column_stride = table.stride(0) * itemsize};
}

/// `table` and `out` have a row for each column. A row of -1 gets `missing`, an array of one element.
void gather_elements(const AnyTable& table, Dense<int64_t> rows, std::optional<AnyColumn> missing,
                     const AnyTableResult& out) {
  const routine::ElementsView from = elements_of(table);
  require<ValueError>(out.shape(0) == table.shape(0) && out.shape(1) == rows.size() &&
                          static_cast<int64_t>(out.itemsize()) == from.itemsize,
                      "gather_elements: results must have a row for each column and the elements' size");
  const char* none = missing ? static_cast<const char*>(missing->data()) : nullptr;
  without_gil(static_cast<int64_t>(out.size()),
              [&] { routine::gather_elements(from, span_of(rows), none, static_cast<char*>(out.data())); });
}

nb::object rows_where(Dense<uint8_t> mask) {
  routine::Buffer<int64_t> rows;
  without_gil(static_cast<int64_t>(mask.size()), [&] { rows = routine::rows_where(span_of(mask)); });
  return to_array(std::move(rows));
}

nb::object places_where(Dense<uint8_t> mask) { return to_array(routine::places_where(span_of(mask))); }

void compress_elements(const AnyTable& table, Dense<uint8_t> mask, Dense<int64_t> places, const AnyTableResult& out) {
  const routine::ElementsView from = elements_of(table);
  require<ValueError>(mask.size() == table.shape(1) && out.shape(0) == table.shape(0) && places.size() > 0 &&
                          static_cast<int64_t>(out.shape(1)) == places(places.size() - 1) &&
                          static_cast<int64_t>(out.itemsize()) == from.itemsize,
                      "compress_elements: a mask of the rows, and room for what it takes");
  without_gil(static_cast<int64_t>(mask.size()), [&] {
    routine::compress_elements(from, span_of(mask), span_of(places), static_cast<char*>(out.data()));
  });
}

/// (offsets, bytes, bits of validity or None) of the texts at these rows; a row of -1 is missing.
nb::object gather_texts(Dense<int64_t> offsets, Dense<uint8_t> data, std::optional<Dense<uint8_t>> valid,
                        int64_t first_bit, Dense<int64_t> rows, bool may_miss) {
  const routine::TextsView texts = texts_of(offsets, data, valid, first_bit);
  routine::Buffer<int64_t> places(static_cast<int64_t>(rows.size()) + 1);
  routine::Buffer<uint8_t> bytes, bits;
  without_gil(static_cast<int64_t>(rows.size()), [&] {
    routine::gather_offsets(texts, span_of(rows), places.span());
    bytes = routine::Buffer<uint8_t>(places.span().back());
    if (valid || may_miss) bits = routine::Buffer<uint8_t>((static_cast<int64_t>(rows.size()) + 7) / 8);
    routine::gather_texts(texts, span_of(rows), places.span(), reinterpret_cast<char*>(bytes.data()), bits.data());
  });
  nb::object shown = bits.data() ? to_array(std::move(bits)) : nb::object(nb::none());
  return nb::make_tuple(to_array(std::move(places)), to_array(std::move(bytes)), shown);
}

void number_within_groups(const AnyColumn& codes, int64_t groups, bool from_end, DenseResult<int64_t> numbers) {
  require<ValueError>(codes.size() == numbers.size(), "number_within_groups: a number for each row");
  without_gil(static_cast<int64_t>(codes.size()),
              [&] { routine::number_within_groups(codes_of(codes), groups, from_end, span_of(numbers)); });
}

void count_by_group(const AnyColumn& codes, DenseResult<int64_t> counts) {
  without_gil(static_cast<int64_t>(codes.size()), [&] { routine::count_by_group(codes_of(codes), span_of(counts)); });
}

/// Results go into the rows of `out`: of the pair, of the first column with itself, and of the second.
void group_pairs(const AnyColumn& first, const AnyColumn& second, const AnyColumn& codes, int64_t least_count,
                 bool correlation, int64_t degrees, nb::ndarray<double, nb::shape<3, -1>, nb::c_contig> out) {
  require<ValueError>(first.size() == codes.size() && second.size() == codes.size(),
                      "group_pairs: a code for each row");
  const routine::PairRequest request{.first = column_of(first),
                                     .second = column_of(second),
                                     .codes = codes_of(codes),
                                     .least_count = least_count,
                                     .correlation = correlation,
                                     .degrees = degrees};
  const size_t groups = out.shape(1);
  const routine::PairResults results{.both = {out.data(), groups},
                                     .first = {out.data() + groups, groups},
                                     .second = {out.data() + 2 * groups, groups}};
  without_gil(static_cast<int64_t>(codes.size()), [&] { routine::group_pairs(request, results); });
}

/// Memory that is not set, out of the engine's pool.
nb::object memory(int64_t nbytes) { return to_array(routine::Buffer<uint8_t>(nbytes)); }

void rank(const AnyColumn& values, bool times, bool falling, const std::string& missing, const std::string& ties,
          bool share, DenseResult<double> out) {
  using Missing = routine::RankRequest::Missing;
  const auto found = routine::ties_from_name(ties);
  require<ValueError>(found.has_value(), "rank: there is no way {} of ranking equal elements", ties);
  require<ValueError>(out.size() == values.size(), "rank: a place for each element");
  const routine::RankRequest request{
      .values = column_of(values),
      .times = times,
      .falling = falling,
      .missing = missing == "keep" ? Missing::keep : (missing == "top" ? Missing::top : Missing::bottom),
      .ties = *found,
      .share = share};
  without_gil(request.values.size, [&] { routine::rank(request, span_of(out)); });
}

/// A read-only array over the memory of a NumPy array that nobody writes to while it lives: unlike other shared memory
/// it may be read later. No result takes the memory over.
nb::object constant_array(nb::handle numpy) {
  Array array = share_numpy(numpy.ptr());
  array.storage->pins = 0;
  array.storage->current->foreign = true;
  array.storage->writable = false;
  return nb::steal(checked(wrap(std::move(array), numpy.ptr(), false)));
}

}  // namespace

void bind_frames(nanobind::module_& m) {
  nb::module_ module = m.def_submodule("frames", "What tables are computed with, for tessera.pandas.");
  module.def("factorize", &factorize, nb::arg("values"), nb::arg("times"), nb::arg("keep_null"), nb::arg("sorted"),
             nb::arg("codes"), "Writes the code of each key; returns the first row of each distinct one.");
  module.def("factorize_texts", &factorize_texts, nb::arg("offsets"), nb::arg("data"), nb::arg("valid").none(),
             nb::arg("first_bit"), nb::arg("keep_null"), nb::arg("sorted"), nb::arg("codes"));
  module.def("factorize_codes", &factorize_codes, nb::arg("keys"), nb::arg("sizes"), nb::arg("sorted"),
             nb::arg("codes"));
  module.def("match_keys", &match_keys, nb::arg("built"), nb::arg("probe"), nb::arg("built_codes"),
             nb::arg("probe_codes"),
             "Writes codes that are equal where keys are; returns how many there are, or None.");
  module.def("match_texts", &match_texts, nb::arg("built"), nb::arg("probe"), nb::arg("built_codes"),
             nb::arg("probe_codes"));
  module.def("group_reduce", &group_reduce, nb::arg("op"), nb::arg("values"), nb::arg("codes"), nb::arg("least_count"),
             nb::arg("degrees"), nb::arg("times"), nb::arg("missing").none(), nb::arg("out"), nb::arg("counts"));
  module.def("join", &join, nb::arg("left"), nb::arg("right"), nb::arg("groups"), nb::arg("how"), nb::arg("sorted"));
  module.def("window_reduce", &window_reduce, nb::arg("op"), nb::arg("values"), nb::arg("starts"), nb::arg("ends"),
             nb::arg("least_count"), nb::arg("degrees"), nb::arg("out"));
  module.def("fixed_window_reduce", &fixed_window_reduce, nb::arg("op"), nb::arg("values"), nb::arg("first"),
             nb::arg("last"), nb::arg("least_count"), nb::arg("degrees"), nb::arg("out"));
  module.def("constant_array", &constant_array, nb::arg("values"),
             "A read-only array of the engine over memory that nobody writes to while it lives.");
  module.def("gather_elements", &gather_elements, nb::arg("table"), nb::arg("rows"), nb::arg("missing").none(),
             nb::arg("out"));
  module.def("rows_where", &rows_where, nb::arg("mask"));
  module.def("places_where", &places_where, nb::arg("mask"));
  module.def("compress_elements", &compress_elements, nb::arg("table"), nb::arg("mask"), nb::arg("places"),
             nb::arg("out"));
  module.def("gather_texts", &gather_texts, nb::arg("offsets"), nb::arg("data"), nb::arg("valid").none(),
             nb::arg("first_bit"), nb::arg("rows"), nb::arg("may_miss"));
  module.def("number_within_groups", &number_within_groups, nb::arg("codes"), nb::arg("groups"), nb::arg("from_end"),
             nb::arg("numbers"));
  module.def("group_pairs", &group_pairs, nb::arg("first"), nb::arg("second"), nb::arg("codes"), nb::arg("least_count"),
             nb::arg("correlation"), nb::arg("degrees"), nb::arg("out"));
  module.def("count_by_group", &count_by_group, nb::arg("codes"), nb::arg("counts"));
  module.def("memory", &memory, nb::arg("nbytes"), "Bytes out of the engine's pool, which are not set.");
  module.def("rank", &rank, nb::arg("values"), nb::arg("times"), nb::arg("falling"), nb::arg("missing"),
             nb::arg("ties"), nb::arg("share"), nb::arg("out"));
  module.def("sort_rows", &sort_rows, nb::arg("keys"), nb::arg("rows"));
}

}  // namespace tessera::bind
