package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/testkit"
)

var update = flag.Bool("update", false, "write what is held again")

// heldKinds are small trainings of every kind.
var heldKinds = map[string][]string{
	"ggm":    {"--components", "3", "--rounds", "6", "--standardise", "own", "--blur", "0"},
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
	testkit.SkipRaced(t)
	if runtime.GOARCH != "amd64" {
		t.Skip("figures have other last bits, and so have the radii of fedgem")
	}
	dir := t.TempDir()
	writeHeldRows(t, filepath.Join(dir, "d"), false)
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
			if !testkit.Long {
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
	if *update {
		writeHeld(t, path, got)
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
	var r struct {
		Participants     []struct{ Digest string }
		Loglik, Accuracy *float64
	}
	if err := json.Unmarshal(read(t, filepath.Join(out, "result.json")), &r); err != nil {
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

// An output is what a user sees of a training and of scores by its model. JSON and Scores are digests of
// the object and of the lines, with figures rounded.
type output struct {
	Code   int    `json:"code"`
	Digest string `json:"digest,omitempty"` // that of the first member
	JSON   string `json:"json"`
	Scores string `json:"scores,omitempty"`
}

// A change of the program's structure does not change what users see of trainings with default
// options, with missing cells, with windows, with epsilon, and with a member that is lost and returns.
func TestOutputsAreHeld(t *testing.T) {
	testkit.LongOnly(t)
	testkit.SkipRaced(t)
	if runtime.GOARCH != "amd64" {
		t.Skip("figures have other last bits")
	}
	dir := t.TempDir()
	writeHeldRows(t, filepath.Join(dir, "d"), false)
	writeHeldRows(t, filepath.Join(dir, "m"), true)
	path := filepath.Join("testdata", "outputs.json")
	want, got := map[string]output{}, map[string]output{}
	if b, err := os.ReadFile(path); err == nil {
		if err := json.Unmarshal(b, &want); err != nil {
			t.Fatal(err)
		}
	}
	for kind := range heldKinds {
		for name, options := range map[string][]string{
			"defaults":      nil,
			"missing cells": {"--missing", "marginal"},
			"windows":       {"--window", "3", "--min-rows", "8"},
			"epsilon":       {"--epsilon", "8", "--ranges=-10,10", "--components", "2"},
			"member lost":   {"--scheme", "exact", "--faults", "crash:node=3,round=1,for=3s"},
		} {
			if name == "windows" && kind != "fedgen" && kind != "fedgem" {
				options = options[:2]
			}
			in := "d"
			if name == "missing cells" {
				in = "m"
			}
			name = kind + ", " + name
			out := filepath.Join(dir, "o")
			args := append([]string{"sim", "--data", in, "--label", "class", "--model", kind, "--out", out, "--json"}, options...)
			var o output
			var object []byte
			code, said := start(t, dir, args...).end(t)
			if o.Code = code; code == 0 {
				object = read(t, filepath.Join(out, "result.json"))
				var r struct {
					Participants []struct{ Name, Digest string }
				}
				if err := json.Unmarshal(object, &r); err != nil {
					t.Fatal(err)
				}
				o.Digest, o.JSON = r.Participants[0].Digest, rounded(t, object)
				scores := filepath.Join(dir, "scores.csv")
				args := []string{"score", "--model", filepath.Join(out, r.Participants[0].Name, "model.npz"), "--data", filepath.Join(in, "site-a.csv"), "--carry", "none", "--output", scores}
				if code, said := start(t, dir, args...).end(t); code != 0 {
					t.Fatalf("%s: %q: exit code %d; it said:\n%s", name, args, code, said)
				}
				o.Scores = roundedCSV(t, read(t, scores))
				if err := os.RemoveAll(out); err != nil {
					t.Fatal(err)
				}
			}
			if got[name] = o; o != want[name] {
				t.Errorf("%s: got %+v, want %+v; with -update, compare the outputs of both programs; it said:\n%s\n%s", name, o, want[name], said, object)
			}
		}
	}
	if *update {
		writeHeld(t, path, got)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// rounded returns the digest of a JSON object without times and the names of kernels. Numbers count
// with five digits: the others may differ between processors.
func rounded(t *testing.T, object []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(object, &v); err != nil {
		t.Fatal(err)
	}
	var round func(v any) any
	round = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for k, e := range v {
				v[k] = round(e)
			}
			delete(v, "seconds")
			delete(v, "kernels")
		case []any:
			for i, e := range v {
				v[i] = round(e)
			}
		case float64:
			return fiveDigits(v)
		}
		return v
	}
	b, err := json.Marshal(round(v))
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(b))
}

func fiveDigits(v float64) string { return strconv.FormatFloat(v, 'g', 5, 64) }

// roundedCSV returns the digest of lines of scores, whose numbers count with five digits.
func roundedCSV(t *testing.T, text []byte) string {
	t.Helper()
	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || len(lines) < 2 {
		t.Fatalf("%d lines of scores, %v", len(lines), err)
	}
	for _, line := range lines[1:] {
		for i, cell := range line {
			if v, err := strconv.ParseFloat(cell, 64); err == nil {
				line[i] = fiveDigits(v)
			}
		}
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(fmt.Sprint(lines))))
}

// writeHeld writes what is held to a file.
func writeHeld(t *testing.T, path string, v any) {
	t.Helper()
	b, err := json.MarshalIndent(v, "", "  ")
	if err == nil {
		err = os.WriteFile(path, append(b, '\n'), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// writeHeldRows writes files of three participants with rows of three classes. Some rows may lack a
// cell.
func writeHeldRows(t *testing.T, dir string, missing bool) {
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
			cells := strings.Split(fmt.Sprintf("%.6f,%.6f,%.6f", 4*math.Cos(float64(2*class))+u, 3*math.Sin(float64(2*class))-0.5*u+rng.NormFloat64(), float64(p)+rng.NormFloat64()), ",")
			if missing && j%5 == 2 {
				cells[j/5%3] = ""
			}
			fmt.Fprintf(&b, "%s,%d\n", strings.Join(cells, ","), class)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("site-%c.csv", 'a'+p)), []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
