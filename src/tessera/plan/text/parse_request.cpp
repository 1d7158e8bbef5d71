#include <cctype>
#include <cstring>
#include <unordered_map>

#include "tessera/ir/opcode.h"
#include "tessera/ops/signatures.h"
#include "tessera/plan/text/default_layout.h"
#include "tessera/plan/text/event_names.h"
#include "tessera/plan/text/read_layout.h"
#include "tessera/plan/text/request_text.h"

namespace tessera::plan {

namespace {

using graph::Form;
using graph::Node;
using graph::NodeKind;
using graph::Version;

/// The text with blanks in place of comments, so that lines and columns stay.
std::string without_comments(std::string_view text) {
  std::string plain(text);
  bool in_comment = false;
  for (size_t k = 0; k < plain.size(); ++k) {
    if (plain[k] == '\n') in_comment = false;
    if (plain[k] == '#' && (k == 0 || std::isspace(static_cast<unsigned char>(text[k - 1])))) in_comment = true;
    if (in_comment) plain[k] = ' ';
  }
  return plain;
}

struct OperandText {
  LayoutText layout;
  Version* version = nullptr;
  size_t end = 0;  // of a number
};

class RequestParser {
 public:
  explicit RequestParser(std::string_view text) : text_(without_comments(text)), in_(text_) {
    window_ = std::make_unique<graph::Window>();
  }

  ParsedRequest parse() {
    while (!in_.at_end()) parse_line();
    existing_.clear();
    Request request = make_request(*window_, window_->begin(), window_->end());
    return {std::move(window_), std::move(alive_), std::move(request)};
  }

 private:
  void parse_line() {
    in_.expect("%");
    const size_t at = in_.position();
    const std::string name(in_.word("a name"));
    if (versions_.contains(name)) in_.fail_at(at, "a name that is not taken yet");
    in_.expect("=");
    const Ref<Version> version = in_.accept_word("array") ? parse_array() : parse_node();
    if (!in_.accept_word("dead")) alive_.push_back(version);
    versions_.emplace(name, version.get());
  }

  Ref<Version> parse_array() {
    const LayoutText type = read_layout(in_);
    Ref<Version> version(Version::make());
    View array{.shape = type.shape, .offset = type.offset.value_or(0), .dtype = *type.dtype};
    array.strides = type.strides.value_or(dense_strides(type.shape, array.dtype));
    version->nbytes = type.nbytes.value_or(array.size() * array.itemsize());
    check_inside(in_, array, version->nbytes, type.position);
    version->foreign = in_.accept_word("foreign");
    arrays_.emplace(version.get(), array);
    existing_.push_back(version);
    return version;
  }

  Ref<Version> parse_node() {
    Form& form = window_->draft();
    form.input_count = form.result = form.events = 0;
    form.op = nullptr;
    form.pinned = form.natural = false;
    form.reduce = {};
    form.axes = 0;
    form.signature = nullptr;
    form.apart = 0;
    std::vector<OperandText> operands;
    Version* old = nullptr;
    in_.peek("");  // skips blanks
    const size_t at = in_.position();
    if (in_.accept_word("write")) {
      form.kind = NodeKind::write;
      form.set_op(*ops::OpTable::standard().find("copy"));
      old = parse_version();
      in_.expect(",");
      operands.push_back(parse_operand());
    } else if (in_.accept_word("reduce")) {
      form.kind = NodeKind::reduce;
      parse_reduction(form);
      operands.push_back(parse_operand());
      parse_axes(form);
    } else {
      form.kind = NodeKind::map;
      parse_op(form, operands);
    }
    in_.expect(":");
    const LayoutText type = read_layout(in_);
    form.shape = type.shape;
    form.dtype = *type.dtype;
    form.input_count = static_cast<uint8_t>(operands.size());
    for (size_t k = 0; k < operands.size(); ++k) describe(form, static_cast<int>(k), operands[k]);
    if (form.kind == NodeKind::map) choose_loop(form, at);
    return make_node(form, operands, old, type);
  }

