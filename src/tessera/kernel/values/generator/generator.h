/// Generators: functions that go on where they have yielded, and the frames that hold their variables meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/kernel/function.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/typed/program.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

class Lowering;

/// Of a generator that Python asks, whose last scalar is the address of its frame: the type of what it yields, which
/// lies behind the frame's first word, the state, below 0 at the end; and the words of the frame, zeros at the begin.
/// One that `closes` has a `finally` to run where it ends early: it is asked with the state -1 - s in place of s above
/// 0.
struct GeneratorFrame {
  Type yielded;
  int64_t words = 0;
  bool closes = false;
};

/// A frame is words: the state, the value that was yielded, then the variables that are read after a yield. It lies in
/// memory, or where one loop alone runs over the generator in a local array. Each place that asks a generator for its
/// next value has the function's body.
class Generators {
 public:
  explicit Generators(Lowering& l);

  /// A new one of the function with these arguments.
  Item make(const Node& node, const Function& callee, std::vector<Item> arguments, bool is_local = false);
  /// The function of the call, where a call of it makes a generator; else null.
  std::shared_ptr<const Function> find(const Node& call);
  /// The one that the call makes, for a loop over it; nothing where it calls no such function.
  std::optional<Item> make_for_loop(const Node& call);
  /// Goes on to the next yield: whether there is one.
  ir::Value advance(const Node& node, const Item& generator);
  /// Whether an early end of it has something to do, and that.
  bool closes(const Item& generator) const;
  void close(const Node& node, const Item& generator);
  /// What was yielded last.
  Item yielded(const Node& node, const Item& generator);
  void lower_yield(const Node& statement);
  /// The body of a function that Python asks for values; its frame's address is one more scalar.
  void lower_outermost(const Function& function, const std::vector<Item>& arguments);
  /// Of that function.
  const std::optional<GeneratorFrame>& outermost() const { return outermost_; }

 private:
  /// Where variables are in a frame.
  struct Layout {
    std::optional<Type> value;
    std::vector<int> slots;
    std::vector<Type> types;
    int64_t words = 0;
  };
  Layout layout_of(const Function& function, const std::vector<Type>& arguments, typed::PathNumber path);
  ir::Value load(const Item& generator, int64_t word);
  void store(const Item& generator, int64_t word, ir::Value value);
  void store(const Item& generator, int64_t first, const Item& value);
  Item load(const Item& generator, int64_t first, const Type& type);
  void load_variables(const Item& generator, const Layout& layout);
  void check_nested(const Node& node, const Function& callee) const;

  Lowering& l_;
  ir::Builder& b;
  std::optional<GeneratorFrame> outermost_;
};

/// What a loop of a generator runs over, as a value.
Item lower_iterated(Lowering& l, const Node& node);
/// Whether there is an element at a place, and the element.
Item lower_has_element(Lowering& l, const Node& node);
Item lower_element_at(Lowering& l, const Node& node);
/// The same of an expression; `is_local` where it is asked in one place alone.
Item iterated(Lowering& l, const Node& expression, bool is_local);
/// Whether what the expression gives is known only by asking for it: a generator, or zip, enumerate and the like of
/// one.
bool asks_generator(Lowering& l, const Node& expression);
/// Whether there is a next one of what `iterated` gives, and it.
ir::Value has_element(Lowering& l, const Node& node, const Item& over, ir::Value at);
Item element_at(Lowering& l, const Node& node, const Item& over, ir::Value at);
/// Whether it is a value that stands for enumerate or zip.
bool is_iterated(const Type& type);

}  // namespace tessera::kernel
