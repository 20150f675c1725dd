package logistic_test

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
	"github.com/collabdict/collabdict/examples/logistic"
	"github.com/collabdict/collabdict/node"
)

// join is the program of one hospital: it finds the others, trains with them, and returns the
// model. It finds the others through a peer, whose address the first hospital passes to
// onAddress.
func join(ctx context.Context, hospital int, dir string, peers []string, onAddress func(string)) ([]float64, error) {
	x, y := rowsOf(hospital)
	l := &logistic.Learner{X: x, Y: y, MostRows: 100}
	secret, err := node.ReadSecret(filepath.Join(dir, "secret")) // the same file at all hospitals
	if err != nil {
		return nil, err
	}
	n, err := node.Join(ctx, node.Config{
		Name: fmt.Sprintf("hospital-%d", hospital), Dir: filepath.Join(dir, fmt.Sprint(hospital)),
		Expect: 3, Secret: secret, Peers: peers, Listen: []string{"/ip4/127.0.0.1/tcp/0"},
		Settings: consensus.Settings{Protect: chunking.Chunks},
		// Must be the same at all members. A member that differs gets an error with the field
		// and both values.
		Agreement: node.Agreement{
			{Name: "model", Value: "logistic regression"},
			{Name: "ridge", Value: fmt.Sprint(logistic.Ridge)},
			{Name: "most rows", Value: fmt.Sprint(l.MostRows)},
			{Name: "columns", Value: "constant, age, dose"},
		},
		OnStatus: func(s node.Status) { onAddress(s.Addrs[0]) },
	})
	if err != nil {
		return nil, err
	}
	defer n.Close()
	if _, err := collabdict.Train(ctx, n, l, collabdict.Options{Rounds: 20, Tol: 1e-9}); err != nil {
		n.Abort("its training has failed")
		return nil, err
	}
	return l.W, n.Finish(ctx)
}

// Three hospitals, each a node with sockets, all in this process.
func Example_nodes() {
	node.QuietLibraries()
	dir, err := os.MkdirTemp("", "hospitals")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := node.MakeSecret(filepath.Join(dir, "secret")); err != nil {
		log.Fatal(err)
	}
	models := make([][]float64, 3)
	address := make(chan string, 1)
	var once sync.Once
	var running sync.WaitGroup
	for i := range models {
		var peers []string
		if i > 0 {
			peers = []string{<-address}
			address <- peers[0]
		}
		running.Go(func() {
			w, err := join(context.Background(), i, dir, peers, func(a string) { once.Do(func() { address <- a }) })
			if err != nil {
				log.Fatal(err)
			}
			models[i] = w
		})
	}
	running.Wait()
	for i, w := range models {
		fmt.Printf("hospital-%d %.3f\n", i, w)
	}
	// Output:
	// hospital-0 [0.274 -1.051 2.556]
	// hospital-1 [0.274 -1.051 2.556]
	// hospital-2 [0.274 -1.051 2.556]
}
