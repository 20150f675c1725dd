package wire

import (
	"encoding/binary"
	"math"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire/pb"
)

func putHeader(h consensus.Header) *pb.Header {
	out := &pb.Header{Kind: uint32(h.Kind), Round: h.Round, Length: h.Length, Hash: h.Hash[:]}
	if h.Parameters != [32]byte{} {
		out.Parameters = h.Parameters[:]
	}
	if r := h.Running; r.Key != "" {
		out.Running = &pb.Running{Key: r.Key, From: r.From, Size: r.Size, Base: r.Base[:]}
	}
	return out
}

func putSeeds(s *consensus.Seeds) *pb.Seeds {
	out := &pb.Seeds{Header: putHeader(s.Header), View: s.View[:], Chunk: s.Chunk, Full: putWords(s.Full), Commit: s.Commit[:]}
	if s.Share != nil {
		out.Share = putShare(*s.Share)
	}
	return out
}

func (d *decoder) seeds(in *pb.Seeds) *consensus.Seeds {
	s := &consensus.Seeds{
		Header: d.header(in.GetHeader()), View: d.digest("view", in.GetView()), Chunk: in.GetChunk(),
		Full: d.words("chunk", in.GetFull()), Commit: d.digest("commitment", in.GetCommit()),
	}
	if in.GetShare() != nil {
		share := d.share(in.GetShare())
		s.Share = &share
	}
	return s
}

func putShare(s chunking.Share) *pb.Share { return &pb.Share{X: uint32(s.X), Y: s.Y[:]} }

func (d *decoder) share(in *pb.Share) chunking.Share {
	if x := in.GetX(); x > math.MaxUint8 {
		d.fail("share", x, "a point from 1 to 255")
	}
	return chunking.Share{X: byte(in.GetX()), Y: d.digest("share", in.GetY())}
}

func putStep(s *consensus.Step) *pb.Step {
	return &pb.Step{Lane: s.Lane, Round: s.Round, Part: s.Part, Words: putWords(s.Words)}
}

func (d *decoder) step(in *pb.Step) *consensus.Step {
	return &consensus.Step{Lane: in.GetLane(), Round: in.GetRound(), Part: in.GetPart(), Words: d.words("step", in.GetWords())}
}

func putSealed(s *consensus.Sealed) *pb.Sealed {
	if s == nil {
		return nil
	}
	out := &pb.Sealed{
		Attempt: s.Attempt, Header: putHeader(s.Header), Members: s.Members, Missing: putMissing(s.Missing),
		Words: putWords(s.Words), Blobs: s.Blobs,
	}
	bounds := make([]float64, len(s.Blocks))
	for i, b := range s.Blocks {
		out.BlockLengths = append(out.BlockLengths, uint32(b.Len))
		bounds[i] = b.Bound
	}
	out.BlockBounds = putValues(bounds)
	for _, c := range s.Commits {
		out.Commits = append(out.Commits, c[:]...)
	}
	return out
}

func (d *decoder) sealed(in *pb.Sealed) *consensus.Sealed {
	s := &consensus.Sealed{
		Attempt: in.GetAttempt(), Header: d.header(in.GetHeader()), Blocks: d.blocks(in), Members: in.GetMembers(),
		Missing: d.missing(in.GetMissing()), Words: d.words("sealed", in.GetWords()), Blobs: notNil(in.GetBlobs()),
	}
	commits := in.GetCommits()
	if len(commits)%32 != 0 {
		d.fail("commitments", len(commits), "a multiple of 32 bytes")
		return s
	}
	for ; len(commits) > 0; commits = commits[32:] {
		s.Commits = append(s.Commits, [32]byte(commits))
	}
	return s
}

func (d *decoder) blocks(in *pb.Sealed) (blocks []collabdict.Block) {
	lengths := in.GetBlockLengths()
	if !d.most("blocks", len(lengths), MaxBlocks) {
		return nil
	}
	bounds := d.values("block bounds", in.GetBlockBounds())
	if len(bounds) != len(lengths) {
		d.fail("block bounds", len(bounds), "one per block")
		return nil
	}
	for i, n := range lengths {
		blocks = append(blocks, collabdict.Block{Len: int(n), Bound: bounds[i]})
	}
	return blocks
}

// notNil replaces nil in the list by empty blobs, since nil stands for a missing member's blob.
func notNil(list [][]byte) [][]byte {
	for i, b := range list {
		if b == nil {
			list[i] = []byte{}
		}
	}
	return list
}

func putMissing(missing []consensus.Missing) (out []*pb.Missing) {
	for _, m := range missing {
		out = append(out, &pb.Missing{Member: m.Member, Reason: text(m.Reason)})
	}
	return out
}

func putPads(p *consensus.Pads) *pb.Pads {
	out := &pb.Pads{}
	for _, pad := range p.Pads {
		out.Pads = append(out.Pads, &pb.Pad{Member: pad.Member, Seed: pad.Seed[:]})
	}
	return out
}

func (d *decoder) pads(in *pb.Pads) *consensus.Pads {
	out := &consensus.Pads{}
	for _, p := range in.GetPads() {
		out.Pads = append(out.Pads, consensus.Pad{Member: p.GetMember(), Seed: d.digest("pad", p.GetSeed())})
	}
	return out
}

func putReopen(r *consensus.Reopen) *pb.Reopen {
	out := &pb.Reopen{Epoch: r.Epoch}
	for _, l := range r.Lost {
		out.Lost = append(out.Lost, &pb.Substitute{Member: l.Member, By: l.By})
	}
	return out
}

func reopen(in *pb.Reopen) *consensus.Reopen {
	out := &consensus.Reopen{Epoch: in.GetEpoch()}
	for _, l := range in.GetLost() {
		out.Lost = append(out.Lost, consensus.Substitute{Member: l.GetMember(), By: l.GetBy()})
	}
	return out
}

func putShares(s *consensus.Shares) *pb.Shares {
	out := &pb.Shares{}
	for _, share := range s.Shares {
		out.Shares = append(out.Shares, &pb.PadShare{Member: share.Member, Share: putShare(share.Share)})
	}
	return out
}

func (d *decoder) shares(in *pb.Shares) *consensus.Shares {
	out := &consensus.Shares{}
	for _, s := range in.GetShares() {
		out.Shares = append(out.Shares, consensus.PadShare{Member: s.GetMember(), Share: d.share(s.GetShare())})
	}
	return out
}

// putWords encodes words in little endian.
func putWords(words []uint64) []byte {
	b := make([]byte, 8*len(words))
	for i, w := range words {
		binary.LittleEndian.PutUint64(b[8*i:], w)
	}
	return b
}

// putValues encodes values as little-endian IEEE 754 doubles.
func putValues(values []float64) []byte {
	b := make([]byte, 8*len(values))
	for i, v := range values {
		binary.LittleEndian.PutUint64(b[8*i:], math.Float64bits(v))
	}
	return b
}
