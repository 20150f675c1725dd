package cli

import (
	"bytes"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
)

// A line logged by slog is the line that hclog itself would write.
func TestLinesAreThoseOfHclog(t *testing.T) {
	args := []any{
		"text", "two words", "count", 3, "rank", uint32(7), "share", 0.25, "wait", 1500 * time.Millisecond, "late", true,
		"error", errors.New("it broke"), "nothing", nil,
	}
	args = append(args, "names", []string{"a", "b c"}, "run", []byte{1, 0xab})
	for level, log := range map[slog.Level]func(hclog.Logger){
		slog.LevelDebug: func(l hclog.Logger) { l.Debug("a message", args...) },
		slog.LevelInfo:  func(l hclog.Logger) { l.Info("a message", args...) },
		slog.LevelWarn:  func(l hclog.Logger) { l.Warn("a message", args...) },
		slog.LevelError: func(l hclog.Logger) { l.Error("a message", args...) },
	} {
		for _, least := range []hclog.Level{hclog.Debug, hclog.Warn} {
			direct, adapted := &bytes.Buffer{}, &bytes.Buffer{}
			log(newHclog(direct, least))
			newSlog(newHclog(adapted, least)).Log(t.Context(), level, "a message", args...)
			if direct.String() != adapted.String() {
				t.Errorf("%s, from %s: got %q, want %q", level, least, adapted, direct)
			}
		}
	}
}

func newHclog(to *bytes.Buffer, least hclog.Level) hclog.Logger {
	return hclog.New(&hclog.LoggerOptions{Name: "node", Output: to, Level: least, DisableTime: true})
}

// Attributes of groups have the groups' names in front; attributes of a logger come first, in
// the order of hclog.
func TestGroupsAndAttributes(t *testing.T) {
	var got bytes.Buffer
	log := newSlog(newHclog(&got, hclog.Info)).With("run", 1).WithGroup("").WithGroup("peer").With(slog.Group("", "id", 2), slog.Attr{})
	log.Info("met", "name", "m1", slog.Group("link", "kind", "quic"), slog.Group("empty"))
	if want := "[INFO]  node: met: peer.id=2 run=1 peer.name=m1 peer.link.kind=quic\n"; got.String() != want {
		t.Errorf("got %q, want %q", &got, want)
	}
	got.Reset()
	if log.Debug("met"); got.Len() > 0 {
		t.Errorf("below the level: %q", &got)
	}
}
