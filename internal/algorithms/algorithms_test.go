package algorithms_test

import (
	"testing"

	"github.com/collabdict/collabdict/internal/algorithms"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/testkit/algorithmtest"
	"github.com/collabdict/collabdict/option"
)

// Every exported field of every algorithm's settings is bound to one option, so the agreement
// cannot lack a setting.
func TestFieldsAreBoundOnce(t *testing.T) {
	for _, k := range algorithms.All() {
		algorithmtest.Bound(t, k)
	}
}

// The agreement contains every option that applies, and changes with each of them.
func TestAgreementsSayEveryOption(t *testing.T) {
	for _, k := range algorithms.All() {
		task := pipeline.New(k)
		if err := task.Complete(); err != nil {
			t.Fatalf("%s: %v", k.Name, err)
		}
		said := map[string]bool{}
		for _, f := range task.Fields([]string{"a"}) {
			if said[f.Name] {
				t.Errorf("%s: two fields have the name %s", k.Name, f.Name)
			}
			said[f.Name] = true
		}
		for _, e := range task.Options.Entries() {
			if name := nameOf(task.Options, e.Key); !said[name] {
				t.Errorf("%s: the option %s is not agreed on", k.Name, name)
			}
		}
	}
}

func nameOf(t option.Table, key string) string {
	for _, o := range t {
		one := option.Table{o}
		for _, e := range one.Entries() {
			if e.Key == key {
				return o.Name
			}
		}
	}
	return key
}
