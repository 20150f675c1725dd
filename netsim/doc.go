// Package netsim runs a whole consortium in one process and in virtual time. It drives the same
// consensus machines as package node, with a queue of messages instead of sockets, and one seed
// for everything.
//
// [New] makes a [Network] from a [Config]. [Network.Run] calls a function for each participant,
// with a collabdict.Group through which it sees the others. So a learner that runs over nodes
// runs here, too:
//
//	network, err := netsim.New(netsim.Config{
//		Names:  netsim.Names(5),
//		Seed:   1,
//		Faults: []netsim.Fault{netsim.Loss{Rate: 0.01}},
//	})
//	if err != nil {
//		return err
//	}
//	report, err := network.Run(ctx, func(ctx context.Context, rank int, g collabdict.Group) error {
//		_, err := collabdict.Train(ctx, g, learners[rank], collabdict.Options{Rounds: 10})
//		return err
//	})
//	if err != nil {
//		return err
//	}
//	fmt.Println(len(report.Slots), "sums and gatherings were decided")
//
// A [Latency] and [Fault]s describe the network: lost and duplicated messages, narrow links,
// partitions, and members that crash, start late or are slow. An [Adversary] is a member that
// does not follow the protocol. The program reads all this from text. The [Report] has the decided
// slots, the traffic and the time of each fault.
//
// Computing takes no virtual time, except local updates if [Config.Compute] is set. A member that
// is stopped loses what is not on its disk. The others continue without it, or wait if they are
// too few. A member that restarts runs its participant from the beginning, with the answers of
// the calls decided so far.
//
// Invariants:
//
//   - The same seed gives the same bytes, whatever GOMAXPROCS. Participants, and machines of
//     different members, compute in parallel. Their effects enter the network in an order that
//     depends on virtual time alone, and each purpose has its own random source.
//   - If nothing is decided for half an hour of virtual time, and no member will come back, the
//     run ends with a [StuckError] that gives the reason.
//
// Start reading at [New]; in the package itself at network.go, then process.go.
package netsim
