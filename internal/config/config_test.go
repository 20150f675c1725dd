package config

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/testkit/pipelinetest"
)

func example(t *testing.T) *Consortium {
	t.Helper()
	return agreement(t, pipelinetest.Task(t, "ggm", "components=3", "rounds=7", "tol=1e-5", "lambda0=2", "rho=0.5", "seed=9",
		"standardise=global", "false-alarm=0.02",
		"consensus.step=optimal", "consensus.graph=ring", "consensus.degree=6", "consensus.tolerance=1e-8",
		"consensus.protect=none", "consensus.chunks=4", "consensus.quorum=2", "consensus.recover=wait"))
}

func agreement(t *testing.T, of *pipeline.Task) *Consortium {
	t.Helper()
	c, err := NewConsortium(of, []string{"temp", "flow"}, []Member{{Name: "a", ID: "x", Addrs: []string{"/ip4/127.0.0.1/tcp/1"}}, {Name: "b", ID: "y"}, {Name: "c", ID: "z"}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// create does not overwrite a file, and returns errors of the system unchanged.
func TestCreateReturnsTheCause(t *testing.T) {
	path := written(t, "x")
	var exists *Error
	if err := create(path, nil); !errors.As(err, &exists) || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("got %v", err)
	}
	if err := create(filepath.Join(path, "consortium.yaml"), nil); err == nil || errors.As(err, &exists) {
		t.Errorf("in a folder that is a file: got %v", err)
	}
}

// The file of an agreement keeps every task that members can agree on.
func TestAgreementsKeepTheTask(t *testing.T) {
	for kind, options := range map[string][]string{
		"ggm":    {"components=3", "rho=0.5", "seed=18446744073709551615", "pca=2", "normalise=minmax"},
		"fedgen": {"components=3-7", "covariance=spherical", "synthetic=50", "min-rows=9", "refine=2"},
		"dem":    {"start=k-fed", "min-rows=9", "tol=0"},
		"fedgem": {"epsilon=2", "clip=3", "components=4", "standardise=none", "final=factor=1.5"},
		"mtvae":  {"latent=3", "hidden=64,32", "aggressive=20"},
		"bvae":   {"hidden=8", "weights=latent", "offset=0.25", "debias=true", "weigh-every=3", "publish-weights=true", "condition=cgau"},
		"cgau":   {"classes=4", "hidden=5,4,3", "dropout=0.25", "consensus.scheme=exact", "consensus.fan=3", "consensus.parity=true"},
	} {
		want := pipelinetest.Task(t, kind, options...)
		c := agreement(t, want)
		path := filepath.Join(t.TempDir(), "consortium.yaml")
		if err := c.Write(path); err != nil {
			t.Fatal(err)
		}
		read, err := ReadConsortium(path)
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		if !reflect.DeepEqual(read.Columns, c.Columns) || read.Members[0].Addrs[0] != c.Members[0].Addrs[0] {
			t.Errorf("%s: got %+v", kind, read)
		}
		got, err := read.Task()
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		if err := got.Complete(); err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		if g, w := got.Fields(c.Columns), want.Fields(c.Columns); !reflect.DeepEqual(g, w) || got.Settings != want.Settings {
			t.Errorf("%s: got %v and %+v, want %v and %+v", kind, g, got.Settings, w, want.Settings)
		}
	}
}

// An agreement keeps each setting of consensus.
func TestAgreementsKeepAllSettings(t *testing.T) {
	kept := map[string]bool{}
	for _, options := range [][]string{
		{"scheme=laplacian", "step=optimal", "graph=random-regular", "degree=6", "tolerance=1e-8", "protect=sessions", "chunks=4", "accept-lone-change=true", "on-lone-return=hold", "recover=wait"},
		{"scheme=exact", "fan=3", "parity=true", "full-chunks=true", "chunks=5", "quorum=8", "colluders=2"},
		{"scheme=base-k", "fan=2", "protect=shamir", "chunks=6", "threshold=3", "colluders=1"},
	} {
		task := pipelinetest.With(t, "ggm")
		for _, o := range options {
			name, text, _ := strings.Cut(o, "=")
			if err := task.Set("consensus."+name, text); err != nil {
				t.Fatal(err)
			}
			kept[name] = true
		}
		if err := task.Complete(); err != nil {
			t.Fatal(err)
		}
		var members []Member
		for i := range 9 {
			members = append(members, Member{Name: fmt.Sprint("m", i), ID: fmt.Sprint(i)})
		}
		c, err := NewConsortium(task, []string{"temp"}, members)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "consortium.yaml")
		if err := c.Write(path); err != nil {
			t.Fatal(err)
		}
		got, err := readTask(t, path)
		if err != nil || got.Settings != task.Settings {
			t.Errorf("got %+v, want %+v; %v", got.Settings, task.Settings, err)
		}
	}
	for _, name := range pipelinetest.With(t, "ggm").Consensus.Names() {
		if !kept[name] {
			t.Errorf("%s is not tried", name)
		}
	}
}

// readTask returns the task of a file, completed.
func readTask(t *testing.T, path string) (*pipeline.Task, error) {
	t.Helper()
	c, err := ReadConsortium(path)
	if err != nil {
		t.Fatal(err)
	}
	task, err := c.Task()
	if err != nil {
		return nil, err
	}
	return task, task.Complete()
}

// An agreement keeps ranges, and an offset that is a number or a word, with quotes or without.
func TestAgreementsKeepRangesAndOffsets(t *testing.T) {
	of := pipelinetest.With(t, "bvae", "weights=latent", "offset=0.25")
	of.Ranges = pipeline.Ranges{pipeline.EveryColumn: {0, 10}, "flow": {-1.5, 1}}
	if err := of.Complete(); err != nil {
		t.Fatal(err)
	}
	c := agreement(t, of)
	path := filepath.Join(t.TempDir(), "consortium.yaml")
	if err := c.Write(path); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`offset: .*`)
	for text, want := range map[string]string{`offset: 0.25`: "0.25", `offset: "0.25"`: "0.25", `offset: -1`: "-1", `offset: auto`: "auto", `offset: "auto"`: "auto"} {
		changed := line.ReplaceAll(b, []byte(text))
		if !bytes.Contains(changed, []byte(text)) {
			t.Fatalf("no offset in %s", b)
		}
		if err := os.WriteFile(path, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := readTask(t, path)
		if err != nil || got.Options.Find("offset").Text() != want || got.Ranges.String() != of.Ranges.String() || got.Standardise != "agreed" {
			t.Errorf("%s: got %s, ranges %s, %v", text, got.Options.Find("offset").Text(), got.Ranges, err)
		}
	}
}

// An option that a file leaves out has the same default as a flag that is not given.
func TestAgreementsLeaveOptionsOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "consortium.yaml")
	text := "version: 3\nmembers:\n  - {name: a, id: x, addrs: []}\n  - {name: b, id: y, addrs: []}\n  - {name: c, id: z, addrs: []}\ncolumns: [temp]\nmodel:\n  kind: bvae\nconsensus:\n  scheme: exact\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	read, err := ReadConsortium(path)
	if err != nil {
		t.Fatal(err)
	}
	got, err := read.Task()
	if err != nil {
		t.Fatal(err)
	}
	if err := got.Complete(); err != nil {
		t.Fatal(err)
	}
	want := pipelinetest.Task(t, "bvae", "standardise=own", "consensus.scheme=exact")
	if g, w := got.Fields(nil), want.Fields(nil); !reflect.DeepEqual(g, w) || got.Settings != want.Settings {
		t.Errorf("got %v and %+v, want %v and %+v", g, got.Settings, w, want.Settings)
	}
}

