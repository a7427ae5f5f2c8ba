"""A table of a database through ADBC: SQLite here; PostgreSQL, Snowflake and others have drivers of the same shape.

pip install adbc-driver-manager adbc-driver-sqlite pyarrow
"""

import adbc_driver_sqlite.dbapi
import pyarrow

import mehler

SCHEMA = mehler.Schema(
    {
        "age": mehler.integer(18, 95),
        "income": mehler.numeric(0, 250_000, decimals=2),
        "region": mehler.categorical(["north", "east", "south", "west"]),
    }
)


def main():
    with adbc_driver_sqlite.dbapi.connect() as connection, connection.cursor() as cursor:
        people = pyarrow.table(mehler.demo.people(2_000)).select(SCHEMA.columns)
        cursor.adbc_ingest("people", people)

        # Rows come as a stream of Arrow batches; the release reads it once.
        cursor.execute("select age, income, region from people")
        release = mehler.release(cursor.fetch_record_batch(), schema=SCHEMA, epsilon=1, delta=1e-6)

        # Synthetic records go back as a stream, a batch at a time.
        records = pyarrow.RecordBatchReader.from_stream(release.fit().sample(500))
        cursor.adbc_ingest("synthetic", records.read_all().cast(people.schema))
        cursor.execute("select count(*), avg(age) from synthetic")
        print(cursor.fetchone())


if __name__ == "__main__":
    main()
