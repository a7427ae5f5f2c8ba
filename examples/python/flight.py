"""Arrow Flight, both ways: a table that a server hands out is released, and a server streams synthetic records.

pip install pyarrow
"""

import pyarrow
import pyarrow.flight

import mehler


class Server(pyarrow.flight.FlightServerBase):
    """`private` stands for the server where the records are; `synthetic` is drawn while it is sent."""

    def __init__(self, tables):
        super().__init__("grpc://127.0.0.1:0")
        self.tables = tables

    def do_get(self, context, ticket):
        table = self.tables[ticket.ticket.decode()]
        return pyarrow.flight.RecordBatchStream(pyarrow.RecordBatchReader.from_stream(table))


def main():
    schema = mehler.demo.people_schema()
    with Server({"private": mehler.demo.people(2_000)}) as server:
        client = pyarrow.flight.connect(f"grpc://127.0.0.1:{server.port}")
        reader = client.do_get(pyarrow.flight.Ticket(b"private")).to_reader()
        release = mehler.release(reader, schema=schema, epsilon=1, delta=1e-6)

        server.tables["synthetic"] = release.fit().sample(500)
        print(client.do_get(pyarrow.flight.Ticket(b"synthetic")).read_all().num_rows)


if __name__ == "__main__":
    main()
