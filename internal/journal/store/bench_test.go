package store

import (
	"fmt"
	"testing"

	"github.com/collabdict/collabdict/consensus"
)

// BenchmarkApply writes the data of one sum's slot: its state, the member's vector, a sealed
// result and the decision.
func BenchmarkApply(b *testing.B) {
	for _, values := range []int{300, 16 << 10, 1 << 20} {
		b.Run(fmt.Sprint(values), func(b *testing.B) {
			s, err := Open(b.TempDir())
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			st, err := s.Begin(run(1))
			if err != nil {
				b.Fatal(err)
			}
			words := consensus.Vector{Words: make([]uint64, values)}
			b.SetBytes(int64(3 * 8 * values))
			slot := uint64(0)
			for b.Loop() {
				d := decision(slot)
				d.Total = make([]float64, values)
				writes := []consensus.Write{
					{Slot: slot, Name: consensus.EntryState, Data: make([]byte, 3000)},
					{Slot: slot, Name: consensus.EntryCall, Data: []byte("head"), Vector: words},
					{Slot: slot, Name: consensus.EntrySealed + "0", Data: []byte("head"), Vector: words},
				}
				if slot >= 2 {
					writes = append(writes, consensus.Write{Slot: slot - 2, Name: consensus.Forget})
				}
				if err := st.Apply(writes, []*consensus.Decision{d}); err != nil {
					b.Fatal(err)
				}
				slot++
			}
		})
	}
}
