// Package transport carries messages between the members of a run over libp2p: the host,
// the data plane (one stream in each direction between two members), the control plane (a
// gossipsub topic of the run), who may connect, and how much of it there may be.
//
// A [Host] is there before the run and lets its peers be found. [Host.Begin] begins the
// traffic of a run; streams that come earlier wait. The names of protocols and topics hold
// the consortium's identity, those of streams and topics the run's. Who sent a message is
// known from the authenticated connection or the signature, never from the message.
//
// Start reading at host.go, then transport.go.
package transport
