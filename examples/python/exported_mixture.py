"""Scores rows by an exported mixture, from

collabdict export --model demo/plant-a/model.npz --to json --with own -o mixture.json

With own weights, scores are those of `collabdict score --with shared`.
"""

import csv
import json

import numpy as np

path = "demo/plant-a/model.npz"
with open("mixture.json") as f:
    mixture = {k: np.array(v) if isinstance(v, list) and k != "columns" else v for k, v in json.load(f).items()}


def log_density(x):
    """ln p(x) of the rows of x, in nats."""
    z = (x - mixture["shift"]) / mixture["scale"] if "shift" in mixture else x
    if "axes" in mixture:  # trained with --pca
        z = (z - mixture["centre"]) @ mixture["axes"].T
    d, precisions = z[:, None, :] - mixture["means"], mixture["precisions"]
    if mixture["covariance"] == "full":
        quadratic = np.einsum("nki,kij,nkj->nk", d, precisions, d)
        log_det = np.linalg.slogdet(precisions)[1]
    else:  # the diagonals
        quadratic, log_det = np.sum(d * d * precisions, axis=2), np.log(precisions).sum(axis=1)
    logs = np.log(mixture["weights"]) + 0.5 * (log_det - z.shape[1] * np.log(2 * np.pi) - quadratic)
    return np.logaddexp.reduce(logs, axis=1)


with open("demo/data/plant-a.csv") as f:
    rows = [r for r in csv.DictReader(f) if r["split"] == "test"]
s = -log_density(np.array([[float(r[c]) for c in mixture["columns"]] for r in rows]))
print(s[:3])