func TestAgreementsThatCannotBeUsed(t *testing.T) {
	dir := t.TempDir()
	for want, change := range map[string]func(string) string{
		"want version 3, got 2":                  func(s string) string { return strings.Replace(s, "version: 3", "version: 2", 1) },
		"unknown field sead":                     func(s string) string { return strings.Replace(s, "seed:", "sead:", 1) },
		"want a number, or a range such as 3-10": func(s string) string { return strings.Replace(s, "components: 3", "components: three", 1) },
		"the file is empty":                      func(string) string { return "" },
		`scheme: want auto`:                      func(s string) string { return strings.Replace(s, "scheme: auto", "scheme: magic", 1) },
		"quorum: want at most":                   func(s string) string { return strings.Replace(s, "quorum: 2", "quorum: 9", 1) },
		"columns: want at least 1":               func(s string) string { return strings.Replace(s, "  - temp\n  - flow\n", "", 1) },
		`columns: want text without characters that cannot be seen, got "flow\u200b"`: func(s string) string {
			return strings.Replace(s, "- flow", `- "flow\u200b"`, 1)
		},
		`members: want text without characters that cannot be seen, got "b\u202e"`: func(s string) string { return strings.Replace(s, "name: b", `name: "b\u202e"`, 1) },
		`members: addrs: want text`:  func(s string) string { return strings.Replace(s, "/tcp/1", "/tcp/1\u2066", 1) },
		`units: want text`:           func(s string) string { return s + "units: {temp: \"K\\e[2J\"}\n" },
		`changes: remove: want text`: func(s string) string { return s + "changes: [{remove: [\"a\\u202e\"]}]\n" },
		`members: want text without characters that cannot be seen, got "d\u009b"`: func(s string) string { return s + "changes: [{add: [{name: \"d\\x9b\", id: x, addrs: []}]}]\n" },
		"members: want at least 2, g": func(s string) string { return s[:strings.Index(s, "  - name: b")] + s[strings.Index(s, "columns:"):] },
	} {
		path := filepath.Join(dir, "c.yaml")
		if err := example(t).Write(path); err != nil {
			t.Fatal(err)
		}
		b, _ := os.ReadFile(path)
		if err := os.WriteFile(path, []byte(change(string(b))), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := ReadConsortium(path)
		var typed *Error
		if !errors.As(err, &typed) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want %q in one line", err, want)
		}
	}
}

