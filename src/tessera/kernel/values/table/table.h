/// Dicts and sets: a list of entries, each a hash, a key and of a dict a value, and an index of them by hash.
///
/// The index has as many words as a power of 2. A word is 0 where nothing is, else the number of an entry from 1, above
/// it 31 bits of its hash; below 0 an entry has been deleted, whose hash is -1 then. What searches and changes it is
/// written in the language (python/tessera/functions/table_methods.py) and compiled for the types of keys and values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/kernel/lower/loops/sequence.h"
#include "tessera/kernel/options.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

class Lowering;

/// Words of a header behind those of a list, and an index of the least size.
enum TableWord : int64_t { index_word = 3, mask_word, live_word, filled_word, table_words };
constexpr int64_t least_index = 8, table_front = table_words + least_index;

bool is_table(const Type& type);
/// The header of zeros, of an empty table then.
ir::Value begin_table(Lowering& l, ir::Value header);
/// A field of its header.
ir::Value table_word(Lowering& l, const Item& table, int64_t word);
void set_table_word(Lowering& l, const Item& table, int64_t word, ir::Value value);
/// How many keys it has.
ir::Value table_length(Lowering& l, const Item& table);
/// A part of an entry that is there.
Item entry_part(Lowering& l, const Item& table, ir::Value entry, size_t part);
/// What is asked of the host; `copy` gives a header.
ir::Value ask_table(Lowering& l, HostTable what, const Item& table);
/// Whether values of the type are objects of users' classes or have such in them, whose methods are asked then.
bool holds_objects(const Type& type);
/// The hash of a key, not negative.
ir::Value hash_of_key(Lowering& l, const Node& node, const Item& key);
/// The key as those in the table are, for a search.
Item as_key(Lowering& l, const Node& node, const Item& table, const Item& key);
/// The parts of an entry as the table has them, whose types may grow by these.
std::vector<Item> as_entry(Lowering& l, const Node& node, const Item& table, const std::vector<Item>& parts);
/// As elements of containers are: texts in memory, lists as such.
Item stored(Lowering& l, const Node& node, const Item& item, std::string_view what = "e");

/// A dict or a set that is written.
Item lower_table_display(Lowering& l, const Node& node);
void store_in_table(Lowering& l, const Node& node, const Item& table, const Item& key, const Item& value);
/// The list of its elements.
Item list_of_table(Lowering& l, const Node& node, const Item& table);

// Dicts that are written with constant texts as keys and values of several types: tuples with names.

/// The dict; nothing where its values are of one type or its keys are no constant texts. `values` are those that were
/// evaluated, in order.
std::optional<Item> lower_written_dict(Lowering& l, const Node& node, std::vector<Item>& values);

}  // namespace tessera::kernel
