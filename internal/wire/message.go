package wire

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire/pb"
)

// Marshal encodes a consensus message. It panics if the body is not one of package consensus.
func Marshal(m consensus.Message) []byte { return encode(envelope(m)) }

func encode(m proto.Message) []byte {
	b, err := proto.Marshal(m)
	if err != nil {
		panic("wire: " + err.Error()) // impossible: all text is valid UTF-8
	}
	return b
}

func envelope(m consensus.Message) *pb.Message {
	out := &pb.Message{Version: Version, Slot: m.Slot, Ballot: m.Ballot}
	switch b := m.Body.(type) {
	case *consensus.Seeds:
		out.Body = &pb.Message_Seeds{Seeds: putSeeds(b)}
	case *consensus.Step:
		out.Body = &pb.Message_Step{Step: putStep(b)}
	case *consensus.Seal:
		out.Body = &pb.Message_Seal{Seal: putSealed(b.Sealed)}
	case *consensus.Blob:
		out.Body = &pb.Message_Blob{Blob: &pb.Blob{Header: putHeader(b.Header), View: b.View[:], Data: b.Data}}
	case *consensus.Decided:
		out.Body = &pb.Message_Decided{Decided: &pb.Decided{Decision: putDecision(b.Decision), Next: putCertificate(b.Next)}}
	case *consensus.Heartbeat:
		out.Body = &pb.Message_Beat{Beat: putBeat(b)}
	case *consensus.Prepare:
		out.Body = &pb.Message_Prepare{Prepare: &pb.Prepare{}}
	case *consensus.Promise:
		out.Body = &pb.Message_Promise{Promise: putPromise(*b)}
	case *consensus.Busy:
		out.Body = &pb.Message_Busy{Busy: &pb.Busy{Working: b.Working}}
	case *consensus.View:
		out.Body = &pb.Message_View{View: putView(b)}
	case *consensus.Done:
		out.Body = &pb.Message_Done{Done: &pb.Done{Value: putValue(b.Value), Chain: b.Chain[:], Signature: b.Signature}}
	case *consensus.Commit:
		out.Body = &pb.Message_Commit{Commit: putCertificate(b.Certificate)}
	case *consensus.Pads:
		out.Body = &pb.Message_Pads{Pads: putPads(b)}
	case *consensus.Shares:
		out.Body = &pb.Message_Shares{Shares: putShares(b)}
	case *consensus.Reopen:
		out.Body = &pb.Message_Reopen{Reopen: putReopen(b)}
	case *consensus.Opened:
		out.Body = &pb.Message_Opened{Opened: &pb.Opened{Words: putWords(b.Words)}}
	case *consensus.Leave:
		out.Body = &pb.Message_Leave{Leave: &pb.Leave{Reason: text(b.Reason), Blame: b.Blame, Returns: b.Returns, Votes: putCastVotes(b.Votes)}}
	default:
		panic(fmt.Sprintf("wire: no encoding for %T", m.Body))
	}
	return out
}

// text returns s as valid UTF-8 of at most MaxText bytes.
func text(s string) string {
	if len(s) > MaxText {
		s = s[:MaxText]
	}
	return strings.ToValidUTF8(s, "")
}

// Unmarshal decodes a consensus message between members of a roster of the given size, and
// checks its form.
func Unmarshal(b []byte, size int) (consensus.Valid, error) {
	var in pb.Message
	if err := proto.Unmarshal(b, &in); err != nil {
		return consensus.Valid{}, malformed("message", "other bytes", "protobuf")
	}
	if in.Version != Version {
		return consensus.Valid{}, &VersionError{Got: in.Version, Want: Version}
	}
	d := &decoder{size: size}
	body := d.body(&in)
	if d.err != nil {
		return consensus.Valid{}, d.err
	}
	return valid(consensus.Message{Slot: in.Slot, Ballot: in.Ballot, Body: body}, size)
}

// valid checks the form of a message. It returns a FormatError for an invalid one.
func valid(m consensus.Message, size int) (consensus.Valid, error) {
	v, err := consensus.Validate(m, size)
	if invalid := new(consensus.InvalidError); errors.As(err, &invalid) {
		return v, malformed(invalid.Field, invalid.Got, invalid.Want)
	}
	return v, err
}

func (d *decoder) body(in *pb.Message) consensus.Body {
	switch b := in.Body.(type) {
	case *pb.Message_Seeds:
		return d.seeds(b.Seeds)
	case *pb.Message_Step:
		return d.step(b.Step)
	case *pb.Message_Seal:
		return &consensus.Seal{Sealed: d.sealed(b.Seal)}
	case *pb.Message_Blob:
		return &consensus.Blob{Header: d.header(b.Blob.GetHeader()), View: d.digest("view", b.Blob.GetView()), Data: b.Blob.GetData()}
	case *pb.Message_Decided:
		return &consensus.Decided{Decision: d.decision(b.Decided.GetDecision()), Next: d.certificate(b.Decided.GetNext())}
	case *pb.Message_Beat:
		return d.beat(b.Beat)
	case *pb.Message_Prepare:
		return &consensus.Prepare{}
	case *pb.Message_Promise:
		p := d.promise(b.Promise)
		return &p
	case *pb.Message_Busy:
		return &consensus.Busy{Working: b.Busy.GetWorking()}
	case *pb.Message_View:
		return d.view(b.View)
	case *pb.Message_Done:
		return &consensus.Done{Value: d.value(b.Done.GetValue()), Chain: d.digest("chain", b.Done.GetChain()), Signature: d.signature(b.Done.GetSignature())}
	case *pb.Message_Commit:
		return &consensus.Commit{Certificate: d.certificate(b.Commit)}
	case *pb.Message_Pads:
		return d.pads(b.Pads)
	case *pb.Message_Shares:
		return d.shares(b.Shares)
	case *pb.Message_Reopen:
		return reopen(b.Reopen)
	case *pb.Message_Opened:
		return &consensus.Opened{Words: d.words("opened", b.Opened.GetWords())}
	case *pb.Message_Leave:
		return &consensus.Leave{Reason: d.text("reason", b.Leave.GetReason()), Blame: b.Leave.GetBlame(), Returns: b.Leave.GetReturns(), Votes: d.castVotes(b.Leave.GetVotes())}
	}
	d.fail("body", "none", "one of the known bodies")
	return nil
}

func putBeat(b *consensus.Heartbeat) *pb.Beat {
	return &pb.Beat{
		State: uint32(b.State), Promised: b.Promised, Viewed: b.Viewed, Round: b.Round, Behind: b.Behind,
		Stuck: b.Stuck, Ask: b.Ask, Waiting: b.Waiting, Suspects: b.Suspects, Amends: optional(b.Amends), Heard: b.Heard,
	}
}

func (d *decoder) beat(in *pb.Beat) *consensus.Heartbeat {
	if s := in.GetState(); s > math.MaxUint8 {
		d.fail("heartbeat: state", s, "a known state")
	}
	return &consensus.Heartbeat{
		State: consensus.State(in.GetState()), Promised: in.GetPromised(), Viewed: in.GetViewed(), Round: in.GetRound(),
		Behind: in.GetBehind(), Stuck: in.GetStuck(), Ask: in.GetAsk(),
		Waiting: in.GetWaiting(), Suspects: in.GetSuspects(),
		Amends: d.optional("amends", in.GetAmends()), Heard: in.GetHeard(),
	}
}
