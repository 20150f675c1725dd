package store

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync"
)

// A key file holds the keys of the last slots, each in its own place: the slot's number plus
// one, then the key. When a slot is forgotten, its place is overwritten by zeros.
const (
	keyPlaces = 3
	keySize   = 32
	placeSize = 8 + keySize
)

// keys encrypts the entries of slots, so that nobody can read those of forgotten slots. bbolt
// does not overwrite what it deletes.
type keys struct {
	mu     sync.Mutex
	file   *os.File
	places [keyPlaces]place
}

type place struct {
	next uint64 // slot plus one; 0 means no key
	key  [keySize]byte
}

func openKeys(path string) (*keys, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	k := &keys{file: f}
	for i := range k.places {
		b := make([]byte, placeSize)
		if _, err := f.ReadAt(b, int64(i*placeSize)); err == nil {
			k.places[i] = place{next: binary.BigEndian.Uint64(b), key: [keySize]byte(b[8:])}
		}
	}
	return k, nil
}

func (k *keys) close() error { return k.file.Close() }

// write writes a place to disk, and changes it in memory only after that.
func (k *keys) write(i int, p place) error {
	b := append(binary.BigEndian.AppendUint64(nil, p.next), p.key[:]...)
	_, err := k.file.WriteAt(b, int64(i*placeSize))
	if err == nil {
		err = k.file.Sync()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", KeysFile, err)
	}
	k.places[i] = p
	return nil
}

// has reports whether the slot's key is known.
func (k *keys) has(slot uint64) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.places[slot%keyPlaces].next == slot+1
}

// destroy overwrites the slot's key.
func (k *keys) destroy(slot uint64) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	i := int(slot % keyPlaces)
	if k.places[i].next != slot+1 {
		return nil
	}
	return k.write(i, place{})
}

func (k *keys) destroyAll() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	var errs []error
	for i := range k.places {
		errs = append(errs, k.write(i, place{}))
	}
	return errors.Join(errs...)
}

// The bytes before and after an entry when it is encrypted.
const (
	sealedHead = 12 // the nonce
	sealedTail = 16 // the tag, which authenticates the entry
)

// seal encrypts an entry of a slot. The entry starts after sealedHead free bytes, and is
// encrypted in place if there is capacity after it as well. The slot's first entry creates the
// key and saves it.
func (k *keys) seal(slot uint64, name, data []byte) ([]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	i := int(slot % keyPlaces)
	if k.places[i].next != slot+1 {
		p := place{next: slot + 1}
		if _, err := rand.Read(p.key[:]); err != nil {
			return nil, err
		}
		if err := k.write(i, p); err != nil {
			return nil, err
		}
	}
	aead := k.places[i].aead()
	nonce := data[:sealedHead]
	if _, err := rand.Read(nonce); err != nil {
		return nil, err
	}
	return aead.Seal(nonce, nonce, data[sealedHead:], name), nil
}

// open decrypts an entry of a slot.
func (k *keys) open(slot uint64, name, sealed []byte) ([]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p := k.places[slot%keyPlaces]
	if p.next != slot+1 {
		return nil, damagef("its key is missing: %s does not belong to it", KeysFile)
	}
	aead := p.aead()
	if n := aead.NonceSize(); len(sealed) >= n {
		if data, err := aead.Open(nil, sealed[:n], sealed[n:], name); err == nil {
			return data, nil
		}
	}
	return nil, damagef("it is damaged, or %s does not belong to it", KeysFile)
}

func (p place) aead() cipher.AEAD {
	block, err := aes.NewCipher(p.key[:])
	if err != nil {
		panic("store: " + err.Error()) // the size of the key is right
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic("store: " + err.Error())
	}
	return aead
}