  /// Completes the draft and appends its node.
  Ref<Version> make_node(Form& form, const std::vector<OperandText>& operands, Version* old, const LayoutText& type) {
    Ref<Version> made(Version::make());
    const View default_array = old ? arrays_.at(old) : View{};
    const int64_t offset = type.offset.value_or(default_array.offset);
    const std::optional<Dims> strides =
        old ? strides_over(default_array, form.shape) : dense_strides(form.shape, form.dtype, form.axes);
    if (!type.strides && !strides) in_.fail_at(type.position, "strides");
    form.strides = type.strides ? *type.strides : *strides;
    if (form.strides.size() != form.shape.size()) in_.fail_at(type.position, "a stride for each axis");
    const View result = made_array(form, offset);
    form.nbytes = result.size() * result.itemsize();
    if (old && type.nbytes) in_.fail_at(type.position, "a write without a number of bytes");
    made->nbytes = old ? old->nbytes : type.nbytes.value_or(form.nbytes);
    check_inside(in_, result, made->nbytes, type.position);
    if (form.kind == NodeKind::reduce) check_reduction(form, type.position);
    parse_events(form);
    form.pinned = old && in_.accept_word("pinned");
    std::vector<Scalar> scalars;
    for (size_t k = 0; k < operands.size(); ++k)
      scalars.push_back(operands[k].version ? Scalar{} : read_number(operands[k], form.inputs[k].dtype));
    arrays_.emplace(made.get(), old ? default_array : result);

    Node& node = window_->next(form.set_hash());
    for (size_t k = 0; k < operands.size(); ++k) {
      graph::Input& input = node.inputs[k];
      input.version = Ref<Version>(operands[k].version);
      if (operands[k].version)
        input.offset = operands[k].layout.offset.value_or(arrays_.at(operands[k].version).offset);
      else
        std::memcpy(input.scalar, scalars[k].bytes, sizeof input.scalar);
    }
    node.old = Ref<Version>(old);
    node.out = made;
    node.offset = offset;
    node.site = 0;
    window_->commit(node);
    if (in_.accept_word("starts_iteration")) window_->mark_iteration(window_->end() - 1);
    return made;
  }

  // --- Operations ---------------------------------------------------------------------------------------------------
  void parse_op(Form& form, std::vector<OperandText>& operands) {
    const size_t at = in_.position();
    const ops::Op* op = ops::OpTable::standard().find(in_.word("an operation"));
    if (!op || op->nin > graph::max_inputs) in_.fail_at(at, "an operation");
    form.set_op(*op);
    if (in_.accept(".")) parse_loop(form, *op);
    if (in_.accept("#")) form.result = static_cast<uint8_t>(in_.number("one of its results", op->nout - 1));
    for (int k = 0; k < op->nin; ++k) {
      if (k > 0) in_.expect(",");
      operands.push_back(parse_operand());
    }
  }

  void parse_loop(Form& form, const ops::Op& op) {
    std::string longest;
    for (const ops::Signature& loop : op.signatures) {
      const std::string text = ops::print(loop);
      if (text.size() > longest.size() && in_.peek(text)) longest = text, form.signature = &loop;
    }
    in_.check(form.signature != nullptr, "one of its loops");
    in_.expect(longest);
  }

  void choose_loop(Form& form, size_t at) {
    const ops::Op& op = *form.op;
    const ops::Signature* first = first_loop(form);
    if (!form.signature) form.signature = first;
    if (!form.signature) in_.fail_at(at, "a loop for these operands");
    if (op.counts && form.shape.size() != 1) in_.fail_at(at, "one axis");
    for (int k = 0; k < form.input_count; ++k)
      if (form.inputs[k].scalar && !typed_[k]) form.inputs[k].dtype = form.signature->in[static_cast<size_t>(k)];
  }

  void parse_reduction(Form& form) {
    in_.peek("");
    const size_t at = in_.position();
    const std::string_view given = in_.word("a reduction");
    constexpr auto last = ir::ReduceKind::bit_xor;
    int kind = 0;
    while (kind <= static_cast<int>(last) && ir::name(static_cast<ir::ReduceKind>(kind)) != given) ++kind;
    if (kind > static_cast<int>(last)) in_.fail_at(at, "a reduction");
    form.reduce = static_cast<ir::ReduceKind>(kind);
    for (const ops::Op& op : ops::OpTable::standard()) {
      if (op.reduce != form.reduce) continue;
      form.set_op(op);
      break;
    }
  }

