package node

import (
	"errors"

	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/node/internal/membership"
	"github.com/collabdict/collabdict/node/internal/rendezvous"
)

// Errors of Join.
type (
	// A ConfigError reports that a Field of Config has a value that no node can have: the value
	// Got and the value to Want.
	ConfigError = membership.ConfigError
	// A DisagreementError reports that another member, Peer, has a different agreement: the
	// Field that differs, with this member's value (Own) and the other's (Theirs), both quoted.
	DisagreementError = rendezvous.DisagreementError
	// A DuplicateNameError reports that two members have the same Name. Peers are their IDs.
	DuplicateNameError = rendezvous.DuplicateNameError
	// A TooManyError reports that more processes want to take part (Found) than the run has
	// members (Want).
	TooManyError = rendezvous.TooManyError
	// A StrangerError reports that the roster of Peer does not list this node. Detail gives the
	// reason.
	StrangerError = rendezvous.StrangerError
	// A RosterError reports that the members can no longer agree on who takes part. Detail
	// gives what Peer has done.
	RosterError = rendezvous.RosterError
	// An OverError reports that the run to resume is over at another member, Peer.
	OverError = rendezvous.OverError
	// An EndedError reports that the newcomer Name has ended its part in the run for good.
	EndedError = rendezvous.EndedError
	// A VersionError reports that a member speaks version Got of the protocol, and this one
	// speaks version Want.
	VersionError = wire.VersionError
	// A JoinTimeoutError reports that not all members were found in time. It lists the members
	// Present and Missing, as far as their names are known.
	JoinTimeoutError = rendezvous.JoinTimeoutError
)

// Errors of a Node's methods.
var (
	// ErrClosed reports that the node was closed.
	ErrClosed = errors.New("the node is closed")
	// ErrFinished reports that the run has ended as planned.
	ErrFinished = errors.New("the run has ended as planned")
	// ErrFailed reports that the run has ended early. The last collective has returned the
	// reason, or the next one will.
	ErrFailed = errors.New("the run has failed")
	// ErrBusy reports that an earlier collective has not ended. If its caller gave it up, it
	// never ends.
	ErrBusy = errors.New("an earlier collective has not ended: run one at a time, and none after the context of one has ended")
)
