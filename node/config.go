package node

import (
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/multiformats/go-multiaddr"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire"
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

// Config describes one participant.
type Config struct {
	// Name is shown to the other members; no two have the same.
	Name string
	// Dir holds identity.key, state.db and state.keys. It is created if missing.
	// If a run was left there before its end, the node goes on with it.
	Dir string
	// Listen holds multiaddrs; none means TCP and QUIC on all interfaces, on
	// ports that the system chooses.
	Listen []string
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
	// Expect is the number of members, this one included, if Members is empty.
	Expect int
	// MDNS is a tag under which members find each other on a local network, the
	// same for all; empty turns that off.
	MDNS string
	// Agreement holds what must be the same at all members. The settings of the
	// consensus and the roster are added by themselves.
	Agreement Agreement
	Settings  consensus.Settings
	// JoinTimeout bounds the wait for the other members; 0 means for ever.
	JoinTimeout time.Duration
	// Beat and Patience are those of consensus.Params; 0 means its defaults.
	Beat     time.Duration
	Patience float64
	// Durability is what of a slot under way is on disk; "" means OnDisk.
	Durability Durability
	// Begin, if not nil, is called with the identity of a new run before the node writes
	// it down. Resume, if not nil, is called with that of an unfinished run before the node
	// speaks with any other member. An error of either ends Join.
	Begin, Resume func(run [32]byte) error
	// Log gets what an operator should know; nil discards it.
	Log *slog.Logger
	// OnStatus, if not nil, is told who is there and who is missing whenever that
	// changes during Join. It must not block.
	OnStatus func(Status)

	links []libp2p.Option // of tests: what connections go over, in place of the system's network
}

// Member is a participant in the run.
type Member struct {
	Name  string
	ID    peer.ID
	Addrs []string // multiaddrs, with or without /p2p/ID; may be empty
}

// size returns the number of members of the run.
func (c *Config) size() int {
	if len(c.Members) > 0 {
		return len(c.Members)
	}
	return c.Expect
}

func (c *Config) validate() error {
	if err := checkName("name", c.Name); err != nil {
		return err
	}
	if c.Dir == "" {
		return &ConfigError{"dir", "nothing", "a folder for identity.key and state.db"}
	}
	if len(c.Members) > 0 && c.Expect != 0 && c.Expect != len(c.Members) {
		return &ConfigError{"expect", fmt.Sprint(c.Expect), fmt.Sprintf("0, or %d as in the list of members", len(c.Members))}
	}
	if c.size() > wire.MaxMembers {
		return &ConfigError{"expect", fmt.Sprint(c.size()), fmt.Sprintf("at most %d members", wire.MaxMembers)}
	}
	if err := c.Settings.Validate(c.size()); err != nil {
		return err
	}
	if c.JoinTimeout < 0 || c.Beat < 0 {
		return &ConfigError{"durations", fmt.Sprintf("%v, %v", c.JoinTimeout, c.Beat), "join timeout and beat of at least 0"}
	}
	if d := c.Durability; d != "" && d != OnDisk && d != InMemory {
		return &ConfigError{"durability", string(d), fmt.Sprintf("%s or %s", OnDisk, InMemory)}
	}
	if c.Patience != 0 && !(c.Patience >= 1) {
		return &ConfigError{"patience", fmt.Sprint(c.Patience), "0 for the default, or at least 1 times the usual time"}
	}
	for _, a := range c.Listen {
		if _, err := multiaddr.NewMultiaddr(a); err != nil {
			return &ConfigError{"listen", a, "a multiaddr such as /ip4/0.0.0.0/udp/4001/quic-v1"}
		}
	}
	for _, a := range c.Peers {
		if _, err := peer.AddrInfoFromString(a); err != nil {
			return &ConfigError{"peers", a, "a multiaddr with the peer's ID such as /ip4/10.0.0.2/tcp/4001/p2p/12D3KooW..."}
		}
	}
	return c.validateMembers()
}

func (c *Config) validateMembers() error {
	names, ids := map[string]bool{}, map[peer.ID]bool{}
	for _, m := range c.Members {
		if err := checkName("members: name", m.Name); err != nil {
			return err
		}
		if m.ID.Validate() != nil {
			return &ConfigError{"members: " + m.Name + ": id", "none", "a peer ID"}
		}
		if names[m.Name] || ids[m.ID] {
			return &ConfigError{"members", m.Name + " twice", "each name and peer ID once"}
		}
		names[m.Name], ids[m.ID] = true, true
		if _, err := m.addrInfo(); err != nil {
			return err
		}
	}
	if len(c.Changes) > 0 && len(c.Members) == 0 {
		return &ConfigError{"changes", "none to change", "the list of members that the run begins with"}
	}
	founders, p := c.founding()
	if _, err := amendmentsOf(p, founders, c.Changes); err != nil {
		return err
	}
	return c.Agreement.validate()
}

// checkName refuses names that would not print in one line.
func checkName(field, name string) error {
	if name == "" || len(name) > 100 || !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return &ConfigError{field, fmt.Sprintf("%q", name), "1 to 100 bytes of printable text"}
	}
	return nil
}

// addrInfo returns the member's addresses for dialling.
func (m Member) addrInfo() (peer.AddrInfo, error) {
	info := peer.AddrInfo{ID: m.ID}
	for _, s := range m.Addrs {
		a, err := multiaddr.NewMultiaddr(s)
		if err != nil {
			return info, &ConfigError{"members: " + m.Name + ": address", s, "a multiaddr such as /ip4/10.0.0.2/tcp/4001"}
		}
		transport, id := peer.SplitAddr(a)
		if id != "" && id != m.ID {
			return info, &ConfigError{"members: " + m.Name + ": address", s, "the peer ID " + m.ID.String()}
		}
		if transport != nil {
			info.Addrs = append(info.Addrs, transport)
		}
	}
	return info, nil
}
