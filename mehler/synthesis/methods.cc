#include "mehler/synthesis/methods.h"

#include <fmt/format.h>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/generator/fitted_table/table_generator.h"
#include "mehler/generator/moments/moments_generator.h"
#include "mehler/generator/neural/training.h"
#include "mehler/measurement/measured_release.h"
#include "mehler/synthesis/dp_hp/release_dp_hp.h"
#include "mehler/synthesis/independent/release_independent.h"
#include "mehler/synthesis/marginals/release_marginals.h"
#include "mehler/table/assumed_domains.h"

namespace mehler {
namespace {

std::unique_ptr<const Generator> fit_table_to_counts(const Release& release,
                                                     const FitRequest& request,
                                                     const Context& context) {
  TableFitOptions options;
  options.seed = request.seed;
  return std::make_unique<const TableGenerator>(release, options, context);
}

/// A table, or for the widest tables moments: whichever the release was made for.
std::unique_ptr<const Generator> fit_marginals(const Release& release, const FitRequest& request,
                                               const Context& context) {
  if (MomentsGenerator::is_for(release)) {
    return std::make_unique<const MomentsGenerator>(release);
  }
  return fit_table_to_counts(release, request, context);
}

Method marginals() {
  return {.name = "marginals",
          .summary =
              "a table fitted to noisy counts of columns and of pairs of columns; keeps "
              "distributions and how columns go together. The default",
          .page = "docs/methods/marginals.md",
          .release_options = MarginalsOptions::list(),
          .check = [](const Schema&, const OptionValues& release,
                      const OptionValues&) { MarginalsOptions::parse(release); },
          .release =
              [](PrivateTable&& table, const OptionValues& options, Accountant& accountant,
                 const Context& context) {
                return release_marginals(std::move(table), MarginalsOptions::parse(options),
                                         accountant, context);
              },
          .fit = fit_marginals};
}

Method dp_hp() {
  return {.name = "dp-hp",
          .summary =
              "a network trained so that its Hermite mean embedding meets the released one; keeps "
              "each column's distribution within each class",
          .page = "docs/methods/dp-hp.md",
          .release_options = DpHpOptions::list(),
          .fit_options = TrainingOptions::list(),
          .has_checkpoints = true,
          .check =
              [](const Schema& schema, const OptionValues& release, const OptionValues& fit) {
                if (DpHpOptions::parse(release).rules.accounting == AccountingRule::kPublished &&
                    schema.is_to_be_bought()) {
                  throw Error(ErrorCode::kInvalidArgument,
                              "the published accounting spends the whole budget on features and "
                              "leaves nothing to buy bounds or categories with; declare these, or "
                              "leave out " +
                                  option_words("accounting"));
                }
                TrainingOptions::parse(fit, 1).validate(with_assumed_domains(schema));
              },
          .release =
              [](PrivateTable&& table, const OptionValues& options, Accountant& accountant,
                 const Context& context) {
                return release_dp_hp(std::move(table), DpHpOptions::parse(options), accountant,
                                     context);
              },
          .fit = [](const Release& release, const FitRequest& request,
                    const Context& context) -> std::unique_ptr<const Generator> {
            return std::make_unique<const NetworkGenerator>(train(release, request, context));
          },
          .calmer = TrainingOptions::calmer};
}

Method independent() {
  return {.name = "independent",
          .summary =
              "a table fitted to noisy counts of each column alone; keeps distributions and no "
              "relation between columns. The baseline that others are compared with",
          .page = "docs/methods/independent.md",
          .check = [](const Schema&, const OptionValues& release,
                      const OptionValues&) { release.require_known({}, "method independent"); },
          .release =
              [](PrivateTable&& table, const OptionValues& options, Accountant& accountant,
                 const Context& context) {
                options.require_known({}, "method independent");
                return release_independent(std::move(table), accountant, context);
              },
          .fit = fit_table_to_counts};
}

const Method* find(std::string_view name) {
  for (const Method& method : methods()) {
    if (method.name == name) {
      return &method;
    }
  }
  return nullptr;
}

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const Method& method : methods()) {
    names.push_back(method.name);
  }
  return names;
}

}  // namespace

const std::vector<Method>& methods() {
  static const std::vector<Method> kMethods = {marginals(), dp_hp(), independent()};
  return kMethods;
}

const Method& find_method(std::string_view name) {
  if (const Method* method = find(name)) {
    return *method;
  }
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("there is no method '{}'{}", shown(name), suggest_names(name, names())));
}

const Method& method_of(const Release& release) {
  if (const Method* method = find(release.method())) {
    return *method;
  }
  throw Error(
      ErrorCode::kInvalidRelease,
      fmt::format("the release is of method '{}', which this version does not know; use the "
                  "version that made it, or a newer one",
                  release.method()));
}

Release release(PrivateTable&& table, Accountant& accountant, const ReleaseRequest& request,
                const Context& context) {
  const Method& method = find_method(request.method);
  method.check(table.schema(), request.options, {});
  if (!table.schema().is_to_be_bought()) {
    return method.release(std::move(table), request.options, accountant, context);
  }
  BoughtDomains bought = buy_domains(std::move(table), request.domains, accountant, context);
  return once_measured([] { return true; },
                       [&] {
                         return method.release(std::move(bought.table), request.options, accountant,
                                               context);
                       });
}

std::unique_ptr<const Generator> fit(const Release& release, const FitRequest& request,
                                     const Context& context) {
  const Method& method = method_of(release);
  request.options.require_known(method.fit_options,
                                fmt::format("fitting by method {}", method.name));
  if (request.resume && !method.has_checkpoints) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} goes on with a fit that was interrupted, but that of method {} is "
                            "made in one go; leave it out",
                            option_words("resume"), method.name));
  }
  return method.fit(release, request, context);
}

}  // namespace mehler
