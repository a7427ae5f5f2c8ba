"""The paper's numbers (Hermite polynomial features for private data generation, ICML 2022)."""

# Its comparison methods, which are not built.
NOT_AVAILABLE = ("DP-CGAN", "DP-GAN")

# Table 1: total variation by epsilon. What it calls 3- and 4-way of Adult (2 and 3 of Census) is of one column more,
# with bins merged (lib/marginals.py); its keys here are the sizes that were really taken.
TABLE_1 = {
    ("adult_discrete", 0.3): {
        "PrivBayes": {4: 0.446, 5: 0.547},
        "DP-MERF": {4: 0.405, 5: 0.508},
        "DP-HP": {4: 0.332, 5: 0.418},
    },
    ("adult_discrete", 0.1): {
        "PrivBayes": {4: 0.577, 5: 0.673},
        "DP-MERF": {4: 0.480, 5: 0.590},
        "DP-HP": {4: 0.377, 5: 0.467},
    },
    ("census_discrete", 0.3): {
        "PrivBayes": {3: 0.180, 4: 0.323},
        "DP-MERF": {3: 0.190, 4: 0.302},
        "DP-HP": {3: 0.141, 4: 0.211},
    },
    ("census_discrete", 0.1): {
        "PrivBayes": {3: 0.291, 4: 0.429},
        "DP-MERF": {3: 0.222, 4: 0.337},
        "DP-HP": {3: 0.155, 4: 0.232},
    },
}

# Table 2 and the appendix's table of non-private results: (ROC, PRC), or (F1,) for several classes, at (1, 1e-5).
TABLE_2 = {
    "adult": {
        "Real": (0.786, 0.683),
        "DP-CGAN": (0.509, 0.444),
        "DP-GAN": (0.511, 0.445),
        "DP-MERF": (0.642, 0.524),
        "DP-HP": (0.688, 0.632),
    },
    "census": {
        "Real": (0.776, 0.433),
        "DP-CGAN": (0.655, 0.216),
        "DP-GAN": (0.529, 0.166),
        "DP-MERF": (0.685, 0.236),
        "DP-HP": (0.699, 0.328),
    },
    "cervical": {
        "Real": (0.959, 0.858),
        "DP-CGAN": (0.519, 0.200),
        "DP-GAN": (0.485, 0.183),
        "DP-MERF": (0.531, 0.176),
        "DP-HP": (0.616, 0.312),
    },
    "creditcard": {
        "Real": (0.924, 0.864),
        "DP-CGAN": (0.664, 0.356),
        "DP-GAN": (0.435, 0.150),
        "DP-MERF": (0.751, 0.622),
        "DP-HP": (0.786, 0.744),
    },
    "epileptic": {
        "Real": (0.808, 0.636),
        "DP-CGAN": (0.578, 0.241),
        "DP-GAN": (0.505, 0.196),
        "DP-MERF": (0.605, 0.316),
        "DP-HP": (0.609, 0.554),
    },
    "isolet": {
        "Real": (0.895, 0.741),
        "DP-CGAN": (0.511, 0.198),
        "DP-GAN": (0.540, 0.205),
        "DP-MERF": (0.557, 0.228),
        "DP-HP": (0.572, 0.498),
    },
    "covtype": {"Real": (0.820,), "DP-CGAN": (0.285,), "DP-GAN": (0.492,), "DP-MERF": (0.467,), "DP-HP": (0.537,)},
    "intrusion": {"Real": (0.971,), "DP-CGAN": (0.302,), "DP-GAN": (0.251,), "DP-MERF": (0.892,), "DP-HP": (0.890,)},
}
NON_PRIVATE = {
    "adult": {"DP-MERF": (0.642, 0.525), "DP-HP": (0.673, 0.621)},
    "census": {"DP-MERF": (0.696, 0.244), "DP-HP": (0.707, 0.320)},
    "cervical": {"DP-MERF": (0.863, 0.607), "DP-HP": (0.823, 0.574)},
    "creditcard": {"DP-MERF": (0.902, 0.828), "DP-HP": (0.890, 0.863)},
    "epileptic": {"DP-MERF": (0.564, 0.236), "DP-HP": (0.602, 0.546)},
    "isolet": {"DP-MERF": (0.755, 0.461), "DP-HP": (0.789, 0.668)},
    "covtype": {"DP-MERF": (0.601,), "DP-HP": (0.580,)},
    "intrusion": {"DP-MERF": (0.884,), "DP-HP": (0.888,)},
}

