"""The paper's numbers (Hermite polynomial features for private data generation, ICML 2022)."""

# Its comparison methods, which are not built.
NOT_AVAILABLE = ("PrivBayes", "DP-MERF", "DP-CGAN", "DP-GAN")

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
