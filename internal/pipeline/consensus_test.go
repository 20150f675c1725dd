package pipeline_test

import (
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
