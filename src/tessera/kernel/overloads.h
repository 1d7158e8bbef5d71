/// Overloads: functions in Python that serve calls of something else, chosen by the types of arguments.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

struct Function;

class Overloads {
 public:
  virtual ~Overloads() = default;
  /// The parameters' names, and how many have no default value.
  virtual const std::vector<std::string>& parameters() const = 0;
  virtual size_t needed() const = 0;
  /// Whether the last parameter takes all further arguments.
  virtual bool takes_rest() const = 0;
  /// The function for arguments of these types, those left out being None, or of `values`, which has constants' values
  /// in place of their types; null if there is none. Throws Error with what is wrong.
  virtual std::shared_ptr<const Function> find(std::span<const Type> types, std::span<const Type> values,
                                               const std::vector<bool>& given) const = 0;
};

}  // namespace tessera::kernel
