#include "mehler/measurement/schema_origin.h"

namespace mehler {

SchemaOrigin schema_origin(const Accountant& accountant) {
  return accountant.charges().empty() ? SchemaOrigin::kWritten : SchemaOrigin::kBought;
}

}  // namespace mehler
