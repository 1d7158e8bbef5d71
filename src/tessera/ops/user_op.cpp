#include "tessera/ops/user_op.h"

#include <utility>

#include "tessera/base/error.h"
#include "tessera/base/hash.h"
#include "tessera/ir/event_checks.h"

namespace tessera::ops {

namespace {

Signature signature_of(const ir::Kernel& body) {
  Signature signature;
  for (const ir::BufferParam& buffer : body.buffers) {
    if (buffer.writable)
      signature.out.push_back(buffer.dtype);
    else
      signature.in.push_back(buffer.dtype);
  }
  signature.key = Hash().add(ir::structural_hash(body)).add(no_id).value();
  return signature;
}

}  // namespace

UserOp::UserOp(std::string name, std::string doc, std::vector<Body> bodies, bool grows)
    : name_(std::move(name)), doc_(std::move(doc)), bodies_(std::move(bodies)), grows_(grows), loops_(bodies_.size()) {}

Ref<UserOp> UserOp::make(std::string name, std::string doc, int nin, std::vector<Body> bodies,
                         std::optional<double> identity, bool reorderable, bool grows) {
  Ref<UserOp> made(new UserOp(std::move(name), std::move(doc), std::move(bodies), grows));
  Op& op = made->op_;
  op.name = made->name_;
  op.doc = made->doc_;
  op.kind = OpKind::user;
  for (const Body& body : made->bodies_) {
    op.signatures.push_back(signature_of(*body));
    std::optional<ir::Kernel> watched = ir::with_event_checks(*body);
    made->watched_.push_back(watched ? std::make_shared<const ir::Kernel>(std::move(*watched)) : nullptr);
    if (watched) op.errors = op.integer_errors = ir::ErrorRule::inside;
  }
  op.nin = static_cast<uint8_t>(nin);
  op.nout = static_cast<uint8_t>(op.signatures.empty() ? 1 : op.signatures[0].out.size());
  op.identity = identity;
  op.reorderable = reorderable;
  op.id = no_id;
  op.user = made.get();
  return made;
}

}  // namespace tessera::ops
