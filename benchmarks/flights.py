"""Simulated flights: 19 columns with the relations that make such tables hard, of any number of rows.

Nothing is real and the seed is public. Airports lie in a plane, so distance and time in the air follow from origin and
destination; a carrier flies from its own hubs; an aircraft belongs to one carrier; delays add up over the day; the
times of arrival follow from those of departure.
"""

import numpy
import pyarrow
import pyarrow.parquet

AIRPORTS, CARRIERS, AIRCRAFT = 300, 14, 350
PART_ROWS = 1_000_000
CHUNK_ROWS = 250_000
MINUTES = 24 * 60
CANCELLATIONS = ["no", "carrier", "weather", "airspace"]


def names(letter, count):
    return [f"{letter}{i:03d}" for i in range(count)]


def schema():
    def integer(name, low, high):
        return {"name": name, "kind": "integer", "bounds": [low, high]}

    def category(name, values):
        return {"name": name, "kind": "categorical", "categories": values}

    return {
        "mehler_schema": 1,
        "relation": "add-remove-one",
        "target": "late",
        "columns": [
            integer("month", 1, 12),
            integer("day", 1, 31),
            category("weekday", ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]),
            category("carrier", names("C", CARRIERS)),
            category("aircraft", names("N", AIRCRAFT)),
            integer("number", 1, 7999),
            category("origin", names("A", AIRPORTS)),
            category("destination", names("A", AIRPORTS)),
            integer("planned_departure", 0, MINUTES - 1),
            integer("departure", 0, MINUTES - 1),
            integer("departure_delay", -60, 600),
            integer("taxi_out", 0, 120),
            integer("planned_arrival", 0, MINUTES - 1),
            integer("arrival", 0, MINUTES - 1),
            integer("arrival_delay", -90, 600),
            integer("air_time", 0, 500),
            integer("distance", 0, 5000),
            category("cancelled", CANCELLATIONS),
            category("late", ["no", "yes"]),
        ],
    }


