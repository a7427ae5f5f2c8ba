"""Network connections of the KDD Cup 1999: four kinds of attack, or none."""

import pyarrow as pa

from experiments.lib.datasets import UCI, Dataset
from experiments.lib.raw import column_names, replace, split, strings, without_dot

# The task's own list of attacks (training_attack_types); everything else is "normal".
ATTACKS = {
    "dos": "back land neptune pod smurf teardrop",
    "probe": "ipsweep nmap portsweep satan",
    "r2l": "ftp_write guess_passwd imap multihop phf spy warezclient warezmaster",
    "u2r": "buffer_overflow loadmodule perl rootkit",
}


def read(files, schema):
    names = column_names(schema)
    names.insert(names.index("is_host_login"), "num_outbound_cmds")  # zero in every record: the paper leaves it out
    table = without_dot(strings(files[0], names), "class")
    classes = {attack: name for name, attacks in ATTACKS.items() for attack in attacks.split()}
    labels = [classes.get(label, label) for label in table["class"].to_pylist()]
    return split(replace(table, "class", pa.array(labels)), 100000)


DATASET = Dataset(
    files=(("intrusion/kddcup.data_10_percent",),),
    read=read,
    source=f"{UCI}/130/kdd+cup+1999+data",
    experiments=("table2",),
    preset="intrusion",
    thinned={"dos": 0.3, "u2r": 0},
)
