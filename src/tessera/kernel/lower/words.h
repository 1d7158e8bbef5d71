/// Values as words of 64 bits: what frames of generators and fields of objects hold.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

/// How many words a value of the type has: one for each scalar, two for complex ones.
int64_t words_of_type(const Type& type);
/// Whether words of a value of the type may be addresses.
bool holds_addresses(const Type& type);
/// The value's words.
std::vector<ir::Value> to_words(ir::Builder& b, const Item& item);
/// The value of the type whose words `word` gives, from 0 on.
Item from_words(ir::Builder& b, const Type& type, const std::function<ir::Value(int64_t)>& word);

}  // namespace tessera::kernel
