"""Scores rows by a model of mtvae, from `collabdict demo --model mtvae --out mtvae`."""

import csv
import json
import zipfile

import numpy as np

path = "mtvae/plant-a/model.npz"
model = np.load(path)
with zipfile.ZipFile(path) as z:
    manifest = json.loads(z.read("manifest.json"))


def network(name, x):
    """Means and raw scales: each layer but the last is rectified."""
    i = 0
    while f"{name}.{i}.weight" in model:
        if i > 0:
            x = np.maximum(x, 0)
        x = x @ model[f"{name}.{i}.weight"] + model[f"{name}.{i}.bias"]
        i += 1
    return np.split(x, 2, axis=1)


def decode(codes):
    """Means and standard deviations of the rows decoded from codes, as scaled in training."""
    mean, raw = network("decoder", codes)
    return mean, np.logaddexp(0, np.clip(raw, -6.51582, 20.08454)) + 1e-3


def score(x, draws=100, rng=np.random.default_rng(1)):
    """Minus the log-density under the decoder, mean over draws of codes.

    collabdict uses other random draws, so scores differ by the sampling error of the mean.
    """
    x = (x - model["shift"]) / model["scale"]
    if "axes" in model:  # trained with --pca
        x = (x - model["centre"]) @ model["axes"].T
    m, raw = network("encoder", x)
    h = np.logaddexp(0, raw) + 1e-3
    total = 0
    for _ in range(draws):
        mean, sd = decode(m + h * rng.standard_normal(m.shape))
        total += np.sum(0.5 * np.log(2 * np.pi) + np.log(sd) + 0.5 * ((x - mean) / sd) ** 2, axis=1)
    return total / draws


with open("demo/data/plant-a.csv") as f:
    rows = [r for r in csv.DictReader(f) if r["split"] == "test"]
x = np.array([[float(r[c]) for c in manifest["columns"]] for r in rows])
s = score(x)
print(manifest["participant"], s[:3], int((s > manifest["threshold"]).sum()), "anomalies")
