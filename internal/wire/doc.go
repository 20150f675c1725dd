// Package wire encodes the messages of members: as protobuf, inside frames with checksums.
//
// [Marshal] and [Unmarshal] are for consensus messages. [MarshalDecision] and
// [UnmarshalDecision] are for the log of decisions. [MarshalHello], [UnmarshalHello],
// [MarshalOpening] and [UnmarshalOpening] are for messages outside a slot. [WriteMessage] and
// [ReadMessage] put any of these on a stream.
//
// Invariants:
//
//   - Every encoding carries [Version], and a decoder refuses other versions with a
//     [VersionError].
//   - A decoder returns an error for invalid input and never panics.
//   - A decoded message has known kinds and states, members of the roster, finite totals and
//     bounds, and lengths within the limits of limits.go.
//   - The memory for a message is limited by the bytes that have arrived.
//   - The sender is not part of a message. The carrier authenticates it.
//
// Start reading at message.go; pb/wire.proto has the fields.
package wire

//go:generate protoc --proto_path=pb --go_out=pb --go_opt=paths=source_relative wire.proto
