package session_test

import (
	"fmt"
	"log"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/session"
)

// Five members add up two numbers each. Here Lockstep delivers the frames; a program sends them
// over a network, where they may come in any order.
func Example() {
	vectors := [][]uint64{{1, 100}, {2, 200}, {3, 300}, {4, 400}, {5, 500}}
	plan, err := session.NewFoldIn(len(vectors), 1, chunking.Ring)
	if err != nil {
		log.Fatal(err)
	}
	members := []int{3, 0, 4, 1, 2} // by vertex of the plan's topology, drawn anew for each session
	sessions := make([]session.Session, len(vectors))
	for id, x := range vectors {
		sessions[id] = plan.New(session.Placement{Members: members, Self: id}, x)
	}
	traffic, err := session.Lockstep(sessions, nil)
	if err != nil {
		log.Fatal(err)
	}
	for id, s := range sessions {
		fmt.Printf("member %d: %d after %d rounds, frames sent: %d\n", id, s.Result(), s.Round(), traffic.Frames[id])
	}
	// Output:
	// member 0: [15 1500] after 4 rounds, frames sent: 2
	// member 1: [15 1500] after 4 rounds, frames sent: 2
	// member 2: [15 1500] after 4 rounds, frames sent: 1
	// member 3: [15 1500] after 4 rounds, frames sent: 3
	// member 4: [15 1500] after 4 rounds, frames sent: 2
}