class Network:
    """Where airports lie, what carriers fly, and which aircraft they have."""

    def __init__(self):
        random = numpy.random.default_rng(20)
        self.places = random.uniform([0, 0], [4200, 2200], (AIRPORTS, 2))
        traffic = 1.0 / numpy.arange(3, AIRPORTS + 3) ** 1.1
        self.destinations = numpy.cumsum(traffic / traffic.sum())
        shares = 1.0 / numpy.arange(1, CARRIERS + 1) ** 0.8
        self.carriers = numpy.cumsum(shares / shares.sum())
        hubs = traffic * random.gamma(0.3, 1.0, (CARRIERS, AIRPORTS))
        self.origins = numpy.cumsum(hubs / hubs.sum(axis=1, keepdims=True), axis=1)
        first = numpy.floor(numpy.concatenate([[0], self.carriers]) * AIRCRAFT).astype(int)
        self.first_aircraft, self.aircraft = first[:-1], numpy.diff(first)
        self.hours = random.normal([7.5, 12.5, 17.5], 0.8, (CARRIERS, 3))

    def flights(self, random, count):
        """`count` flights, as a table of columns."""
        carrier = numpy.minimum(numpy.searchsorted(self.carriers, random.random(count)), CARRIERS - 1)
        origin = numpy.empty(count, int)
        for one in range(CARRIERS):
            of_carrier = numpy.flatnonzero(carrier == one)
            origin[of_carrier] = numpy.searchsorted(self.origins[one], random.random(len(of_carrier)))
        origin = numpy.minimum(origin, AIRPORTS - 1)
        # Flights go where much traffic is, or back toward the airports beside the origin's number.
        destination = numpy.where(
            random.random(count) < 0.6,
            numpy.searchsorted(self.destinations, random.random(count)),
            origin + random.integers(1, 12, count),
        )
        destination %= AIRPORTS
        destination = numpy.where(destination == origin, (origin + 1) % AIRPORTS, destination)
        aircraft = self.first_aircraft[carrier] + (
            self.aircraft[carrier] * random.random(count) ** 1.5 * (0.6 + 0.4 * (origin % 5) / 4)
        ).astype(int)
        month = random.choice(12, count, p=numpy.array([7, 7, 8, 8, 8, 9, 10, 10, 8, 9, 8, 8]) / 100)
        day = random.integers(0, 31, count)
        weekday = (day + 3 * month + (random.random(count) < 0.05)) % 7
        hours = self.hours[carrier, random.integers(0, 3, count)] + random.normal(0, 1.6, count)
        planned = numpy.clip(5 * numpy.round(12 * hours), 0, MINUTES - 1).astype(int)
        distance = numpy.hypot(*(self.places[origin] - self.places[destination]).T).astype(int)
        air_time = numpy.clip(18 + distance / 7.8 + random.normal(0, 8, count), 0, 500).astype(int)
        taxi = numpy.clip(random.gamma(4, 4 + 2 * (origin < 8), count), 0, 120).astype(int)
        # Delays grow over the day, in winter and at some carriers; most flights are a little early.
        scale = 6 + planned / 60 + 8 * numpy.isin(month, [0, 5, 6, 11]) + 6 * (carrier % 3 == 0)
        is_delayed = random.random(count) < 0.15 + 0.15 * planned / MINUTES
        delay = numpy.where(is_delayed, random.exponential(2.5 * scale), random.normal(-4, 3, count))
        delay = numpy.clip(delay, -60, 600).astype(int)
        arrival_delay = numpy.clip(delay + random.normal(-5, 9, count) + 0.3 * (taxi - 16), -90, 600).astype(int)
        planned_arrival = (planned + air_time + 30) % MINUTES
        cancelled = numpy.where(
            random.random(count) < 0.004 + 0.03 * (delay > 120), 1 + (random.random(count) < 0.5) + (month == 0), 0
        )
        number = numpy.clip(500 * carrier + 40 * (origin % 12) + random.integers(1, 60, count), 1, 7999)
        return {
            "month": month + 1,
            "day": day + 1,
            "weekday": (weekday, schema_values("weekday")),
            "carrier": (carrier, schema_values("carrier")),
            "aircraft": (numpy.minimum(aircraft, AIRCRAFT - 1), schema_values("aircraft")),
            "number": number,
            "origin": (origin, schema_values("origin")),
            "destination": (destination, schema_values("destination")),
            "planned_departure": planned,
            "departure": (planned + delay) % MINUTES,
            "departure_delay": delay,
            "taxi_out": taxi,
            "planned_arrival": planned_arrival,
            "arrival": (planned_arrival + arrival_delay) % MINUTES,
            "arrival_delay": arrival_delay,
            "air_time": air_time,
            "distance": distance,
            "cancelled": (cancelled, CANCELLATIONS),
            "late": ((arrival_delay > 15).astype(int), ["no", "yes"]),
        }


def schema_values(name):
    return next(column["categories"] for column in schema()["columns"] if column["name"] == name)


def write_flights(folder, rows, seed=1):
    """Parquet parts of at most a million flights; the first parts are the same for any number of rows."""
    folder.mkdir(parents=True, exist_ok=True)
    network = Network()
    for part, first in enumerate(range(0, rows, PART_ROWS)):
        random = numpy.random.default_rng([seed, part])
        writer = None
        for start in range(first, min(first + PART_ROWS, rows), CHUNK_ROWS):
            flights = network.flights(random, CHUNK_ROWS)
            count = min(CHUNK_ROWS, rows - start)
            columns = {}
            for name, values in flights.items():
                if isinstance(values, tuple):
                    codes = pyarrow.array(values[0][:count], pyarrow.int16())
                    columns[name] = pyarrow.DictionaryArray.from_arrays(codes, values[1])
                else:
                    columns[name] = pyarrow.array(values[:count], pyarrow.int16())
            table = pyarrow.table(columns)
            writer = writer or pyarrow.parquet.ParquetWriter(folder / f"part-{part:04d}.parquet", table.schema)
            writer.write_table(table)
        writer.close()
