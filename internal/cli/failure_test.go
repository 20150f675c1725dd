package cli

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/data/partition"
	"github.com/collabdict/collabdict/internal/journal/store"
	"github.com/collabdict/collabdict/internal/run/launch"
	"github.com/collabdict/collabdict/node"
)

// Errors that need other members, or a process that fails by itself, say where they are, too.
func TestFailuresOfMembers(t *testing.T) {
	child := launch.Failure{Code: "data", Hint: "fix it", File: "b.csv", Line: 3, Column: "x", Got: "wet"}
	for _, test := range []struct {
		err  error
		want launch.Failure
		exit int
	}{
		{&node.DisagreementError{Peer: "b (12D3)", Field: "rho", Own: "1", Theirs: "2"}, launch.Failure{Code: "disagreement", Field: "rho", Members: []string{"b (12D3)"}, Got: "2", Wanted: "1"}, 5},
		{&node.DuplicateNameError{Name: "b", Peers: []string{"12D3", "12D4"}}, launch.Failure{Code: "disagreement", Members: []string{"b"}}, 5},
		{&node.TooManyError{Want: 1, Found: []string{"a", "b"}}, launch.Failure{Code: "disagreement", Members: []string{"a", "b"}, Got: "2", Wanted: "1"}, 5},
		{&node.StrangerError{Peer: "b"}, launch.Failure{Code: "disagreement", Members: []string{"b"}}, 5},
		{&node.RosterError{Peer: "b"}, launch.Failure{Code: "disagreement", Members: []string{"b"}}, 5},
		{&consensus.ParametersError{Names: []string{"b"}, Digests: make([][32]byte, 1)}, launch.Failure{Code: "disagreement", Members: []string{"b"}}, 5},
		{&node.OverError{Peer: "b"}, launch.Failure{Code: "members-lost", Members: []string{"b"}}, 6},
		{&node.EndedError{Name: "b"}, launch.Failure{Code: "members-lost", Members: []string{"b"}}, 6},
		{&consensus.MemberError{Name: "b", Detail: "a private value"}, launch.Failure{Code: "members-lost", Members: []string{"b"}}, 6},
		{&store.VersionError{Path: "a/state.db", Got: 1}, launch.Failure{Code: "state", File: "a/state.db", Got: "1", Wanted: fmt.Sprint(store.Version)}, 8},
		{&partition.Error{Column: "class"}, launch.Failure{Code: "data", Column: "class"}, 3},
		{&launch.ChildError{Name: "b", Exit: 3, Failure: child}, child, 3},
	} {
		c, f := failureOf(t.Context(), fmt.Errorf("round 2: %w", test.err))
		got := f.Failure
		if got.Message != "round 2: "+test.err.Error() || c.code != test.exit {
			t.Errorf("%T: got %q with exit code %d", test.err, got.Message, c.code)
		}
		if got.Message = ""; test.want.Hint == "" {
			got.Hint = ""
		}
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%T: got %+v, want %+v", test.err, got, test.want)
		}
	}
}
