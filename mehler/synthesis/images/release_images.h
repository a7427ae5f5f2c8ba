#pragma once

#include "mehler/core/context.h"
#include "mehler/privacy/accountant.h"
#include "mehler/privacy/private_table.h"
#include "mehler/release/release.h"
#include "mehler/synthesis/images/images_options.h"

namespace mehler {

/// Throws Error(kInvalidArgument), naming the column, unless a schema has an image column and a
/// target of 2 to 64 classes. It may have further columns.
void require_labelled_images(const Schema& schema);

/// The schema without its images: what is counted. Throws Error(kInvalidArgument) if it has no
/// further columns: then nothing is.
Schema further_columns(const Schema& schema);

/// Turns a private table of labelled images into a release of noisy moments of their codes, by
/// class, and of gradients of a classifier that labels what is drawn from these
/// (docs/methods/images.md). Further columns and the label are counted as method marginals does,
/// with a share of the budget.
///
/// Privacy: the records are read once, or in passes where they take too much memory. Each sum is
/// charged to the accountant before it is measured; what is summed depends on public things and on
/// noisy results of earlier sums alone, and all of them together spend what is left of the budget.
Release release_images(PrivateTable&& table, const ImagesOptions& options, Accountant& accountant,
                       const Context& context);

}  // namespace mehler
