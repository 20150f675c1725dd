package consensus_test

import (
	"fmt"
	"log"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
)

// Three machines compute a sum. Messages sent by one are events of the others. A program
// carries them over a network, and stores writes on disk before it sends anything.
func Example() {
	names := []string{"ann", "bob", "eve"}
	machines := make([]*consensus.Machine, len(names))
	type letter struct {
		from, to int
		message  consensus.Message
	}
	var mail []letter
	follow := func(rank int, e consensus.Effects) {
		for _, s := range e.Sends {
			for to := range machines {
				if to != rank && (s.To == to || s.To == consensus.All) {
					mail = append(mail, letter{rank, to, s.Message})
				}
			}
		}
		for _, d := range e.Decisions {
			fmt.Printf("%s: %.3f\n", names[rank], d.Total)
		}
	}
	for rank := range machines {
		var err error
		if machines[rank], err = consensus.New(consensus.Params{Self: rank, Members: names, Settings: consensus.Settings{Scheme: consensus.Exact, Protect: chunking.Chunks}}); err != nil {
			log.Fatal(err)
		}
	}
	for rank, x := range [][]float64{{1, 20}, {2, 30}, {3, 50}} {
		entropy := [32]byte{byte(rank)} // a program uses fresh random bytes
		follow(rank, machines[rank].Step(0, consensus.Call{Kind: consensus.Sum, Values: x, Blocks: []collabdict.Block{{Len: 2, Bound: 100}}, Entropy: entropy}))
	}
	for ; len(mail) > 0; mail = mail[1:] {
		l := mail[0]
		valid, err := consensus.Validate(l.message, len(names))
		if err != nil {
			log.Fatal(err)
		}
		follow(l.to, machines[l.to].Step(0, consensus.Receive{From: l.from, Message: valid}))
	}
	// Output:
	// ann: [6.000 100.000]
	// bob: [6.000 100.000]
	// eve: [6.000 100.000]
}
