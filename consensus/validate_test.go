package consensus

import (
	"errors"
	"math"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
)

// A message whose form no honest member sends does not reach a machine.
func TestInvalidMessages(t *testing.T) {
	share := func(x byte) *chunking.Share { return &chunking.Share{X: x} }
	sum, gather := Header{Kind: Sum}, Header{Kind: Gather}
	votes := func() *Certificate { return &Certificate{Votes: []SignedVote{{Member: 3}}} }
	decided := func(change func(d *Decision)) Body {
		d := &Decision{Kind: Sum, Members: []uint32{0, 2}, Certificate: votes()}
		change(d)
		return &Decided{Decision: d, Next: votes()}
	}
	sealed := func(s Sealed) Body { return &Seal{&s} }
	for name, body := range map[string]Body{
		"nothing": nil,

		"seeds of a gather": &Seeds{Header: gather},
		"half a seed":       &Seeds{Header: sum, Chunk: make([]byte, 16)},
		"a share at zero":   &Seeds{Header: sum, Share: share(0)},
		"a blob of a sum":   &Blob{Header: sum},

		"no seal":                   &Seal{},
		"a seal of another attempt": sealed(Sealed{Attempt: 1, Header: sum}),
		"a seal of no collective":   sealed(Sealed{}),
		"blobs in a sum":            sealed(Sealed{Header: sum, Blobs: [][]byte{{1}}}),
		"a blob too few":            sealed(Sealed{Header: gather, Members: []uint32{0, 1}, Blobs: [][]byte{{1}}}),
		"no blob":                   sealed(Sealed{Header: gather, Members: []uint32{0, 1}, Blobs: [][]byte{{1}, nil}}),
		"words in a gather":         sealed(Sealed{Header: gather, Words: []uint64{1}}),
		"two amendments":            sealed(Sealed{Header: Header{Kind: Amend}, Blobs: [][]byte{{1}, {2}}}),
		"a commitment too few":      sealed(Sealed{Header: sum, Members: []uint32{0, 1}, Commits: make([][32]byte, 1)}),
		"members out of order":      sealed(Sealed{Header: sum, Members: []uint32{1, 0}}),
		"missing of nobody":         sealed(Sealed{Header: sum, Missing: []Missing{{Member: 4}}}),
		"an endless block":          sealed(Sealed{Header: sum, Blocks: []collabdict.Block{{Len: math.MaxInt}, {Len: 1}}}),
		"a block of less than none": sealed(Sealed{Header: sum, Blocks: []collabdict.Block{{Len: -1}}}),

		"a promise of nobody":        &Promise{Member: 4},
		"a promise without nobody":   &Promise{Without: []uint32{4}},
		"a promise in disorder":      &Promise{Without: []uint32{2, 1}},
		"a promise without many":     &Promise{Without: []uint32{0, 1, 2, 3, 3}},
		"a view of a wrong promise":  &View{Promises: []Promise{{Without: []uint32{1, 1}}}},
		"a view of another ballot":   &View{Ballot: 1},
		"a view of nobody":           &View{Members: []uint32{4}},
		"a view with a member twice": &View{Members: []uint32{2, 2}},
		"a view with many promises":  &View{Promises: make([]Promise, 5)},
		"no certificate":             &Commit{},
		"a vote of nobody":           &Commit{&Certificate{Votes: []SignedVote{{Member: 4}}}},

		"a pad of nobody":            &Pads{[]Pad{{Member: 4}}},
		"a share of nobody":          &Shares{[]PadShare{{4, *share(1)}}},
		"a share of a pad at zero":   &Shares{[]PadShare{{1, *share(0)}}},
		"an epoch before all":        &Reopen{},
		"an epoch of nobody":         &Reopen{Epoch: math.MaxUint32},
		"lost out of order":          &Reopen{Epoch: 5, Lost: []Substitute{{2, 0}, {1, 0}}},
		"lost, and stands in":        &Reopen{Epoch: 5, Lost: []Substitute{{1, 2}, {2, 0}}},
		"stands in for itself":       &Reopen{Epoch: 5, Lost: []Substitute{{1, 1}}},
		"nobody stands in":           &Reopen{Epoch: 5, Lost: []Substitute{{1, 4}}},
		"no decision":                &Decided{},
		"a decision of another slot": decided(func(d *Decision) { d.Slot = 1 }),
		"no certificate of it":       decided(func(d *Decision) { d.Certificate = nil }),
		"a decision of nobody":       decided(func(d *Decision) { d.Members = []uint32{9} }),
		"a decision of nothing":      decided(func(d *Decision) { d.Kind = 9 }),
		"a total of a gather":        decided(func(d *Decision) { d.Kind, d.Total = Gather, []float64{1} }),
		"no certificate after it":    &Decided{Decision: &Decision{Kind: Sum, Certificate: votes()}},

		"no state":            &Heartbeat{},
		"a state of nonsense": &Heartbeat{State: 200},
		"asks nobody":         &Heartbeat{State: Idle, Ask: 5},
		"waits for nobody":    &Heartbeat{State: Idle, Waiting: []uint32{4}},
		"waits for many":      &Heartbeat{State: Idle, Waiting: make([]uint32, 5)},
		"suspects nobody":     &Heartbeat{State: Idle, Suspects: []uint32{math.MaxUint32}},
		"blames nobody":       &Leave{Blame: []uint32{4}},
		"one vote":            &Leave{Votes: make([]CastVote, 1)},
		"three votes":         &Leave{Votes: make([]CastVote, 3)},
		"votes of nobody":     &Leave{Votes: []CastVote{{Member: 4}, {Member: 4}}},
	} {
		_, err := Validate(Message{Body: body}, 4)
		if invalid := new(InvalidError); !errors.As(err, &invalid) {
			t.Errorf("%s: got %v, want an InvalidError", name, err)
		}
	}
	for _, body := range []Body{
		decided(func(*Decision) {}), sealed(Sealed{Header: sum, Members: []uint32{0, 3}}), &Seeds{Header: sum, Share: share(255), Chunk: make([]byte, 32)},
		&Reopen{Epoch: 5, Lost: []Substitute{{1, 3}, {2, 3}}}, &Heartbeat{State: Failed, Ask: 4, Waiting: []uint32{3, 1}},
	} {
		if v, err := Validate(Message{Body: body}, 4); err != nil || v.Message().Body != body {
			t.Errorf("%T: %v", body, err)
		}
	}
}
