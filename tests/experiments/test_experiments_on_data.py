"""The expectations of the experiments on raw data hold in a quick run. Minutes, and noise in every figure: not in CI."""

import pytest
from running import WITH_DATA, expectations_hold


@pytest.mark.parametrize("name", WITH_DATA)
def test_the_expectations_of_an_experiment_hold(experiments, tmp_path, name):
    missing = expectations_hold(experiments, tmp_path / "out", name)
    if missing is not None:
        pytest.skip(missing.stderr)
