"""Mehler as a synthesizer of SDGym (https://docs.sdv.dev/sdgym): the two functions that it asks for.

    Mehler = sdgym.create_single_table_synthesizer(
        display_name="Mehler", get_trained_synthesizer_fn=get_trained_synthesizer,
        sample_from_synthesizer_fn=sample_from_synthesizer)
    sdgym.benchmark_single_table(synthesizers=[], custom_synthesizers=[Mehler], sdv_datasets=["adult"])

SDGym need not be installed to run this file, which calls them as it does.

Privacy: the tables of a benchmark are public, and their schema is read from them. Do not do this with private tables.
"""

import mehler

EPSILON, DELTA = 1.0, 1e-6


def get_trained_synthesizer(data, metadata):
    """data: a pandas frame; metadata: SDV's, as a dict, of which ids are not learnt."""
    schema = mehler.Schema.read_public(data)
    table = next(iter(metadata["tables"].values())) if "tables" in metadata else metadata
    ids = [name for name, column in table["columns"].items() if column.get("sdtype") == "id"]
    schema = schema.declare({name: mehler.identifier(make="{9 digits}") for name in ids})
    return mehler.release(data, schema=schema, epsilon=EPSILON, delta=DELTA).fit()


def sample_from_synthesizer(synthesizer, n_samples):
    return synthesizer.sample(n_samples).to_pandas()


def main():
    data = mehler.demo.people(2_000).to_pandas()
    metadata = {"columns": {"patient_id": {"sdtype": "id"}}, "primary_key": "patient_id"}
    synthesizer = get_trained_synthesizer(data, metadata)
    made = sample_from_synthesizer(synthesizer, 500)
    assert list(made.columns) == list(data.columns) and made["patient_id"].is_unique
    print(made.describe())


if __name__ == "__main__":
    main()
