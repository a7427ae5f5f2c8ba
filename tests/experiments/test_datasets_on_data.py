"""Raw data becomes tables that fit their schemas: half a minute, and no part of CI."""

import pyarrow.parquet
import pytest
from running import DATA, DATASETS, datasets


@pytest.mark.parametrize("name", DATASETS)
def test_the_raw_data_fits_its_schema(tmp_path, name):
    if not DATA.is_dir():
        pytest.skip(f"needs raw data in MEHLER_DATA: {DATA} is not there")
    result = datasets(DATA, name, "--output", tmp_path)
    if "not found" in result.stderr:
        pytest.skip(result.stderr)
    assert result.returncode == 0, result.stderr
    assert pyarrow.parquet.read_metadata(tmp_path / name / "train.parquet").num_rows > 500
