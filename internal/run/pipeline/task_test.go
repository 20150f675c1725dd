package pipeline

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/option"
)

func TestValidateNamesTheField(t *testing.T) {
	example(t)
	for _, change := range []string{
		"components=0", "rounds=-1", "tol=NaN", "lambda0=0", "rho=Inf", "standardise=", "standardise=x", "false-alarm=1", "false-alarm=0", "scheme=x", "consensus.scheme=x",
	} {
		name, _, _ := strings.Cut(strings.TrimPrefix(change, "consensus."), "=")
		_, err := attempt("ggm", append(quick["ggm"], change)...)
		var e *option.Error
		if !errors.As(err, &e) || e.Name != name {
			t.Errorf("%s: got %v, want an error of %s", change, err, name)
		}
	}
	var e *option.Error
	if _, err := Named("x"); !errors.As(err, &e) || e.Name != "model" {
		t.Errorf("got %v, want an error of model", err)
	}
}

// start has two patterns of two columns, in the form of a file.
const start = `{"means":[[0,1],[2,0]],"precisions":[[[1,0],[0,1]],[[1,0],[0,1]]],"weights":[0.5,0.5]}`

func TestFieldsTellTasksApart(t *testing.T) {
	text := func(k *Task, columns ...string) string {
		var b strings.Builder
		for _, f := range k.Fields(columns) {
			b.WriteString(f.Name + "=" + f.Value + "\n")
		}
		return b.String()
	}
	base := text(example(t), "a", "b")
	for kind, changes := range map[string][]string{
		"ggm":    {"missing=marginal", "components=3", "rounds=6", "tol=2e-6", "lambda0=2", "lambda=0.3", "score=expected", "seed=4", "standardise=none", "false-alarm=0.005", "normalise=robust", "pca=2"},
		"fedgen": {"components=2-9", "covariance=full", "synthetic=5", "refine=1", "min-rows=1"},
		"dem":    {"covariance=full", "start=k-fed"},
		"fedgem": {"local-steps=2", "radius=half", "final=factor=1", "min-rows=1"},
		"mtvae":  {"latent=3", "hidden=6", "batch=5", "rate=1", "aggressive=5", "local-steps=0"},
		"bvae":   {"beta=3", "epochs=6", "weights=feddisco", "weights=latent", "publish-weights=true", "condition=cgau"},
		"cgau":   {"hidden=6", "batch=5", "rate=1", "local-steps=3", "classes=5", "dropout=0.5"},
	} {
		of := text(small(t, kind), "a", "b")
		if kind != "ggm" && of == base {
			t.Errorf("%s has the fields of ggm", kind)
		}
		for _, change := range changes {
			if text(small(t, kind, change), "a", "b") == of {
				t.Errorf("%s: %s is not in the fields", kind, change)
			}
		}
	}
	for kind, with := range map[string][]string{
		"fedgen": {"components=2", "epsilon=1", "clip=3", "standardise=none"},
		"fedgem": {"components=2", "epsilon=1", "clip=3", "standardise=none"},
		"bvae":   latent,
	} {
		of := text(made(t, kind, with...))
		for _, change := range map[string][]string{
			"fedgen": {"epsilon=2", "delta=0.001", "clip=4"},
			"fedgem": {"epsilon=2", "delta=0.001", "clip=4"},
			"bvae":   {"effect=1", "offset=auto", "debias=false", "weigh-every=1", "publish-weights=false"},
		}[kind] {
			if text(made(t, kind, append(with, change)...)) == of {
				t.Errorf("%s: %s is not in the fields", kind, change)
			}
		}
	}
	k, err := Named("ggm")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range append(quick["ggm"], "init=start.json") {
		name, value, _ := strings.Cut(o, "=")
		if err := k.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.Options.Find("init").Load([]byte(start)); err != nil {
		t.Fatal(err)
	}
	if err := k.Complete(); err != nil {
		t.Fatal(err)
	}
	if text(k, "a", "b") == base {
		t.Error("the start is not in the fields")
	}
	k = example(t)
	k.Kind.Name = "x"
	if text(k, "a", "b") == base {
		t.Error("the model is not in the fields")
	}
	if text(example(t), "a", "c") == base || text(example(t), "a") == base {
		t.Error("other columns have the same fields")
	}
}

// A member that leaves an option out agrees with one that sets its default. An option that does not
// apply is not a field.
func TestDefaultsAgreeWithExplicitOptions(t *testing.T) {
	for kind, with := range map[string][]string{"fedgen": nil, "fedgem": nil, "dem": {"start=k-fed"}} {
		fields := func(more ...string) string { return fmt.Sprint(small(t, kind, append(with, more...)...).Fields(nil)) }
		if fields() != fields("min-rows=5") || fields() == fields("min-rows=1") || !strings.Contains(fields(), "{min-rows 5}") {
			t.Errorf("%s: got %s", kind, fields())
		}
	}
	for _, k := range []*Task{example(t), small(t, "dem")} {
		if fields := fmt.Sprint(k.Fields(nil)); strings.Contains(fields, "min-rows") {
			t.Errorf("%s: got %s", k.Kind.Name, fields)
		}
	}
}
