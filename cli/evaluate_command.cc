#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include "commands.h"
#include "figure_output.h"
#include "html_output.h"
#include "mehler/core/error.h"
#include "mehler/core/options.h"
#include "mehler/evaluation/evaluation_figures.h"
#include "mehler/evaluation/tables/coded_table.h"
#include "mehler/report/evaluation_report.h"
#include "mehler/report/release_report.h"
#include "mehler/report/sharing_words.h"
#include "table_options.h"
#include "terminal.h"

namespace mehler {
namespace {

struct EvaluateOptions {
  std::string real;
  std::string release;
  std::string synthetic;
  std::string train;
  std::string schema;
  std::string target;
  std::string positive;
  std::optional<std::string> marginals;
  std::string max_subsets = std::to_string(EvaluationRequest{}.max_subsets);
  std::string bins = std::to_string(EvaluationRequest{}.bins);
  std::string seed = "1";
  std::string epochs = std::to_string(EvaluationRequest{}.epochs);
  bool no_network = false;
  std::string threads;
  TableOptions tables;
  FigureOutput output;
  HtmlOutput page;

  /// Opens the outputs before any work is done.
  void open_outputs(const std::vector<std::string>& inputs) {
    const auto place = [](const std::string& path) {
      return std::filesystem::absolute(path).lexically_normal();
    };
    if (page.given() && !output.path().empty() && place(page.path()) == place(output.path())) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("--html and --output both name '{}'; give them files of their own",
                              page.path()));
    }
    output.open(inputs);
    page.open(inputs);
  }
  /// The figures, where they are wanted: a page takes the place of those on the screen.
  void write_figures(std::string_view text) {
    if (!page.given() || output.given()) {
      output.write(text);
    }
  }
  /// Says who may see the page, unless the screen is for programs.
  void write_page(const std::string& html, const std::string& who) {
    page.write(html, output.style() == FigureOutput::Style::kJson ? "" : who);
  }
};

std::string file_name(const std::string& path) {
  return path == "-" ? "standard input" : std::filesystem::path(path).filename().string();
}

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::kInvalidArgument, message);
}

void require_one_comparison(const CLI::App& command, const EvaluateOptions& options) {
  if (options.real.empty() == options.release.empty()) {
    refuse(
        "evaluate compares with real records (--real) or with a release (--release); give exactly "
        "one of them");
  }
  if (!options.real.empty() && options.schema.empty()) {
    refuse("--schema is needed with --real; give the schema of both tables");
  }
  for (const char* name : {"--schema", "--train", "--target", "--positive", "--marginals",
                           "--max-subsets", "--bins", "--seed", "--epochs", "--no-network"}) {
    if (!options.release.empty() && command.count(name) > 0) {
      refuse(fmt::format(
          "{} has no use with --release, which reads the release and the synthetic table alone; "
          "leave it out",
          name));
    }
  }
  if (options.no_network && command.count("--epochs") > 0) {
    refuse("--epochs is for the network that --no-network leaves out; give one of them");
  }
  if (!options.positive.empty() && options.target.empty()) {
    refuse("--positive is a class of the column that --target names; give both");
  }
  const std::vector<std::string> read = {options.real, options.synthetic, options.train};
  if (std::count(read.begin(), read.end(), "-") > 1) {
    refuse("two tables are standard input, which can be read once; name a file for one");
  }
}

/// Progress on the terminal, of one piece of work after the other. Lives only while there is work,
/// so that the line is gone before the figures are printed.
class Work {
 public:
  explicit Work(std::size_t threads)
      : line_(false),
        context_{threads, [this](const Progress& progress) { show(progress); }, &interrupted} {}

  const Context& begin(std::string title) {
    title_ = std::move(title);
    start_ = std::chrono::steady_clock::now();
    line_.show(title_);
    return context_;
  }

 private:
  void show(const Progress& progress) {
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    line_.show(fmt::format(
        "{}{}{}  {:.0f}%{}", title_, progress.words.empty() ? "" : "  ", progress.words,
        100.0 * progress.fraction,
        progress.fraction > 0.0
            ? fmt::format("  {} left",
                          duration_words(seconds * (1.0 - progress.fraction) / progress.fraction))
            : ""));
  }

  StatusLine line_;
  std::string title_;
  std::chrono::steady_clock::time_point start_;
  Context context_;
};

