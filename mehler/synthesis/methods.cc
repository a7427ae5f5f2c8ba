#include "mehler/synthesis/methods.h"

#include <fmt/format.h>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/features/embedding_features.h"
#include "mehler/generator/bayes_network/bayes_network_generator.h"
#include "mehler/generator/bayes_network/network_fit_options.h"
#include "mehler/generator/fitted_table/table_generator.h"
#include "mehler/generator/images/image_generator.h"
#include "mehler/generator/moments/moments_generator.h"
#include "mehler/generator/neural/training.h"
#include "mehler/measurement/measured_release.h"
#include "mehler/synthesis/dp_cgan/release_dp_cgan.h"
#include "mehler/synthesis/dp_gan/release_dp_gan.h"
#include "mehler/synthesis/dp_hp/release_dp_hp.h"
#include "mehler/synthesis/dp_merf/release_dp_merf.h"
#include "mehler/synthesis/gs_wgan/release_gs_wgan.h"
#include "mehler/synthesis/images/release_images.h"
#include "mehler/synthesis/independent/release_independent.h"
#include "mehler/synthesis/marginals/marginals_limits.h"
#include "mehler/synthesis/marginals/release_marginals.h"
#include "mehler/synthesis/privbayes/release_privbayes.h"
#include "mehler/table/assumed_domains.h"

namespace mehler {
namespace {

std::unique_ptr<const Generator> fit_table_to_counts(const Release& release,
                                                     const FitRequest& request,
                                                     const Context& context) {
  release.schema().refuse_images("a table fitted to counts");
  TableFitOptions options;
  options.seed = request.seed;
  return std::make_unique<const TableGenerator>(release, options, context);
}

/// A table, or for the widest tables moments: whichever the release was made for.
std::unique_ptr<const Generator> fit_marginals(const Release& release, const FitRequest& request,
                                               const Context& context) {
  release.schema().refuse_images("a table fitted to counts");
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
          .has_counts = true,
          .check =
              [](const Schema& schema, const OptionValues& release, const OptionValues&) {
                schema.refuse_images("method marginals");
                require_countable(Encoder(with_assumed_domains(schema)),
                                  MarginalsOptions::parse(release));
              },
          .release =
              [](PrivateTable&& table, const OptionValues& options, Accountant& accountant,
                 const Context& context) {
                return release_marginals(std::move(table), MarginalsOptions::parse(options),
                                         accountant, context);
              },
          .fit = fit_marginals};
}

/// Nothing is left to buy domains with where `option` asks for the published accounting.
void refuse_to_buy(const Schema& schema, const NoiseRules& rules, const char* option) {
  if (rules.accounting == AccountingRule::kPublished && schema.is_to_be_bought()) {
    throw Error(ErrorCode::kInvalidArgument,
                "the published accounting spends the whole budget on features and leaves nothing "
                "to buy bounds or categories with; declare these, or leave out " +
                    option_words(option));
  }
}

/// What can be said of a fit before domains are bought: not yet which classes there are.
void require_fit_options(const OptionValues& fit, const Schema& schema) {
  TrainingOptions options = TrainingOptions::parse(fit, 1);
  if (schema.label() != nullptr && schema.label()->is_to_be_bought()) {
    options.class_rates.clear();
  }
  options.validate(with_assumed_domains(schema));
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
                const DpHpOptions options = DpHpOptions::parse(release);
                refuse_to_buy(schema, options.rules, "accounting");
                mean_embedding_features(Encoder(with_assumed_domains(schema)), options.features);
                require_fit_options(fit, schema);
              },
          .release =
              [](PrivateTable&& table, const OptionValues& options, Accountant& accountant,
                 const Context& context) {
                return release_dp_hp(std::move(table), DpHpOptions::parse(options), accountant,
                                     context);
              },
          .fit = [](const Release& release, const FitRequest& request,
                    const Context& context) -> std::unique_ptr<const Generator> {
            return std::make_unique<const NetworkGenerator>(train(
                release, TrainingOptions::parse(request.options, request.seed), request, context));
          },
          .calmer = TrainingOptions::calmer};
}

