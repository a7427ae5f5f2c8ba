#include "mehler/generator/bayes_network/network_fit_options.h"

namespace mehler {

std::vector<Option> NetworkFitOptions::list() {
  return {{"model", "M",
           "network (the default): columns are drawn one after the other; or table: a table is "
           "fitted to all counts at once, as method marginals does"}};
}

NetworkFitOptions NetworkFitOptions::parse(const OptionValues& values) {
  values.require_known(list(), "fitting by method privbayes");
  NetworkFitOptions result;
  result.as_table = values.choice("model", 0, {"network", "table"}) == 1;
  return result;
}

}  // namespace mehler
