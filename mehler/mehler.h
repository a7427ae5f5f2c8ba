#pragma once

/// What most programs need: a private table becomes a release, a release a model, a model synthetic
/// records. README.md and examples/in_memory.cc show it.
///
///   Release release = mehler::release(PrivateTable(&records, schema), accountant);
///   release.save("people.release");
///   std::unique_ptr<const Generator> generator = mehler::fit(release);
///   Table synthetic = generator->sample(1000);

#include "mehler/core/context.h"
#include "mehler/core/error.h"
#include "mehler/core/version.h"
#include "mehler/demo/people.h"
#include "mehler/evaluation/evaluate.h"
#include "mehler/evaluation/release/release_agreement.h"
#include "mehler/generator/generator.h"
#include "mehler/generator/partial_rows.h"
#include "mehler/privacy/accountant.h"
#include "mehler/privacy/private_table.h"
#include "mehler/release/release.h"
#include "mehler/report/evaluation_report.h"
#include "mehler/report/release_report.h"
#include "mehler/synthesis/forecast_report.h"
#include "mehler/synthesis/methods.h"
#include "mehler/table/schema.h"
#include "mehler/table/table.h"
#include "mehler/table/table_stream.h"
