package transport

import (
	"errors"
	"fmt"

	pubsub "github.com/libp2p/go-libp2p-pubsub"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire"
)

// Errors of messages on the control plane, beside those of package wire.
var (
	errStranger   = errors.New("its author is no member of the run")
	errNotControl = errors.New("it has no place on the control plane")
	errEnding     = errors.New("this node is ending")
)

// verdict is the one table from an error to what it means for the peer that a
// control message came from: gossipsub delivers and forwards what is accepted,
// drops what is ignored, and holds what is rejected against the peer.
func verdict(err error) pubsub.ValidationResult {
	var version *wire.VersionError
	switch {
	case err == nil:
		return pubsub.ValidationAccept
	case errors.Is(err, errEnding), errors.As(err, &version):
		return pubsub.ValidationIgnore // no fault of the peer's
	}
	return pubsub.ValidationReject
}

// decodeControl reads a message of the control plane of a roster of the given size.
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
