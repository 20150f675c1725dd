// Package nodetest is what the tests of a node and of its parts share.
package nodetest

import (
	"crypto/rand"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/peer"
)

// Within bounds everything that a test waits for.
const Within = 60 * time.Second

// Receive returns what comes through a channel in time.
func Receive[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(Within):
		t.Fatal("nothing within", Within)
		panic("not reached")
	}
}

// Log is the text of a log that goroutines share.
type Log struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *Log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Key draws the key of a participant, and returns the peer ID that follows from it.
func Key(t testing.TB) (crypto.PrivKey, peer.ID) {
	t.Helper()
	key, _, err := crypto.GenerateEd25519Key(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	id, err := peer.IDFromPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return key, id
}