Method dp_merf() {
  return {
      .name = "dp-merf",
      .summary =
          "a network trained so that its mean embedding in random Fourier features meets the "
          "released one; the rival that dp-hp was compared with",
      .page = "docs/methods/dp-merf.md",
      .release_options = DpMerfOptions::list(),
      .fit_options = TrainingOptions::list_without_products(),
      .has_checkpoints = true,
      .check =
          [](const Schema& schema, const OptionValues& release, const OptionValues& fit) {
            const DpMerfOptions options = DpMerfOptions::parse(release);
            refuse_to_buy(schema, options.rules, "protocol");
            mean_embedding_features(Encoder(with_assumed_domains(schema)),
                                    EmbeddingOptions::of_fourier(options.fourier));
            fit.require_known(TrainingOptions::list_without_products(),
                              "fitting by method dp-merf");
            require_fit_options(fit, schema);
          },
      .release =
          [](PrivateTable&& table, const OptionValues& options, Accountant& accountant,
             const Context& context) {
            return release_dp_merf(std::move(table), DpMerfOptions::parse(options), accountant,
                                   context);
          },
      .fit = [](const Release& release, const FitRequest& request,
                const Context& context) -> std::unique_ptr<const Generator> {
        TrainingOptions options = TrainingOptions::parse(request.options, request.seed);
        if (release.statement().rules.accounting == AccountingRule::kPublished) {
          options.train_as_dp_merf(release.encoder());
        }
        return std::make_unique<const NetworkGenerator>(train(release, options, request, context));
      },
      .calmer = TrainingOptions::calmer};
}

Method independent() {
  return {.name = "independent",
          .summary =
              "a table fitted to noisy counts of each column alone; keeps distributions and no "
              "relation between columns. The baseline that others are compared with",
          .page = "docs/methods/independent.md",
          .has_counts = true,
          .check =
              [](const Schema& schema, const OptionValues& release, const OptionValues&) {
                schema.refuse_images("method independent");
                release.require_known({}, "method independent");
                require_varying_column(Encoder(with_assumed_domains(schema)));
              },
          .release =
              [](PrivateTable&& table, const OptionValues& options, Accountant& accountant,
                 const Context& context) {
                options.require_known({}, "method independent");
                return release_independent(std::move(table), accountant, context);
              },
          .fit = fit_table_to_counts};
}

Method privbayes() {
  return {.name = "privbayes",
          .summary =
              "a Bayesian network whose tables are chosen and counted with noise; keeps how each "
              "column goes with a few others. A well-known method, with better parts by default",
          .page = "docs/methods/privbayes.md",
          .release_options = PrivBayesOptions::list(),
          .fit_options = NetworkFitOptions::list(),
          .has_counts = true,
          .check =
              [](const Schema& schema, const OptionValues& release, const OptionValues& fit) {
                require_privbayes(schema, PrivBayesOptions::parse(release));
                NetworkFitOptions::parse(fit);
              },
          .release =
              [](PrivateTable&& table, const OptionValues& options, Accountant& accountant,
                 const Context& context) {
                return release_privbayes(std::move(table), PrivBayesOptions::parse(options),
                                         accountant, context);
              },
          .fit = [](const Release& release, const FitRequest& request,
                    const Context& context) -> std::unique_ptr<const Generator> {
            if (NetworkFitOptions::parse(request.options).as_table) {
              return fit_table_to_counts(release, request, context);
            }
            return std::make_unique<const BayesNetworkGenerator>(release);
          }};
}

