#include "tessera/base/error.h"
#include "tessera/plan/draft.h"

namespace tessera::plan {

using graph::Node;
using graph::NodeKind;
using graph::Version;

namespace {

int index_of(Draft& draft, const Version* version, NodeRef found_at) {
  auto [at, fresh] = draft.version_index.try_emplace(version, static_cast<int>(draft.versions.size()));
  if (fresh) {
    VersionUse use;
    use.producer = draft.request.producer(version);
    use.nbytes = version->nbytes;
    if (use.producer < 0) use.external = found_at;
    draft.versions.push_back(use);
  }
  return at->second;
}

}  // namespace

/// Walks backwards from the results that are needed, so that a node whose output is not needed never becomes a reader.
void find_versions(Draft& draft) {
  const Request& request = draft.request;
  const int count = request.size();
  draft.group_of.assign(count, -1);
  draft.write_mode.assign(count, WriteMode::in_place);
  draft.stored.assign(count, false);
  std::vector<bool> wanted(count, false);
  for (int i = count - 1; i >= 0; --i) {
    if (request.live[i]) wanted[i] = true;
    if (!wanted[i]) continue;
    const Node& node = request.node(i);
    for (int k = 0; k < node.form->input_count; ++k) {
      if (!node.inputs[k].version) continue;
      const int p = request.producer(node.inputs[k].version.get());
      if (p >= 0) wanted[p] = true;
    }
    if (node.old) {
      const int p = request.producer(node.old.get());
      if (p >= 0) wanted[p] = true;
    }
  }
  for (int i = 0; i < count; ++i) {
    if (!wanted[i]) continue;
    const Node& node = request.node(i);
    draft.group_of[i] = 0;  // needed; fuse_nodes sets the group
    for (int k = 0; k < node.form->input_count; ++k) {
      if (!node.inputs[k].version) continue;
      VersionUse& use = draft.versions[index_of(draft, node.inputs[k].version.get(), {i, k})];
      use.readers.push_back(i);
      use.dead |= request.dead[i] >> k & 1;
    }
    if (node.old) {
      VersionUse& old = draft.versions[index_of(draft, node.old.get(), {i, -1})];
      old.writers.push_back(i);
      old.dead |= request.dead[i] >> graph::max_inputs & 1;
      if (request.shared[i]) old.live = true;
    }
    VersionUse& out = draft.versions[index_of(draft, node.out.get(), {})];
    invariant(out.producer == i, "plan: the output of node {} is made by node {}", i, out.producer);
    out.live = request.live[i];
  }
}

View operand_view(const Node& node, int input) {
  const graph::InputForm& form = node.form->inputs[input];
  return View{
      .shape = node.form->shape, .strides = form.strides, .offset = node.inputs[input].offset, .dtype = form.dtype};
}

View output_view(const Node& node) {
  return View{
      .shape = node.form->shape, .strides = node.form->strides, .offset = node.offset, .dtype = node.form->dtype};
}

int aligned_producer(const Draft& draft, const Node& node, int input) {
  const graph::Input& operand = node.inputs[input];
  if (!operand.version) return -1;
  const int p = draft.request.producer(operand.version.get());
  if (p < 0) return -1;
  const Node& producer = draft.node(p);
  const graph::Form& made = *producer.form;
  const graph::InputForm& wanted = node.form->inputs[input];
  const bool same = made.kind != NodeKind::reduce && made.shape == node.form->shape &&
                    producer.offset == operand.offset && made.strides == wanted.strides && made.dtype == wanted.dtype;
  return same ? p : -1;
}

}  // namespace tessera::plan