  void parse_axes(Form& form) {
    in_.check(in_.accept_word("along"), "along");
    while (!in_.peek(":")) form.axes |= uint64_t{1} << in_.number("an axis", max_ndim - 1);
  }

  void check_reduction(const Form& form, size_t at) {
    for (size_t axis = 0; axis < form.shape.size(); ++axis)
      if ((form.axes >> axis & 1) && form.strides[axis] != 0) in_.fail_at(at, "strides of 0 along the reduced axes");
    if (form.shape.size() < max_ndim && form.axes >> form.shape.size()) in_.fail_at(at, "an extent for each axis");
    if (form.inputs[0].scalar) in_.fail_at(at, "an array to reduce");
  }

  void parse_events(Form& form) {
    if (!in_.accept_word("events")) return;
    const auto parse_one = [&] {
      for (const EventName& event : event_names) {
        if (!in_.accept_word(event.name)) continue;
        form.events |= event.bit;
        return true;
      }
      return false;
    };
    in_.check(parse_one(), "divide, overflow, underflow or invalid");
    while (parse_one()) {
    }
  }

  // --- Operands -----------------------------------------------------------------------------------------------------
  Version* parse_version() {
    in_.expect("%");
    const size_t at = in_.position();
    const auto found = versions_.find(std::string(in_.word("a name")));
    if (found == versions_.end()) in_.fail_at(at, "an array or node of an earlier line");
    return found->second;
  }

  OperandText parse_operand() {
    OperandText operand;
    operand.layout.dtype = read_dtype(in_);
    in_.peek("");
    operand.layout.position = in_.position();
    if (in_.peek("%")) {
      operand.version = parse_version();
      read_place(in_, operand.layout);
    } else {
      skip_number(in_);
      operand.end = in_.position();
    }
    return operand;
  }

  /// Reads a number again, now that its type is known.
  Scalar read_number(const OperandText& operand, DType dtype) {
    const size_t after = in_.position();
    in_.rewind(operand.layout.position);
    const Scalar scalar = read_scalar(in_, dtype);
    if (in_.position() != operand.end) in_.fail_at(operand.layout.position, "a number of its type");
    in_.rewind(after);
    return scalar;
  }

  /// Fills in the operand's form: a number has the type of a write's target, or that of the loop chosen later.
  void describe(Form& form, int k, const OperandText& operand) {
    graph::InputForm& input = form.inputs[k];
    input.scalar = operand.version == nullptr;
    typed_[k] = operand.layout.dtype.has_value();
    input.strides.clear();
    input.dtype = operand.layout.dtype.value_or(form.dtype);
    if (!operand.version) return;
    const View& array = arrays_.at(operand.version);
    const std::optional<Dims> strides = strides_over(array, form.shape);
    if (!operand.layout.strides && !strides)
      in_.fail_at(operand.layout.position, "strides, or a shape it broadcasts to");
    input.strides = operand.layout.strides ? *operand.layout.strides : *strides;
    input.dtype = operand.layout.dtype.value_or(array.dtype);
    const View view{.shape = form.shape,
                    .strides = input.strides,
                    .offset = operand.layout.offset.value_or(array.offset),
                    .dtype = input.dtype};
    check_inside(in_, view, operand.version->nbytes, operand.layout.position);
  }

  const std::string text_;
  ir::TextReader in_;
  std::unique_ptr<graph::Window> window_;
  std::vector<Ref<Version>> alive_;
  std::vector<Ref<Version>> existing_;  // keeps dead arrays until a node reads them
  std::unordered_map<std::string, Version*> versions_;
  std::unordered_map<const Version*, View> arrays_;
  bool typed_[graph::max_inputs] = {};  // whether the text says the operand's type
};

}  // namespace

ParsedRequest parse_request(std::string_view text) { return RequestParser(text).parse(); }

}  // namespace tessera::plan