/// Opens the tables and measures.
Evaluation measure(const EvaluateOptions& options, const Schema& schema, EvaluationRequest request,
                   std::size_t threads) {
  Work work(threads);
  // The reading options are those of the real records. A synthetic table of ours has its own form.
  std::vector<std::pair<std::string, OptionsFor>> paths = {
      {options.real, OptionsFor::kSeveralTables}, {options.synthetic, OptionsFor::kOtherTables}};
  if (!options.train.empty()) {
    paths.emplace_back(options.train, OptionsFor::kSeveralTables);
  }
  const std::vector<TableReader> readers = options.tables.open_several(paths, threads, &schema);
  std::vector<EvaluatedTable> tables(3);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    tables[i] = {fmt::format("the table '{}'", paths[i].first), readers[i].parts()};
  }
  request.on_part = [&](const std::string& part) { work.begin(part); };
  return evaluate(schema, tables[0], tables[1], tables[2], request, work.begin("comparing"));
}

/// The schema in a schema file, or that of a release.
Schema schema_of_file(const std::string& path) {
  constexpr int kFirstByteOfRelease = 0x89;
  return std::ifstream(path, std::ios::binary).peek() == kFirstByteOfRelease
             ? Release::from_file(path).schema()
             : Schema::from_file(path);
}

void require_images_for(const CLI::App& command, const Schema& schema) {
  for (const char* name : {"--epochs", "--no-network"}) {
    if (schema.image() == nullptr && command.count(name) > 0) {
      refuse(fmt::format(
          "{} is for sets of images, and the schema has no column of the kind image; leave it out",
          name));
    }
  }
}

void evaluate_against_records(const CLI::App& command, EvaluateOptions& options) {
  options.open_outputs({options.real, options.synthetic, options.train, options.schema});
  const std::size_t threads = threads_or_all(options.threads);
  EvaluationRequest request;
  request.bins = parse_count(options.bins, "--bins", 2, ColumnBins::kMaxBins);
  request.max_subsets = parse_count(options.max_subsets, "--max-subsets", 1, 10'000'000);
  request.seed = parse_count(options.seed, "--seed", 0, UINT64_MAX);
  if (options.marginals) {
    request.ways = parse_count_list(*options.marginals, "--marginals", 1, 100);
  }
  request.target = options.target;
  request.positive = options.positive;
  request.epochs = parse_count(options.epochs, "--epochs", 1, EvaluationRequest::kMostEpochs);
  request.image_classifiers = !options.no_network;
  request.keeps_drawn = options.page.given();
  const Schema schema = schema_of_file(options.schema).without_privacy_unit();
  require_images_for(command, schema);
  request.validate(schema);  // before the tables are opened
  const Evaluation evaluation = measure(options, schema, request, threads);
  options.write_figures(options.output.style() == FigureOutput::Style::kJson
                            ? json_of(evaluation)
                            : with_flags(text_of(evaluation)));
  if (options.page.given()) {
    PageOrigin origin{command_words(command),
                      fmt::format("{} beside the real records of {}", file_name(options.synthetic),
                                  file_name(options.real)),
                      {{"All figures in words", with_flags(text_of(evaluation))}}};
    add_picture(evaluation.figures().samples, origin);
    options.write_page(html_of(schema, evaluation, origin),
                       "It is for the owner of the data and must not be published.");
  }
}

/// The page of a release and, where it has anything to compare with, of the comparison.
void write_release_page(const CLI::App& command, EvaluateOptions& options, const Release& release,
                        const ReleaseAgreement* agreement,
                        const std::vector<ComparedCounts>& tables,
                        const std::vector<ImageSamples>& samples) {
  PageOrigin origin{
      command_words(command),
      fmt::format("{} beside the release {}", file_name(options.synthetic),
                  file_name(options.release)),
      {{"The release in words", with_flags(text_of(release, file_name(options.release), false))}}};
  if (agreement != nullptr) {
    origin.texts.emplace_back("All figures in words", with_flags(text_of(release, *agreement)));
  }
  add_picture(samples, origin);
  options.write_page(html_of(release, agreement, tables, origin),
                     fmt::format("It may be shared if {}.", kMayBeSharedIf));
}

