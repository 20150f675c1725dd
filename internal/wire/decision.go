package wire

import (
	"fmt"
	"math"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire/pb"
)

func putDecision(in *consensus.Decision) *pb.Decision {
	out := &pb.Decision{
		Slot: in.Slot, Kind: uint32(in.Kind), Round: in.Round, Attempt: in.Attempt,
		Members: in.Members, Missing: putMissing(in.Missing), Total: putValues(in.Total),
		Digest: in.Digest[:], Chain: in.Chain[:], Certificate: putCertificate(in.Certificate),
	}
	if r := in.Running; r != nil {
		out.Running = &pb.Counted{Key: r.Key, From: r.From, Size: r.Size, Members: r.Members}
	}
	switch in.Kind {
	case consensus.Gather:
		for _, m := range in.Members {
			out.Blobs = append(out.Blobs, in.Blobs[m])
		}
	case consensus.Amend:
		out.Blobs = in.Blobs
	}
	return out
}

func (d *decoder) decision(in *pb.Decision) *consensus.Decision {
	out := &consensus.Decision{
		Slot: in.GetSlot(), Kind: d.kind(in.GetKind()), Round: in.GetRound(), Attempt: in.GetAttempt(),
		Members: d.members("decision", in.GetMembers()), Missing: d.missing(in.GetMissing()), Total: d.values("total", in.GetTotal()),
		Digest: d.digest("decision", in.GetDigest()), Chain: d.digest("decision", in.GetChain()),
	}
	if in.GetCertificate() != nil {
		out.Certificate = d.certificate(in.GetCertificate())
	}
	if r := in.GetRunning(); r != nil {
		out.Running = &consensus.Counted{Key: d.key(r.GetKey()), From: d.text("running total", r.GetFrom()), Size: r.GetSize(), Members: d.members("running total", r.GetMembers())}
	}
	if out.Kind == consensus.Sum {
		d.oneEach(in.GetBlobs(), 0)
		return out
	}
	if out.Total != nil || out.Running != nil {
		d.fail("decision", "a total", "blobs only in a "+out.Kind.String())
	}
	if out.Kind == consensus.Amend {
		out.Blobs = d.oneEach(in.GetBlobs(), 1)
		return out
	}
	blobs := d.oneEach(in.GetBlobs(), len(out.Members))
	if d.err != nil {
		return out
	}
	out.Blobs = make([][]byte, d.size)
	for i, m := range out.Members {
		out.Blobs[m] = blobs[i]
	}
	return out
}

// oneEach checks that there are n blobs, and returns them.
func (d *decoder) oneEach(list [][]byte, n int) [][]byte {
	if len(list) != n {
		d.fail("blobs", len(list), fmt.Sprint(n))
		return nil
	}
	return notNil(list)
}

// MarshalDecision encodes a decision for the log of the member that made it. The total comes
// last.
func MarshalDecision(in *consensus.Decision) consensus.Write {
	bare := *in
	bare.Total = nil
	out, c := putDecision(&bare), in.Cost
	out.Version = Version
	out.Cost = &pb.Cost{
		Ballot: c.Ballot, Lost: c.Lost, Rounds: uint64(c.Rounds), Difference: c.Difference,
		Began: int64(c.Began), Ended: int64(c.Ended),
	}
	b := encode(out)
	if len(in.Total) > 0 {
		b = protowire.AppendTag(b, numberTotal, protowire.BytesType)
		b = protowire.AppendVarint(b, uint64(8*len(in.Total)))
	}
	return consensus.Write{Slot: in.Slot, Data: b, Vector: consensus.Vector{Values: in.Total}}
}

// numberTotal is the field number of a decision's total.
const numberTotal = 7

// UnmarshalDecision decodes a decision from a log. size is the size of the run's roster.
func UnmarshalDecision(b []byte, size int) (*consensus.Decision, error) {
	var in pb.Decision
	if err := proto.Unmarshal(b, &in); err != nil {
		return nil, malformed("decision", "other bytes", "protobuf")
	}
	if in.Version != Version {
		return nil, &VersionError{Got: in.Version, Want: Version}
	}
	d := &decoder{size: size}
	out, c := d.decision(&in), in.GetCost()
	out.Cost = consensus.Cost{
		Ballot: c.GetBallot(), Lost: d.ranks("lost", c.GetLost()), Rounds: int(c.GetRounds()), Difference: c.GetDifference(),
		Began: time.Duration(c.GetBegan()), Ended: time.Duration(c.GetEnded()),
	}
	if c.GetRounds() > math.MaxInt32 {
		d.fail("rounds", c.GetRounds(), fmt.Sprintf("at most %d", math.MaxInt32))
	}
	return out, d.err
}
