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

// Durability says what of a slot under way is on disk.
type Durability string

// The durabilities.
const (
	// OnDisk keeps all that a process that is started again needs to go on.
	OnDisk Durability = "disk"
	// InMemory keeps only that the slot was begun, in one write: a process that is
	// started again takes no part in the slot under way. Where all members are needed
	// the run then ends there.
	InMemory Durability = "memory"
)

// Agreement is what must be the same at all members, in the order in which
// people should read it; the order itself does not matter.
type Agreement = membership.Agreement

// Field is one line of an agreement: a Name and a Value.
type Field = membership.Field

// NewMember returns a member from the texts of an agreement.
func NewMember(name, id string, addrs []string) (Member, error) {
	return membership.NewMember(name, id, addrs)
}

// Config describes one participant.
type Config struct {
	// Name is shown to the other members; no two have the same.
	Name string
	// Dir holds identity.key, state.db and state.keys. It is created if missing.
	// If a run was left there before its end, the node resumes it.
	Dir string
	// Listen holds multiaddrs; none means TCP and QUIC on all interfaces, on
	// ports that the system chooses.
	Listen []string
	// Announce holds the multiaddrs that the others are told to dial, if they are not those
	// of Listen: of a router that passes a port on, or a name such as /dns4/a.example.org/tcp/4001.
	Announce []string
	// MapPorts asks the router for a port that leads here, by UPnP.
	MapPorts bool
	// Relay passes connections on between members that do not reach each other, which are
	// encrypted from end to end. It needs Members: nothing is passed on for strangers.
	Relay bool
	// Peers holds multiaddrs, with /p2p/ID at the end, of members to begin with.
	// The others are found through them.
	Peers []string
	// Members is the roster, this participant included, if it was agreed on
	// beforehand. Nobody else is let in.
	Members []Member
	// Changes are made to the roster in turn, each between two rounds, once a quorum
	// of the members has it. A participant that Members does not list and a change
	// adds joins the run of the others.
	Changes []Change
	// Expect is the number of members, this one included, if Members is empty. Then either
	// Secret or Open says who may be one.
	Expect int
	// Secret is what every peer has to prove that it knows before it is connected. With
	// Members, whose peer IDs their connections prove, it may be nil.
	Secret Secret
	// Open says that no secret is needed: the first peers that come are the members, whoever
	// they are.
	Open bool
	// MDNS is a tag under which members find each other on a local network, the
	// same for all; empty turns that off.
	MDNS string
	// Agreement holds what must be the same at all members. The settings of the
	// consensus and the roster are added by themselves.
	Agreement Agreement
	Settings  consensus.Settings
	// JoinTimeout bounds the wait for the other members; 0 means for ever.
	JoinTimeout time.Duration
	// BeginAt, if not zero, is when a new run may begin, the same at all members: they find
	// each other before it. The JoinTimeout counts from then on.
	BeginAt time.Time
	// Heartbeat is the time between two heartbeats, and Patience is that of consensus.Params;
	// 0 means the defaults of that.
	Heartbeat time.Duration
	Patience  float64
	// Durability is what of a slot under way is on disk; "" means OnDisk.
	Durability Durability
	// Begin, if not nil, is called with the identity of a new run before the node writes
	// it down. Resume, if not nil, is called with that of an unfinished run before the node
	// speaks with any other member. An error of either ends Join.
	Begin, Resume func(run [32]byte) error
	// Publish, if not nil, returns what all members see of this one before its learner
	// begins, in a few bytes. It is called with the identity of the run, and returns the
	// same whenever the run is resumed.
	Publish func(run [32]byte) []byte
	// Log gets what an operator should know; nil discards it.
	Log *slog.Logger
	// OnStatus, if not nil, gets the members present and missing whenever that
	// changes during Join. It must not block.
	OnStatus func(Status)

	links []libp2p.Option // of tests: what connections go over, in place of the system's network
}

// Member is a participant in the run: a name, a peer ID, and addresses as multiaddrs, with
// or without /p2p/ID, which may be none.
type Member = membership.Member

