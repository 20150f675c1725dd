package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/algorithms"
	"github.com/collabdict/collabdict/option"
)

// toy is an eighth algorithm, unknown to the rest of the program. It learns the mean row by one
// private sum per round, and scores rows by their distance from it.
type toy struct {
	Rounds int
	Power  float64
}

var toyKind = algorithm.Kind{Name: "toy", About: "the mean row", New: func() algorithm.Algorithm { return &toy{} }}

func (t *toy) Options() option.Table {
	return option.Table{
		option.Int(&t.Rounds, "rounds", 2, "rounds to train", option.AtLeast(1)),
		option.Float(&t.Power, "power", 2, "exponent of the distance", option.Above(0, 10)),
	}
}

func (t *toy) Prepare(algorithm.Coordinates) error { return nil }
func (t *toy) Traits() algorithm.Traits            { return algorithm.Traits{Rounds: t.Rounds, LeastRows: 1} }

func (t *toy) Disclosure(algorithm.Coordinates) algorithm.Disclosure {
	return algorithm.Disclosure{Conserved: algorithm.Variances, Items: []algorithm.Item{
		{Entry: "rows", What: "the number of rows, and their sum", Form: algorithm.Summed, When: algorithm.EachRound},
	}}
}

func (t *toy) Train(ctx context.Context, g collabdict.Group, d algorithm.Data, after func(algorithm.Progress)) (out algorithm.Outcome, err error) {
	x, err := algorithm.Dense(d.Rows)
	if err != nil {
		return out, err
	}
	l := &toyLearner{x: x}
	out.Last, err = algorithm.Rounds(ctx, g, l, collabdict.Options{Rounds: t.Rounds}, func(r collabdict.Round) {
		after(algorithm.Progress{Round: r, Loss: -r.Objective})
	})
	if l.mean != nil {
		out.Model, out.TotalRows = &toyModel{l.mean, t.Power}, int(math.Round(l.rows))
	}
	return out, err
}

func (t *toy) Load(a algorithm.Arrays, coordinates int) (algorithm.Model, error) {
	mean, _, err := a.Values("mean", coordinates)
	return &toyModel{mean, t.Power}, err
}

// toyLearner sums the number of rows and the rows.
type toyLearner struct {
	x    *mat.Dense
	mean []float64
	rows float64
}

func (l *toyLearner) Start(context.Context, collabdict.Group) error { return nil }

func (l *toyLearner) LocalUpdate() (collabdict.Summand, error) {
	n, m := l.x.Dims()
	v := make([]float64, 1+m)
	v[0] = float64(n)
	for i := range n {
		for j, x := range l.x.RawRowView(i) {
			v[1+j] += x
		}
	}
	return collabdict.Summand{Entry: "rows", Values: v, Blocks: []collabdict.Block{{Len: 1 + m, Bound: 1 << 20}}}, nil
}

func (l *toyLearner) Optimize(total []float64, _ bool) (float64, error) {
	l.rows, l.mean = total[0], make([]float64, len(total)-1)
	for j := range l.mean {
		l.mean[j] = total[1+j] / total[0]
	}
	return 0, nil
}

type toyModel struct {
	mean  []float64
	power float64
}

func (m *toyModel) Dim() int { return len(m.mean) }

func (m *toyModel) Arrays() []algorithm.Array {
	return []algorithm.Array{{Name: "mean", Shape: []int{len(m.mean)}, Values: m.mean}}
}

func (m *toyModel) MeanLogLik(rows collabdict.Rows) (total float64, err error) {
	n, _ := rows.Dims()
	err = m.EachScores(rows, func(_ int, scores []float64) {
		for _, s := range scores {
			total -= s / float64(n)
		}
	})
	return total, err
}

func (m *toyModel) EachScores(rows collabdict.Rows, f func(int, []float64)) error {
	x, err := algorithm.Dense(rows)
	if err != nil {
		return err
	}
	n, _ := x.Dims()
	scores := make([]float64, n)
	for i := range n {
		for j, v := range x.RawRowView(i) {
			scores[i] += math.Pow(math.Abs(v-m.mean[j]), m.power)
		}
	}
	f(0, scores)
	return nil
}

// Registration is all that an algorithm needs: it then has flags, help and completion, is agreed
// on, and trains in simulations and over real nodes. Its models are saved, read, inspected, scored
// and evaluated.
func TestAnEighthAlgorithm(t *testing.T) {
	if _, again := algorithms.Lookup(toyKind.Name); !again {
		algorithms.Register(toyKind)
	}
	dir := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		var out, said strings.Builder
		a := &app{out: &out, err: &said, args: args}
		root := a.root()
		root.SetArgs(args)
		if err := root.ExecuteContext(t.Context()); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, said.String())
		}
		return out.String()
	}
	contains := func(text, want string) {
		t.Helper()
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
	contains(run("run", "--model", "toy", "--help"), "exponent of the distance (default 2)")
	contains(run("__complete", "sim", "--model", "t"), "toy\tthe mean row")

	data := "participants=3,rows=60,columns=3,patterns=2"
	contains(run("sim", "--model", "toy", "--set", "power=1.5", "--generate", data, "--out", filepath.Join(dir, "sim")), "toy: 2 rounds, 3 members")
	file := filepath.Join(dir, "sim", "plant-a", "model.npz")
	contains(run("inspect", "--model", file), "power 1.5, seed 1")
	rows := filepath.Join(dir, "rows.csv")
	if err := os.WriteFile(rows, []byte("temp_1,flow_2,pressure_3\n0,0,0\n1e3,0,0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	contains(run("score", "--model", file, "--data", rows), ",1\n")

	demo := run("demo", "--model", "toy", "--rounds", "3") // real nodes
	contains(demo, "toy: 3 rounds, 5 members")
}
