// Package wire is the form in which members' messages travel: protobuf inside
// checksummed frames.
//
// [Marshal] and [Unmarshal] carry consensus messages, [MarshalDecision] and
// [UnmarshalDecision] the log of what was decided, [MarshalHello],
// [UnmarshalHello], [MarshalOpening] and [UnmarshalOpening] what nodes tell each
// other outside a slot, and [WriteMessage] and [ReadMessage] put any of these on
// a stream.
//
// Invariants: every encoding carries [Version] and another one is refused by
// name; a decoder returns an error for any input it cannot accept and never
// panics; a decoded message has known kinds and states, members of the roster,
// finite totals and bounds, and lengths within the limits of limits.go; memory taken for a message is bounded
// by what has in fact arrived. Who sent a message is not in it: the carrier
// authenticates that.
//
// Start reading at message.go; pb/wire.proto has the fields.
package wire

//go:generate protoc --proto_path=pb --go_out=pb --go_opt=paths=source_relative wire.proto
