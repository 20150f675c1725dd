package transport

import (
	"errors"
	"fmt"

	pubsub "github.com/libp2p/go-libp2p-pubsub"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire"
)

// Errors of messages on the control plane, besides those of package wire.
var (
	errStranger   = errors.New("the author is not a member of the run")
	errNotControl = errors.New("not a message of the control plane")
	errEnding     = errors.New("this node is ending")
)

// verdict maps an error to gossipsub's treatment of the peer that sent a control message.
// Gossipsub delivers and forwards accepted messages, drops ignored ones, and holds rejected
// ones against the peer.
func verdict(err error) pubsub.ValidationResult {
	switch {
	case err == nil:
		return pubsub.ValidationAccept
	case errors.Is(err, errEnding), errors.As(err, new(*wire.VersionError)):
		return pubsub.ValidationIgnore // not the peer's fault
	}
	return pubsub.ValidationReject
}

// decodeControl decodes a control message in a roster of the given size.
func decodeControl(b []byte, size int) (consensus.Valid, error) {
	m, err := wire.Unmarshal(b, size)
	if err != nil {
		return m, err
	}
	switch body := m.Message().Body.(type) {
	case *consensus.Prepare, *consensus.View, *consensus.Done, *consensus.Commit, *consensus.Pads, *consensus.Shares, *consensus.Reopen, *consensus.Heartbeat, *consensus.Leave:
		return m, nil
	default:
		return m, fmt.Errorf("%T: %w", body, errNotControl)
	}
}
