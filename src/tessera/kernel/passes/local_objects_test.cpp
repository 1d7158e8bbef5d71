#include "tessera/kernel/passes/local_objects.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/kernel/options.h"
#include "tessera/kernel/values/object/user_class.h"

namespace tessera::kernel {
namespace {

using ir::Builder;
using ir::Value;

/// What builds kernels that have objects of two words.
struct Objects {
  Builder b{0};
  uint32_t memory = b.add_buffer({.dtype = DType::int64, .ndim = 1, .writable = true});
  uint32_t of = [] {
    static const uint32_t number = [] {
      const uint32_t made = add_user_class("Pair");
      define_user_class(made, {"x", "y"}, {Type::scalar(DType::int64), Type::scalar(DType::int64)});
      return made;
    }();
    return number;
  }();

  Value number(int64_t value) { return b.constant(Scalar::of_int(DType::int64, value)); }
  Value ask(HostObjects what, Value first, Value second) {
    return b.call_host(static_cast<uint32_t>(HostFunction::objects),
                       std::vector{number(static_cast<int64_t>(what)), first, second});
  }
  Value make() { return ask(HostObjects::make, number(of), number(0)); }
  Value load(Value object, int64_t word) { return b.load(memory, std::array{b.add(object, number(word))}); }
  void store(Value object, int64_t word, Value value) {
    b.store(memory, value, std::array{b.add(object, number(word))});
  }
  /// The kernel after the pass.
  std::string kept_local() {
    const ir::Kernel kernel = keep_objects_local(b.take());
    ir::verify(kernel);
    return ir::print(kernel);
  }
};

int times(const std::string& text, const std::string& word) {
  int found = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

TEST(LocalObjects, ObjectsThatStayAreArrays) {
  Objects o;
  const Value p = o.make();
  o.store(p, 1, o.number(5));
  o.b.store(o.memory, o.load(p, 1), std::array{o.number(100)});
  const std::string text = o.kept_local();
  EXPECT_EQ(times(text, "call_host"), 0) << text;
  EXPECT_EQ(times(text, "store_array"), 3) << text;
  EXPECT_EQ(times(text, "load_array"), 1) << text;
}

TEST(LocalObjects, ObjectsThatAreStoredStay) {
  Objects o;
  const Value p = o.make();
  o.b.store(o.memory, p, std::array{o.number(100)});
  EXPECT_EQ(times(o.kept_local(), "call_host"), 1);
}

TEST(LocalObjects, ObjectsThatAreComparedStay) {
  Objects o;
  const Value p = o.make(), q = o.make();
  o.b.store(o.memory, o.b.cast(o.b.eq(p, q), DType::int64), std::array{o.number(100)});
  EXPECT_EQ(times(o.kept_local(), "call_host"), 2);
}

/// A loop that makes an object in each iteration and carries it on; `also` sees the one that it carries.
std::string carried(const std::function<void(Objects&, Value carried)>& also) {
  Objects o;
  const Value first = o.make();
  const auto iterate = [&](std::span<const Value> args) {
    const Value made = o.make();
    o.store(made, 0, o.b.add(o.load(args[1], 0), args[0]));
    also(o, args[1]);
    return std::vector{made};
  };
  const Value last = o.b.for_(o.number(0), o.number(9), o.number(1), std::vector{first}, iterate)[0];
  o.b.store(o.memory, o.load(last, 0), std::array{o.number(100)});
  return o.kept_local();
}

TEST(LocalObjects, ObjectsThatLoopsCarryAreCopied) {
  const std::string text = carried([](Objects&, Value) {});
  EXPECT_EQ(times(text, "call_host"), 0) << text;
}

TEST(LocalObjects, ObjectsThatLoopsCarryAndWriteStay) {
  const std::string text = carried([](Objects& o, Value object) { o.store(object, 1, o.number(1)); });
  EXPECT_EQ(times(text, "call_host"), 2) << text;
}

TEST(LocalObjects, WritesAfterAnObjectIsPassedOnKeepIt) {
  Objects o;
  const Value p = o.make(), q = o.make();
  const auto give = [](Value v) { return [v](std::span<const Value>) { return std::vector{v}; }; };
  const Value is = o.b.eq(o.b.load(o.memory, std::array{o.number(7)}), o.number(1));
  const Value one = o.b.if_(is, give(p), give(q))[0];
  o.store(p, 0, o.number(3));
  o.b.store(o.memory, o.load(one, 0), std::array{o.number(100)});
  EXPECT_EQ(times(o.kept_local(), "call_host"), 2);
}

TEST(LocalObjects, OneObjectOrNoneIsThatObject) {
  Objects o;
  const Value p = o.make();
  const auto give = [](Value v) { return [v](std::span<const Value>) { return std::vector{v}; }; };
  const Value is = o.b.eq(o.b.load(o.memory, std::array{o.number(7)}), o.number(1));
  const Value one = o.b.if_(is, give(p), give(o.number(0)))[0];
  o.store(p, 0, o.number(3));
  o.store(one, 1, o.number(4));
  o.b.store(o.memory, o.load(one, 0), std::array{o.number(100)});
  const std::string text = o.kept_local();
  EXPECT_EQ(times(text, "call_host"), 0) << text;
}

}  // namespace
}  // namespace tessera::kernel
