package pipeline

import (
	"errors"
	"strings"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/option"
)

func (t *Task) listed() string { return strings.Join(published(t.Inventory(collabdict.Solo{})), "\n") }

func (t *Task) warned() string { return strings.Join(t.ShownWarnings(), "\n") }

// The ledger and a warning report the facts that members learn while rows are prepared.
func TestPreparationIsListed(t *testing.T) {
	k := example(t)
	if len(k.learned()) > 0 || len(k.ShownWarnings()) > 0 {
		t.Errorf("nothing was learned, got %q", k.ShownWarnings())
	}
	k = example(t, "pca=2", "normalise=minmax", "standardise=global", "blur=0")
	list := k.listed()
	for _, want := range []string{"in sums over all members: the number, the mean and the covariance matrix of all rows, exactly", "the smallest and the largest value", "in the units of the data, as scaled, along the principal axes, as trained on"} {
		if !strings.Contains(list, want) {
			t.Errorf("%q is not in %s", want, list)
		}
	}
	if w := k.ShownWarnings(); len(w) != 1 || !strings.Contains(w[0], "covariance matrix") || !strings.Contains(w[0], "if two runs differ by one member") {
		t.Errorf("warnings %q", w)
	}
	k = example(t, "pca=2", "normalise=minmax", "standardise=own", "blur=0")
	if strings.Contains(k.listed(), "largest value of each column") {
		t.Error("own ranges are listed as learned from all rows")
	}
}

// A frame is listed wherever members agree on one, and nothing else is learned from all rows before
// the first round.
func TestFramesAreListed(t *testing.T) {
	for _, c := range []struct {
		kind   string
		with   []string
		framed bool
	}{
		{"ggm", []string{"standardise=own"}, false},
		{"ggm", []string{"standardise=global"}, true},
		{"ggm", []string{"standardise=none"}, true},
		{"ggm", []string{"standardise=none", "blur=0"}, false},
		{"ggm", []string{"standardise=auto"}, true},
		{"ggm", []string{"standardise=auto", "normalise=robust"}, false},
		{"dem", []string{"standardise=own", "normalise=robust"}, false},
		{"dem", []string{"standardise=none"}, true},
		{"fedgen", []string{"standardise=global", "refine=0"}, true},
		{"mtvae", []string{"standardise=own"}, false},
	} {
		k := made(t, c.kind, c.with...)
		if what := k.learned(); len(what) > 0 {
			t.Errorf("%+v: %q", c, what)
		}
		if list := k.listed(); strings.Contains(list, "above the middle and the spread of each column") != c.framed || strings.Contains(list, "in sums over all members: a rough middle and spread") != c.framed || strings.Contains(list, "covariance matrix of all") {
			t.Errorf("%+v: %s", c, list)
		}
	}
}

// Values that an algorithm shows in the clear are in the ledger and in a warning.
func TestShownValuesAreListed(t *testing.T) {
	k := small(t, "fedgen", "refine=0")
	if list := k.listed(); !strings.Contains(list, "the mixture of its own rows") || strings.Contains(list, "power of two") || !strings.Contains(k.warned(), "no sum hides it: the mixture of its own rows") {
		t.Errorf("fedgen: %s; %s", list, k.warned())
	}
	if list := small(t, "fedgen", "refine=1").listed(); !strings.Contains(list, "power of two") {
		t.Errorf("refined: %s", list)
	}
	if said := small(t, "dem").warned(); strings.Contains(said, "shows all others") {
		t.Errorf("dem: %s", said)
	}
	if said := small(t, "dem", "start=k-fed").warned(); !strings.Contains(said, "centres of its clusters") {
		t.Errorf("k-fed: %s", said)
	}
}

// The list includes the fewest rows that a published component or cluster may have.
func TestFewestRowsAreListed(t *testing.T) {
	for kind, with := range map[string]string{"fedgen": "components=3", "fedgem": "components=3", "dem": "start=k-fed"} {
		if list := small(t, kind, with).listed(); !strings.Contains(list, "at least 5 rows") {
			t.Errorf("%s: %q", kind, list)
		}
	}
}

