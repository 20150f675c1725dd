package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/consensus/graph"
	"github.com/collabdict/collabdict/consensus/session"
	"github.com/collabdict/collabdict/internal/pipeline"
	"github.com/collabdict/collabdict/model"
)

func example() *Consortium {
	t := *pipeline.Task{
		Model: model.GGM, Components: 3, Rounds: 7, Tol: 1e-5, Lambda0: 2, Rho: 0.5, Seed: 9,
		Standardise: algorithm.Global, FalseAlarm: 0.02,
		Settings: consensus.Settings{
			Scheme: consensus.Laplacian, Step: session.Optimal, Graph: graph.Ring, Degree: 6, Tolerance: 1e-8, Fan: 2,
			Protect: chunking.None, Chunks: 4, Quorum: 2, Recover: consensus.Wait,
		},
	}
	return NewConsortium(t, []string{"temp", "flow"}, []Member{{Name: "a", ID: "x", Addrs: []string{"/ip4/127.0.0.1/tcp/1"}}, {Name: "b", ID: "y"}})
}

func TestAgreementsKeepMixtures(t *testing.T) {
	path := filepath.Join(t.TempDir(), "consortium.yaml")
	c := example()
	c.Model.Kind, c.Model.Lambda0, c.Model.Rho = string(model.FedGen), 0, 0
	c.Model.Most, c.Model.Covariance, c.Model.Synthetic, c.Model.Start = 7, "spherical", 50, "k-fed"
	c.Model.MinRows = 9
	if err := c.Write(path); err != nil {
		t.Fatal(err)
	}
	got, err := ReadConsortium(path)
	if err != nil {
		t.Fatal(err)
	}
	k := got.Task()
	if !reflect.DeepEqual(k, c.Task()) || k.MostComponents != 7 || k.Covariance != "spherical" || k.Synthetic != 50 || k.Start != pipeline.KFed || k.MinRows != 9 {
		t.Errorf("got %+v, want %+v", k, c.Task())
	}
}

func TestAgreementsKeepNetworks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "consortium.yaml")
	c := example()
	c.Model = Model{
		Kind: string(model.MTVAE), Rounds: 5, LocalSteps: 20, Latent: 8, Hidden: []int{64, 32}, Batch: 128, Rate: 0.001, Aggressive: 20,
		Standardise: "own", FalseAlarm: 0.01,
	}
	if err := c.Write(path); err != nil {
		t.Fatal(err)
	}
	got, err := ReadConsortium(path)
	if err != nil {
		t.Fatal(err)
	}
	k := got.Task()
	if want := (pipeline.Networks{Latent: 8, Hidden: []int{64, 32}, Batch: 128, Rate: 0.001, Aggressive: 20}); !reflect.DeepEqual(k, c.Task()) || !reflect.DeepEqual(k.Networks, want) || k.LocalSteps != 20 {
		t.Errorf("got %+v, want %+v", k, c.Task())
	}
}

func TestAgreementsKeepClassifiers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "consortium.yaml")
	c := example()
	c.Model = Model{
		Kind: string(model.CGAU), Rounds: 5, LocalSteps: 10, Hidden: []int{64, 64}, Batch: 32, Rate: 0.1, Classes: 4, Dropout: 0.5,
		Standardise: "own", FalseAlarm: 0.01,
	}
	if err := c.Write(path); err != nil {
		t.Fatal(err)
	}
	got, err := ReadConsortium(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := (pipeline.Networks{Hidden: []int{64, 64}, Batch: 32, Rate: 0.1, Classes: 4, Dropout: 0.5}); !reflect.DeepEqual(got.Task().Networks, want) {
		t.Errorf("got %+v, want %+v", got.Task(), want)
	}
}

// An offset is a number or a word.
func TestAgreementsKeepWeights(t *testing.T) {
	path := filepath.Join(t.TempDir(), "consortium.yaml")
	c := example()
	c.Model = Model{
		Kind: string(model.BVAE), Rounds: 5, Latent: 2, Hidden: []int{8}, Batch: 64, Rate: 0.001, Beta: 0.01, Epochs: 10, Condition: "cgau",
		Weights: "latent", Effect: 0.1, Offset: "0.25", Debias: true, WeighEvery: 5, Publish: true, Standardise: "own", Normalise: "minmax", FalseAlarm: 0.01,
	}
	if err := c.Write(path); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	bare := strings.Replace(string(b), `"0.25"`, "0.25", 1)
	if bare == string(b) {
		t.Fatalf("no offset in %s", b)
	}
	for _, text := range []string{string(b), bare} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := ReadConsortium(path)
		if err != nil {
			t.Fatal(err)
		}
		k := got.Task()
		want := pipeline.Weighting{Weights: pipeline.Latent, Effect: 0.1, Offset: "0.25", Debias: true, Every: 5, Publish: true}
		if !reflect.DeepEqual(k, c.Task()) || k.Weighting != want || k.Networks.Condition != "cgau" || k.Networks.Epochs != 10 || k.Networks.Beta != 0.01 {
			t.Errorf("got %+v, want %+v", k, c.Task())
		}
	}
}

func TestAgreementsKeepTheTask(t *testing.T) {
	path := filepath.Join(t.TempDir(), "consortium.yaml")
	c := example()
	if err := c.Write(path); err != nil {
		t.Fatal(err)
	}
	got, err := ReadConsortium(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Task(), c.Task()) || got.Task().Components != 3 || got.Task().Settings.Graph != graph.Ring {
		t.Errorf("got %+v, want %+v", got.Task(), c.Task())
	}
	if !reflect.DeepEqual(got.Columns, c.Columns) || got.Members[0].Addrs[0] != c.Members[0].Addrs[0] {
		t.Errorf("got %+v", got)
	}
}

// Whatever members can agree on, the file keeps.
func TestAgreementsKeepAllSettings(t *testing.T) {
	var s consensus.Settings
	v := reflect.ValueOf(&s).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			f.SetString(fmt.Sprint("x", i))
		case reflect.Int:
			f.SetInt(int64(i + 1))
		case reflect.Float64:
			f.SetFloat(float64(i + 1))
		case reflect.Bool:
			f.SetBool(true)
		default:
			t.Fatalf("field %s", v.Type().Field(i).Name)
		}
	}
	if got := newConsensus(s).settings(); got != s {
		t.Errorf("got %+v, want %+v", got, s)
	}
}

func TestAgreementsThatCannotBeUsed(t *testing.T) {
	dir := t.TempDir()
	for want, change := range map[string]func(string) string{
		"want version 1, got 3":       func(s string) string { return strings.Replace(s, "version: 1", "version: 3", 1) },
		"unknown field sead":          func(s string) string { return strings.Replace(s, "seed:", "sead:", 1) },
		"want a whole number":         func(s string) string { return strings.Replace(s, "components: 3", "components: three", 1) },
		"the file is empty":           func(string) string { return "" },
		`scheme: want "laplacian"`:    func(s string) string { return strings.Replace(s, "laplacian", "magic", 1) },
		"quorum: want at most":        func(s string) string { return strings.Replace(s, "quorum: 2", "quorum: 9", 1) },
		"columns: want at least 1":    func(s string) string { return strings.Replace(s, "  - temp\n  - flow\n", "", 1) },
		"members: want at least 2, g": func(s string) string { return s[:strings.Index(s, "  - name: b")] + s[strings.Index(s, "columns:"):] },
	} {
		path := filepath.Join(dir, "c.yaml")
		if err := example().Write(path); err != nil {
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
