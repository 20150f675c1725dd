// Package transport carries messages between the members of a run over libp2p. It has the host,
// the data plane (one stream in each direction between two members) and the control plane (a
// gossipsub topic of the run). It decides who may connect, and bounds the traffic.
//
// A [Host] exists before the run, so that peers can find it. [Host.Begin] starts the traffic of
// a run; streams that are opened before that wait. The names of protocols and topics contain
// the consortium's identity, and those of streams and topics also the run's. The sender of a
// message is known from the authenticated connection or the signature, never from the message.
//
// Start reading at host.go, then transport.go.
package transport
