package plants

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/numeric/metrics"
	"github.com/collabdict/collabdict/internal/testkit"
)

// TestGenerateFollowsTheSpec checks the numbers, that values are finite
// and that labels mark faults and nothing else.
func TestGenerateFollowsTheSpec(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := Spec{
			Participants: rapid.IntRange(1, 30).Draw(t, "participants"),
			Rows:         rapid.IntRange(1, 40).Draw(t, "rows"),
			Columns:      rapid.IntRange(2, 12).Draw(t, "columns"),
			Patterns:     rapid.IntRange(1, 12).Draw(t, "patterns"),
			TestRows:     rapid.IntRange(0, 80).Draw(t, "test rows"),
		}
		all := Generate(spec, rapid.Uint64().Draw(t, "seed"))
		if len(all) != spec.Participants || !slices.IsSortedFunc(all, func(a, b dataset.Participant) int { return strings.Compare(a.Name, b.Name) }) {
			t.Fatalf("got %d plants, want %d sorted by name", len(all), spec.Participants)
		}
		for _, p := range all {
			n, m := p.Train.Dims()
			nt, mt := p.Test.Dims()
			if n != spec.Rows || m != spec.Columns || mt != m || nt != spec.testRows() || len(p.Columns) != m || len(p.TrainLabels) != n || len(p.TestLabels) != nt {
				t.Fatalf("%s: got %d×%d and %d×%d, want %+v", p.Name, n, m, nt, mt, spec)
			}
			if slices.Max(p.TrainLabels) != 0 || (nt > 1 && slices.Max(p.TestLabels) != 1) || (nt > 7 && slices.Min(p.TestLabels) != 0) {
				t.Fatalf("%s: labels %v and %v", p.Name, p.TrainLabels, p.TestLabels)
			}
			for _, x := range []collabdict.Rows{p.Train, p.Test} {
				for _, v := range dense(x).RawMatrix().Data {
					if v-v != 0 {
						t.Fatalf("%s holds %v", p.Name, v)
					}
				}
			}
		}
	})
}

func TestGenerateFollowsTheSeed(t *testing.T) {
	a, b, other := Generate(Demo(), 7), Generate(Demo(), 7), Generate(Demo(), 8)
	for s := range a {
		if !mat.Equal(dense(a[s].Train), dense(b[s].Train)) || !mat.Equal(dense(a[s].Test), dense(b[s].Test)) || !slices.Equal(a[s].TestLabels, b[s].TestLabels) {
			t.Errorf("%s differs with the same seed", a[s].Name)
		}
		if mat.Equal(dense(a[s].Train), dense(other[s].Train)) {
			t.Errorf("%s does not differ with another seed", a[s].Name)
		}
	}
}

func TestNames(t *testing.T) {
	few, many := plantNames(26), plantNames(27)
	if few[0] != "plant-a" || few[25] != "plant-z" || many[0] != "p0001" || many[26] != "p0027" {
		t.Errorf("got %q and %q", few, many)
	}
	if names := newSensors(9).names; names[0] != "temp_1" || names[1] != "flow_2" || names[8] != "temp_9" {
		t.Errorf("got sensors %q", names)
	}
}

// TestPatternIsATree compares the moments of many rows with those that the tree implies: variance
// 1, and correlations that are products along the path.
func TestPatternIsATree(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	p := newPattern(5, random)
	const n = 200000
	x := mat.NewDense(n, 5, nil)
	for i := range n {
		p.draw(x.RawRowView(i), random)
	}
	s, _, err := rows.Own(rows.InMemory(x))
	if err != nil {
		t.Fatal(err)
	}
	z := s.Apply(x)
	for j := range 5 {
		// Six standard errors of a mean and of a variance over n rows.
		if math.Abs(s.Shift[j]-p.mean[j]) > 6/math.Sqrt(n) || math.Abs(s.Scale[j]-1) > 6/math.Sqrt(2*n) {
			t.Errorf("sensor %d: mean %v ± %v, want %v ± 1", j, s.Shift[j], s.Scale[j], p.mean[j])
		}
		for k, path := j, 1.0; p.parent[k] >= 0; {
			path *= p.weight[k]
			k = p.parent[k]
			if got := mat.Dot(z.ColView(j), z.ColView(k)) / n; math.Abs(got-path) > 6/math.Sqrt(n) {
				t.Errorf("correlation of %d and %d is %v, want %v", j, k, got, path)
			}
		}
	}
}

// TestFaultsTouchOneSensor checks that a fault changes one sensor only, in the way of its kind.
func TestFaultsTouchOneSensor(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	p := newPattern(4, random)
	for kind := range faultKinds {
		f := fault{kind: kind, sensor: 2, from: 10, to: 10 + episode, sign: -1}
		var shown, moved []float64
		for i := f.from; i < f.to; i++ {
			row := make([]float64, 4)
			p.draw(row, random)
			before := slices.Clone(row)
			f.spoil(row, i, &p, random)
			for j := range row {
				if (row[j] != before[j]) != (j == f.sensor) {
					t.Fatalf("kind %d, row %d: sensor %d went from %v to %v", kind, i, j, before[j], row[j])
				}
			}
			shown, moved = append(shown, row[2]), append(moved, row[2]-before[2])
		}
		steady := slices.Max(shown) == slices.Min(shown)
		if steady != (kind == stuck) {
			t.Errorf("kind %d shows %v", kind, shown)
		}
		if kind == drift && (slices.Max(moved) != moved[0] || moved[0] >= 0) {
			t.Errorf("a drift moves by %v, want ever further down", moved)
		}
		if kind == offset && slices.Max(moved)-slices.Min(moved) > 1e-12 {
			t.Errorf("an offset moves by %v, want one amount", moved)
		}
	}
}

