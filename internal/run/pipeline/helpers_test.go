package pipeline

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/testkit/algorithmtest"
	"github.com/collabdict/collabdict/internal/testkit/grouptest"
	"github.com/collabdict/collabdict/model"
	"github.com/collabdict/collabdict/netsim"
)

// attempt returns the task of an algorithm with options given as "name=value", or an error.
func attempt(kind string, options ...string) (*Task, error) {
	of, err := Named(kind)
	if err != nil {
		return nil, err
	}
	for _, o := range options {
		name, text, _ := strings.Cut(o, "=")
		if err := of.Set(name, text); err != nil {
			return of, err
		}
	}
	return of, of.Complete()
}

func made(t testing.TB, kind string, options ...string) *Task {
	t.Helper()
	of, err := attempt(kind, options...)
	if err != nil {
		t.Fatal(kind, options, err)
	}
	return of
}

var quick = map[string][]string{
	"ggm":    {"hold-out=0", "components=2", "lambda=0.1", "rounds=5", "tol=1e-6", "lambda0=1", "seed=3", "standardise=own", "false-alarm=0.01"},
	"fedgen": {"components=2", "seed=3", "standardise=none", "refine=2"},
	"dem":    {"components=2", "rounds=3", "seed=3", "standardise=none"},
	"fedgem": {"rounds=3", "seed=3", "standardise=none"},
	"mtvae":  {"hold-out=0", "rounds=12", "local-steps=5", "latent=2", "hidden=6,4", "batch=20", "rate=0.01", "seed=3", "standardise=none"},
	"bvae":   {"hold-out=0", "rounds=6", "latent=2", "hidden=6,4", "batch=20", "rate=0.01", "epochs=3", "seed=3", "standardise=global", "normalise=minmax"},
	"cgau":   {"rounds=40", "local-steps=10", "hidden=8,6", "batch=20", "rate=0.1", "dropout=0", "seed=3", "standardise=none"},
}

// small returns a task with few parameters that learns fast. Later options replace earlier ones.
func small(t testing.TB, kind string, options ...string) *Task {
	t.Helper()
	return made(t, kind, append(quick[kind][:len(quick[kind]):len(quick[kind])], options...)...)
}

// example returns the task that most tests use.
func example(t testing.TB, options ...string) *Task {
	t.Helper()
	return small(t, "ggm", options...)
}

// latent holds options with which bvae weights members by encoded rows.
var latent = []string{"weights=latent", "effect=0.3", "offset=0.01", "weigh-every=2", "publish-weights=true", "debias=true"}

// clusters returns rows of two clusters. Later participants have more rows of the second one.
func clusters(participants int) (parts []dataset.Participant, all *mat.Dense) {
	const each = 60
	all = mat.NewDense(participants*each, 2, nil)
	for s, d := range algorithmtest.Clusters(participants) {
		x := mat.NewDense(each, 2, nil)
		if err := d.Rows.ReadRows(x.RawMatrix().Data, 0); err != nil {
			panic(err)
		}
		all.Slice(s*each, (s+1)*each, 0, 2).(*mat.Dense).Copy(x)
		parts = append(parts, dataset.Participant{Name: d.Name, Columns: []string{"x", "y"}, Train: rows.InMemory(x)})
	}
	return parts, all
}

// shifted returns rows of three classes in bands that lie elsewhere for each participant.
func shifted(seed uint64, participants, each int) (parts []dataset.Participant) {
	for s := range participants {
		x := algorithmtest.Draw(seed+uint64(s), each, []float64{0, 0}, []float64{2, 1})
		p := dataset.Participant{Name: fmt.Sprint("p", s), Columns: []string{"x", "y"}, Train: rows.InMemory(x)}
		edge := float64(s%4) - 1.5
		for i := range each {
			class := 0.0
			if v := x.At(i, 0); v > edge+0.7 {
				class = 2
			} else if v > edge-0.7 {
				class = 1
			}
			p.TrainLabels = append(p.TrainLabels, class)
		}
		p.Test, p.TestLabels = p.Train, p.TrainLabels
		parts = append(parts, p)
	}
	return parts
}

// together trains in a group. Each participant has its own secret.
func together(t *testing.T, run grouptest.Runner, k *Task, parts []dataset.Participant) []*Result {
	t.Helper()
	results := make([]*Result, len(parts))
	err := run(t.Context(), len(parts), func(ctx context.Context, g collabdict.Group, s int) (err error) {
		results[s], err = k.Fit(ctx, g, parts[s], rand.NewPCG(7, uint64(s)), nil)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// network runs members over the protocol with the consensus settings of a task.
func network(t *testing.T, k *Task, faults ...netsim.Fault) grouptest.Runner {
	return func(ctx context.Context, size int, f func(context.Context, collabdict.Group, int) error) error {
		net, err := netsim.New(netsim.Config{Names: netsim.Names(size), Settings: k.Settings.For(0, size), Seed: 1, Faults: faults})
		if err != nil {
			t.Fatal(err)
		}
		_, err = net.Run(ctx, func(ctx context.Context, rank int, g collabdict.Group) error { return f(ctx, g, rank) })
		return err
	}
}

// score returns a model's scores of rows in the units of the data.
func score(t *testing.T, m *model.Model, x *mat.Dense) []float64 {
	t.Helper()
	scores, err := m.Scores(m.Trained(mat.DenseCopyOf(x)))
	if err != nil {
		t.Fatal(err)
	}
	return scores
}
