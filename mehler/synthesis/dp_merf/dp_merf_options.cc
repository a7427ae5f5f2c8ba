#include "mehler/synthesis/dp_merf/dp_merf_options.h"

namespace mehler {

std::vector<Option> DpMerfOptions::list() {
  std::vector<Option> options = FourierOptions::list();
  options.push_back({"protocol", "P",
                     "own (the default), or published: the authors' sensitivities, noise, loss and "
                     "network, for comparisons; what is stated stays true",
                     "noise"});
  return options;
}

DpMerfOptions DpMerfOptions::parse(const OptionValues& values) {
  values.require_known(list(), "method dp-merf");
  DpMerfOptions result;
  result.fourier = FourierOptions::parse(values);
  if (values.choice("protocol", 0, {"own", "published"}) == 1) {
    result.rules = {SensitivityRule::kPublished, AccountingRule::kPublished};
  }
  return result;
}

}  // namespace mehler
