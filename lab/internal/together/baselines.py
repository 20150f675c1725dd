#!/usr/bin/env python3
"""Detect anomalies in the folds of the experiment `together` by methods of scikit-learn.

    baselines.py FOLDER

Each participant learns from its own training rows, standardised by them. FOLDER is
OUT/together.folds; the result is FOLDER/baselines.json, which the experiment reads when
it is run again. Folds that are in the result already are left out.
"""
import json
import os
import sys
import warnings

import numpy as np
from sklearn.covariance import LedoitWolf
from sklearn.ensemble import IsolationForest
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import StandardScaler


def knn(train, test):
    k = min(5, len(train))
    return NearestNeighbors(n_neighbors=k).fit(train).kneighbors(test)[0].mean(axis=1)


def forest(train, test):
    return -IsolationForest(random_state=0).fit(train).score_samples(test)


def ledoit_wolf(train, test):
    return LedoitWolf().fit(train).mahalanobis(test)


def mixture(train, test):
    """The mixture of full covariances that the BIC prefers, of up to 10 components."""
    models = [
        GaussianMixture(k, reg_covar=1e-3, random_state=0).fit(train)
        for k in range(1, min(10, len(train) // 2) + 1)
    ]
    return -min(models, key=lambda m: m.bic(train)).score_samples(test)


METHODS = {"kNN": knn, "IF": forest, "LW": ledoit_wolf, "GMM-BIC": mixture}


def evaluate(path):
    rows = np.load(path)
    found = {name: {"ROC": [], "PR": []} for name in METHODS}
    for i in range(len(rows.files) // 3):
        scale = StandardScaler().fit(rows[f"train{i}"])
        train, test = scale.transform(rows[f"train{i}"]), scale.transform(rows[f"test{i}"])
        labels = rows[f"labels{i}"]
        for name, method in METHODS.items():
            scores = method(train, test)
            found[name]["ROC"].append(roc_auc_score(labels, scores))
            found[name]["PR"].append(average_precision_score(labels, scores))
    return found


def main(folder):
    warnings.filterwarnings("ignore")
    result = os.path.join(folder, "baselines.json")
    found = {}
    if os.path.exists(result):
        with open(result, encoding="utf-8") as f:
            found = json.load(f)
    for name in sorted(os.listdir(folder)):
        fold, kind = os.path.splitext(name)
        if kind != ".npz" or fold in found:
            continue
        print(fold, file=sys.stderr)
        found[fold] = evaluate(os.path.join(folder, name))
        with open(result + ".new", "w", encoding="utf-8") as f:
            json.dump(found, f)
        os.replace(result + ".new", result)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
