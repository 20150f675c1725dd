package node

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/node/internal/nodetest"
)

// votes makes a node send others a vote in the current slot: to each by its stream, or to all
// by the control plane.
func votes(t *testing.T, n *Node, result byte, to ...int) {
	t.Helper()
	key, err := loadIdentity(n.loop.dir)
	if err != nil {
		t.Fatal(err)
	}
	err = n.loop.do(t.Context(), func() error {
		slot := n.loop.machine.Slot()
		before, err := n.loop.decided(slot - 1)
		if err != nil {
			return err
		}
		v := consensus.CastVote{Member: uint32(n.Self()), Slot: slot, Chain: before.Chain}
		v.Vote.Value.Digest[0] = result
		for _, other := range to {
			n.loop.post(consensus.Send{To: other, Message: consensus.Message{Slot: v.Slot, Body: &consensus.Done{
				Value: v.Vote.Value, Chain: v.Chain, Signature: (&keys{key: key}).Sign(v.Signed(n.state.ID)),
			}}})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// All members name a member that signs two results, and keep both of its votes. That includes
// members that have received only one of them and hear of the other. The votes prove the
// contradiction to anybody who reads them.
func TestEvidenceIsKept(t *testing.T) {
	t.Parallel()
	nodes := startAll(t, testConfigs(t, 3)...)
	waitFor(t, func() bool { // otherwise votes may be for a later slot
		slot := nodes[2].Status().Slot
		return nodes[0].Status().Slot == slot && nodes[1].Status().Slot == slot
	})
	honest := without(nodes, 2)
	votes(t, nodes[2], 1, 0, 1)
	votes(t, nodes[2], 2, consensus.All) // an outbox would take it for a repetition
	ctx, cancel := context.WithTimeout(t.Context(), nodetest.Within)
	defer cancel()
	for _, n := range honest {
		err := sum(ctx, n)
		if named, is := errors.AsType[*consensus.MemberError](err); !is || named.Name != "m2" || !strings.Contains(err.Error(), "the signed votes are in ") {
			t.Fatalf("%s got %v, want an error of m2 with its votes", n.Status().Name, err)
		}
		b, err := os.ReadFile(filepath.Join(n.loop.dir, evidenceName(n.state.ID)))
		if err != nil {
			t.Fatal(err)
		}
		found, err := CheckEvidence(b)
		if err != nil || len(found) != 1 || found[0].Name != "m2" || found[0].ID != nodes[2].host.ID() || found[0].Results[0] == found[0].Results[1] {
			t.Fatalf("%+v, %v, want two results of m2", found, err)
		}
	}
}

// signedVote returns evidence of one vote.
func signedVote(t testing.TB, result byte) (string, evidenceFile) {
	key, id := nodetest.Key(t)
	run := [32]byte{1}
	v := consensus.CastVote{Member: 1, Slot: 4}
	v.Vote.Value.Digest[0] = result
	signature := (&keys{key: key}).Sign(v.Signed(run))
	zeros := strings.Repeat("00", 32)
	return id.String(), evidenceFile{
		Version: evidenceVersion, Run: hex.EncodeToString(run[:]), Accused: "b", Members: []evidenceMember{{1, "b", id.String()}},
		Votes: []evidenceVote{{Rank: 1, Slot: 4, Digest: hex.EncodeToString(v.Vote.Value.Digest[:]), Chain: zeros, Signature: hex.EncodeToString(signature)}},
	}
}

// An altered file proves nothing.
func TestEvidenceThatDoesNotHold(t *testing.T) {
	id, fine := signedVote(t, 1)
	_, other := signedVote(t, 2)
	if _, err := CheckEvidence(encode(t, fine), encode(t, fine)); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(f *evidenceFile){
		"want evidence of version 1, got 2":             func(f *evidenceFile) { f.Version = 2 },
		"run: encoding/hex":                             func(f *evidenceFile) { f.Run = "x" },
		"want 32 bytes in hexadecimal, got 1":           func(f *evidenceFile) { f.Votes[0].Digest = "00" },
		"want a name and a peer ID":                     func(f *evidenceFile) { f.Members[0].Name = "a\x1b" },
		"the signature is not that of " + id:            func(f *evidenceFile) { f.Votes[0].Slot++ },
		"peer ID \"\"":                                  func(f *evidenceFile) { f.Votes[0].Rank++ },
		"want evidence of run 0100000000000000":         func(f *evidenceFile) { f.Run = strings.Repeat("02", 32) },
		"the same in all files":                         func(f *evidenceFile) { f.Members = other.Members },
		"want one rank for each peer ID, got ranks 1 a": func(f *evidenceFile) { f.Members[0].Rank = 5 },
	} {
		_, f := "", fine
		f.Members, f.Votes = append([]evidenceMember{}, fine.Members...), append([]evidenceVote{}, fine.Votes...)
		change(&f)
		if _, err := CheckEvidence(encode(t, fine), encode(t, f)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func encode(t testing.TB, f evidenceFile) []byte {
	t.Helper()
	b, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Any bytes are either evidence or an error, and prove nothing that was not signed twice.
func FuzzCheckEvidence(f *testing.F) {
	_, fine := signedVote(f, 1)
	f.Add(encode(f, fine))
	f.Fuzz(func(t *testing.T, b []byte) {
		if found, err := CheckEvidence(b); err == nil && len(found) > 0 {
			t.Errorf("one vote proves %v", found)
		}
	})
}
