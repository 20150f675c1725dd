#!/usr/bin/python3
"""Our scores of a CSV file and those of pandas and scikit-learn's GaussianMixture, in turn: CSV to CSV, 38 columns,
as many components, 3,000 own rows, and two processors for each. Prints the medians of wall time and of processor time, and
their ratios: the peer's time over ours. Other programs on the machine disturb processor time less.

Needs go, and pandas and sklearn (Debian: python3-pandas, python3-sklearn). ROWS is the length of the file, and REPEAT
how often each runs after a warm-up.
"""

import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

# They make numpy take slower kernels, or smaller blocks, than it finds for the processor.
for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
    os.environ.pop(name, None)
for name in ("GOMAXPROCS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "2"

ROWS = int(os.environ.get("ROWS", 100_000))
REPEAT = int(os.environ.get("REPEAT", 5))


def peer(model, rows, out):
    """Scores a file: what the peer's process does."""
    import pickle

    import pandas

    with open(model, "rb") as f:
        mixture, limit = pickle.load(f)
    x = pandas.read_csv(rows, engine="c")
    scores = -mixture.score_samples(x.values)
    table = pandas.DataFrame({"score": scores, "anomaly": (scores > limit).astype(int)})
    table.index += 1
    table.to_csv(out, index_label="row")


def prepare(own, model, rows, components):
    """Trains the peer on the own rows, and writes rows to score: each is a blend of two own ones, so none is known."""
    import pickle

    import numpy
    import pandas
    from sklearn.mixture import GaussianMixture

    own = pandas.read_csv(own)
    own = own[own["split"] == "train"].drop(columns=["label", "split"])
    mixture = GaussianMixture(int(components), random_state=1).fit(own.values)
    limit = numpy.quantile(-mixture.score_samples(own.values), 0.99)
    with open(model, "wb") as f:
        pickle.dump((mixture, limit), f)
    random = numpy.random.default_rng(1)
    a, b = random.integers(len(own), size=(2, ROWS))
    w = 0.05 * random.random((ROWS, 1))
    x = (1 - w) * own.values[a] + w * own.values[b]
    pandas.DataFrame(x, columns=own.columns).to_csv(rows, index=False, float_format="%.4f")


def timed(args, out=None):
    """Returns the wall and the processor time of a program."""
    begun = time.perf_counter()
    with open(out or os.devnull, "wb") as f:
        process = subprocess.Popen(args, stdout=f, stderr=subprocess.PIPE)
        said = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"score.py: {args}: {said.decode()}")
    return time.perf_counter() - begun, used.ru_utime + used.ru_stime


def main():
    try:
        import pandas  # noqa: F401
        import sklearn
    except ImportError as missing:
        print(f"score.py: SKIPPED, NOTHING CHECKED: {missing}", file=sys.stderr)
        return
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    with tempfile.TemporaryDirectory() as d:
        program, rows, learned, out = (os.path.join(d, name) for name in ("collabdict", "rows.csv", "peer.pickle", "out.csv"))
        subprocess.run(["go", "build", "-o", program, "./cmd/collabdict"], check=True)
        # up writes the rows to files; sim without protection gives the same model each time. The peer has as many
        # components as that has after mergers.
        spec = "participants=3,rows=3000,columns=38,patterns=24"
        subprocess.run([program, "up", "--generate", spec, "--components", "1", "--rounds", "1", "--out", d + "/up"], check=True, capture_output=True)
        os.mkdir(d + "/own")
        for name in ("plant-a", "plant-b", "plant-c"):
            os.rename(f"{d}/up/{name}/{name}.csv", f"{d}/own/{name}.csv")
        subprocess.run([program, "sim", "--data", d + "/own", "--label", "label", "--test-where", "split=test", "--components", "12", "--protect", "none", "--out", d + "/o"], check=True, capture_output=True)
        model = d + "/o/plant-a"
        components = len(json.loads(subprocess.run([program, "inspect", model, "--json"], check=True, stdout=subprocess.PIPE).stdout)["components"])
        me = [sys.executable, os.path.abspath(__file__)]
        subprocess.run(me + ["prepare", d + "/own/plant-a.csv", learned, rows, str(components)], check=True)
        with open(rows, "rb") as f:
            body = f.read()
        server = subprocess.Popen([program, "serve", model, "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE)
        address = server.stderr.readline().decode().split("http://")[1].split("/")[0]
        with open(model + "/serve.token") as f:
            token = f.read().strip()

        def processor():
            with open(f"/proc/{server.pid}/stat") as f:
                fields = f.read().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

        def served(explain):
            begun, before = time.perf_counter(), processor()
            c = http.client.HTTPConnection(address)
            c.request("POST", "/v1/score?explain=" + explain, body, {"Authorization": "Bearer " + token, "Content-Type": "text/csv"})
            answer = c.getresponse()
            text = answer.read()
            took, used = time.perf_counter() - begun, processor() - before
            if answer.status != 200 or text.count(b"\n") != ROWS + 1:
                sys.exit(f"score.py: the server answers {answer.status} with {text.count(10)} lines: {text[:300]}")
            return took, used

        score = [program, "score", model, rows]
        runs = {
            "peer": lambda: timed(me + ["peer", learned, rows, out]),
            "score": lambda: timed(score, out),
            "score_shared": lambda: timed(score + ["--with", "shared"], out),
            "score_explain_all": lambda: timed(score + ["--explain=all"], out),
            "serve": lambda: served("anomalies"),
            "serve_explain_none": lambda: served("none"),
        }
        taken = {name: [] for name in runs}
        try:
            for i in range(REPEAT + 1):
                for name, run in runs.items():
                    took = run()
                    if i > 0:  # the first is the warm-up
                        taken[name].append(took)
        finally:
            server.terminate()
            server.wait()
        wall = {name: statistics.median(t[0] for t in all) for name, all in taken.items()}
        cpu = {name: statistics.median(t[1] for t in all) for name, all in taken.items()}
        print(json.dumps({"rows": ROWS, "columns": 38, "components": components, "peer": "scikit-learn " + sklearn.__version__, "repeat": REPEAT, "load": round(os.getloadavg()[0], 1)}))
        for name in runs:
            ratios = [p[0] / o[0] for p, o in zip(taken["peer"], taken[name])]
            print(json.dumps({"what": name, "seconds": round(wall[name], 3), "rows_per_second": round(ROWS / wall[name]), "ratio": round(statistics.median(ratios), 2),
                              "processor_seconds": round(cpu[name], 2), "ratio_of_processor_seconds": round(cpu["peer"] / cpu[name], 2)}), flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        {"peer": peer, "prepare": prepare}[sys.argv[1]](*sys.argv[2:])
    else:
        main()