func TestNodesResolveTheirPaths(t *testing.T) {
	dir := t.TempDir()
	n := &Node{Version: Version, Name: "a", Consortium: "../consortium.yaml", Data: []string{"rows.csv", "/abs/rows.csv"}, Where: "split=train"}
	if err := n.Write(dir); err != nil {
		t.Fatal(err)
	}
	got, err := ReadNode(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got.Consortium != filepath.Join(filepath.Dir(dir), "consortium.yaml") || got.Data[0] != filepath.Join(dir, "rows.csv") || got.Data[1] != "/abs/rows.csv" {
		t.Errorf("got %+v", got)
	}
	spec, err := got.Spec()
	if err != nil || spec.Where.Column != "split" || spec.Where.Value != "train" {
		t.Errorf("got %+v, %v", spec, err)
	}
	if _, err := ReadNode(filepath.Join(dir, "none")); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("got %v", err)
	}
}

// Errors name a key that occurs twice, and a key that is missing.
func TestAgreementsWithTwoOrNone(t *testing.T) {
	for want, change := range map[string]func(string) string{
		"version: want 3, got none":   func(s string) string { return strings.Replace(s, "version: 3\n", "", 1) },
		"model: want kind, got none":  func(s string) string { return strings.Replace(s, "  kind: ggm\n", "", 1) },
		`"rounds" already defined at`: func(s string) string { return strings.Replace(s, "  rounds: 7\n", "  rounds: 7\n  rounds: 8\n", 1) },
	} {
		path := filepath.Join(t.TempDir(), "c.yaml")
		if err := example(t).Write(path); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(change(string(b))), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadConsortium(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// A member chooses to refuse or to skip its own rows with missing cells. Learning from them is a
// setting that all members agree on.
func TestMissingCellsOfANode(t *testing.T) {
	for missing, want := range map[string]string{"": "", "skip": "", "error": "", "marginal": `missing: want error or skip, got "marginal": all members agree on marginal`} {
		spec, err := (&Node{Missing: missing}).Spec()
		if want == "" && (err != nil || spec.Missing != missing) || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%q: got %q, %v", missing, spec.Missing, err)
		}
	}
}

// The part on consensus may be left out; all its settings then have their defaults.
func TestConsensusIsOptional(t *testing.T) {
	path := filepath.Join(t.TempDir(), "consortium.yaml")
	for _, text := range []string{"", "consensus:\n", "consensus: {}\n"} {
		text = "version: 3\nmembers: [{name: a, id: x}, {name: b, id: y}, {name: c, id: z}]\ncolumns: [temp]\nmodel: {kind: ggm}\n" + text
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := readTask(t, path)
		if want := pipelinetest.Task(t, "ggm"); err != nil || got.Settings != want.Settings {
			t.Errorf("%q: %v, got %+v, want %+v", text, err, got.Settings, want.Settings)
		}
	}
}

// The error about a misspelt field has its line, and suggests the nearest known field.
func TestMisspeltFields(t *testing.T) {
	const text = `version: 3
members:
  - {name: a, id: x, addrs: []}
  - {name: b, id: y}
  - {name: c, id: z}
columns: [temp]
changes:
  - {remove: [b]}
model:
  kind: ggm
  seed: 2
consensus:
  quorum: 2
`
	decoded := func(text string) error { _, err := decodeConsortium("f", []byte(text)); return err }
	if err := decoded(text); err != nil {
		t.Fatal(err)
	}
	for spelt, want := range map[[2]string]string{
		{"members:", "member:"}:  "line 2, column 1: unknown field member: did you mean members?",
		{"addrs:", "adrs:"}:      "line 3, column 22: members: number 1: unknown field adrs: did you mean addrs?",
		{"columns:", "colums:"}:  "line 6, column 1: unknown field colums: did you mean columns?",
		{"remove:", "remvoe:"}:   "line 8, column 6: changes: number 1: unknown field remvoe: did you mean remove?",
		{"seed:", "sead:"}:       "model: line 11: unknown field sead: did you mean seed?",
		{"quorum:", "qourum:"}:   "consensus: line 13: unknown field qourum: did you mean quorum?",
		{"quorum:", "majority:"}: "consensus: line 13: unknown field majority; there are scheme, step",
	} {
		if err := decoded(strings.Replace(text, spelt[0], spelt[1], 1)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", spelt[1], err, want)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, NodeFile), []byte("version: 3\nlisten: []\nlabl: x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadNode(dir); err == nil || !strings.Contains(err.Error(), "line 3, column 1: unknown field labl: did you mean label?") {
		t.Errorf("got %v", err)
	}
}

// Only columns whose own unit differs from the agreed one are converted.
func TestColumnUnits(t *testing.T) {
	agreed := map[string]string{"temp": "degC", "level": "widgets", "flow": "kg/s"}
	n := &Node{Units: map[string]string{"temp": "degF", "level": "widgets"}}
	got, err := n.ColumnUnits(agreed)
	want := map[string]dataset.Unit{"temp": {Own: "degF", Agreed: "degC"}, "level": {Own: "widgets", Agreed: "widgets"}, "flow": {Agreed: "kg/s"}}
	if err != nil || !maps.Equal(got, want) || !got["temp"].Differs() || got["level"].Differs() || got["flow"].Differs() {
		t.Errorf("got %v, %v", got, err)
	}
	for column, c := range map[string]struct{ unit, want string }{
		"flow":     {"bar", `units: column "flow": cannot convert bar to kg/s: bar is a unit of pressure, kg/s of mass flow`},
		"pressure": {"bar", `units: column "pressure" has no unit in the agreement, so bar cannot be converted: agree on a unit with all members, or leave it out`},
	} {
		n.Units = map[string]string{column: c.unit}
		if _, err := n.ColumnUnits(agreed); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// A pause is true or absent; any other value is an error that gives the line.
func TestPausesAreTrueOrAbsent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "consortium.yaml")
	for change, want := range map[string]string{
		"pause: true":       "",
		"resume: true":      "",
		"pause: false":      `line 7, column 13: changes: number 1: pause: want true, or nothing at all, got "false"`,
		"resume: no":        `line 7, column 14: changes: number 1: resume: want true, or nothing at all, got "no"`,
		"pause: 2 days":     `line 7, column 13: changes: number 1: pause: want true, or nothing at all, got "2 days"`,
		"resume: [x]":       "line 7, column 14: changes: number 1: resume: want true, or nothing at all, got a list",
		"paused: true":      "line 7, column 6: changes: number 1: unknown field paused: did you mean pause?",
		"pause: true, x: 1": "unknown field x",
	} {
		text := "version: 3\nmodel: {kind: ggm}\ncolumns: [a, b]\nmembers: []\nconsensus: {}\nchanges:\n  - {" + change + "}\n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := ReadDraft(path)
		switch {
		case want != "":
			if err == nil || !strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", change, err, want)
			}
		case err != nil || len(c.Changes) != 1 || bool(c.Changes[0].Pause) != (change == "pause: true") || bool(c.Changes[0].Resume) != (change == "resume: true"):
			t.Errorf("%s: %+v, %v", change, c, err)
		}
	}
}