void evaluate_against_release(const CLI::App& command, EvaluateOptions& options) {
  options.open_outputs({options.release, options.synthetic});
  const std::size_t threads = threads_or_all(options.threads);
  const Release release = Release::from_file(options.release);
  const Schema schema = release.schema().without_privacy_unit();
  const bool shows_images = options.page.given() && schema.image() != nullptr;
  if (shows_images && options.synthetic == "-") {
    refuse("--html reads a set of images twice, and standard input can be read once; name a file");
  }
  // Without anything to compare with there are no figures, but a page has images to show.
  const bool compares =
      !shows_images || options.output.given() || ReleaseComparison::is_possible(release);
  std::optional<ReleaseAgreement> agreement;
  std::vector<ComparedCounts> tables;
  std::vector<ImageSamples> samples;
  {
    Work work(threads);
    const Context& context = work.begin("comparing");
    TableReadOptions reading = options.tables.parse(threads);
    reading.given_for = OptionsFor::kThisTableOrOurs;
    const TableReader reader({options.synthetic}, reading, &schema);
    if (compares) {
      ReleaseComparison comparison(release, context);
      for (const RecordStreamFactory& part : reader.parts()) {
        comparison.add(part());
      }
      agreement = comparison.agreement();
      tables = comparison.tables();
    }
    if (shows_images) {
      samples = first_images(
          schema, {fmt::format("the table '{}'", options.synthetic), reader.parts()}, context);
    }
  }
  if (agreement) {
    options.write_figures(options.output.style() == FigureOutput::Style::kJson
                              ? json_of(release, *agreement)
                              : with_flags(text_of(release, *agreement)));
  }
  if (options.page.given()) {
    write_release_page(command, options, release, agreement ? &*agreement : nullptr, tables,
                       samples);
  }
}

void run_evaluate(const CLI::App& command, EvaluateOptions& options) {
  require_one_comparison(command, options);
  if (options.release.empty()) {
    evaluate_against_records(command, options);
  } else {
    evaluate_against_release(command, options);
  }
}

void add_tables(CLI::App& command, EvaluateOptions& options) {
  command
      .add_option("--synthetic", options.synthetic,
                  "The synthetic table: CSV, Parquet, Arrow or a set of images; - for standard "
                  "input")
      ->required()
      ->type_name("TABLE");
  command
      .add_option("--real", options.real,
                  "Real records to compare with, best ones that were held out. Not covered by a "
                  "privacy guarantee")
      ->type_name("TABLE");
  command
      .add_option(
          "--release", options.release,
          "Compare with the noisy sums of this release instead. The figures may be shared if the "
          "synthetic table was made from this release alone, or without private records")
      ->type_name("FILE");
  command
      .add_option("--train", options.train,
                  "The records that were trained on; adds how near synthetic records lie to them, "
                  "and, with --target, what a classifier learns from them. Of images: what the "
                  "network learns from them, which takes as long again")
      ->type_name("TABLE");
  command
      .add_option("--target", options.target,
                  "A column of classes: trains a logistic regression on the synthetic records and "
                  "tests it on the real ones. Of images: their classes, by default the schema's "
                  "target")
      ->type_name("COLUMN");
  command
      .add_option(
          "--positive", options.positive,
          "Of two classes the one to look for; by default the rarer one of the real records")
      ->type_name("CLASS");
  command
      .add_option("--schema", options.schema,
                  "With --real: the schema of all tables, or a release that has it")
      ->type_name("FILE");
}

void add_settings(CLI::App& command, EvaluateOptions& options) {
  command
      .add_option("--marginals", options.marginals,
                  "Sizes of the column subsets whose marginals are compared, such as 1,2,3 or 1-4; "
                  "by default 1,2,3")
      ->type_name("K,...");
  command
      .add_option("--max-subsets", options.max_subsets,
                  "Subsets of each size, at most; where there are more, as many are drawn at "
                  "random, and the output says so. Default " +
                      options.max_subsets)
      ->type_name("N");
  command
      .add_option("--bins", options.bins,
                  "Bins of a number, over its declared bounds, in marginals and propensity; one a "
                  "value where there are fewer values. Default " +
                      options.bins)
      ->type_name("B");
  command
      .add_option(
          "--epochs", options.epochs,
          "Of sets of images: how often the network that is trained on the synthetic images "
          "sees them. Default " +
              options.epochs)
      ->type_name("N");
  command.add_flag("--no-network", options.no_network,
                   "Of sets of images: train neither the network nor the regression beside it, "
                   "which take most of the time");
  command
      .add_option("--seed", options.seed,
                  "Of random samples and of the network; default " + options.seed)
      ->type_name("S");
  command
      .add_option("--threads", options.threads,
                  "Worker threads; by default all cores. Never changes the figures")
      ->type_name("T");
}

}  // namespace

void add_evaluate_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "evaluate",
      "How good a synthetic table is: against real records (for their owner only) or against the "
      "release it was made from (for anybody)");
  auto options = std::make_shared<EvaluateOptions>();
  add_tables(*command, *options);
  add_settings(*command, *options);
  options->tables.add_reading_to(*command);
  options->output.add_to(*command, true, false);
  options->page.add_to(*command);
  command->callback([command, options] { run_evaluate(*command, *options); });
}

}  // namespace mehler
