"""Makes silhouette.json: rows of three blobs, three labellings, their silhouette_score.

The labels are the blobs, halves of them, and the blobs with a cluster of a single row;
two rows are equal. Made with scikit-learn 1.2.1 on distances by SciPy: its own are from
scalar products, and less exact.
"""
import json
import numpy as np
from scipy.spatial.distance import cdist
from sklearn.metrics import silhouette_score

rng = np.random.default_rng(11)
x = np.round(np.vstack([rng.normal(size=(15, 3)) + c for c in ([0, 0, 0], [4, 0, 1], [0, 3, -2])]), 3)
x[1] = x[0]
blobs = np.repeat([7, 2, 5], 15)
halves = np.arange(45) % 2
alone = blobs.copy()
alone[44] = 9
out = {"rows": x.tolist(), "cases": [{"labels": l.tolist(), "silhouette": silhouette_score(cdist(x, x), l, metric="precomputed")} for l in (blobs, halves, alone)]}
json.dump(out, open("silhouette.json", "w"))
