"""Makes rows.csv.gz and recipe.json: FedGenGMM with scikit-learn only.

Rows of eight correlated clusters, dealt to six clients by Dirichlet(0.3) weights
per cluster; then, for 40 seeds, the recipe of the paper with K = 8, diagonal
covariances, H = 100: mean log-likelihood of all rows under the shared mixture, under
one fitted to all rows, and averaged over the clients' own. Made with scikit-learn
1.2.1, NumPy 1.24.
"""
import gzip, json, warnings
import numpy as np
from sklearn.mixture import GaussianMixture

warnings.filterwarnings("ignore")
rng = np.random.default_rng(7)
K, M, CLIENTS, H = 8, 4, 6, 100
rows, client = [], []
for k in range(K):
    n = int(rng.integers(200, 500))
    a = rng.normal(size=(M, M)) * 0.25 + np.eye(M) * 0.4
    rows.append(rng.normal(size=M) * 2.5 + rng.normal(size=(n, M)) @ a)
    client.append(rng.choice(CLIENTS, size=n, p=rng.dirichlet([0.3] * CLIENTS)))
x, client = np.round(np.vstack(rows), 4), np.concatenate(client)
with gzip.GzipFile("rows.csv.gz", "wb", mtime=0) as f:
    f.write(("client,a,b,c,d\n" + "".join(f"{c}," + ",".join(map(repr, map(float, r))) + "\n" for c, r in zip(client, x))).encode())


def fit(z, seed):
    return GaussianMixture(min(K, len(z)), covariance_type="diag", tol=1e-3, random_state=seed).fit(z)


out = {"fedgen": [], "pooled": [], "local": []}
for seed in range(40):
    local = [fit(x[client == c], seed) for c in range(CLIENTS)]
    share = [np.mean(client == c) for c in range(CLIENTS)]
    g = GaussianMixture(sum(len(m.weights_) for m in local), covariance_type="diag", random_state=seed)
    g.weights_ = np.concatenate([m.weights_ * s for m, s in zip(local, share)])
    g.weights_ /= g.weights_.sum()
    g.means_ = np.vstack([m.means_ for m in local])
    g.covariances_ = np.vstack([m.covariances_ for m in local])
    s, _ = g.sample(H * len(g.weights_))
    out["fedgen"].append(fit(s, seed).score(x))
    out["pooled"].append(fit(x, seed).score(x))
    out["local"].append(float(np.mean([m.score(x) for m in local])))
json.dump(out, open("recipe.json", "w"))
for k, v in out.items():
    print(k, np.mean(v), np.std(v), np.min(v), np.max(v))
