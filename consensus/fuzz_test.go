package consensus

import (
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
)

// Whatever arrives, from whomever and whenever, a machine does not panic and
// ends its call at most once.
func FuzzReceive(f *testing.F) {
	f.Add([]byte{0, 1, 0, 0, 1, 2, 0, 1, 2, 1, 0, 3})
	f.Add([]byte{7, 0, 1, 6, 9, 255, 4, 2, 0, 5, 1, 1, 250, 3, 3})
	f.Fuzz(func(t *testing.T, script []byte) {
		m, err := New(Params{Settings: settings(Chebyshev, chunking.Chunks), Members: []string{"a", "b", "c"}})
		if err != nil {
			t.Fatal(err)
		}
		e := m.Step(0, Call{Kind: Sum, Values: []float64{1}, Blocks: []collabdict.Block{{Len: 1, Bound: 1}}})
		outcomes := 0
		for ; len(script) >= 3; script = script[3:] {
			kind, from, arg := script[0], int(script[1])-1, script[2]
			var body Body
			switch kind % 8 {
			case 0:
				body = &Seeds{Header: headerOf(e, arg), Chunk: make([]byte, arg%40)}
			case 1:
				body = &Ready{Header: headerOf(e, arg).Hash}
			case 2:
				body = &Step{Iteration: uint32(arg), Values: make([]float64, 1+arg/255)}
			case 3:
				body = &Seal{Values: make([]float64, 1+arg/255)}
			case 4:
				body = &Done{Value: [32]byte{arg}}
			case 5:
				body = &Blob{Header: headerOf(e, arg)}
			case 6:
				body = &Beat{State: State(arg), Waiting: []uint32{uint32(arg), 0}}
			case 7:
				body = &Leave{Blame: []uint32{uint32(arg)}}
			}
			got := m.Step(m.now, Receive{From: from, Message: Message{Slot: uint64(kind / 64), Body: body}})
			if got.Outcome != nil {
				outcomes++
			}
			_ = m.Status()
		}
		if outcomes > 1 {
			t.Fatalf("%d outcomes of one call", outcomes)
		}
	})
}

// headerOf returns the header of the machine's own call, mostly.
func headerOf(e Effects, arg byte) Header {
	h := e.Sends[0].Message.Body.(*Seeds).Header
	if arg == 1 {
		h.Length++
	}
	return h
}
