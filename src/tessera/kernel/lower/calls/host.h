/// Calls of the host: routines of NumPy, objects of the language, functions in other code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/kernel/host_object.h"
#include "tessera/kernel/lower/calls/call.h"
#include "tessera/kernel/options.h"
#include "tessera/kernel/report.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

class Lowering;
struct HostRoutine;

/// What the function asks of the host.
class HostCalls {
 public:
  explicit HostCalls(Lowering& l);

  /// What a host routine gives for these arguments: a value of each type, several as a tuple.
  Item call_numpy(const Call& call, size_t routine, const std::vector<Type>& results);
  /// An array of random numbers, drawn one after another by the library's function of that name; nothing where there is
  /// none for such arguments.
  std::optional<Item> draw_array(const Call& call, const HostRoutine& routine);
  /// What a function of the host gives for these arguments and those of the node.
  Item call_object(const Node& node, const std::shared_ptr<const HostObject>& object, std::string_view name,
                   const std::vector<Item>& first);
  Item call_object(const Node& node, const std::shared_ptr<const HostObject>& object, std::string_view name,
                   const std::vector<Item>& arguments, const std::vector<std::string>& names);
  const std::vector<std::shared_ptr<const HostObject>>& host_objects() const { return host_objects_; }
  const std::vector<std::shared_ptr<const ForeignDeclaration>>& foreign() const { return foreign_; }
  /// The call of a function in other code.
  Item call_foreign(const Node& node, const std::shared_ptr<const ForeignDeclaration>& called);
  /// Whether the host cannot be called here.
  bool is_refused() const;
  /// What the kernel needs from its begin on.
  void begin();
  /// The word that a function of a stream gives: twister_number, twister_word, or next_random for a normal number.
  ir::Value draw(TwisterOwner owner, HostFunction draws);
  /// An argument's address in bytes or one of its strides (HostFunction::array_word), asked once where the kernel
  /// begins.
  ir::Value array_word(int64_t buffer, int64_t word);

 private:
  Type host_type(const Node& node, const Item& item);
  std::vector<Type> host_types(const Node& node, const std::vector<Item>& items);
  void check_host_call(const Node& node, std::string_view name);
  std::optional<Item> call_library_in_place(const Node& node, const std::string& routine,
                                            const std::vector<Item>& arguments, const std::vector<std::string>& names);
  void append_argument(const Node& node, const Item& item, bool is_changed, std::vector<ir::Value>& words);
  std::vector<Item> host_results(const Node& node, int64_t function, std::span<const Type> results,
                                 std::span<const HostLayout> layouts, std::span<const Item> given,
                                 std::vector<ir::Value> arguments);
  Item array_result(const Type& type, const HostLayout& layout, std::span<const Item> given,
                    const std::function<ir::Value(bool)>& next);

  Lowering& l_;
  ir::Builder& b;
  std::vector<std::shared_ptr<const HostObject>> host_objects_;
  std::vector<std::shared_ptr<const ForeignDeclaration>> foreign_;
  std::map<std::pair<HostFunction, RandomSource>, ir::Value> random_sources_;
  std::map<std::pair<int64_t, int64_t>, ir::Value> array_words_;
};

/// Calls one of the host's functions for compiled code.
ir::Value call_host(Lowering& l, HostFunction function, const std::vector<ir::Value>& operands);

}  // namespace tessera::kernel
