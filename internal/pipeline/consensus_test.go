package pipeline_test

import (
	"reflect"
	"testing"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/pipeline"
)

// The command's settings are canonical, so what its members agree on is what a program
// with fewer words says.
func TestCompleteSettingsAreCanonical(t *testing.T) {
	for _, scheme := range []consensus.Scheme{consensus.Laplacian, consensus.Exact, consensus.BaseK} {
		var s consensus.Settings
		table := pipeline.ConsensusOptions(&s)
		if err := table.Set("scheme", string(scheme)); err != nil {
			t.Fatal(err)
		}
		if err := table.Complete(); err != nil {
			t.Fatal(err)
		}
		if got := s.Canonical(); got != s {
			t.Errorf("%s: got %+v, want %+v", scheme, got, s)
		}
	}
}

// Whatever members can agree on has an option, and so a field in an agreement.
func TestEachSettingHasOneOption(t *testing.T) {
	var s consensus.Settings
	bound := map[any]int{}
	for _, o := range pipeline.ConsensusOptions(&s) {
		for _, f := range o.Fields {
			bound[f]++
		}
	}
	v := reflect.ValueOf(&s).Elem()
	for i := range v.NumField() {
		if n := bound[v.Field(i).Addr().Interface()]; n != 1 {
			t.Errorf("%s: want one option, got %d", v.Type().Field(i).Name, n)
		}
	}
}
