// What methods of dicts and sets are made of: their headers, their index and their entries.
#include "tessera/kernel/lower/operator.h"
#include "tessera/kernel/values/table/table.h"

#include "tessera/kernel/builtins/builtins.h"
#include "tessera/kernel/lower/memory_words.h"
#include "tessera/kernel/lower/operator.h"
#include "tessera/kernel/lower/words.h"
#include "tessera/kernel/values/list/list.h"

namespace tessera::kernel {

namespace {

ir::Value place(Lowering& l, const Call& call, size_t k) { return l.cast(call.args[k], DType::int64); }

Item lower_hash(Lowering& l, const Builtin&, const Call& call) {
  return l.scalar(hash_of_key(l, call.node, call.args[1]));
}

Item lower_mask(Lowering& l, const Builtin&, const Call& call) {
  return l.scalar(table_word(l, call.args[0], mask_word));
}

Item lower_slot(Lowering& l, const Builtin&, const Call& call) {
  ir::Value slot = place(l, call, 1);
  if (holds_objects(l.lists.element_type(call.args[0].type)->elements.at(1)))
    slot = l.b.bit_and(slot, table_word(l, call.args[0], mask_word));  // __eq__ may have made the index smaller
  return l.scalar(load_word(l, l.b.add(table_word(l, call.args[0], index_word), slot)));
}

Item lower_used(Lowering& l, const Builtin&, const Call& call) { return l.scalar(list_length(l, call.args[0])); }

template <size_t part>
Item lower_part(Lowering& l, const Builtin&, const Call& call) {
  return entry_part(l, call.args[0], place(l, call, 1), part);
}

Item lower_is_key(Lowering& l, const Builtin&, const Call& call) {
  const Item key = entry_part(l, call.args[0], place(l, call, 1), 1);
  return l.scalar(equal_elements(l, call.node, key, call.args[2]));
}

/// Whether comparing keys calls users' methods, which may change the table: known while compiling.
Item lower_asks_objects(Lowering& l, const Builtin&, const Call& call) {
  const Type entry = l.lists.element_type(call.args[0].type);
  return l.scalar(l.b.constant(Scalar::of_bool(holds_objects(entry->elements.at(1)))));
}

ir::Value address_of(Lowering& l, const Item& table, ir::Value entry) {
  const int64_t each = words_of_type(l.lists.element_type(table.type));
  return l.b.add(table_word(l, table, 0), l.b.mul(entry, l.number(each)));
}

Item lower_set_value(Lowering& l, const Builtin&, const Call& call) {
  const Type entry = l.lists.element_type(call.args[0].type);
  const int64_t front = 1 + words_of_type(entry->elements.at(1));
  const ir::Value at = l.b.add(address_of(l, call.args[0], place(l, call, 1)), l.number(front));
  store_element(l, at, l.lists.convert_element(call.args[2], entry->elements.at(2)));
  l.lists.note_change();
  return {};
}

/// (table, place in the index, hash, key, value): an entry more.
Item lower_add(Lowering& l, const Builtin&, const Call& call) {
  ir::Builder& b = l.b;
  const Item& table = call.args[0];
  std::vector<Item> parts(call.args.begin() + 2, call.args.end());
  l.lists.append(call.node, table, tuple_of(parts));
  const ir::Value hash = place(l, call, 2), bits = b.bit_and(hash, l.number(INT32_MAX)),
                  above = b.binary(ir::Opcode::shift_left, bits, l.number(32));
  const ir::Value used = list_length(l, table);
  store_word(l, b.add(table_word(l, table, index_word), place(l, call, 1)), b.bit_or(above, used));
  set_table_word(l, table, live_word, b.add(table_word(l, table, live_word), l.number(1)));
  const ir::Value filled = b.add(table_word(l, table, filled_word), l.number(1));
  set_table_word(l, table, filled_word, filled);
  const ir::Value is_full = b.ge(b.mul(filled, l.number(3)), b.mul(table_word(l, table, mask_word), l.number(2)));
  const auto rebuild = [&](auto) {
    ask_table(l, HostTable::rebuild, table);
    return std::vector<ir::Value>{};
  };
  b.if_(is_full, rebuild, {});
  return {};
}

/// (table, hash, key): an entry more, which the index does not have before `table.reindex`.
Item lower_append_entry(Lowering& l, const Builtin&, const Call& call) {
  const Item& table = call.args[0];
  l.lists.append(call.node, table, tuple_of({call.args[1], call.args[2]}));
  set_table_word(l, table, live_word, list_length(l, table));
  return {};
}

Item lower_reindex(Lowering& l, const Builtin&, const Call& call) {
  ask_table(l, HostTable::rebuild, call.args[0]);
  return {};
}

/// (table, place in the index, entry): it is there no more.
Item lower_drop(Lowering& l, const Builtin&, const Call& call) {
  ir::Builder& b = l.b;
  const Item& table = call.args[0];
  store_word(l, b.add(table_word(l, table, index_word), place(l, call, 1)), l.number(-1));
  store_word(l, address_of(l, table, place(l, call, 2)), l.number(-1));
  set_table_word(l, table, live_word, b.sub(table_word(l, table, live_word), l.number(1)));
  l.lists.note_change();
  return {};
}

Item lower_shorten_table(Lowering& l, const Builtin&, const Call& call) {
  shorten_list(l, call.args[0], place(l, call, 1));
  return {};
}

Item lower_clear_table(Lowering& l, const Builtin&, const Call& call) {
  ask_table(l, HostTable::clear, call.args[0]);
  l.lists.note_change();
  return {};
}

Item lower_table_copy(Lowering& l, const Builtin&, const Call& call) {
  return {call.args[0].type, {ask_table(l, HostTable::copy, call.args[0])}};
}

/// A dict whose keys and values are of types that are given.
Item lower_table_empty(Lowering& l, const Builtin&, const Call& call) {
  const Item table = l.lists.new_container(call.node, {.kind = TypeKind::dict}, "");
  std::vector<Type> parts{Type::scalar(DType::int64)};
  for (size_t k = 0; k < 2; ++k) {
    const std::optional<Type> given = type_meant(call.args[k].type);
    if (!given) l.fail(call.node, format("Dict.empty of {}", describe(call.args[k].type)), "types such as types.int64");
    Node at = call.node;
    at.place.end_column += static_cast<int>(k) << 20;
    parts.push_back(l.lists.declared(at, *given).type);
  }
  l.lists.fix_element(table.type, Type::tuple(std::move(parts)));
  l.lists.note_change();
  return table;
}

Item lower_empty_list(Lowering& l, const Builtin&, const Call& call) {
  const Item list = l.lists.new_list(call.node);
  const std::optional<Type> given = type_meant(call.args[0].type);
  if (!given)
    l.fail(call.node, format("List.empty_list of {}", describe(call.args[0].type)), "a type such as types.int64");
  l.lists.fix_element(list.type, l.lists.declared(call.node, *given).type);
  l.lists.set_typed(list.type);
  return list;
}

}  // namespace

void add_table_builtins(std::vector<Builtin>& table) {
  table.push_back({"table.hash", "table key", lower_hash});
  table.push_back({"table.mask", "table", lower_mask});
  table.push_back({"table.slot", "table place", lower_slot});
  table.push_back({"table.used", "table", lower_used});
  table.push_back({"table.entry_hash", "table entry", lower_part<0>});
  table.push_back({"table.key", "table entry", lower_part<1>});
  table.push_back({"table.value", "table entry", lower_part<2>});
  table.push_back({"table.is_key", "table entry key", lower_is_key});
  table.push_back({"table.asks_objects", "table", lower_asks_objects});
  table.push_back({"table.set_value", "table entry value", lower_set_value});
  table.push_back({"table.add", "*", lower_add});
  table.push_back({"table.append_entry", "table hash key", lower_append_entry});
  table.push_back({"table.reindex", "table", lower_reindex});
  table.push_back({"table.drop", "table place entry", lower_drop});
  table.push_back({"table.shorten", "table count", lower_shorten_table});
  table.push_back({"dict.clear", "dict", lower_clear_table});
  table.push_back({"set.clear", "set", lower_clear_table});
  table.push_back({"dict.copy", "dict", lower_table_copy});
  table.push_back({"set.copy", "set", lower_table_copy});
  table.push_back({"table.empty", "key_type value_type", lower_table_empty});
  table.push_back({"list.empty", "item_type allocated=", lower_empty_list});
}

}  // namespace tessera::kernel
