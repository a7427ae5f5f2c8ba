#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "commands.h"
#include "figure_output.h"
#include "mehler/accounting/composition.h"
#include "mehler/accounting/noise_calibration.h"
#include "mehler/accounting/privacy_statement.h"
#include "mehler/accounting/selection_privacy.h"
#include "mehler/core/error.h"
#include "mehler/core/options.h"
#include "mehler/core/strict_json.h"
#include "terminal.h"

namespace mehler {
namespace {

/// What ComposedPrivacy::delta_at() states at least, where delta is not 0.
constexpr double kSmallestDelta = std::numeric_limits<double>::min();

/// One mechanism, repeated, and two of three: how much noise (or epsilon) each has, and the whole's
/// epsilon and delta. The third is computed.
struct PrivacyFlags {
  std::string strength;  ///< noise multiplier, or the epsilon of a choice
  std::string epsilon;
  std::string delta;
  std::string rate;
  std::string repeats = "1";
  FigureOutput output;
};

/// A mechanism of the command: how its charges and its calibration are made.
struct Mechanism {
  const char* name;
  const char* summary;
  const char* strength;  ///< the flag, without its dashes
  const char* strength_help;
  const char* repeats;
  const char* repeats_help;
  /// What happens to a record that a rate samples; nothing where there is no rate.
  std::optional<SampledRecord> sampled;
  const char* neighbours;
};

constexpr std::array kMechanisms = {
    Mechanism{"subsampled",
              "Steps of training with noise, each on a batch that every record is in with one "
              "probability, independently (DP-SGD)",
              "noise-multiplier",
              "Standard deviation of the noise over the clipping norm: the most that one record "
              "adds",
              "steps", "Number of steps", SampledRecord::kAdded,
              "one record is added or removed; every record is in a batch with the rate, "
              "independently of the others"},
    Mechanism{"replaced",
              "Answers with noise, each of one part of the records that is drawn with one "
              "probability, independently of the past, in the place of another part (GS-WGAN)",
              "noise-multiplier",
              "Standard deviation of the noise over the most by which two answers differ, in the "
              "2-norm",
              "steps", "Number of answers; those that one draw gives together are one",
              SampledRecord::kReplaced,
              "one record is added or removed; it is in one part, and an answer is of that part "
              "with the rate"},
    Mechanism{"gaussian", "Gaussian noise on sums", "noise-multiplier",
              "Standard deviation of the noise over the sensitivity: the most that neighbours "
              "differ, in the 2-norm",
              "count", "How many such sums there are; default 1", std::nullopt,
              "those that the sensitivity is of"},
    Mechanism{"selection", "Choices by the exponential mechanism", "each",
              "Epsilon of each choice: weights exp(epsilon score / (2 sensitivity))", "count",
              "How many choices there are; default 1", std::nullopt,
              "those that the sensitivity is of"}};

/// "0.01", or "600/60000".
double parse_rate(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) {
    return parse_number(text, "--rate");
  }
  const std::string below = text.substr(slash + 1);
  return parse_number(text.substr(0, slash), "--rate") /
         parse_number(below.find('/') == std::string::npos ? below : text, "--rate");
}

/// The numbers of a question; what is asked for is absent.
struct Question {
  std::optional<double> strength;
  std::optional<double> epsilon;
  std::optional<double> delta;
  double rate = 1.0;
  std::uint64_t repeats = 1;
};

Question question_of(const PrivacyFlags& flags, const Mechanism& mechanism) {
  const auto number = [](const std::string& text, const std::string& option) {
    return text.empty() ? std::nullopt : std::optional(parse_number(text, option));
  };
  const std::string strength = fmt::format("--{}", mechanism.strength);
  Question question;
  question.strength = number(flags.strength, strength);
  question.epsilon = number(flags.epsilon, "--epsilon");
  question.delta = number(flags.delta, "--delta");
  const int given = int{question.strength.has_value()} + int{question.epsilon.has_value()} +
                    int{question.delta.has_value()};
  if (given != 2) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("give two of {}, --epsilon and --delta, and the third is computed; {} "
                            "given",
                            strength,
                            given == 3   ? "all three are"
                            : given == 1 ? "one is"
                                         : "none is"));
  }
  const std::uint64_t most = mechanism.sampled ? kMaxSteps : kMaxCharges;
  question.repeats = parse_count(flags.repeats, fmt::format("--{}", mechanism.repeats), 1, most);
  if (mechanism.sampled) {
    question.rate = parse_rate(flags.rate);
    if (!(question.rate > 0.0 && question.rate <= 1.0)) {  // written so that NaN fails too
      throw Error(
          ErrorCode::kInvalidArgument,
          fmt::format("--rate, the sampling rate, must be greater than 0 and at most 1, but is {}",
                      flags.rate));
    }
  }
  return question;
}

