// Package netsim runs a whole consortium in one process and in virtual time: the
// same consensus machines that a node drives, a heap of messages in flight
// instead of sockets, and one seed for everything. Members can be stopped and
// started again by plan.
//
// The same seed gives the same bytes, whatever GOMAXPROCS: participants compute
// in parallel, but what they ask for enters the network in an order that virtual
// time alone gives. A participant's own computing takes no virtual time.
//
// A member that is stopped loses what is not on its disk; the others go on without
// it or, where they are too few, wait. One that is started again runs its
// participant from the beginning, with the answers of the calls decided so far. If
// nothing is decided for half an hour of virtual time, and nobody is to come back,
// the run ends and says why.
//
// Start reading at [Run].
package netsim
