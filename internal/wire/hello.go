package wire

import (
	"google.golang.org/protobuf/proto"

	"github.com/collabdict/collabdict/internal/wire/pb"
)

// A Hello is the message that two processes exchange before a run.
type Hello struct {
	Name      string
	Sequence  uint64 // number of the hello, counted by the process
	Expect    uint32 // members of the run, including the sender
	Agreement []Field
	Process   [32]byte // random, drawn once by the sending process
	Addrs     []string // addresses at which the sender listens
	Contacts  []Contact
	Roster    []Entry // roster that the sender has signed; nil if none
	Signature []byte
	Leaving   string   // why the sender no longer wants to join; empty if it does
	Refused   string   // why the sender refuses the receiver; empty if it does not
	Proposal  [32]byte // run that the sender would begin with the processes that it has met
	Resume    [32]byte // run that the sender resumes after a restart; zero for none
	Over      [32]byte // run that the receiver would resume, if it is over at the sender; zero for none
	// Amendments are the amendments of the roster that have been decided, as far as the sender
	// knows.
	Amendments [][]byte
	Links      []Link // to members
	Relays     bool   // the sender relays connections between members
	Clock      int64  // the sender's time, in milliseconds since 1970
	Probe      bool   // the sender only looks and takes no part
}

// A Link is a connection between the sender of a hello and a member.
type Link struct {
	ID       []byte
	Accepted bool   // the member has dialled
	Via      []byte // the member that relays; empty for a direct connection
}

// A Field is one line of the agreement.
type Field struct{ Name, Value string }

// A Contact is another process that the sender has met.
type Contact struct {
	ID    []byte
	Addrs []string
}

// An Entry is a member of a roster.
type Entry struct {
	Name    string
	ID      []byte
	Process [32]byte
}

// MarshalHello encodes a Hello. Its text must be valid UTF-8.
func MarshalHello(h Hello) ([]byte, error) {
	out := &pb.Hello{
		Version: Version, Name: h.Name, Expect: h.Expect, Process: h.Process[:], Addrs: h.Addrs,
		Signature: h.Signature, Leaving: text(h.Leaving), Refused: text(h.Refused), Proposal: h.Proposal[:], Sequence: h.Sequence,
		Resume: optional(h.Resume), Over: optional(h.Over), Amendments: h.Amendments,
		Relays: h.Relays, Clock: h.Clock, Probe: h.Probe,
	}
	for _, l := range h.Links {
		out.Links = append(out.Links, &pb.Link{Id: l.ID, Accepted: l.Accepted, Via: l.Via})
	}
	for _, f := range h.Agreement {
		out.Agreement = append(out.Agreement, &pb.Field{Name: f.Name, Value: f.Value})
	}
	for _, c := range h.Contacts {
		out.Contacts = append(out.Contacts, &pb.Contact{Id: c.ID, Addrs: c.Addrs})
	}
	if h.Roster != nil {
		out.Roster = &pb.Roster{}
		for _, e := range h.Roster {
			out.Roster.Entries = append(out.Roster.Entries, &pb.Entry{Name: e.Name, Id: e.ID, Process: e.Process[:]})
		}
	}
	return proto.Marshal(out)
}

// optional returns a digest, or nil for zero.
func optional(d [32]byte) []byte {
	if d == ([32]byte{}) {
		return nil
	}
	return d[:]
}

// UnmarshalHello decodes a Hello.
func UnmarshalHello(b []byte) (h Hello, err error) {
	var in pb.Hello
	if err := proto.Unmarshal(b, &in); err != nil {
		return Hello{}, malformed("hello", "other bytes", "protobuf")
	}
	if in.Version != Version {
		return Hello{}, &VersionError{Got: in.Version, Want: Version}
	}
	d := &decoder{}
	h.Process, h.Proposal = d.digest("hello process", in.Process), d.digest("hello proposal", in.Proposal)
	h.Resume, h.Over = d.optional("hello resume", in.Resume), d.optional("hello over", in.Over)
	if err := helloLimits(&in); err != nil {
		return Hello{}, err
	}
	h.Name, h.Sequence, h.Expect, h.Addrs = in.Name, in.Sequence, in.Expect, in.Addrs
	h.Signature, h.Leaving, h.Refused, h.Amendments = in.Signature, in.Leaving, in.Refused, in.Amendments
	h.Relays, h.Clock, h.Probe = in.Relays, in.Clock, in.Probe
	for _, l := range in.Links {
		h.Links = append(h.Links, Link{ID: l.Id, Accepted: l.Accepted, Via: l.Via})
	}
	for _, f := range in.Agreement {
		h.Agreement = append(h.Agreement, Field{Name: f.Name, Value: f.Value})
	}
	for _, c := range in.Contacts {
		h.Contacts = append(h.Contacts, Contact{ID: c.Id, Addrs: c.Addrs})
	}
	for _, e := range in.Roster.GetEntries() {
		h.Roster = append(h.Roster, Entry{Name: e.Name, ID: e.Id, Process: d.digest("roster process", e.Process)})
	}
	return h, d.err
}

func helloLimits(in *pb.Hello) error {
	texts := append([]string{in.Name, in.Leaving, in.Refused}, in.Addrs...)
	lists := map[string]int{"agreement": len(in.Agreement), "contacts": len(in.Contacts), "roster": len(in.Roster.GetEntries()), "amendments": len(in.Amendments), "links": len(in.Links)}
	for name, n := range lists {
		if n > MaxMembers {
			return malformed("hello "+name, n, "at most 65536 entries")
		}
	}
	addrs := [][]string{in.Addrs}
	for _, c := range in.Contacts {
		addrs = append(addrs, c.Addrs)
		texts = append(texts, c.Addrs...)
	}
	for _, a := range addrs {
		if len(a) > MaxAddrs {
			return malformed("hello addresses", len(a), "at most 64")
		}
	}
	for _, e := range in.Roster.GetEntries() {
		texts = append(texts, e.Name)
	}
	for _, f := range in.Agreement {
		texts = append(texts, f.Name)
		if len(f.Value) > MaxValue {
			return malformed("agreement value of "+text(f.Name), len(f.Value), "at most 65536 bytes")
		}
	}
	for _, t := range texts {
		if len(t) > MaxText {
			return malformed("hello text", len(t), "at most 1024 bytes")
		}
	}
	return nil
}

// MarshalOpening encodes the first message of a data stream, which names the stream's run.
func MarshalOpening(run [32]byte) []byte {
	b, err := proto.Marshal(&pb.Opening{Version: Version, Run: run[:]})
	if err != nil {
		panic("wire: " + err.Error())
	}
	return b
}

// UnmarshalOpening decodes the first message of a data stream.
func UnmarshalOpening(b []byte) (run [32]byte, err error) {
	var in pb.Opening
	if err := proto.Unmarshal(b, &in); err != nil {
		return run, malformed("opening", "other bytes", "protobuf")
	}
	if in.Version != Version {
		return run, &VersionError{Got: in.Version, Want: Version}
	}
	d := &decoder{}
	run = d.digest("opening run", in.Run)
	return run, d.err
}
