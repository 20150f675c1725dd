package wire

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire/pb"
)

// All fields here have tags of one byte, except Opened.
const (
	tagSize      = 1
	openedNumber = 20
)

// Size returns len(Marshal(m)) without encoding a vector. For the most frequent messages it
// computes the size field by field and allocates nothing.
func Size(m consensus.Message) int {
	head := number(Version) + number(m.Slot) + number(uint64(m.Ballot))
	switch b := m.Body.(type) {
	case *consensus.Step:
		return head + field(number(uint64(b.Lane))+number(uint64(b.Round))+number(uint64(b.Part))+vector(len(b.Words)))
	case *consensus.Seeds:
		header := number(uint64(b.Header.Kind)) + number(uint64(b.Header.Round)) + number(uint64(b.Header.Length)) + field(len(b.Header.Hash))
		if b.Header.Parameters != [32]byte{} {
			header += field(len(b.Header.Parameters))
		}
		if r := b.Header.Running; r.Key != "" {
			header += field(words(r.Key) + words(r.From) + number(uint64(r.Size)) + field(len(r.Base)))
		}
		size := field(header) + field(len(b.View)) + vector(len(b.Full)) + field(len(b.Commit))
		if len(b.Chunk) > 0 {
			size += field(len(b.Chunk))
		}
		if b.Share != nil {
			size += field(number(uint64(b.Share.X)) + field(len(b.Share.Y)))
		}
		return head + field(size)
	case *consensus.Seal:
		bare := *b.Sealed
		bare.Words = nil
		return head + field(proto.Size(putSealed(&bare))+vector(len(b.Sealed.Words)))
	case *consensus.Opened:
		return head + protowire.SizeTag(openedNumber) + protowire.SizeBytes(vector(len(b.Words)))
	case *consensus.Decided:
		bare := *b.Decision
		bare.Total = nil
		decision := field(proto.Size(putDecision(&bare)) + vector(len(b.Decision.Total)))
		next := proto.Size(&pb.Decided{Next: putCertificate(b.Next)})
		return head + field(decision+next)
	}
	return proto.Size(envelope(m))
}

// field returns the encoded size of a field with n bytes.
func field(n int) int { return tagSize + protowire.SizeBytes(n) }

// number returns the encoded size of a field with a number, 0 for zero.
func number(v uint64) int {
	if v == 0 {
		return 0
	}
	return tagSize + protowire.SizeVarint(v)
}

// words returns the encoded size of a field with text, 0 for empty text.
func words(s string) int {
	if s == "" {
		return 0
	}
	return field(len(s))
}

// vector returns the encoded size of a field with n words, 0 without words.
func vector(n int) int {
	if n == 0 {
		return 0
	}
	return field(8 * n)
}
