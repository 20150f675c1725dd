package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/race"
)

var update = flag.Bool("update", false, "write what is held again")

// heldKinds are small trainings of every kind.
var heldKinds = map[string][]string{
	"ggm":    {"--components", "3", "--rounds", "6", "--blur", "0"},
	"fedgen": {"--components", "2-3", "--refine", "3"},
	"dem":    {"--components", "3", "--rounds", "6", "--blur", "0"},
	"fedgem": {"--rounds", "6"},
	"mtvae":  {"--rounds", "6", "--latent", "2", "--hidden", "6"},
	"bvae":   {"--rounds", "3", "--latent", "2", "--hidden", "6", "--weights", "latent"},
	"cgau":   {"--rounds", "3", "--hidden", "6"},
}

// drawsItsOwn lists the kinds whose members draw steps with a key of the operating system, unless
// they are simulated.
var drawsItsOwn = map[string]bool{"mtvae": true, "bvae": true, "cgau": true}

// held is the outcome of a training: the digest of what the last step was made from, which all
// members have in common, and a figure.
type held struct {
	Digest string  `json:"digest"`
	Figure float64 `json:"figure"` // the mean log-likelihood of a row, or the accuracy
}

// A change of the program's structure does not change a bit of what trainings learn, in
// simulations and with real nodes, by both schemes. Real nodes differ from simulations in two
// cases. With random chunks, floating-point sums differ in their last bits. Steps drawn with a
// key of the operating system differ as a whole; then the test compares only the members'
// digests.
func TestResultsAreHeld(t *testing.T) {
	race.Skip(t)
	if runtime.GOARCH != "amd64" {
		t.Skip("figures have other last bits, and so have the radii of fedgem")
	}
	dir := t.TempDir()
	writeHeldRows(t, filepath.Join(dir, "d"))
	path := filepath.Join("testdata", "held.json")
	want, got := map[string]held{}, map[string]held{}
	if b, err := os.ReadFile(path); err == nil {
		if err := json.Unmarshal(b, &want); err != nil {
			t.Fatal(err)
		}
	}
	for kind, options := range heldKinds {
		for _, scheme := range []string{"laplacian", "exact"} {
			name := kind + " " + scheme
			sim := train(t, dir, "sim", kind, scheme, options)
			got[name] = sim
			if w := want[name]; sim.Digest != w.Digest || sim.Figure != w.Figure {
				t.Errorf("%s: sim: got %+v, want %+v", name, sim, w)
			}
			if testing.Short() {
				continue
			}
			up := train(t, dir, "up", kind, scheme, options)
			switch {
			case drawsItsOwn[kind]:
			case scheme == "exact":
				if up.Digest != sim.Digest {
					t.Errorf("%s: up: digest %s, with sim %s", name, up.Digest, sim.Digest)
				}
			case math.Abs(up.Figure-sim.Figure) > 1e-5*(1+math.Abs(sim.Figure)):
				t.Errorf("%s: up: figure %g, with sim %g", name, up.Figure, sim.Figure)
			}
		}
	}
	if !*update {
		return
	}
	b, err := json.MarshalIndent(got, "", "  ")
	if err == nil {
		err = os.WriteFile(path, append(b, '\n'), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// train runs a command and returns the outcome.
func train(t *testing.T, dir, command, kind, scheme string, options []string) held {
	t.Helper()
	out := filepath.Join(dir, command+"-"+kind+"-"+scheme)
	args := append([]string{command, "--data", "d", "--label", "class", "--model", kind, "--scheme", scheme, "--out", out, "--json"}, options...)
	if code, said := start(t, dir, args...).end(t); code != 0 {
		t.Fatalf("%q: exit code %d; it said:\n%s", args, code, said)
	}
	b, err := os.ReadFile(filepath.Join(out, "result.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Participants     []struct{ Digest string }
		Loglik, Accuracy *float64
	}
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	h := held{Digest: r.Participants[0].Digest}
	for i, p := range r.Participants {
		if p.Digest == "" || p.Digest != h.Digest {
			t.Errorf("%q: participant %d has digest %q, the first %q", args, i, p.Digest, h.Digest)
		}
	}
	for _, v := range []*float64{r.Loglik, r.Accuracy} {
		if v != nil {
			h.Figure = *v
		}
	}
	return h
}

// writeHeldRows writes files of three participants with rows of three classes.
func writeHeldRows(t *testing.T, dir string) {
	t.Helper()
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(16, 1))
	for p := range 3 {
		var b strings.Builder
		fmt.Fprintln(&b, "a,b,c,class")
		for j := range 60 {
			class := (j + j/7*p) % 3
			u := rng.NormFloat64()
			fmt.Fprintf(&b, "%.6f,%.6f,%.6f,%d\n", 4*math.Cos(float64(2*class))+u, 3*math.Sin(float64(2*class))-0.5*u+rng.NormFloat64(), float64(p)+rng.NormFloat64(), class)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("site-%c.csv", 'a'+p)), []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
