"""Runs the snippets in Python of a page, one after the other in one session, or a file of
Python. If one sets s to scores of the demo's test rows under the model in path, or to the
probabilities of their classes, collabdict has to compute the same: to six digits, to five
for networks, and to the error of two estimates of the same number if codes are drawn."""

import csv
import re
import subprocess
import sys

import numpy as np


def compare(path, s):
    classes = "classifier.0.weight" in np.load(path)
    command = ["./collabdict", "score", *([] if classes else ["--with", "shared"]), "--model", path, "--data", "demo/data/plant-a.csv", "--where", "split=test"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    of = "probability" if classes else "score"
    want = np.array([float(line[of]) for line in csv.DictReader(lines)])
    difference = s - want
    if "encoder.0.weight" in np.load(path):
        error = difference.std() / np.sqrt(len(s))
        good = abs(difference.mean()) <= 4 * error and np.corrcoef(s, want)[0, 1] > 0.99
    elif of == "probability":
        good = np.allclose(s, want, rtol=1e-5)
    else:
        good = np.allclose(s, want, rtol=1e-6, atol=1e-6)
    print(f"{path}: {of} differs from collabdict's by {np.sqrt(np.mean(difference**2)):.2g} (root mean square)")
    if not good:
        sys.exit(f"{path}: got {s[:5]}, want {want[:5]}")


page = sys.argv[1]
with open(page) as f:
    snippets = [f.read()]
if page.endswith(".md"):
    snippets = re.findall(r"^```python\n(.*?)^```$", snippets[0], re.DOTALL | re.MULTILINE)
scope = {}
for i, snippet in enumerate(snippets):
    scope.pop("s", None)
    exec(compile(snippet, f"{page}, snippet {i + 1}", "exec"), scope)
    if "s" in scope:
        compare(scope["path"], scope["s"])
