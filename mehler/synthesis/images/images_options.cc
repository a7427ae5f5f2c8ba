#include "mehler/synthesis/images/images_options.h"

#include <fmt/format.h>

#include "mehler/core/error.h"

namespace mehler {
namespace {

/// An option that is a number of `Options`, between two limits.
template <class Options, class Number>
struct LimitedOption {
  const char* name;
  Number Options::*member;
  Number least;
  Number most;
  const char* help;
};
constexpr LimitedOption<ImagesOptions, double> kNumbers[] = {
    {"length-share", &ImagesOptions::length_share, 1e-4, 1e4,
     "Share of the budget for lengths of codes, which say where these are shortened"},
    {"mean-share", &ImagesOptions::mean_share, 1e-4, 1e4,
     "Share for the mean code, and, a fifth of it, for the number of records"},
    {"scatter-share", &ImagesOptions::scatter_share, 1e-4, 1e4, "Share for the scatter of codes"},
    {"class-mean-share", &ImagesOptions::class_mean_share, 1e-4, 1e4,
     "Share for the means of classes"},
    {"cell-share", &ImagesOptions::cell_share, 1e-4, 1e4,
     "Share for cells of classes, if there are any: taken from that of class means"},
    {"class-scatter-share", &ImagesOptions::class_scatter_share, 1e-4, 1e4,
     "Share for the scatters of classes"},
    {"teacher-share", &ImagesOptions::teacher_share, 1e-4, 1e4,
     "Share for the teacher, who labels the synthetic images"},
    {"columns-share", &ImagesOptions::columns_share, 0.001, 0.99,
     "Share of the whole budget for further columns and how they go with the label; those above "
     "are of the rest. Nothing where there are no further columns"},
    {"radius-quantile", &ImagesOptions::radius_quantile, 0.01, 0.999,
     "Share of the images whose codes are not shortened"},
    {"directions-factor", &ImagesOptions::directions_factor, 0.1, 10.0,
     "Directions of the model, over those that stand out of the noise"},
    {"edge-margin", &ImagesOptions::edge_margin, 1.0, 10.0,
     "By how much an eigenvalue must stand out of the noise"},
    {"radius-factor", &ImagesOptions::radius_factor, 0.1, 10.0,
     "Length to which codes within a class are shortened, over the expected one"},
    {"records-per-cell", &ImagesOptions::records_per_cell, 1.0, 1e9,
     "A class has mu records / (classes N) cells"},
    {"gradient-radius", &ImagesOptions::gradient_radius, 0.01, 2.0,
     "Length to which the teacher's gradients are shortened"},
};

constexpr LimitedOption<ImagesOptions, std::size_t> kCounts[] = {
    {"most-directions", &ImagesOptions::most_directions, 2, 1000,
     "Directions of the model, at most"},
    {"edge-matrices", &ImagesOptions::edge_matrices, 1, 100,
     "Simulated matrices of noise, which say where the noise ends"},
    {"fewest-cells", &ImagesOptions::fewest_cells, 2, 1000,
     "Cells that a class must be able to have, else it has none"},
    {"cell-rounds", &ImagesOptions::cell_rounds, 1, 20, "Rounds of measuring cells"},
    {"candidates", &ImagesOptions::candidates, 1000, 10'000'000,
     "Images drawn to make the teacher ready; they cost no privacy"},
};

// How the teacher is made ready.
constexpr LimitedOption<ImageTeacherOptions, double> kTeacherNumbers[] = {
    {"teacher-constant", &ImageTeacherOptions::constant, 0.01, 0.99,
     "The constant among the teacher's features, whose length is 1"},
    {"whitening-floor", &ImageTeacherOptions::floor, 1e-6, 1.0,
     "Variance that is added to that of the features, over the largest"},
    {"feature-quantile", &ImageTeacherOptions::quantile, 0.01, 0.999,
     "Share of the candidates whose features are not shortened"},
};
constexpr LimitedOption<ImageTeacherOptions, std::size_t> kTeacherCounts[] = {
    {"whitening-directions", &ImageTeacherOptions::directions, 1, 2000,
     "Directions of the features that are whitened one by one; the others alike"},
    {"start-batches", &ImageTeacherOptions::batches, 1, 100'000,
     "Batches of candidates that the teacher's first weights are fitted to"},
    {"start-batch-rows", &ImageTeacherOptions::batch_rows, 1, 100'000, "Candidates of a batch"},
};

/// Throws for a number outside of its range.
void require_within(const auto& options, const auto& of) {
  for (const auto& option : options) {
    const auto value = of.*option.member;
    if (!(value >= option.least && value <= option.most)) {  // NaN fails too
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("{} must lie in [{}, {}], but is {}", option_words(option.name),
                              option.least, option.most, value));
    }
  }
}

void append_options(std::vector<Option>& to, const char* value, const auto& options,
                    const auto& defaults) {
  for (const auto& option : options) {
    to.push_back(
        {option.name, value, fmt::format("{}; default {}", option.help, defaults.*option.member)});
  }
}

void read_numbers(const OptionValues& values, const auto& options, auto& to) {
  for (const auto& option : options) {
    to.*option.member = values.number(option.name, to.*option.member);
  }
}

void read_counts(const OptionValues& values, const auto& options, auto& to) {
  for (const auto& option : options) {
    to.*option.member = values.count(option.name, to.*option.member, option.least, option.most);
  }
}

constexpr std::size_t kMegabyte = 1'000'000;

}  // namespace

void ImagesOptions::validate() const {
  require_within(kNumbers, *this);
  require_within(kCounts, *this);
  require_within(kTeacherNumbers, teacher);
  require_within(kTeacherCounts, teacher);
  if (!(cell_share < class_mean_share)) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} is taken from {} and must be less, but they are {} and {}",
                            option_words("cell-share"), option_words("class-mean-share"),
                            cell_share, class_mean_share));
  }
}

std::vector<Option> ImagesOptions::list() {
  const ImagesOptions defaults;
  std::vector<Option> options;
  append_options(options, "X", kNumbers, defaults);
  append_options(options, "N", kCounts, defaults);
  append_options(options, "X", kTeacherNumbers, defaults.teacher);
  append_options(options, "N", kTeacherCounts, defaults.teacher);
  options.push_back(
      {"memory", "MB",
       fmt::format("Megabytes for the records, and as much again for what is computed from them; "
                   "default {}. Files that take more are read in passes instead, with the same "
                   "result, but slowly",
                   defaults.max_bytes / kMegabyte)});
  return options;
}

ImagesOptions ImagesOptions::parse(const OptionValues& values) {
  values.require_known(list(), "method images");
  ImagesOptions result;
  read_numbers(values, kNumbers, result);
  read_counts(values, kCounts, result);
  read_numbers(values, kTeacherNumbers, result.teacher);
  read_counts(values, kTeacherCounts, result.teacher);
  result.max_bytes =
      values.count("memory", result.max_bytes / kMegabyte, 10, 1'000'000) * kMegabyte;
  result.validate();
  return result;
}

}  // namespace mehler
