package pipeline_test

import (
	"reflect"
	"testing"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/run/pipeline"
)

// Complete makes settings canonical, so a program that leaves the defaults out agrees with members
// that use the command.
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

// Each setting that members agree on has exactly one option, and so a field in an agreement.
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
