package node

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/gologshim"
	"github.com/multiformats/go-multiaddr"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/node/internal/membership"
)

// Durability selects how much of the current slot is kept on disk.
type Durability string

// The durabilities.
const (
	// OnDisk keeps all that a restarted process needs to continue the slot.
	OnDisk Durability = "disk"
	// InMemory keeps only the fact that the slot has begun, in one write. A restarted process
	// takes no part in the current slot. If the slot needs all members, the run then ends.
	InMemory Durability = "memory"
)

// An Agreement holds the settings that must be the same at all members, in an order that reads
// well. The order itself does not matter.
type Agreement = membership.Agreement

// A Field is one line of an agreement: a Name and a Value.
type Field = membership.Field

// NewMember returns a member from the texts of an agreement.
func NewMember(name, id string, addrs []string) (Member, error) {
	return membership.NewMember(name, id, addrs)
}

// Config describes one participant.
type Config struct {
	// Name is shown to the other members. It must be unique.
	Name string
	// Dir is the folder of identity.key, state.db and state.keys. It is created if missing. If
	// it holds an unfinished run, the node resumes that run.
	Dir string
	// Listen holds multiaddrs. If it is empty, the node listens on TCP and QUIC on all
	// interfaces, on ports that the system chooses.
	Listen []string
	// Announce holds the multiaddrs that the other members dial, if they differ from Listen:
	// those of a router that forwards a port, or a name such as /dns4/a.example.org/tcp/4001.
	Announce []string
	// MapPorts asks the router by UPnP to forward a port to this node.
	MapPorts bool
	// Relay passes on connections between members that cannot reach each other. They stay
	// encrypted from end to end. Relay needs Members: a node relays nothing for strangers.
	Relay bool
	// Peers holds multiaddrs of some members, each with /p2p/ID at the end. The node finds the
	// others through them.
	Peers []string
	// Members is the roster, this participant included, if it was agreed beforehand. Then
	// nobody else is admitted.
	Members []Member
	// Changes are made to the roster in this order, each between two rounds, once a quorum of
	// the members has it. A participant that a change adds, and that Members does not list,
	// joins the run of the others.
	Changes []Change
	// Expect is the number of members, this one included, if Members is empty. Then either
	// Secret or Open decides who may be a member.
	Expect int
	// Secret is random bytes that each peer must prove to know before it is connected. It may
	// be nil with Members, since connections prove the members' peer IDs.
	Secret Secret
	// Open admits peers without a secret: the first peers that connect are the members, whoever
	// runs them.
	Open bool
	// MDNS is a tag by which members find each other on a local network, the same at all
	// members. If it is empty, the node does not search the local network.
	MDNS string
	// Agreement holds what must be the same at all members. The node adds the settings of the
	// consensus and the roster.
	Agreement Agreement
	Settings  consensus.Settings
	// JoinTimeout bounds the wait for the other members; 0 means no bound.
	JoinTimeout time.Duration
	// BeginAt, if not zero, is the earliest time at which a new run begins, the same at all
	// members. They find each other before it. JoinTimeout counts from then on.
	BeginAt time.Time
	// Heartbeat is the time between two heartbeats, and Patience is the field of
	// consensus.Params; 0 means the default of consensus.Params.
	Heartbeat time.Duration
	Patience  float64
	// Durability selects how much of the current slot is kept on disk; "" means OnDisk.
	Durability Durability
	// Begin, if not nil, is called with the identity of a new run before the node saves it.
	// Resume, if not nil, is called with the identity of an unfinished run before the node
	// connects to any other member. An error of either ends Join.
	Begin, Resume func(run [32]byte) error
	// Head, if not nil, returns the head of the participant's journal. The node saves it when a run
	// begins, and when this member's part in it is over. CheckHead, if not nil, is called with the
	// head saved last before the node connects to any other member. An error of it ends Join.
	Head      func() []byte
	CheckHead func(head []byte) error
	// Publish, if not nil, returns a few bytes that all members see before the learner of this
	// one begins. It is called with the identity of the run, and must return the same bytes
	// whenever the run is resumed.
	Publish func(run [32]byte) []byte
	// Log receives the messages for an operator; nil discards them.
	Log *slog.Logger
	// OnStatus, if not nil, receives the present and missing members whenever they change
	// during Join. It must not block.
	OnStatus func(Status)

	links []libp2p.Option // used by tests: carries connections in place of the system's network
}

// A Member is a participant in the run: a name, a peer ID and its addresses. The addresses are
// multiaddrs, with or without /p2p/ID; there may be none.
type Member = membership.Member

// Size returns the number of members that the run begins with.
func (c *Config) Size() int {
	if len(c.Members) > 0 {
		return len(c.Members)
	}
	return c.Expect
}

