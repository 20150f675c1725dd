package node

import (
	"github.com/libp2p/go-libp2p/core/crypto"

	"github.com/collabdict/collabdict/consensus"
)

// keys signs promises and votes with the participants' identities.
type keys struct {
	own  crypto.PrivKey
	roll *roll
}

var _ consensus.Keys = (*keys)(nil)

// signatures of other things are over other beginnings.
const voteDomain = "collabdict/consensus/1/"

func (k *keys) Sign(message []byte) []byte {
	signature, err := k.own.Sign(append([]byte(voteDomain), message...))
	if err != nil {
		panic("node: " + err.Error()) // an Ed25519 key signs anything
	}
	return signature
}

func (k *keys) Verify(member int, message, signature []byte) bool {
	public := k.roll.Load().public
	if member >= len(public) {
		return false // this member does not know it yet
	}
	ok, err := public[member].Verify(append([]byte(voteDomain), message...), signature)
	return err == nil && ok
}