Method images() {
  return {.name = "images",
          .summary =
              "images drawn from noisy moments of their codes by class, labelled by a classifier "
              "that was learnt from noisy gradients; further columns as method marginals makes "
              "them. The default for tables with an image column",
          .page = "docs/methods/images.md",
          .release_options = ImagesOptions::list(),
          .fit_options = ImageFitOptions::list(),
          .check =
              [](const Schema& schema, const OptionValues& release, const OptionValues& fit) {
                require_labelled_images(schema);
                ImagesOptions::parse(release);
                ImageFitOptions::parse(fit);
              },
          .release =
              [](PrivateTable&& table, const OptionValues& options, Accountant& accountant,
                 const Context& context) {
                return release_images(std::move(table), ImagesOptions::parse(options), accountant,
                                      context);
              },
          .fit = [](const Release& release, const FitRequest& request,
                    const Context& context) -> std::unique_ptr<const Generator> {
            TableFitOptions table;
            table.seed = request.seed;
            return std::make_unique<const ImageGenerator>(
                release, ImageFitOptions::parse(request.options), table, context);
          },
          .counted_part = [](const Schema& schema, const OptionValues& options) -> CountedPart {
            return {further_columns(schema), ImagesOptions::parse(options).columns_share};
          }};
}

/// The networks that a release of weights holds.
std::unique_ptr<const Generator> wrap_weights(const Release& release, const FitRequest& request,
                                              const Context&) {
  request.options.require_known({}, fmt::format("fitting by method {}", release.method()));
  return std::make_unique<const NetworkGenerator>(NetworkGenerator::of_weights(release));
}

Method dp_gan() {
  return {
      .name = "dp-gan",
      .summary =
          "a generator for each class, trained against a Wasserstein critic whose gradients have "
          "noise; its weights are the release. A rival that dp-hp was compared with",
      .page = "docs/methods/dp-gan.md",
      .release_options = GanOptions::list("dp-gan"),
      .check =
          [](const Schema& schema, const OptionValues& release, const OptionValues& fit) {
            fit.require_known({}, "fitting by method dp-gan");
            require_dp_gan(schema, GanOptions::parse(release, "dp-gan"));
          },
      .release =
          [](PrivateTable&& table, const OptionValues& options, Accountant& accountant,
             const Context& context) {
            return release_dp_gan(std::move(table), GanOptions::parse(options, "dp-gan"),
                                  accountant, context);
          },
      .fit = wrap_weights};
}

Method dp_cgan() {
  return {.name = "dp-cgan",
          .summary =
              "a generator that is told the class, trained against a critic whose gradients "
              "have noise; its weights are the release. A rival that dp-hp was compared with",
          .page = "docs/methods/dp-cgan.md",
          .release_options = GanOptions::list("dp-cgan"),
          .check =
              [](const Schema& schema, const OptionValues& release, const OptionValues& fit) {
                fit.require_known({}, "fitting by method dp-cgan");
                require_dp_cgan(schema, GanOptions::parse(release, "dp-cgan"));
              },
          .release =
              [](PrivateTable&& table, const OptionValues& options, Accountant& accountant,
                 const Context& context) {
                return release_dp_cgan(std::move(table), GanOptions::parse(options, "dp-cgan"),
                                       accountant, context);
              },
          .fit = wrap_weights};
}

Method gs_wgan() {
  return {.name = "gs-wgan",
          .summary =
              "a generator that is told the class, trained by the noisy gradients that many "
              "private critics give of its records; its weights are the release. A rival of "
              "dp-hp, reduced",
          .page = "docs/methods/gs-wgan.md",
          .release_options = GsWganOptions::list(),
          .check =
              [](const Schema& schema, const OptionValues& release, const OptionValues& fit) {
                fit.require_known({}, "fitting by method gs-wgan");
                require_gs_wgan(schema, GsWganOptions::parse(release));
              },
          .release =
              [](PrivateTable&& table, const OptionValues& options, Accountant& accountant,
                 const Context& context) {
                return release_gs_wgan(std::move(table), GsWganOptions::parse(options), accountant,
                                       context);
              },
          .fit = wrap_weights};
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
  static const std::vector<Method> kMethods = {marginals(), dp_hp(),       dp_merf(),
                                               privbayes(), independent(), images(),
                                               dp_gan(),    dp_cgan(),     gs_wgan()};
  return kMethods;
}

const Method& default_method(const Schema& schema) {
  return schema.image() != nullptr ? find_method("images") : methods().front();
}

const Method& ReleaseRequest::method_for(const Schema& schema) const {
  return method.empty() ? default_method(schema) : find_method(method);
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
  const Method& method = request.method_for(table.schema());
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
