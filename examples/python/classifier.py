"""Classifies rows by a model of cgau, which has learned the faults of the demo:

collabdict sim --model cgau --data demo/data --label label --rounds 20 --out classes

The weights are in model.npz. The participant's private conditions, and its scaling if that
is private, are in own.npz. Probabilities agree with those of `collabdict score` to five
digits, because it computes in single precision.
"""

import csv
import json
import zipfile

import numpy as np

path = "classes/plant-a/model.npz"
model, own = np.load(path), np.load(path.replace("model.npz", "own.npz"))
with zipfile.ZipFile(path) as z:
    manifest = json.loads(z.read("manifest.json"))


def probabilities(x):
    """The probability of each class, rows by classes."""
    by = own if "shift" in own else model
    x = (x - by["shift"]) / by["scale"]
    if "axes" in model:  # trained with --pca
        x = (x - model["centre"]) @ model["axes"].T
    i = 0
    while f"classifier.{i}.condition" in own:
        a = x @ model[f"classifier.{i}.weight"] + model[f"classifier.{i}.bias"] + own[f"classifier.{i}.condition"]
        f, g = np.split(a, 2, axis=1)
        x = np.tanh(f) / (1 + np.exp(-g))
        i += 1
    a = x @ model[f"classifier.{i}.weight"] + model[f"classifier.{i}.bias"]
    e = np.exp(a - a.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


with open("demo/data/plant-a.csv") as f:
    rows = [r for r in csv.DictReader(f) if r["split"] == "test"]
p = probabilities(np.array([[float(r[c]) for c in manifest["columns"]] for r in rows]))
s = p.max(axis=1)
print(p.argmax(axis=1)[:3], s[:3])
