package topology

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/consensus/session"
)

func describe(t *testing.T, s Spec) *Topology {
	t.Helper()
	if s.Tolerance == 0 {
		s.Tolerance = 1e-9
	}
	if s.Step == "" {
		s.Step = session.Chebyshev
	}
	top, err := Describe(s)
	if err != nil {
		t.Fatal(err)
	}
	return top
}

// Iterations to 1e-9 on graphs that anyone can build: predicted and measured.
func TestIterations(t *testing.T) {
	steps := []session.Step{session.Paper, session.Optimal, session.Metropolis, session.Chebyshev}
	for _, c := range []struct {
		kind      string
		size      int
		predicted [4]int
	}{
		{"inverse-chord", 31, [4]int{2835, 253, 356, 53}},
		{"inverse-chord", 127, [4]int{23203, 536, 721, 77}},
		{"inverse-chord", 1021, [4]int{235313, 682, 912, 87}},
		{"margulis", 256, [4]int{5973, 164, 200, 42}},
		{"hypercube", 32, [4]int{322, 52, 52, 23}},
		{"ring", 31, [4]int{15682, 1010, 1509, 106}},
	} {
		for i, step := range steps {
			top := describe(t, Spec{Kind: c.kind, Size: c.size, Step: step})
			if top.Iterations != c.predicted[i] {
				t.Errorf("%s on %d, %s: predicted %d iterations, want %d", c.kind, c.size, step, top.Iterations, c.predicted[i])
			}
			if c.size*top.Iterations > 200_000 {
				continue
			}
			if err := top.Measure(1, 1); err != nil {
				t.Fatal(err)
			}
			least := 0.6 * float64(top.Iterations)
			if step == session.Chebyshev {
				least = float64(top.Iterations - 2)
			}
			if top.Measured > top.Iterations || float64(top.Measured) < least {
				t.Errorf("%s on %d, %s: measured %d iterations, predicted %d", c.kind, c.size, step, top.Measured, top.Iterations)
			}
		}
	}
}

func TestReport(t *testing.T) {
	for _, c := range []struct {
		spec   Spec
		values int
		want   string
	}{
		{
			Spec{Kind: "ring", Size: 2},
			0,
			`{"kind":"ring","size":2,"degree":1,"diameter":1,"lambda2":2,"lambda_max":2,"scheme":"laplacian","step":"chebyshev","tolerance":1e-9,"iterations_predicted":1}`,
		},
		{
			Spec{Kind: "fold-in", Size: 31, Degree: 3},
			0,
			`{"kind":"fold-in","size":31,"degree":3,"scheme":"exact","iterations_predicted":4}`,
		},
		{ // 16 of 31 are the core: 15 send and hear once more
			Spec{Kind: "fold-in", Size: 31},
			62,
			`{"kind":"fold-in","size":31,"degree":1,"scheme":"exact","iterations_predicted":6,"values":62,"seed":7,` +
				`"iterations_measured":6,"max_error":0,"exact":true,"messages_per_node":3.032258064516129,"bytes_per_node":1504}`,
		},
		{
			Spec{Kind: "base-k", Size: 8},
			2,
			`{"kind":"base-k","size":8,"degree":1,"scheme":"base-k","iterations_predicted":3,"values":2,"seed":7,` +
				`"iterations_measured":3,"max_error":0,"exact":true,"messages_per_node":3,"bytes_per_node":48}`,
		},
		{
			Spec{Kind: "circulant", Size: 8},
			16,
			`{"kind":"circulant","size":8,"scheme":"exact","iterations_predicted":6,"values":16,"seed":7,` +
				`"iterations_measured":6,"max_error":0,"exact":true,"messages_per_node":6,"bytes_per_node":224}`,
		},
	} {
		top := describe(t, c.spec)
		if c.values > 0 {
			if err := top.Measure(c.values, 7); err != nil {
				t.Fatal(err)
			}
		}
		got, err := json.Marshal(top.Report)
		if err != nil || string(got) != c.want {
			t.Errorf("got  %s\nwant %s (%v)", got, c.want, err)
		}
	}
}

func TestTotalsOfGraphs(t *testing.T) {
	for _, size := range []int{5, 30} {
		top := describe(t, Spec{Kind: "inverse-chord", Size: size})
		if err := top.Measure(3, 1); err != nil {
			t.Fatal(err)
		}
		if !(top.MaxError > 0 && top.MaxError < 1e-6) || top.Exact {
			t.Errorf("%d members: largest error %g, exact %t", size, top.MaxError, top.Exact)
		}
		if math.Abs(top.Bytes-24*top.Messages) > 1e-9 {
			t.Errorf("%d members: %g messages of %g bytes", size, top.Messages, top.Bytes)
		}
	}
}

func TestDraw(t *testing.T) {
	for _, c := range []struct {
		kind                    string
		size                    int
		circles, lines, hollows int
	}{
		{"hamilton-cycles", 31, 31, 62, 0},
		{"hypercube", 16, 16, 32, 0},
		{"inverse-chord", 5, 5, 5, 0}, // 2·3 = 1 is in the cycle too,
		{"inverse-chord", 28, 29, 40, 1},
		{"margulis", 100, 100, 340, 0},
	} {
		var b bytes.Buffer
		if err := describe(t, Spec{Kind: c.kind, Size: c.size}).Draw(&b); err != nil {
			t.Fatal(err)
		}
		count := map[string]int{}
		for d := xml.NewDecoder(bytes.NewReader(b.Bytes())); ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if e, ok := token.(xml.StartElement); ok {
				count[e.Name.Local]++
			}
		}
		hollows := strings.Count(b.String(), `fill="#ffffff" stroke`)
		if count["circle"] != c.circles || count["line"] != c.lines || hollows != c.hollows {
			t.Errorf("%s of %d: %v, %d hollow; want %+v", c.kind, c.size, count, hollows, c)
		}
	}
	if err := describe(t, Spec{Kind: FoldIn, Size: 5}).Draw(io.Discard); err == nil {
		t.Error("a schedule is drawn")
	}
}

func TestSpecsAreChecked(t *testing.T) {
	ok := Spec{Kind: "ring", Size: 5, Step: session.Chebyshev, Tolerance: 1e-9}
	for want, change := range map[string]func(*Spec){
		`complete, ring, base-k, fold-in or circulant, got "torus"`: func(s *Spec) { s.Kind = "torus" },
		"at least 2 members, got 1":                                 func(s *Spec) { s.Size = 1 },
		`metropolis or paper, got "newton"`:                         func(s *Spec) { s.Step = "newton" },
		"between 0 and 1, got NaN":                                  func(s *Spec) { s.Tolerance = math.NaN() },
		"square number":                                             func(s *Spec) { s.Kind = "margulis" },
		"at least 1, got -1":                                        func(s *Spec) { s.Kind, s.Degree = FoldIn, -1 },
	} {
		s := ok
		change(&s)
		if _, err := Describe(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: got %v, want %q", s, err, want)
		}
	}
}
