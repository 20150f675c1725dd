package node_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"sync"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/node"
)

// Three participants, all in this process, sum their vectors. Nobody learns another's vector.
func Example() {
	node.QuietLibraries()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	names := []string{"ann", "bob", "eve"}
	vectors := [][]float64{{1, 20}, {2, 30}, {3, 50}}
	totals := make([][]float64, len(names))
	secret := node.Secret("drawn at random, and given to all") // in practice, from node.ReadSecret
	first := make(chan string, 1)                              // address at which others dial the first participant
	var runs sync.WaitGroup
	for i, name := range names {
		c := node.Config{
			Name: name, Dir: filepath.Join(dir, name), Expect: len(names), Secret: secret,
			Listen:   []string{"/ip4/127.0.0.1/tcp/0"},
			Settings: consensus.Settings{Scheme: consensus.Exact, Protect: chunking.Chunks},
		}
		if i == 0 {
			var once sync.Once
			c.OnStatus = func(s node.Status) { once.Do(func() { first <- s.Addrs[0] }) }
		} else {
			addr := <-first
			first <- addr
			c.Peers = []string{addr}
		}
		runs.Go(func() {
			n, err := node.Join(context.Background(), c)
			if err != nil {
				log.Fatal(err)
			}
			defer n.Close()
			n.StartRound(1, [32]byte{})
			totals[i], err = n.Sum(context.Background(), collabdict.Summand{Values: vectors[i], Blocks: []collabdict.Block{{Len: 2, Bound: 100}}})
			if err != nil {
				log.Fatal(err)
			}
			if err := n.Finish(context.Background()); err != nil {
				log.Fatal(err)
			}
		})
	}
	runs.Wait()
	for i, name := range names {
		fmt.Printf("%s: %.3f\n", name, totals[i])
	}
	// Output:
	// ann: [6.000 100.000]
	// bob: [6.000 100.000]
	// eve: [6.000 100.000]
}
