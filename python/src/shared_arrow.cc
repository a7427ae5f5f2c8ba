#include "shared_arrow.h"

#include <vector>

namespace mehler::python {
namespace {

template <typename Struct>
struct Shared {
  std::shared_ptr<const void> owner;
  std::vector<Struct> children;
  std::vector<Struct*> child_pointers;
  std::unique_ptr<Struct> dictionary;
};

template <typename Struct>
void release_shared(Struct* self) {
  auto* shared = static_cast<Shared<Struct>*>(self->private_data);
  for (Struct& child : shared->children) {
    if (child.release != nullptr) {
      child.release(&child);
    }
  }
  if (shared->dictionary != nullptr && shared->dictionary->release != nullptr) {
    shared->dictionary->release(shared->dictionary.get());
  }
  delete shared;
  self->release = nullptr;
}

template <typename Struct>
void share_struct(const Struct& from, const std::shared_ptr<const void>& owner, Struct* out) {
  auto shared = std::make_unique<Shared<Struct>>();
  shared->owner = owner;
  shared->children.resize(static_cast<std::size_t>(from.n_children));
  for (std::size_t i = 0; i < shared->children.size(); ++i) {
    share_struct(*from.children[i], owner, &shared->children[i]);
    shared->child_pointers.push_back(&shared->children[i]);
  }
  if (from.dictionary != nullptr) {
    shared->dictionary = std::make_unique<Struct>();
    share_struct(*from.dictionary, owner, shared->dictionary.get());
  }
  *out = from;
  out->children = shared->child_pointers.data();
  out->dictionary = shared->dictionary.get();
  out->release = release_shared<Struct>;
  out->private_data = shared.release();
}

}  // namespace

void share(const ArrowSchema& from, const std::shared_ptr<const void>& owner, ArrowSchema* out) {
  share_struct(from, owner, out);
}

void share(const ArrowArray& from, const std::shared_ptr<const void>& owner, ArrowArray* out) {
  share_struct(from, owner, out);
}

}  // namespace mehler::python