func (c *Config) validate() error {
	if err := membership.CheckName("name", c.Name); err != nil {
		return err
	}
	if c.Dir == "" {
		return refused("dir", "nothing", "a folder for identity.key and state.db")
	}
	if len(c.Members) > 0 && c.Expect != 0 && c.Expect != len(c.Members) {
		return refused("expect", fmt.Sprint(c.Expect), fmt.Sprintf("0, or %d as in the list of members", len(c.Members)))
	}
	if err := c.validateSeats(); err != nil {
		return err
	}
	if c.Size() > wire.MaxMembers {
		return refused("expect", fmt.Sprint(c.Size()), fmt.Sprintf("at most %d members", wire.MaxMembers))
	}
	if err := c.Settings.Validate(c.Size()); err != nil {
		return err
	}
	if c.JoinTimeout < 0 || c.Heartbeat < 0 {
		return refused("durations", fmt.Sprintf("%v, %v", c.JoinTimeout, c.Heartbeat), "a join timeout and a heartbeat of at least 0")
	}
	if d := c.Durability; d != "" && d != OnDisk && d != InMemory {
		return refused("durability", string(d), fmt.Sprintf("%s or %s", OnDisk, InMemory))
	}
	if c.Patience != 0 && !(c.Patience >= 1) {
		return refused("patience", fmt.Sprint(c.Patience), "0 for the default, or at least 1 times the usual time")
	}
	if c.Relay && len(c.Members) == 0 {
		return refused("relay", "true without a list of members", "a list of members, or false: a node relays nothing for strangers")
	}
	for _, a := range c.Announce {
		if _, err := multiaddr.NewMultiaddr(a); err != nil {
			return refused("announce", a, "a multiaddr such as /dns4/a.example.org/tcp/4001")
		}
	}
	for _, a := range c.Listen {
		if _, err := multiaddr.NewMultiaddr(a); err != nil {
			return refused("listen", a, "a multiaddr such as /ip4/0.0.0.0/udp/4001/quic-v1")
		}
	}
	for _, a := range c.Peers {
		if _, err := peer.AddrInfoFromString(a); err != nil {
			return refused("peers", a, "a multiaddr with the peer's ID such as /ip4/10.0.0.2/tcp/4001/p2p/12D3KooW...")
		}
	}
	return c.validateMembers()
}

// refused returns the error for a field whose value no node can have.
func refused(field, got, want string) error {
	return &ConfigError{Field: field, Got: got, Want: want}
}

// validateSeats reports settings that do not define who may be a member.
func (c *Config) validateSeats() error {
	listed := len(c.Members) > 0
	switch {
	case listed && c.Open:
		return refused("open", "true with a list of members", "one of the two, not both")
	case !listed && c.Secret == nil && !c.Open:
		return refused("secret", "none, and no list of members", "the secret that all members share (collabdict consortium secret makes it), or Open for a run that anyone on this network may join")
	case c.Secret != nil && c.Open:
		return refused("open", "true with a secret", "one of the two, not both")
	case c.Secret != nil:
		if err := c.Secret.Validate(); err != nil {
			return refused("secret", "another one", err.Error())
		}
	}
	return nil
}

func (c *Config) validateMembers() error {
	names, ids := map[string]bool{}, map[peer.ID]bool{}
	for _, m := range c.Members {
		if err := membership.CheckName("members: name", m.Name); err != nil {
			return err
		}
		if m.ID.Validate() != nil {
			return refused("members: "+m.Name+": id", "none", "a peer ID")
		}
		if names[m.Name] || ids[m.ID] {
			return refused("members", m.Name+" twice", "each name and peer ID once")
		}
		names[m.Name], ids[m.ID] = true, true
		if _, err := m.AddrInfo(); err != nil {
			return err
		}
	}
	if len(c.Changes) > 0 && len(c.Members) == 0 {
		return refused("changes", "changes without a list of members", "the list of members that the run begins with")
	}
	if err := CheckChanges(c.Members, c.Settings, c.Changes); err != nil {
		return err
	}
	return c.Agreement.Validate()
}

// complete returns the agreement with the fields that the node itself needs to be the same at
// all members.
func (c *Config) complete() Agreement {
	a := append(Agreement(nil), c.Agreement...)
	own := Agreement{{Name: "protocol", Value: fmt.Sprint(wire.Version)}, {Name: "members", Value: c.roster()}}
	for _, f := range c.Settings.Fields() {
		own = append(own, Field{Name: "consensus: " + f.Name, Value: f.Value})
	}
	if !c.BeginAt.IsZero() {
		own = append(own, Field{Name: "begin at", Value: c.BeginAt.UTC().Format(time.RFC3339Nano)})
	}
	for _, f := range own {
		if !slices.ContainsFunc(a, func(g Field) bool { return g.Name == f.Name }) {
			a = append(a, f)
		}
	}
	return a
}

// roster describes the members as far as they are known before the run.
func (c *Config) roster() string {
	if len(c.Members) == 0 {
		return fmt.Sprint(c.Expect)
	}
	lines := make([]string, len(c.Members))
	for i, m := range c.Members {
		lines[i] = m.Name + " " + m.ID.String()
	}
	slices.Sort(lines)
	if len(lines) <= 8 {
		return strings.Join(lines, ", ")
	}
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return fmt.Sprintf("%d, list %s", len(lines), hex.EncodeToString(sum[:8]))
}

// QuietLibraries keeps the log of libp2p off standard error, unless GOLOG_LOG_LEVEL asks for
// it. Errors and Config.Log have all that matters to an operator. It is meant for programs,
// which call it before the first Join.
func QuietLibraries() {
	if os.Getenv("GOLOG_LOG_LEVEL") == "" {
		gologshim.SetDefaultHandler(slog.DiscardHandler)
	}
}
