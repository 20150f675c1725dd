package node

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/node/internal/membership"
)

// SignList returns the member of c.Members whose identity is in the folder c.Dir, and its
// signature of Members, Agreement and Settings. It does not sign Changes: members vote on each
// during the run.
func SignList(c Config) (Member, []byte, error) {
	key, id, err := existingIdentity(c.Dir)
	if err != nil {
		return Member{}, nil, err
	}
	i := slices.IndexFunc(c.Members, func(m Member) bool { return m.ID == id })
	if i < 0 {
		return Member{}, nil, c.unlisted(id)
	}
	signature, err := key.Sign(c.list())
	return c.Members[i], signature, err
}

// existingIdentity returns the key of a participant's folder, and an error if there is none.
func existingIdentity(dir string) (crypto.PrivKey, peer.ID, error) {
	if _, err := os.Stat(filepath.Join(dir, identityFile)); errors.Is(err, fs.ErrNotExist) {
		return nil, "", refused("dir", fmt.Sprintf("%q without %s", dir, identityFile), "the folder of a member with its key")
	}
	key, err := loadIdentity(dir)
	if err != nil {
		return nil, "", err
	}
	id, err := peer.IDFromPrivateKey(key)
	return key, id, err
}

// SignedBy reports whether the signature is the member's, over the bytes that [SignList] signs.
func (c *Config) SignedBy(m Member, signature []byte) bool { return signedBy(m, c.list(), signature) }

func signedBy(m Member, content, signature []byte) bool {
	key, err := m.ID.ExtractPublicKey()
	if err != nil {
		return false
	}
	ok, err := key.Verify(content, signature)
	return err == nil && ok
}

// list returns the bytes that the members sign.
func (c *Config) list() []byte { return membership.List(c.Members, c.Signed()) }

// Signed returns the fields that the members sign beside their list. It leaves out the version
// of the protocol, which belongs to the program.
func (c *Config) Signed() Agreement {
	return slices.DeleteFunc(c.complete(), func(f Field) bool { return f.Name == "protocol" || f.Name == "members" })
}