std::vector<Charge> charges_of(const Mechanism& mechanism, const Question& question) {
  const double strength = question.strength.value();
  if (mechanism.sampled == SampledRecord::kReplaced) {
    return {ReplacedGaussian{"answers", strength, question.rate, question.repeats}};
  }
  if (mechanism.sampled) {
    return {SubsampledGaussian{"training", strength, question.rate, question.repeats}};
  }
  const bool is_selection = std::string_view(mechanism.name) == "selection";
  const Charge one = is_selection ? Charge(Selection{"choice", 1, strength})
                                  : Charge(GaussianSums{"sums", 1.0, strength});
  return std::vector<Charge>(question.repeats, one);
}

/// The noise multiplier, or the epsilon of a choice, that keeps a budget.
double calibrated(const Mechanism& mechanism, const Question& question) {
  const PrivacyBudget budget{question.epsilon.value(), question.delta.value()};
  if (mechanism.sampled) {
    return calibrate_noise_multiplier(budget, question.rate, question.repeats, {},
                                      *mechanism.sampled);
  }
  const auto repeats = static_cast<double>(question.repeats);
  const double mu = calibrate_mu(budget) / std::sqrt(repeats);
  if (std::string_view(mechanism.name) != "selection") {
    return 1.0 / mu;
  }
  // Few choices are better off where epsilons add up, less what composition rounds up by.
  const double each = std::max(epsilon_of_selection(mu), budget.epsilon / repeats * (1.0 - 2e-9));
  return std::min(each, kMaxSelectionEpsilon);
}

/// The question with its answer, and the answer's name.
std::pair<Question, std::string> answered(const Mechanism& mechanism, Question question) {
  if (!question.strength) {
    question.strength = calibrated(mechanism, question);
    return {question, mechanism.strength};
  }
  const ComposedPrivacy composed(charges_of(mechanism, question));
  if (!question.epsilon) {
    question.epsilon = composed.epsilon_at(*question.delta);
    return {question, "epsilon"};
  }
  question.delta = composed.delta_at(*question.epsilon);
  return {question, "delta"};
}

/// What Renyi privacy alone says of an answer, where steps are sampled.
std::optional<RenyiPrivacy::Bound> by_renyi(const Mechanism& mechanism, const Question& answer) {
  const bool has_delta = *answer.delta > 0.0 && *answer.delta < 1.0;
  return mechanism.sampled && has_delta
             ? ComposedPrivacy(charges_of(mechanism, answer)).renyi_epsilon_at(*answer.delta)
             : std::nullopt;
}

Json json_of(const Mechanism& mechanism, const Question& answer, const std::string& computed) {
  const auto key = [](std::string name) {
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
  };
  Json json{{"mechanism", mechanism.name},
            {key(mechanism.strength), *answer.strength},
            {key(mechanism.repeats), answer.repeats},
            {"epsilon", *answer.epsilon},
            {"delta", *answer.delta},
            {"computed", key(computed)},
            {"neighbours", mechanism.neighbours}};
  if (const auto renyi = by_renyi(mechanism, answer)) {
    json["renyi_epsilon"] = renyi->value;
    json["renyi_order"] = renyi->order;
  }
  if (mechanism.sampled) {
    json["rate"] = answer.rate;
  } else if (std::string_view(mechanism.name) == "selection") {
    json["mu_of_each"] = mu_of_selection(*answer.strength);
  }
  return json;
}