// A warning reports what the noise of a run guarantees. Scales by rows are refused, because no noise
// covers them.
func TestNoiseIsReported(t *testing.T) {
	for _, kind := range []string{"fedgen", "fedgem", "ggm", "dem"} {
		for by, covered := range map[string]bool{"none": true, "agreed": true, "own": false, "global": false} {
			k, err := Named(kind)
			if err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{"components": "2", "epsilon": "5", "delta": "1e-5", "clip": "25", "standardise": by} {
				if err := k.Set(name, text); err != nil {
					t.Fatal(err)
				}
			}
			if by == "agreed" {
				k.Ranges = Ranges{EveryColumn: {0, 1}}
			}
			err = k.Complete()
			if !covered {
				var of *option.Error
				if !errors.As(err, &of) || of.Name != "epsilon" {
					t.Errorf("%s, %s: got %v, want it refused", kind, by, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if w := k.ShownWarnings(); len(w) > 0 && !strings.Contains(w[0], "(5, 1e-05)-differentially private for one row added or removed") {
				t.Errorf("%s, %s: %s", kind, by, w)
			}
		}
	}
}

// With epsilon, noise covers everything that others see, or no row changes it.
func TestEpsilonCoversTheInventory(t *testing.T) {
	for _, kind := range []string{"ggm", "dem", "fedgen", "fedgem"} {
		for _, more := range [][]string{nil, {"min-rows=1"}, {"blur=0.1"}, {"final=factor=1,2"}, {"refine=2"}, {"start=k-fed"}, {"components=3"}} {
			k, err := Named(kind)
			if err != nil {
				t.Fatal(err)
			}
			for _, set := range append([]string{"components=2", "epsilon=5", "clip=25", "standardise=none"}, more...) {
				name, value, _ := strings.Cut(set, "=")
				if err = k.Set(name, value); err != nil {
					break
				}
			}
			if err == nil {
				err = k.Complete()
			}
			if err != nil {
				if more == nil {
					t.Errorf("%s: %v", kind, err)
				}
				continue // an option of another kind, or one that epsilon excludes
			}
			items := k.Inventory(collabdict.Solo{})
			for _, i := range items {
				if i.Epsilon == algorithm.Uncovered {
					t.Errorf("%s with %q: not covered: %+v", kind, more, i)
				}
			}
			if len(items) < 2 {
				t.Errorf("%s with %q: %+v", kind, more, items)
			}
		}
	}
}

// A collective that no item of the inventory names shows nothing: it panics.
func TestUnlistedCollectivesPanic(t *testing.T) {
	g := inventoried{collabdict.Solo{}, []algorithm.Item{{Entry: "statistics"}}}
	one := collabdict.Summand{Entry: "statistics", Values: []float64{1}, Blocks: []collabdict.Block{{Len: 1, Bound: 1}}}
	if _, err := g.Sum(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	other := one
	other.Entry = "gradients"
	for name, f := range map[string]func(){
		"sum":    func() { _, _ = g.Sum(t.Context(), other) },
		"gather": func() { _, _ = g.Gather(t.Context(), "gradients", nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a %s without an item did not panic", name)
				}
			}()
			f()
		}()
	}
}

// The list includes what members can compute about each other's conditions and losses.
func TestPublishedOfConditions(t *testing.T) {
	for _, k := range []*Task{small(t, "bvae", "condition=cgau"), small(t, "cgau")} {
		if list := k.listed(); !strings.Contains(list, "the mean of all members' conditions") || !strings.Contains(list, "the loss") {
			t.Errorf("%s: got %s", k.Kind.Name, list)
		}
	}
	if list := small(t, "bvae").listed(); strings.Contains(list, "conditions") {
		t.Errorf("got %s", list)
	}
}

// The list includes the weighting of members and what each shows for it. An algorithm whose sums
// are bounded by row counts alone lists a power of two above them.
func TestPublishedOfNetworks(t *testing.T) {
	list := small(t, "bvae", latent...).listed()
	for _, want := range []string{"how many members have the number of rows and the discrepancy of the data between which powers of two", "its weight, and how much its data differ from the others'"} {
		if !strings.Contains(list, want) {
			t.Errorf("bvae: %q is not in %s", want, list)
		}
	}
	k := small(t, "mtvae")
	if list := k.listed(); !strings.Contains(list, "power of two above the number of their rows") || strings.Contains(list, "root mean square") || k.warned() != "" {
		t.Errorf("mtvae: %s; %s", list, k.warned())
	}
	if said := small(t, "cgau").warned(); !strings.Contains(said, "for each class, how many members have no higher one") {
		t.Errorf("cgau: %s", said)
	}
	if said := small(t, "cgau", "classes=3").warned(); said != "" {
		t.Errorf("cgau of 3 classes: %s", said)
	}
}

// The facts that the totals of two runs reveal together follow from all sums over rows,
// including those before the first round.
func TestWhatTwoRunsReveal(t *testing.T) {
	const moments = "N, mean and covariance"
	for _, c := range []struct {
		kind    string
		options []string
		known   string
		tells   bool
	}{
		{"ggm", []string{"standardise=own"}, moments, true},
		{"dem", []string{"standardise=own", "covariance=diag"}, "N, mean and variances", true},
		{"dem", []string{"standardise=global", "covariance=diag"}, "N, mean and variances", true},
		{"mtvae", []string{"standardise=own"}, "the number of rows", true},
		{"mtvae", []string{"standardise=own", "pca=2"}, moments, true},
		{"bvae", []string{"standardise=own"}, "", true},
		{"fedgen", []string{"standardise=own", "refine=0"}, "", true},
		{"fedgen", []string{"standardise=none", "clip=3", "refine=0", "epsilon=1", "delta=1e-05"}, "", false},
	} {
		known, tells := small(t, c.kind, c.options...).ConservedInRuns()
		if known != c.known || tells != c.tells {
			t.Errorf("%s with %q: got %q, %v, want %q, %v", c.kind, c.options, known, tells, c.known, c.tells)
		}
	}
}