// TestMixing checks that weights are a distribution, that every pattern is seen
// and that private patterns are private.
func TestMixing(t *testing.T) {
	weights := mixing(5, 5, rand.New(rand.NewPCG(1, 2)))
	for k := range 5 {
		plants, main := 0, 0
		for _, w := range weights {
			if w[k] > 0 {
				plants++
			}
			if w[k] == slices.Max(w) {
				main++
			}
		}
		if private := k == 4; private != (plants == 1) || (!private && main == 0) {
			t.Errorf("pattern %d is seen by %d plants and the main one of %d", k, plants, main)
		}
	}
	for _, w := range weights {
		for _, season := range [][]float64{w, later(w)} {
			sum := 0.0
			for _, v := range season {
				sum += v
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Errorf("weights %v sum to %v", season, sum)
			}
		}
		if slices.Max(later(w)) >= slices.Max(w) {
			t.Errorf("later weights %v are no more even than %v", later(w), w)
		}
	}
}

// TestTogetherIsBetter shows the purpose of the demonstration data: a plain mixture of all plants
// is better than one of a plant's own rows, and neither is perfect.
func TestTogetherIsBetter(t *testing.T) {
	testkit.SkipRaced(t)
	var alone, together float64
	const seeds = 2
	for seed := range uint64(seeds) {
		plants := Generate(Demo(), seed)
		var pooled []float64
		var scaled []*mat.Dense
		for _, p := range plants {
			pooled = append(pooled, dense(p.Train).RawMatrix().Data...)
		}
		common, _, _ := rows.Own(rows.InMemory(mat.NewDense(len(pooled)/Demo().Columns, Demo().Columns, pooled)))
		for _, p := range plants {
			scaled = append(scaled, common.Apply(dense(p.Train)))
		}
		group := fit(scaled, 6, 30, rand.New(rand.NewPCG(seed, 1)))
		for s, p := range plants {
			auc, _ := metrics.ROCAUC(group.scores(s, common.Apply(dense(p.Test))), p.TestLabels)
			together += auc / float64(seeds*len(plants))
			own, _, _ := rows.Own(p.Train)
			single := fit([]*mat.Dense{own.Apply(dense(p.Train))}, 6, 30, rand.New(rand.NewPCG(seed, 2)))
			auc, _ = metrics.ROCAUC(single.scores(0, own.Apply(dense(p.Test))), p.TestLabels)
			alone += auc / float64(seeds*len(plants))
		}
	}
	t.Logf("mean ROC-AUC alone %.3f, together %.3f", alone, together)
	if together < alone+0.04 || together < 0.8 || together > 0.97 {
		t.Errorf("mean ROC-AUC is %.3f alone and %.3f together, want 0.8 to 0.97 together and 0.04 more than alone", alone, together)
	}
}

func TestParseSpec(t *testing.T) {
	want := Spec{Participants: 20, Rows: 200, Columns: 6, Patterns: 3}
	for _, text := range []string{want.String(), "rows=200, participants=20,patterns=3,columns=6"} {
		if got, err := ParseSpec(text); err != nil || got != want {
			t.Errorf("%q: got %+v, %v", text, got, err)
		}
	}
	for text, names := range map[string]string{
		"":                                   `unknown field ""`,
		"participants=20,rows=200,columns=6": "patterns is missing",
		"participants=20,rows=200,columns=6,clusters=3":    `unknown field "clusters"`,
		"participants=20,rows=many,columns=6,patterns=3":   `rows wants a whole number from 1 to 10000000, got "many"`,
		"participants=0,rows=200,columns=6,patterns=3":     `participants wants`,
		"participants=20,rows=200,columns=1,patterns=3":    `columns wants a whole number from 2`,
		"participants=20,rows=2,rows=3,columns=6,patterns": "rows stands twice",
	} {
		if _, err := ParseSpec(text); err == nil || !strings.Contains(err.Error(), names) {
			t.Errorf("%q: got %v, want it to say %q", text, err, names)
		}
	}
}

// TestFilesHoldTheData writes the plants and reads them as a user would.
func TestFilesHoldTheData(t *testing.T) {
	want := Generate(Spec{Participants: 3, Rows: 20, Columns: 4, Patterns: 2, TestRows: 30}, 9)
	paths, err := WriteCSV(t.TempDir(), want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := dataset.LoadAll(dataset.Spec{
		Data: paths, Label: "label",
		Where:     dataset.Condition{Column: "split", Value: "train"},
		TestWhere: dataset.Condition{Column: "split", Value: "test"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for s, p := range got.Participants {
		w := want[s]
		if p.Name != w.Name || !slices.Equal(p.Columns, w.Columns) || !mat.Equal(dense(p.Train), dense(w.Train)) || !mat.Equal(dense(p.Test), dense(w.Test)) ||
			!slices.Equal(p.TrainLabels, w.TrainLabels) || !slices.Equal(p.TestLabels, w.TestLabels) {
			t.Errorf("%s came back different", w.Name)
		}
	}
}

func dense(of collabdict.Rows) *mat.Dense { return of.(rows.Matrix).Dense }
