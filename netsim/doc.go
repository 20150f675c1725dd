// Package netsim runs a whole consortium in one process and in virtual time: the
// same consensus machines that a node drives, a queue of messages in flight
// instead of sockets, and one seed for everything.
//
// [New] makes a [Network] of a [Config], and [Network.Run] runs on it, for each
// participant, a function that sees the others as a [collabdict.Group]: whatever
// learns over a node learns here. The
// network is as a [Latency] and [Fault]s say: lost and doubled messages, narrow
// links, partitions, members that crash, come late or are slow. An [Adversary]
// does not follow the protocol. Package netsim/scenario reads all that from text.
//
// The same seed gives the same bytes, whatever GOMAXPROCS. Participants compute in
// parallel, and so do machines of different members, but what they cause enters
// the network in an order that virtual time alone gives; each purpose has a random
// source of its own.
//
// Computing takes no virtual time but for local updates, if [Config.Compute] says
// so. A member that is stopped loses what is not on its disk; the others go on
// without it or, where they are too few, wait. One that is started again runs its
// participant from the beginning, with the answers of the calls decided so far. If
// nothing is decided for half an hour of virtual time, and nobody is to come back,
// the run ends and says why.
//
// Start reading at [New].
package netsim
