// Package netsim runs a whole consortium in one process and in virtual time: the
// same consensus machines that a node drives, a heap of messages in flight
// instead of sockets, and one seed for everything. Members can be stopped and
// started again by plan.
//
// The same seed gives the same bytes, whatever GOMAXPROCS: participants compute
// in parallel, but what they ask for enters the network in an order that virtual
// time alone gives. A participant's own computing takes no virtual time.
//
// Start reading at [Run].
package netsim
