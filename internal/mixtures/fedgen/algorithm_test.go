package fedgen_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures"
	"github.com/collabdict/collabdict/internal/mixtures/fedgen"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/testkit/algorithmtest"
	"github.com/collabdict/collabdict/internal/testkit/grouptest"
	"github.com/collabdict/collabdict/netsim"
	"github.com/collabdict/collabdict/option"
)

func TestSettings(t *testing.T) {
	algorithmtest.Check(t, fedgen.Kind)
	algorithmtest.Check(t, fedgen.Kind, "components=3-10", "synthetic=7", "refine=3", "min-rows=1", "covariance=full")
	algorithmtest.Check(t, fedgen.Kind, "epsilon=1", "delta=0.001", "clip=4")
	for _, c := range []struct {
		settings, want string
		hint           bool
	}{
		{"covariance=x", "covariance=x", false},
		{"components=0", "components=0", false},
		{"components=2-5000", "components", false},
		{"synthetic=0", "synthetic=0", true},
		{"refine=-1", "refine=-1", false},
		{"min-rows=0", "min-rows=0", false},
		{"delta=0.1", "delta", true},
		{"clip=2", "clip", true},
		{"epsilon=0", "epsilon=0", true},
		{"epsilon=1 delta=1", "delta=1", false},
		{"epsilon=1 clip=0", "clip=0", true},
		{"epsilon=1 min-rows=5", "min-rows", true},
		{"epsilon=1 refine=1", "refine", false},
		{"epsilon=1 components=2-4", "components", false},
	} {
		var e *option.Error
		_, err := algorithmtest.Make(fedgen.Kind, algorithm.Coordinates{ScaledBy: algorithm.Agreed}, strings.Fields(c.settings)...)
		if !errors.As(err, &e) || algorithmtest.Fault(err) != c.want || (e.Hint != "") != c.hint {
			t.Errorf("%s: got %s, want %s: %v", c.settings, algorithmtest.Fault(err), c.want, err)
		}
	}
}

// Members get one mixture that is about as good as a fit to all rows in one place. A written
// mixture can be read again.
func TestAlgorithm(t *testing.T) {
	var parts []*mat.Dense
	all := mat.NewDense(300, 2, nil)
	for s := range 5 {
		parts = append(parts, testkit.Patterns(60, 2, 2, uint64(s)))
		all.Slice(60*s, 60*(s+1), 0, 2).(*mat.Dense).Copy(parts[s])
	}
	choices, best, err := fedgen.Select(all, fedgen.Range{Min: 2, Max: 2}, gmm.EM{Form: gmm.Diag}, [32]byte{})
	if err != nil {
		t.Fatal(err)
	}
	data := algorithmtest.Data(3, parts...)
	for _, more := range []string{"components=2-4", "components=2 synthetic=200", "components=2 refine=2"} {
		a := algorithmtest.New(t, fedgen.Kind, strings.Fields(more)...)
		out := algorithmtest.Train(t, grouptest.Protocol(t), a, data)
		first := out[0].Model.(*gmm.Mixture)
		for s, o := range out {
			if !slices.Equal(o.Model.(*gmm.Mixture).Means().RawMatrix().Data, first.Means().RawMatrix().Data) || o.Last.Number > a.Traits().Rounds {
				t.Errorf("%s: member %d: %+v", more, s, o)
			}
		}
		got, _ := first.MeanLogLik(gmm.Matrix(all))
		if want := choices[best].MeanLogLik; got < want-0.05 || out[0].TotalRows != 300 || out[0].Selection.Rows != 300 || first.Form() != gmm.Diag {
			t.Errorf("%s: log-likelihood %.4f, want about %.4f; %+v", more, got, want, out[0])
		}
		algorithmtest.Loaded(t, a, first, data[0].Rows)
	}
}

// A member that is lost before it has published its mixture is left out of the mixtures. It comes
// back for the rounds, which begin with all members.
func TestAMemberIsLostBeforeTheOneRound(t *testing.T) {
	var parts []*mat.Dense
	for s := range uint64(5) {
		parts = append(parts, testkit.Patterns(60, 2, 2, s))
	}
	a := algorithmtest.New(t, fedgen.Kind, "components=2", "refine=2")
	out := algorithmtest.Train(t, grouptest.Protocol(t, netsim.Stop{Member: 3, Slot: 1, RestartAfter: time.Minute}), a, algorithmtest.Data(3, parts...))
	for s, o := range out {
		if o.Model == nil || s != 3 && (o.Selection.Rows != 240 || o.Selection.Gathered != 8 || o.Last.Number < 2) {
			t.Errorf("member %d: %+v", s, o)
		}
	}
}

// A participant alone gets the mixture of EM from k-means++ on its rows.
func TestAlone(t *testing.T) {
	x := testkit.Patterns(180, 2, 2, 1)
	a := algorithmtest.New(t, fedgen.Kind, "components=2")
	out, err := a.Learn(t.Context(), collabdict.Solo{}, algorithmtest.Data(3, x)[0], func(algorithm.Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	choices, _, err := fedgen.Select(x, fedgen.Range{Min: 2, Max: 2}, mixtures.EM("diag", 1e-3), mixtures.Seed(3))
	if err != nil || !mat.Equal(out.Model.(*gmm.Mixture).Means(), choices[0].Mixture.Means()) || out.Selection.Gathered != 2 {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestDisclosure(t *testing.T) {
	d := algorithmtest.New(t, fedgen.Kind).Disclosure(algorithm.Coordinates{})
	if len(d.Items) != 1 || !strings.HasPrefix(d.Items[0].What, "the mixture of its own rows") || !strings.HasSuffix(d.Items[0].What, "each component is of at least 5 rows") || d.Sums || d.Conserved != algorithm.Nothing {
		t.Errorf("%+v", d)
	}
	if d = algorithmtest.New(t, fedgen.Kind, "refine=1").Disclosure(algorithm.Coordinates{}); !d.Sums || d.Conserved != algorithm.Variances {
		t.Errorf("refined: %+v", d)
	}
}
