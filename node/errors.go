package node

import (
	"errors"

	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/node/internal/membership"
	"github.com/collabdict/collabdict/node/internal/rendezvous"
)

// Errors of Join.
type (
	// ConfigError reports that a Field of Config has a value that no node can have: it
	// says what was Got and what to Want.
	ConfigError = membership.ConfigError
	// DisagreementError reports that another member, Peer, has joined with another
	// agreement: it has the Field, and the Own value and Theirs, quoted.
	DisagreementError = rendezvous.DisagreementError
	// DuplicateNameError reports that two members, whose IDs are Peers, have one Name.
	DuplicateNameError = rendezvous.DuplicateNameError
	// TooManyError reports that there are more processes, Found, than the run has
	// members, Want.
	TooManyError = rendezvous.TooManyError
	// StrangerError reports that the roster of Peer does not have this node in it; Detail
	// says why.
	StrangerError = rendezvous.StrangerError
	// RosterError reports that the members cannot agree any more on who takes part:
	// Detail is what Peer has done.
	RosterError = rendezvous.RosterError
	// OverError reports that the run that a process resumes is over for another member,
	// Peer.
	OverError = rendezvous.OverError
	// EndedError reports that a newcomer, Name, has ended its part in the run for good.
	EndedError = rendezvous.EndedError
	// VersionError reports that a member speaks another version of the protocol, Got, than
	// this one, Want.
	VersionError = wire.VersionError
	// JoinTimeoutError reports that not all members were found in time: which of them are
	// Present and which are Missing, as far as their names are known.
	JoinTimeoutError = rendezvous.JoinTimeoutError
)

// Errors of a Node's methods.
var (
	// ErrClosed reports that the node was closed.
	ErrClosed = errors.New("the node is closed")
	// ErrFinished reports that the run has ended as planned.
	ErrFinished = errors.New("the run has ended as planned")
	// ErrFailed reports that the run has ended before its end, for the reason that
	// its last collective has returned or the next one will.
	ErrFailed = errors.New("the run has failed")
	// ErrBusy reports that an earlier collective has not ended, which is so for
	// good if its caller gave it up.
	ErrBusy = errors.New("an earlier collective has not ended: one at a time, and none after one that was given up")
)
