package transport

import (
	"fmt"
	"testing"

	pubsub "github.com/libp2p/go-libp2p-pubsub"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire"
)

func TestVerdict(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want pubsub.ValidationResult
	}{
		{nil, pubsub.ValidationAccept},
		{errEnding, pubsub.ValidationIgnore},
		{&wire.VersionError{Got: 2, Want: 1}, pubsub.ValidationIgnore},
		{fmt.Errorf("decode: %w", &wire.VersionError{}), pubsub.ValidationIgnore},
		{&wire.FormatError{}, pubsub.ValidationReject},
		{errStranger, pubsub.ValidationReject},
		{errNotControl, pubsub.ValidationReject},
	} {
		if got := verdict(tc.err); got != tc.want {
			t.Errorf("%v: got %v, want %v", tc.err, got, tc.want)
		}
	}
}

func TestControlPlaneCarriesNoStatistics(t *testing.T) {
	for body, want := range map[consensus.Body]pubsub.ValidationResult{
		&consensus.Prepare{}:                        pubsub.ValidationAccept,
		&consensus.View{}:                           pubsub.ValidationAccept,
		&consensus.Pads{}:                           pubsub.ValidationAccept,
		&consensus.Shares{}:                         pubsub.ValidationAccept,
		&consensus.Promise{}:                        pubsub.ValidationReject,
		&consensus.Done{}:                           pubsub.ValidationAccept,
		&consensus.Heartbeat{State: consensus.Idle}: pubsub.ValidationAccept,
		&consensus.Leave{}:                          pubsub.ValidationAccept,
		&consensus.Step{Words: []uint64{1}}:         pubsub.ValidationReject,
		&consensus.Seal{Sealed: &consensus.Sealed{Header: sumHeader}}:     pubsub.ValidationReject,
		&consensus.Seeds{Header: sumHeader}:                               pubsub.ValidationReject,
		&consensus.Blob{Header: consensus.Header{Kind: consensus.Gather}}: pubsub.ValidationReject,
		&consensus.Heartbeat{State: consensus.State(0)}:                   pubsub.ValidationReject,
	} {
		_, err := decodeControl(wire.Marshal(consensus.Message{Body: body}), 3)
		if got := verdict(err); got != want {
			t.Errorf("%T: got %v (%v), want %v", body, got, err, want)
		}
	}
}

var sumHeader = consensus.Header{Kind: consensus.Sum, Length: 1}