/// What was computed, in six digits that promise no more than it does: noise, epsilon and delta are
/// rounded up, the epsilon of a choice down. What was given, as it was given.
std::string shown_number(const std::string& name, double value, const std::string& computed) {
  if (name != computed) {
    return fmt::format("{}", value);
  }
  return name == "each" ? rounded_down(value, 6) : rounded_up(value, 6);
}

/// The answer first, then what it is the answer to.
std::string text_of(const Mechanism& mechanism, const Question& answer,
                    const std::string& computed) {
  std::string name = mechanism.strength;
  std::replace(name.begin(), name.end(), '-', ' ');
  const std::string strength =
      fmt::format("{} {}", name, shown_number(mechanism.strength, *answer.strength, computed));
  const std::string budget =
      fmt::format("epsilon {} at delta {}", shown_number("epsilon", *answer.epsilon, computed),
                  shown_number("delta", *answer.delta, computed));
  const std::string repeats =
      mechanism.sampled
          ? fmt::format(", rate {:.6g}, {} steps", answer.rate, group_digits(answer.repeats))
          : fmt::format(", {} in all", group_digits(answer.repeats));
  const bool is_calibrated = computed == mechanism.strength;
  // A delta of 0 is one of pure privacy; any other that is too small for a double is said to be.
  const bool is_below =
      computed == "delta" && *answer.delta > 0.0 && *answer.delta <= kSmallestDelta;
  const auto renyi = by_renyi(mechanism, answer);
  return fmt::format("{}\n{}{}\n", is_calibrated ? strength : budget,
                     is_calibrated ? budget : strength, repeats) +
         (renyi ? fmt::format("By Renyi privacy alone, as other accountants have it: epsilon {}\n",
                              rounded_up(renyi->value, 6))
                : "") +
         wrap(fmt::format("Rounded to the safe side{}. Neighbouring tables: {}.",
                          is_below ? ": delta is no larger than that, which is the smallest number "
                                     "stated here, and is not 0"
                                   : "",
                          mechanism.neighbours),
              0);
}

void run_privacy(PrivacyFlags& flags, const Mechanism& mechanism) {
  flags.output.open();
  const auto [answer, computed] = answered(mechanism, question_of(flags, mechanism));
  flags.output.write(flags.output.style() == FigureOutput::Style::kJson
                         ? json_of(mechanism, answer, computed).dump(2) + "\n"
                         : text_of(mechanism, answer, computed));
}

void add_mechanism(CLI::App& privacy, const Mechanism& mechanism) {
  CLI::App* command = privacy.add_subcommand(mechanism.name, mechanism.summary);
  auto flags = std::make_shared<PrivacyFlags>();
  command
      ->add_option(fmt::format("--{}", mechanism.strength), flags->strength,
                   mechanism.strength_help)
      ->type_name(mechanism.strength[0] == 'e' ? "E" : "Z");
  if (mechanism.sampled) {
    command
        ->add_option("--rate", flags->rate,
                     mechanism.sampled == SampledRecord::kAdded
                         ? "Probability of a record to be in a batch: a number, or 600/60000"
                         : "Probability of a part to be drawn: a number, or 1/1000")
        ->required()
        ->type_name("Q");
  }
  CLI::Option* repeats = command
                             ->add_option(fmt::format("--{}", mechanism.repeats), flags->repeats,
                                          mechanism.repeats_help)
                             ->type_name("N");
  if (mechanism.sampled) {
    repeats->required();
  }
  command->add_option("--epsilon", flags->epsilon, "Of the whole")->type_name("E");
  command->add_option("--delta", flags->delta, "Of the whole")->type_name("D");
  flags->output.add_to(*command, true, false);
  command->callback([flags, &mechanism] { run_privacy(*flags, mechanism); });
}

}  // namespace

void add_privacy_command(CLI::App& program) {
  CLI::App* privacy = program.add_subcommand(
      "privacy",
      "What noise buys: of a mechanism's noise, epsilon and delta two are given and the third is "
      "computed. Reads no table");
  privacy->require_subcommand(1);
  for (const Mechanism& mechanism : kMechanisms) {
    add_mechanism(*privacy, mechanism);
  }
}

}  // namespace mehler
