/// CompileError: a function that cannot become a kernel; the message shows the line and says what to write instead.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tessera/base/error.h"
#include "tessera/kernel/function.h"

namespace tessera::kernel {

/// `host`: a function of the host says so of a call's types and constants, which is raised as of its class.
enum class Fault : uint8_t { typing, unsupported, host };

class CompileError : public Error {
 public:
  CompileError(Fault fault, const std::string& message) : Error(ErrorKind::type, message), fault_(fault) {}
  Fault fault() const { return fault_; }

 private:
  Fault fault_;
};

/// The types of the variables that a message lists.
struct NamedType {
  std::string name;
  std::string type;
};

/// The text with names as the source has them: a variable that is assigned anew has the number of its version behind
/// an apostrophe.
std::string without_versions(std::string_view text);

/// The message for `place` in the function: file and line, the text, the source line with a caret below the place, the
/// types, and `instead`, what to write.
std::string fault_message(const Function& function, const Place& place, std::string_view text,
                          std::span<const NamedType> types, std::string_view instead);

}  // namespace tessera::kernel
