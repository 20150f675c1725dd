package logistic_test

import (
	"context"
	"fmt"
	"log"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/examples/logistic"
	"github.com/collabdict/collabdict/netsim"
)

// Five hospitals in one process, over a network that loses messages.
func Example_simulated() {
	names := []string{"aarau", "bern", "chur", "davos", "eglisau"}
	network, err := netsim.New(netsim.Config{
		Names:    names,
		Settings: consensus.Settings{Protect: chunking.Chunks},
		Seed:     1,
		Faults:   []netsim.Fault{netsim.Loss{Rate: 0.01}},
	})
	if err != nil {
		log.Fatal(err)
	}
	learners := make([]*logistic.Learner, len(names))
	report, err := network.Run(context.Background(), func(ctx context.Context, rank int, g collabdict.Group) error {
		x, y := rowsOf(rank)
		learners[rank] = &logistic.Learner{X: x, Y: y, MostRows: 100}
		_, err := collabdict.Train(ctx, g, learners[rank], collabdict.Options{Rounds: 20, Tol: 1e-9})
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	for i, l := range learners {
		fmt.Printf("%s %.3f\n", names[i], l.W)
	}
	fmt.Println(len(report.Slots), "sums and gathers")
	// Output:
	// aarau [0.333 -1.507 3.114]
	// bern [0.333 -1.507 3.114]
	// chur [0.333 -1.507 3.114]
	// davos [0.333 -1.507 3.114]
	// eglisau [0.333 -1.507 3.114]
	// 9 sums and gathers
}
