#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mehler/core/matrix.h"
#include "mehler/core/seeded_random.h"
#include "mehler/core/worker_pool.h"
#include "mehler/record_networks/network_design.h"

namespace mehler {

/// A class drawn by its probability; one that has a probability above 0.
std::size_t draw_class(const std::vector<double>& probabilities, SeededRandom& random);

/// What a network of this design takes for rows of given classes: noise, then the one-hot class, if
/// there are any (class_count > 0; else only how many rows there are matters). The same for any
/// number of threads.
Matrix make_inputs(const NetworkDesign& design, std::span<const std::size_t> classes,
                   std::size_t class_count, SeededRandom& random, WorkerPool& pool);

}  // namespace mehler
