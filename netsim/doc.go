// Package netsim runs a whole consortium in one process and in virtual time: the
// same consensus machines that a node drives, a heap of messages in flight
// instead of sockets, and one seed for everything.
//
// The same seed gives the same bytes, whatever GOMAXPROCS: participants compute
// in parallel, but what they ask for enters the network in rank order, and events
// are ordered by time and then by sequence. A participant's own computing takes no
// virtual time.
//
// Start reading at [Run].
package netsim