// size returns the number of members of the run.
func (c *Config) size() int {
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
	if c.size() > wire.MaxMembers {
		return refused("expect", fmt.Sprint(c.size()), fmt.Sprintf("at most %d members", wire.MaxMembers))
	}
	if err := c.Settings.Validate(c.size()); err != nil {
		return err
	}
	if c.JoinTimeout < 0 || c.Heartbeat < 0 {
		return refused("durations", fmt.Sprintf("%v, %v", c.JoinTimeout, c.Heartbeat), "join timeout and heartbeat of at least 0")
	}
	if d := c.Durability; d != "" && d != OnDisk && d != InMemory {
		return refused("durability", string(d), fmt.Sprintf("%s or %s", OnDisk, InMemory))
	}
	if c.Patience != 0 && !(c.Patience >= 1) {
		return refused("patience", fmt.Sprint(c.Patience), "0 for the default, or at least 1 times the usual time")
	}
	if c.Relay && len(c.Members) == 0 {
		return refused("relay", "true without a list of members", "a list of members, or false: nothing is passed on for strangers")
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

// refused returns the error of a field that has a value which no node can have.
func refused(field, got, want string) error {
	return &ConfigError{Field: field, Got: got, Want: want}
}

// validateSeats reports settings that do not say who may be a member.
func (c *Config) validateSeats() error {
	listed := len(c.Members) > 0
	switch {
	case listed && c.Open:
		return refused("open", "true with a list of members", "either of the two")
	case !listed && c.Secret == nil && !c.Open:
		return refused("secret", "none, and no list of members", "the secret that all members share, as collabdict consortium secret makes it, or Open for a run that anyone on this network may join")
	case c.Secret != nil && c.Open:
		return refused("open", "true with a secret", "either of the two")
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
		return refused("changes", "none to change", "the list of members that the run begins with")
	}
	if err := CheckChanges(c.Members, c.Settings, c.Changes); err != nil {
		return err
	}
	return c.Agreement.Validate()
}

// complete returns the agreement with what the node itself needs everybody to
// have in common.
func (c *Config) complete() Agreement {
	s := c.Settings.Canonical()
	a := append(Agreement(nil), c.Agreement...)
	own := [][2]string{
		{"protocol", fmt.Sprint(wire.Version)},
		{"members", c.roster()},
		{"consensus: scheme", string(s.Scheme)},
		{"consensus: step", string(s.Step)},
		{"consensus: graph", fmt.Sprint(s.Graph)},
		{"consensus: degree", fmt.Sprint(s.Degree)},
		{"consensus: tolerance", fmt.Sprint(s.Tolerance)},
		{"consensus: fan", fmt.Sprint(s.Fan)},
		{"consensus: parity", fmt.Sprint(s.Parity)},
		{"consensus: protection", string(s.Protect)},
		{"consensus: chunks", fmt.Sprint(s.Chunks)},
		{"consensus: full chunks", fmt.Sprint(s.Full)},
		{"consensus: threshold", fmt.Sprint(s.Threshold)},
		{"consensus: quorum", fmt.Sprint(s.Quorum)},
		{"consensus: colluders", fmt.Sprint(s.Colluders)},
		{"consensus: recover", string(s.Recover)},
		{"consensus: accept lone change", fmt.Sprint(s.AcceptLoneChange)},
		{"consensus: on lone return", string(s.OnLoneReturn)},
	}
	if !c.BeginAt.IsZero() {
		own = append(own, [2]string{"begin at", c.BeginAt.UTC().Format(time.RFC3339Nano)})
	}
	for _, f := range own {
		if !slices.ContainsFunc(a, func(g Field) bool { return g.Name == f[0] }) {
			a = append(a, Field{Name: f[0], Value: f[1]})
		}
	}
	return a
}

// roster describes the members as far as they are known beforehand.
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

// QuietLibraries keeps libp2p's own log of this process from standard error, unless
// GOLOG_LOG_LEVEL asks for it. What matters to an operator is in the errors and in
// Config.Log. It is for programs; call it before the first Join.
func QuietLibraries() {
	if os.Getenv("GOLOG_LOG_LEVEL") == "" {
		gologshim.SetDefaultHandler(slog.DiscardHandler)
	}
}
