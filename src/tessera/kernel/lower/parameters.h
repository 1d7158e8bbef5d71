/// Parameters: what a function is given becomes the kernel's buffers and scalars.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/ir/builder.h"
#include "tessera/kernel/function.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

class Lowering;

/// The function is compiled for each value of an argument: it asks for the one of this number.
class LiteralRequest : public Error {
 public:
  explicit LiteralRequest(uint32_t number) : Error(ErrorKind::type, "literally: a value is wanted"), number_(number) {}
  /// Of the argument; where a builtin throws it, of the scalar among those of all arguments.
  uint32_t number() const { return number_; }

 private:
  uint32_t number_;
};

/// What a signature says of a function: its arguments become these types, and its result this one.
struct Declared {
  std::vector<Type> parameters;
  std::optional<Type> result;
};

/// An item for each argument, of buffers and scalars that are added in order.
std::vector<Item> declare_parameters(ir::Builder& b, std::span<const Type> types);
/// The function for these arguments, as `declared` says where it does. Throws LiteralRequest.
void lower_function(Lowering& l, const Function& function, std::vector<Item> arguments, const Declared& declared);

}  // namespace tessera::kernel
