package collabdict_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"testing"

	"github.com/collabdict/collabdict"
)

// recordedGroup answers gathers with recorded blobs of its members, and adds the first member's
// own blobs.
type recordedGroup struct {
	collabdict.Solo
	answers [][][]byte
}

func (g *recordedGroup) Gather(_ context.Context, _ collabdict.Entry, blob []byte) ([][]byte, error) {
	blobs := g.answers[0]
	g.answers, blobs[0] = g.answers[1:], blob
	return blobs, nil
}

func committed(secret [32]byte, note string) []byte {
	c := sha256.Sum256(append([]byte("collabdict/commitment/1"), secret[:]...))
	return append(c[:], note...)
}

// A member that is lost in one of the two gathers is not in the nonce, and notes come with the
// commitments.
func TestANonceWithoutMembersThatAreLost(t *testing.T) {
	own, early, late := [32]byte{1}, [32]byte{2}, [32]byte{3}
	agree := func(early, late [][]byte) ([32]byte, [][]byte) {
		t.Helper()
		g := &recordedGroup{answers: [][][]byte{{nil, early[0], late[0]}, {nil, early[1], late[1]}}}
		nonce, notes, err := collabdict.AgreeNonce(t.Context(), g, own, []byte("own"))
		if err != nil {
			t.Fatal(err)
		}
		return nonce, notes
	}
	gone := [][]byte{committed(early, "gone"), nil}
	alone, notes := agree(gone, [][]byte{nil, nil})
	if want := [][]byte{[]byte("own"), []byte("gone"), nil}; !bytes.Equal(bytes.Join(notes, []byte(",")), bytes.Join(want, []byte(","))) {
		t.Errorf("got notes %q, want %q", notes, want)
	}
	if with, _ := agree(gone, [][]byte{nil, late[:]}); with != alone {
		t.Error("a member that has committed to nothing has a part in the nonce")
	}
	if with, _ := agree([][]byte{committed(early, ""), early[:]}, [][]byte{nil, nil}); with == alone {
		t.Error("a member that has revealed its secret has no part in the nonce")
	}
	g := &recordedGroup{answers: [][][]byte{{nil, committed(early, "")}, {nil, late[:]}}}
	if _, _, err := collabdict.AgreeNonce(t.Context(), g, own, nil); err == nil {
		t.Error("another secret than committed to is taken")
	}
	g = &recordedGroup{answers: [][][]byte{{nil, committed(early, "")[:31]}}}
	if _, _, err := collabdict.AgreeNonce(t.Context(), g, own, nil); err == nil {
		t.Error("a short commitment is taken")
	}
}