# The appendix's ablations on discretised Adult, by gamma at epsilon 0.3 and by columns of a product at epsilon 1; keys
# as in TABLE_1.
GAMMA = {
    0.001: {4: 0.474, 5: 0.570},
    0.01: {4: 0.473, 5: 0.570},
    0.1: {4: 0.499, 5: 0.597},
    1: {4: 0.474, 5: 0.570},
    10: {4: 0.585, 5: 0.671},
    100: {4: 0.674, 5: 0.757},
    1000: {4: 0.676, 5: 0.761},
}
PRODUCT_COLUMNS = {2: {4: 0.367, 5: 0.466}, 5: {4: 0.340, 5: 0.434}, 7: {4: 0.332, 5: 0.422}}

# Figure 6: accuracies of the twelve classifiers on the real test images of 60,000 training images (the authors' files;
# DP-HP here is the sum kernel alone). By dataset: pairs of MNIST and Fashion-MNIST; at (1, 1e-5) where private.
_FIGURE_6 = {
    "Real": {
        "logistic_regression": (0.925, 0.844),
        "gaussian_nb": (0.555, 0.585),
        "bernoulli_nb": (0.842, 0.648),
        "linear_svc": (0.918, 0.839),
        "decision_tree": (0.877, 0.790),
        "lda": (0.879, 0.799),
        "adaboost": (0.710, 0.533),
        "bagging": (0.928, 0.841),
        "random_forest": (0.969, 0.875),
        "gradient_boosting": (0.909, 0.834),
        "mlp": (0.978, 0.880),
        "xgboost": (0.912, 0.826),
        "mean": (0.867, 0.774),
    },
    "DP-HP": {
        "logistic_regression": (0.811, 0.723),
        "gaussian_nb": (0.586, 0.602),
        "bernoulli_nb": (0.815, 0.637),
        "linear_svc": (0.771, 0.694),
        "decision_tree": (0.560, 0.519),
        "lda": (0.815, 0.723),
        "adaboost": (0.674, 0.567),
        "bagging": (0.666, 0.633),
        "random_forest": (0.816, 0.730),
        "gradient_boosting": (0.727, 0.684),
        "mlp": (0.806, 0.716),
        "xgboost": (0.798, 0.701),
        "mean": (0.737, 0.661),
    },
}
FIGURE_6 = {
    (dataset, method): {name: pair[place] for name, pair in numbers.items()}
    for method, numbers in _FIGURE_6.items()
    for place, dataset in enumerate(("mnist", "fashion_mnist"))
}

# Figure 3: means of the twelve by the number of images; at (1, 1e-5), GS-WGAN at 10, DP-CGAN and DP-GAN at 9.6.
FIGURE_3_SIZES = (60000, 30000, 12000, 6000, 3000, 1200, 600, 300, 120, 60)
FIGURE_3 = {
    ("mnist", "Real"): (0.867, 0.857, 0.838, 0.832, 0.817, 0.788, 0.748, 0.708, 0.617, 0.535),
    ("mnist", "DP-HP"): (0.730, 0.730, 0.726, 0.724, 0.717, 0.705, 0.693, 0.658, 0.596, 0.531),
    ("mnist", "DP-MERF"): (0.652, 0.651, 0.650, 0.648, 0.643, 0.638, 0.620, 0.581, 0.552, 0.497),
    ("mnist", "GS-WGAN at 10"): (0.551, 0.549, 0.547, 0.549, 0.541, 0.529, 0.528, 0.516, 0.472, 0.431),
    ("mnist", "DP-CGAN at 9.6"): (0.496, 0.502, 0.497, 0.493, 0.488, 0.477, 0.472, 0.462, 0.430, 0.403),
    ("mnist", "DP-GAN at 9.6"): (0.480, 0.486, 0.484, 0.479, 0.479, 0.478, 0.472, 0.470, 0.434, 0.414),
    ("fashion_mnist", "Real"): (0.774, 0.772, 0.762, 0.749, 0.734, 0.716, 0.694, 0.653, 0.591, 0.511),
    ("fashion_mnist", "DP-HP"): (0.654, 0.657, 0.665, 0.661, 0.660, 0.655, 0.639, 0.617, 0.558, 0.511),
    ("fashion_mnist", "DP-MERF"): (0.620, 0.621, 0.628, 0.624, 0.622, 0.612, 0.603, 0.580, 0.559, 0.490),
    ("fashion_mnist", "GS-WGAN at 10"): (0.510, 0.513, 0.516, 0.516, 0.515, 0.513, 0.497, 0.490, 0.477, 0.441),
    ("fashion_mnist", "DP-CGAN at 9.6"): (0.394, 0.393, 0.393, 0.392, 0.396, 0.395, 0.392, 0.385, 0.376, 0.364),
    ("fashion_mnist", "DP-GAN at 9.6"): (0.453, 0.452, 0.452, 0.448, 0.447, 0.445, 0.447, 0.449, 0.430, 0.405),
}
