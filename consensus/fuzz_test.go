package consensus_test

import (
	"slices"
	"testing"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire"
)

// fuzz brings one of four members to a stage and gives it several messages of one kind from an
// attacker, in addition to the honest messages. The attacker signs with its own key only.
// Nothing may panic. Promises, entered ballots and votes of member 1 never go back. No pad or
// share is sent without a quorum's votes. All decisions are the right total and equal. An error
// that ends the run names the attacker or reports a spoilt total. All messages go through
// package wire.
func fuzz(f *testing.F, body func(*consensus.Fuzzed) consensus.Body) {
	for stage := range consensus.Stages() {
		for kind := range consensus.Kinds() {
			f.Add([]byte{byte(stage), byte(kind)})
			f.Add([]byte{byte(stage), byte(kind), 1, 1, 0, 4, 255, 0, 1, 2, 3, 4, 5, 6, 7})
			f.Add(append([]byte{byte(stage), byte(kind)}, slices.Repeat([]byte{2, 0, 3, 0, 9, 1}, 12)...))
			f.Add(append([]byte{byte(stage), byte(kind)}, slices.Repeat([]byte{7, 31, 64, 5}, 25)...))
			f.Add(append([]byte{byte(stage), byte(kind)}, slices.Repeat([]byte{200, 1, 1, 230, 8, 3, 209}, 9)...))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		x, in := consensus.NewFuzzed(t, b)
		for messages := 0; messages < 8 && (in.More() || messages == 0); messages++ {
			m, err := wire.Unmarshal(wire.Marshal(x.Next(body)), 4)
			if err == nil {
				x.Give(m)
			}
		}
		x.Finish()
	})
}

// fuzzLarge does the same for one member of a large roster.
func fuzzLarge(f *testing.F, body func(*consensus.FuzzedLarge) consensus.Body) {
	for stage := range consensus.LargeStages() {
		for kind := range consensus.LargeKinds() {
			f.Add([]byte{byte(stage), byte(kind)})
			f.Add(append([]byte{byte(stage), byte(kind)}, slices.Repeat([]byte{2, 3, 200, 1, 9, 1}, 8)...))
			f.Add(append([]byte{byte(stage), byte(kind)}, slices.Repeat([]byte{5, 4, 5, 2, 64, 5}, 8)...))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		x, in := consensus.NewFuzzedLarge(t, b)
		for messages := 0; messages < 8 && (in.More() || messages == 0); messages++ {
			if m, err := wire.Unmarshal(wire.Marshal(x.Next(body)), consensus.LargeSize); err == nil {
				x.Give(m)
			}
		}
		x.Finish()
	})
}

func FuzzReopen(f *testing.F) { fuzzLarge(f, consensus.InventReopen) }
func FuzzOpened(f *testing.F) { fuzzLarge(f, consensus.InventOpened) }
func FuzzUnmask(f *testing.F) { fuzzLarge(f, consensus.InventUnmask) }

func FuzzSeeds(f *testing.F)     { fuzz(f, consensus.InventSeeds) }
func FuzzBlob(f *testing.F)      { fuzz(f, consensus.InventBlob) }
func FuzzStep(f *testing.F)      { fuzz(f, consensus.InventStep) }
func FuzzSeal(f *testing.F)      { fuzz(f, consensus.InventSeal) }
func FuzzPrepare(f *testing.F)   { fuzz(f, consensus.InventPrepare) }
func FuzzPromise(f *testing.F)   { fuzz(f, consensus.InventPromise) }
func FuzzBusy(f *testing.F)      { fuzz(f, consensus.InventBusy) }
func FuzzView(f *testing.F)      { fuzz(f, consensus.InventView) }
func FuzzDone(f *testing.F)      { fuzz(f, consensus.InventDone) }
func FuzzCommit(f *testing.F)    { fuzz(f, consensus.InventCommit) }
func FuzzPads(f *testing.F)      { fuzz(f, consensus.InventPads) }
func FuzzShares(f *testing.F)    { fuzz(f, consensus.InventShares) }
func FuzzDecided(f *testing.F)   { fuzz(f, consensus.InventDecided) }
func FuzzHeartbeat(f *testing.F) { fuzz(f, consensus.InventHeartbeat) }
func FuzzLeave(f *testing.F)     { fuzz(f, consensus.InventLeave) }
