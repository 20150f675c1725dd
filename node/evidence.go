package node

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/files"
	"github.com/collabdict/collabdict/node/internal/membership"
)

// evidenceVersion is the version of the file format.
const evidenceVersion = 1

// An evidenceFile holds the signed votes that prove a member's contradiction, and all that is
// needed to check them. A peer ID is the public key.
type evidenceFile struct {
	Version int              `json:"version"`
	Run     string           `json:"run"`
	Accused string           `json:"accused"`
	Reason  string           `json:"reason"`
	Members []evidenceMember `json:"members"`
	Votes   []evidenceVote   `json:"votes"`
}

type evidenceMember struct {
	Rank int    `json:"rank"`
	Name string `json:"name"`
	ID   string `json:"id"`
}

type evidenceVote struct {
	Rank      uint32 `json:"rank"`
	Slot      uint64 `json:"slot"`
	Ballot    uint32 `json:"ballot"`
	Attempt   uint32 `json:"attempt"`
	Digest    string `json:"digest"`
	Chain     string `json:"chain"`
	Signature string `json:"signature"`
}

// evidenceName returns the name of the evidence file in a participant's folder.
func evidenceName(run [32]byte) string { return fmt.Sprintf("evidence-%x.json", run[:8]) }

// keepEvidence saves the signed votes that ended the run, if there are any, and adds the path
// to the error.
func (l *loop) keepEvidence(err error) error {
	named, is := errors.AsType[*consensus.MemberError](err)
	if !is || named.Evidence == nil {
		return err
	}
	path := filepath.Join(l.dir, evidenceName(named.Evidence.Run))
	if failed := writeEvidence(path, named, l.members.Load().All); failed != nil {
		l.log.Error("cannot save the signed votes as evidence", "name", named.Name, "error", failed)
		return err
	}
	l.log.Error("signed votes are saved as evidence: check them with collabdict evidence", "name", named.Name, "file", path)
	return fmt.Errorf("%w; the signed votes are in %s: check them with collabdict evidence", err, path)
}

func writeEvidence(path string, named *consensus.MemberError, all []Member) error {
	f := evidenceFile{Version: evidenceVersion, Run: hex.EncodeToString(named.Evidence.Run[:]), Accused: named.Name, Reason: named.Reason}
	listed := map[uint32]bool{}
	for _, v := range named.Evidence.Votes {
		f.Votes = append(f.Votes, evidenceVote{
			v.Member, v.Slot, v.Vote.Ballot, v.Vote.Value.Attempt,
			hex.EncodeToString(v.Vote.Value.Digest[:]), hex.EncodeToString(v.Chain[:]), hex.EncodeToString(v.Signature),
		})
		if !listed[v.Member] {
			listed[v.Member] = true
			m := all[v.Member]
			f.Members = append(f.Members, evidenceMember{int(v.Member), m.Name, m.ID.String()})
		}
	}
	return files.WriteJSON(path, f)
}

// A Contradiction is two results that one member has signed where an honest member signs only
// one.
type Contradiction struct {
	Name    string    `json:"name"`    // that of the member
	ID      peer.ID   `json:"id"`      // its peer ID
	Slot    uint64    `json:"slot"`    // the number of the collective
	Ballots [2]uint32 `json:"ballots"` // those of the two votes
	Results [2]string `json:"results"` // digests that the member voted for
	Chains  [2]string `json:"chains"`  // hashes of all decisions before them
}

// CheckEvidence checks the signatures of evidence files that members of one run have kept. It
// returns each member that has signed two results, judged by the votes of all files together.
// It returns an error if a file is not as a member has written it. Compare the peer IDs with
// the agreement, because the files contain IDs of their own.
func CheckEvidence(files ...[]byte) (found []Contradiction, err error) {
	members := map[uint32]evidenceMember{}
	ranks := map[string]int{}
	var votes []consensus.CastVote
	var run [32]byte
	for i, b := range files {
		var f evidenceFile
		if err := json.Unmarshal(b, &f); err != nil {
			return nil, fmt.Errorf("file %d: want a file of evidence that a node has written: %w", i+1, err)
		}
		if f.Version != evidenceVersion {
			return nil, fmt.Errorf("file %d: want evidence of version %d, got %d", i+1, evidenceVersion, f.Version)
		}
		named, err := digestFrom(f.Run)
		switch {
		case err != nil:
			return nil, fmt.Errorf("file %d: run: %w", i+1, err)
		case i > 0 && named != run:
			return nil, fmt.Errorf("file %d: want evidence of run %x, as in the first file, got one of run %x", i+1, run[:8], named[:8])
		}
		run = named
		for _, m := range f.Members {
			if known, is := members[uint32(m.Rank)]; m.Rank < 0 || membership.CheckName("name", m.Name) != nil || is && known != m {
				return nil, fmt.Errorf("file %d: member %d: want a name and a peer ID, the same in all files, got %q", i+1, m.Rank, m.Name)
			}
			if rank, is := ranks[m.ID]; is && rank != m.Rank {
				return nil, fmt.Errorf("file %d: want one rank for each peer ID, got ranks %d and %d for %q", i+1, rank, m.Rank, m.ID)
			}
			members[uint32(m.Rank)], ranks[m.ID] = m, m.Rank
		}
		for _, v := range f.Votes {
			cast, err := v.check(run, members)
			if err != nil {
				return nil, fmt.Errorf("file %d: the vote of member %d in slot %d: %w", i+1, v.Rank, v.Slot, err)
			}
			votes = append(votes, cast)
		}
	}
	for _, pair := range consensus.TwoFaced(votes) {
		m := members[pair[0].Member]
		c := Contradiction{Name: m.Name, Slot: pair[0].Slot}
		c.ID, _ = peer.Decode(m.ID) // the ID was checked with the vote
		for i, v := range pair {
			c.Ballots[i], c.Results[i], c.Chains[i] = v.Vote.Ballot, hex.EncodeToString(v.Vote.Value.Digest[:]), hex.EncodeToString(v.Chain[:])
		}
		found = append(found, c)
	}
	return found, nil
}

// check returns the vote if its signature is the member's.
func (v *evidenceVote) check(run [32]byte, members map[uint32]evidenceMember) (consensus.CastVote, error) {
	cast := consensus.CastVote{Member: v.Rank, Slot: v.Slot, Vote: consensus.Vote{Ballot: v.Ballot, Value: consensus.Value{Attempt: v.Attempt}}}
	id, err := peer.Decode(members[v.Rank].ID)
	if err != nil {
		return cast, fmt.Errorf("peer ID %q: %w", members[v.Rank].ID, err)
	}
	public, err := id.ExtractPublicKey()
	if err != nil {
		return cast, fmt.Errorf("peer ID %s: %w", id, err)
	}
	if cast.Vote.Value.Digest, err = digestFrom(v.Digest); err != nil {
		return cast, err
	}
	if cast.Chain, err = digestFrom(v.Chain); err != nil {
		return cast, err
	}
	if cast.Signature, err = hex.DecodeString(v.Signature); err != nil {
		return cast, fmt.Errorf("signature: %w", err)
	}
	if ok, err := public.Verify(append([]byte(voteDomain), cast.Signed(run)...), cast.Signature); err != nil || !ok {
		return cast, fmt.Errorf("the signature is not that of %s", id)
	}
	return cast, nil
}

func digestFrom(text string) (d [32]byte, err error) {
	b, err := hex.DecodeString(text)
	if err == nil && len(b) != len(d) {
		err = fmt.Errorf("want %d bytes in hexadecimal, got %d", len(d), len(b))
	}
	copy(d[:], b)
	return d, err
}
