package wire

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire/pb"
)

// The numbers of the fields that hold vectors, and of the bodies that they are in,
// have tags of one byte, but for that of Opened.
const (
	tagSize      = 1
	openedNumber = 20
)

// Size returns len(Marshal(m)), without encoding any vector.
func Size(m consensus.Message) int {
	head := &pb.Message{Version: Version, Slot: m.Slot, Ballot: m.Ballot}
	switch b := m.Body.(type) {
	case *consensus.Step:
		bare := *b
		bare.Words = nil
		return proto.Size(head) + field(proto.Size(putStep(&bare))+vector(len(b.Words)))
	case *consensus.Seeds:
		bare := *b
		bare.Full = nil
		return proto.Size(head) + field(proto.Size(putSeeds(&bare))+vector(len(b.Full)))
	case *consensus.Seal:
		bare := *b.Sealed
		bare.Words = nil
		return proto.Size(head) + field(proto.Size(putSealed(&bare))+vector(len(b.Sealed.Words)))
	case *consensus.Opened:
		return proto.Size(head) + protowire.SizeTag(openedNumber) + protowire.SizeBytes(vector(len(b.Words)))
	case *consensus.Decided:
		bare := *b.Decision
		bare.Total = nil
		decision := field(proto.Size(putDecision(&bare)) + vector(len(b.Decision.Total)))
		next := proto.Size(&pb.Decided{Next: putCertificate(b.Next)})
		return proto.Size(head) + field(decision+next)
	}
	return proto.Size(envelope(m))
}

// field returns what a field of n bytes takes.
func field(n int) int { return tagSize + protowire.SizeBytes(n) }

// vector returns what a field of n words takes, which is nothing where there are
// none.
func vector(n int) int {
	if n == 0 {
		return 0
	}
	return field(8 * n)
}
