// Texts: constants, or one of several that is chosen at run time, whose value is its number among them.
#include "tessera/kernel/values/text/text.h"

#include <algorithm>
#include <array>
#include <set>

#include "tessera/kernel/lower/expression.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/values/array/index.h"
#include "tessera/kernel/values/text/string.h"

namespace tessera::kernel {

namespace {

constexpr size_t most_texts = 256;

/// The characters of a text in UTF-8.
std::vector<std::string> characters_of(const std::string& text) {
  std::vector<std::string> characters;
  for (char byte : text) {
    constexpr unsigned continues = 0x80, mask = 0xc0;
    if (characters.empty() || (static_cast<unsigned char>(byte) & mask) != continues) characters.emplace_back();
    characters.back() += byte;
  }
  return characters;
}

bool holds(std::string_view op, const std::string& left, const std::string& right) {
  if (op == "in") return right.find(left) != std::string::npos;
  if (op == "not in") return right.find(left) == std::string::npos;
  const int order = left.compare(right);
  if (op == "==" || op == "is") return order == 0;
  if (op == "!=" || op == "is not") return order != 0;
  if (op[0] == '<') return order < 0 || (order == 0 && op == "<=");
  return order > 0 || (order == 0 && op == ">=");
}

/// For each combination of what the texts may be: whether it is that one, and what `body` makes of it. Returns the last
/// one's, over which those before it are chosen.
ir::Value choose_by_texts(Lowering& l, const Node& node, std::span<const Item> items,
                          const std::function<ir::Value(std::span<const std::string>)>& body) {
  ir::Builder& b = l.b;
  std::vector<std::vector<std::string>> all;
  size_t count = 1;
  for (const Item& item : items) {
    all.push_back(texts_of(item.type));
    count *= all.back().size();
  }
  if (count > most_texts)
    l.refuse(node, format("more than {} texts that a variable may be", most_texts),
             "texts that are put together later");
  ir::Value result = ir::no_value;
  for (size_t k = 0; k < count; ++k) {
    std::vector<std::string> texts;
    ir::Value is_this = b.constant(Scalar::of_bool(true));
    size_t rest = k;
    for (size_t i = 0; i < items.size(); ++i) {
      const size_t which = rest % all[i].size();
      rest /= all[i].size();
      texts.push_back(all[i][which]);
      if (items[i].type->kind == TypeKind::texts)
        is_this = both(l, is_this, b.eq(items[i].values[0], l.number(static_cast<int64_t>(which))));
    }
    const ir::Value value = body(texts);
    result = result == ir::no_value ? value : b.select(is_this, value, result);
  }
  return result;
}

/// The text that `body` makes of texts.
Item text_from(Lowering& l, const Node& node, std::span<const Item> items,
               const std::function<std::string(std::span<const std::string>)>& body) {
  std::set<std::string> made;
  choose_by_texts(l, node, items, [&](std::span<const std::string> texts) {
    made.insert(body(texts));
    return l.number(0);
  });
  if (made.size() == 1) return text_item(*made.begin());
  const Type type = TypeParts{.kind = TypeKind::texts, .names = {made.begin(), made.end()}};
  return {type, {choose_by_texts(l, node, items, [&](std::span<const std::string> texts) {
            return l.number(static_cast<int64_t>(std::distance(made.begin(), made.find(body(texts)))));
          })}};
}

}  // namespace

std::string quoted(const std::string& text) {
  const char quote = text.find('\'') != std::string::npos && text.find('"') == std::string::npos ? '"' : '\'';
  std::string all(1, quote);
  for (char byte : text) {
    if (byte == '\\' || byte == quote) {
      all += '\\';
      all += byte;
    } else if (byte == '\n') {
      all += "\\n";
    } else if (byte == '\t') {
      all += "\\t";
    } else if (byte == '\r') {
      all += "\\r";
    } else {
      all += byte;
    }
  }
  return all + quote;
}

Item text_item(const std::string& text) { return {Type::of_entity({.kind = EntityKind::text, .name = text}), {}}; }

/// A text as one of those of a type.
Item convert_text(Lowering& l, const Item& item, const Type& type) {
  ir::Builder& b = l.b;
  const std::vector<std::string> from = texts_of(item.type);
  const auto place = [&](const std::string& text) {
    const auto at = std::ranges::find(type->names, text) - type->names.begin();
    return l.number(at == static_cast<int64_t>(type->names.size()) ? 0 : static_cast<int64_t>(at));
  };
  ir::Value which = place(from[0]);
  for (size_t k = 1; k < from.size(); ++k)
    which = b.select(b.eq(item.values[0], l.number(static_cast<int64_t>(k))), place(from[k]), which);
  return {type, {which}};
}

ir::Value compare_texts(Lowering& l, const Node& node, std::string_view op, const Item& left, const Item& right) {
  const Item items[] = {left, right};
  return choose_by_texts(l, node, items, [&](std::span<const std::string> texts) {
    return l.b.constant(Scalar::of_bool(holds(op, texts[0], texts[1])));
  });
}

ir::Value text_length(Lowering& l, const Node& node, const Item& text) {
  return choose_by_texts(l, node, {&text, 1}, [&](std::span<const std::string> texts) {
    return l.number(static_cast<int64_t>(characters_of(texts[0]).size()));
  });
}

/// + of texts, and * of one and a constant integer; nothing for other operands.
std::optional<Item> binary_of_texts(Lowering& l, const Node& node, std::string_view op, const Item& left,
                                    const Item& right) {
  const auto is_made = [](const Item& item) { return item.type->kind == TypeKind::formatted; };
  const bool is_left = is_text(left.type), is_right = is_text(right.type);
  if (op == "+" && (is_made(left) || is_made(right)) && (is_left || is_made(left)) && (is_right || is_made(right))) {
    std::vector<Item> parts;
    for (const Item& part : {left, right})
      for (size_t k = 0; k < (is_made(part) ? part.type->elements.size() : 1); ++k)
        parts.push_back(is_made(part) ? element(part, k) : part);
    return joined_of({.kind = TypeKind::formatted}, parts);
  }
  if (op == "+" && is_left && is_right) {
    const Item items[] = {left, right};
    return text_from(l, node, items, [](std::span<const std::string> texts) { return texts[0] + texts[1]; });
  }
  if (op != "*" || is_left == is_right) return {};
  const Item &text = is_left ? left : right, &times = is_left ? right : left;
  const Scalar* known = l.constant_of(times);
  if (!known && l.options.is_function) return binary_of_strings(l, node, op, *string_of(l, text), times);
  if (!known || !is_integer(known->dtype))
    l.refuse(node, format("a text times {}", describe(times.type)), "a constant integer");
  // What is known of the constant moves when others are made.
  const int64_t count = known->as_int();
  constexpr int64_t most = int64_t{1} << 16;
  return text_from(l, node, {&text, 1}, [&](std::span<const std::string> texts) {
    if (count > 0 && !texts[0].empty() && count > most / static_cast<int64_t>(texts[0].size()))
      l.refuse(node, format("a constant text of more than {} characters", most), "str(text) * count");
    std::string repeated;
    for (int64_t k = 0; k < count; ++k) repeated += texts[0];
    return repeated;
  });
}

/// str or repr of a text, None or a number.
Item text_of_value(Lowering& l, const Node& node, const Item& item, bool is_repr) {
  if (is_text(item.type)) {
    if (!is_repr) return item;
    return text_from(l, node, {&item, 1}, [](std::span<const std::string> texts) { return quoted(texts[0]); });
  }
  if (item.type->kind == TypeKind::none) return text_item("None");
  if (item.type.is_scalar() && is_boolean(item.type->dtype)) {
    if (const Scalar* known = l.constant_of(item)) return text_item(known->bytes[0] ? "True" : "False");
    return {TypeParts{.kind = TypeKind::texts, .names = {"False", "True"}}, {l.b.cast(item.values[0], DType::int64)}};
  }
  const Scalar* known = l.constant_of(item);
  if (known && is_signed_integer(known->dtype)) return text_item(format("{}", known->as_int()));
  if (item.type->kind == TypeKind::formatted && !is_repr) return item;
  if (item.type->kind == TypeKind::string && !is_repr) return text_of_string(l, node, item);
  if (item.type->kind == TypeKind::optional) return text_of_value(l, node, l.present(node, item), is_repr);
  if (!item.type.is_scalar()) l.refuse(node, format("a text of {}", describe(item.type)), "print, or the text outside");
  return joined_of({.kind = TypeKind::formatted}, {item});
}

/// A text's characters, each a text; of one that is chosen at run time they are not known.
Item characters(Lowering& l, const Node& node, const Item& text) {
  if (text.type->kind == TypeKind::texts)
    l.refuse(node, "a loop over a text that is chosen at run time",
             "a text that is known when the function is compiled");
  std::vector<Item> items;
  for (const std::string& one : characters_of(text.type->entity.name)) items.push_back(text_item(one));
  return tuple_of(items);
}

/// A character, or with constant bounds a part.
Item text_subscript(Lowering& l, const Node& node, const Item& text, const Item& index) {
  ir::Builder& b = l.b;
  if (index.type->kind == TypeKind::slice) {
    std::array<std::optional<int64_t>, 3> bounds;
    for (size_t k = 0; k < bounds.size(); ++k) {
      const Item bound = element(index, k);
      if (bound.type->kind == TypeKind::none) continue;
      const Scalar* known = l.constant_of(bound);
      if (!known && l.options.is_function) return string_subscript(l, node, *string_of(l, text), index);
      if (!known) l.refuse(node, "a part of a text whose bounds are not constant", "constant bounds");
      bounds[k] = known->as_int();
    }
    const int64_t step = bounds[2].value_or(1);
    if (step == 0) l.fail(node, "slice step cannot be zero");
    return text_from(l, node, {&text, 1}, [&](std::span<const std::string> texts) {
      const std::vector<std::string> all = characters_of(texts[0]);
      const auto size = static_cast<int64_t>(all.size());
      const auto within_text = [&](std::optional<int64_t> at, int64_t otherwise) {
        if (!at) return otherwise;
        const int64_t least = step < 0 ? -1 : 0, most = step < 0 ? size - 1 : size;
        return std::clamp(*at < 0 ? *at + size : *at, least, most);
      };
      const int64_t first = within_text(bounds[0], step < 0 ? size - 1 : 0);
      const int64_t last = within_text(bounds[1], step < 0 ? -1 : size);
      std::string part;
      for (int64_t k = first; step < 0 ? k > last : k < last; k += step) part += all[static_cast<size_t>(k)];
      return part;
    });
  }
  if (!index.type.is_scalar() || !is_integer(index.type->dtype))
    l.fail(node, format("a text's index is {}", describe(index.type)), "an integer");
  if (text.type->kind != TypeKind::texts) {
    const Item all = characters(l, node, text);
    const int64_t size = static_cast<int64_t>(all.type->elements.size());
    const ir::Value at = within(l, index, l.number(size));
    l.failures.raise_if(node, b.bit_or(b.lt(at, l.number(0)), b.ge(at, l.number(size))), ExceptionNumber::index_error,
                        "string index out of range");
    if (size > 0) return tuple_element(l, node, all, index);
    return text_item("");
  }
  const Scalar* known = l.constant_of(index);
  if (!known && l.options.is_function) return string_subscript(l, node, *string_of(l, text), index);
  if (!known) l.refuse(node, "an index that is not constant, of a text that is chosen at run time", "a constant index");
  const auto at_of = [&](size_t size) {
    return known->as_int() < 0 ? known->as_int() + static_cast<int64_t>(size) : known->as_int();
  };
  const ir::Value outside = choose_by_texts(l, node, {&text, 1}, [&](std::span<const std::string> texts) {
    const auto size = characters_of(texts[0]).size();
    return b.constant(Scalar::of_bool(at_of(size) < 0 || at_of(size) >= static_cast<int64_t>(size)));
  });
  l.failures.raise_if(node, outside, ExceptionNumber::index_error, "string index out of range");
  return text_from(l, node, {&text, 1}, [&](std::span<const std::string> texts) {
    const std::vector<std::string> all = characters_of(texts[0]);
    const int64_t at = at_of(all.size());
    return at < 0 || at >= static_cast<int64_t>(all.size()) ? std::string() : all[static_cast<size_t>(at)];
  });
}

}  // namespace tessera::kernel
