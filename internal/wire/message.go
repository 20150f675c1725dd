package wire

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire/pb"
)

// Marshal encodes a consensus message. It panics on a body that is not one of
// package consensus.
func Marshal(m consensus.Message) []byte {
	b, err := proto.Marshal(envelope(m))
	if err != nil {
		panic("wire: " + err.Error())
	}
	return b
}

// Size returns len(Marshal(m)).
func Size(m consensus.Message) int { return proto.Size(envelope(m)) }

func envelope(m consensus.Message) *pb.Message {
	out := &pb.Message{Version: Version, Slot: m.Slot, Ballot: m.Ballot}
	switch b := m.Body.(type) {
	case *consensus.Seeds:
		out.Body = &pb.Message_Seeds{Seeds: &pb.Seeds{Header: putHeader(b.Header), Chunk: b.Chunk}}
	case *consensus.Ready:
		out.Body = &pb.Message_Ready{Ready: &pb.Ready{Header: b.Header[:]}}
	case *consensus.Step:
		out.Body = &pb.Message_Step{Step: &pb.Step{Iteration: b.Iteration, Values: putValues(b.Values)}}
	case *consensus.Seal:
		out.Body = &pb.Message_Seal{Seal: &pb.Seal{Values: putValues(b.Values)}}
	case *consensus.Done:
		out.Body = &pb.Message_Done{Done: &pb.Done{Value: b.Value[:]}}
	case *consensus.Blob:
		out.Body = &pb.Message_Blob{Blob: &pb.Blob{Header: putHeader(b.Header), Data: b.Data}}
	case *consensus.Beat:
		out.Body = &pb.Message_Beat{Beat: &pb.Beat{State: uint32(b.State), Iteration: b.Iteration, Waiting: b.Waiting}}
	case *consensus.Leave:
		out.Body = &pb.Message_Leave{Leave: &pb.Leave{Reason: text(b.Reason), Blame: b.Blame}}
	default:
		panic(fmt.Sprintf("wire: no encoding for %T", m.Body))
	}
	return out
}

func putHeader(h consensus.Header) *pb.Header {
	return &pb.Header{Kind: uint32(h.Kind), Round: h.Round, Length: h.Length, Hash: h.Hash[:]}
}

// text makes s fit a text field.
func text(s string) string {
	if len(s) > MaxText {
		s = s[:MaxText]
	}
	return strings.ToValidUTF8(s, "")
}

// Unmarshal decodes a consensus message.
func Unmarshal(b []byte) (consensus.Message, error) {
	var in pb.Message
	if err := proto.Unmarshal(b, &in); err != nil {
		return consensus.Message{}, malformed("message", "other bytes", "protobuf")
	}
	if in.Version != Version {
		return consensus.Message{}, &VersionError{Got: in.Version, Want: Version}
	}
	body, err := body(&in)
	if err != nil {
		return consensus.Message{}, err
	}
	return consensus.Message{Slot: in.Slot, Ballot: in.Ballot, Body: body}, nil
}

func body(in *pb.Message) (consensus.Body, error) {
	switch b := in.Body.(type) {
	case *pb.Message_Seeds:
		return seeds(b.Seeds)
	case *pb.Message_Ready:
		h, err := digest("ready", b.Ready.GetHeader())
		return &consensus.Ready{Header: h}, err
	case *pb.Message_Step:
		v, err := values(b.Step.GetValues())
		return &consensus.Step{Iteration: b.Step.GetIteration(), Values: v}, err
	case *pb.Message_Seal:
		v, err := values(b.Seal.GetValues())
		return &consensus.Seal{Values: v}, err
	case *pb.Message_Done:
		d, err := digest("done", b.Done.GetValue())
		return &consensus.Done{Value: d}, err
	case *pb.Message_Blob:
		h, err := header(b.Blob.GetHeader())
		return &consensus.Blob{Header: h, Data: b.Blob.GetData()}, err
	case *pb.Message_Beat:
		return beat(b.Beat)
	case *pb.Message_Leave:
		return leave(b.Leave)
	}
	return nil, malformed("body", "none", "one of the known bodies")
}

func header(in *pb.Header) (consensus.Header, error) {
	kind := consensus.Kind(in.GetKind())
	if in.GetKind() != uint32(consensus.Sum) && in.GetKind() != uint32(consensus.Gather) {
		return consensus.Header{}, malformed("header kind", in.GetKind(), "a known collective")
	}
	hash, err := digest("header hash", in.GetHash())
	return consensus.Header{Kind: kind, Round: in.GetRound(), Length: in.GetLength(), Hash: hash}, err
}

func seeds(in *pb.Seeds) (*consensus.Seeds, error) {
	h, err := header(in.GetHeader())
	if err != nil {
		return nil, err
	}
	if n := len(in.GetChunk()); n != 0 && n != 32 {
		return nil, malformed("chunk seed", n, "32 bytes or none")
	}
	return &consensus.Seeds{Header: h, Chunk: in.GetChunk()}, nil
}

func beat(in *pb.Beat) (*consensus.Beat, error) {
	if s := in.GetState(); s < uint32(consensus.Idle) || s > uint32(consensus.Failed) {
		return nil, malformed("beat state", s, "a known state")
	}
	waiting, err := ranks("beat", in.GetWaiting())
	return &consensus.Beat{State: consensus.State(in.GetState()), Iteration: in.GetIteration(), Waiting: waiting}, err
}

func leave(in *pb.Leave) (*consensus.Leave, error) {
	if n := len(in.GetReason()); n > MaxText {
		return nil, malformed("leave reason", n, "at most 1024 bytes")
	}
	blame, err := ranks("leave", in.GetBlame())
	return &consensus.Leave{Reason: in.GetReason(), Blame: blame}, err
}
