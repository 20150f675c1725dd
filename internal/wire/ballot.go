package wire

import (
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire/pb"
)

func putValue(v consensus.Value) *pb.Value {
	return &pb.Value{Attempt: v.Attempt, Digest: v.Digest[:]}
}

func (d *decoder) value(in *pb.Value) consensus.Value {
	return consensus.Value{Attempt: in.GetAttempt(), Digest: d.digest("value", in.GetDigest())}
}

func putPromise(p consensus.Promise) *pb.Promise {
	out := &pb.Promise{Member: p.Member, Joins: p.Joins, Without: p.Without, Chain: p.Chain[:], Amends: optional(p.Amends), Signature: p.Signature}
	if p.Vote != nil {
		out.Vote = &pb.Vote{Ballot: p.Vote.Ballot, Value: putValue(p.Vote.Value)}
	}
	return out
}

func (d *decoder) promise(in *pb.Promise) consensus.Promise {
	p := consensus.Promise{
		Member: in.GetMember(), Joins: in.GetJoins(), Without: in.GetWithout(),
		Chain: d.digest("chain", in.GetChain()), Amends: d.optional("amends", in.GetAmends()), Signature: d.signature(in.GetSignature()),
	}
	if v := in.GetVote(); v != nil {
		p.Vote = &consensus.Vote{Ballot: v.GetBallot(), Value: d.value(v.GetValue())}
	}
	return p
}

func putView(v *consensus.View) *pb.View {
	out := &pb.View{Ballot: v.Ballot, Members: v.Members, Missing: putMissing(v.Missing), Amends: optional(v.Amends)}
	if v.Finish != nil {
		out.Finish = putValue(*v.Finish)
	}
	for _, p := range v.Promises {
		out.Promises = append(out.Promises, putPromise(p))
	}
	return out
}

func (d *decoder) view(in *pb.View) *consensus.View {
	v := &consensus.View{
		Ballot: in.GetBallot(), Members: in.GetMembers(), Missing: d.missing(in.GetMissing()),
		Amends: d.optional("amends", in.GetAmends()),
	}
	if f := in.GetFinish(); f != nil {
		value := d.value(f)
		v.Finish = &value
	}
	for _, p := range in.GetPromises() {
		v.Promises = append(v.Promises, d.promise(p))
	}
	return v
}

func putCertificate(c *consensus.Certificate) *pb.Certificate {
	if c == nil {
		return nil
	}
	out := &pb.Certificate{Ballot: c.Ballot, Value: putValue(c.Value), Chain: c.Chain[:]}
	for _, v := range c.Votes {
		out.Votes = append(out.Votes, &pb.SignedVote{Member: v.Member, Signature: v.Signature})
	}
	return out
}

func (d *decoder) certificate(in *pb.Certificate) *consensus.Certificate {
	c := &consensus.Certificate{Ballot: in.GetBallot(), Value: d.value(in.GetValue()), Chain: d.digest("chain", in.GetChain())}
	if d.most("votes", len(in.GetVotes()), d.size) {
		for _, v := range in.GetVotes() {
			c.Votes = append(c.Votes, consensus.SignedVote{Member: d.rank("vote", v.GetMember()), Signature: d.signature(v.GetSignature())})
		}
	}
	return c
}

func putCastVotes(votes []consensus.CastVote) (out []*pb.CastVote) {
	for _, v := range votes {
		out = append(out, &pb.CastVote{
			Member: v.Member, Slot: v.Slot, Vote: &pb.Vote{Ballot: v.Vote.Ballot, Value: putValue(v.Vote.Value)},
			Chain: v.Chain[:], Signature: v.Signature,
		})
	}
	return out
}

func (d *decoder) castVotes(in []*pb.CastVote) (votes []consensus.CastVote) {
	if !d.most("cast votes", len(in), 2) {
		return nil
	}
	for _, v := range in {
		votes = append(votes, consensus.CastVote{
			Member: d.rank("cast vote", v.GetMember()), Slot: v.GetSlot(), Vote: consensus.Vote{Ballot: v.GetVote().GetBallot(), Value: d.value(v.GetVote().GetValue())},
			Chain: d.digest("chain", v.GetChain()), Signature: d.signature(v.GetSignature()),
		})
	}
	return votes
}
