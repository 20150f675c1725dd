package node

import (
	"fmt"

	"github.com/libp2p/go-libp2p/core/crypto"

	"github.com/collabdict/collabdict/consensus"
)

// keys signs promises and votes with the participants' identities.
type keys struct {
	own    crypto.PrivKey
	public []crypto.PubKey // by rank
}

var _ consensus.Keys = (*keys)(nil)

// signatures of other things are over other beginnings.
const voteDomain = "collabdict/consensus/1/"

func newKeys(own crypto.PrivKey, members []Member) (*keys, error) {
	k := &keys{own: own}
	for _, m := range members {
		key, err := m.ID.ExtractPublicKey()
		if err != nil {
			return nil, fmt.Errorf("members: %s: peer ID %s: want one with an Ed25519 key: %w", m.Name, m.ID, err)
		}
		k.public = append(k.public, key)
	}
	return k, nil
}

func (k *keys) Sign(message []byte) []byte {
	signature, err := k.own.Sign(append([]byte(voteDomain), message...))
	if err != nil {
		panic("node: " + err.Error()) // an Ed25519 key signs anything
	}
	return signature
}

func (k *keys) Verify(member int, message, signature []byte) bool {
	ok, err := k.public[member].Verify(append([]byte(voteDomain), message...), signature)
	return err == nil && ok
}
