package serve

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/collabdict/collabdict/internal/run/scoring"
)

// received is a post to a receiver.
type received struct {
	key, token string
	told       Told
}

// receiver is a server that gives the answers of codes one after another, and then 200.
type receiver struct {
	*httptest.Server
	mu    sync.Mutex
	codes []int
	got   []received
	seen  chan bool // receives after each post
}

func receiverOf(t *testing.T, codes ...int) *receiver {
	t.Helper()
	r := &receiver{codes: codes, seen: make(chan bool, 100)}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		of := received{key: q.Header.Get("Idempotency-Key"), token: q.Header.Get("Authorization")}
		if err == nil {
			err = json.Unmarshal(body, &of.told)
		}
		if err != nil || q.Method != http.MethodPost || q.Header.Get("Content-Type") != "application/json" {
			t.Errorf("got %s, %v", q.Method, err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.got = append(r.got, of)
		code := http.StatusOK
		if len(r.codes) > 0 {
			code, r.codes = r.codes[0], r.codes[1:]
		}
		if code/100 == 3 {
			w.Header().Set("Location", "/elsewhere")
		}
		w.WriteHeader(code)
		r.seen <- true
	}))
	t.Cleanup(r.Close)
	return r
}

// notes are the warnings of a webhook.
type notes struct {
	mu  sync.Mutex
	all []string
}

func (n *notes) add(format string, a ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, fmt.Sprintf(format, a...))
}

// pauses records pauses, which take no time. The last one, when the program ends, takes for ever.
type pauses struct {
	mu  sync.Mutex
	all []time.Duration
}

func (p *pauses) after(d time.Duration) <-chan time.Time {
	if d == lastPosts {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = append(p.all, d)
	return closed()
}

func toldOf(first int, ended bool) Told {
	return NewTold("press-7", "digest", scoring.Event{First: first, Last: first, Anomalies: 1, Peak: 9}, ended)
}

// Each event arrives once its receiver takes it, in their order, with a key that all tries of it share.
func TestWebhook(t *testing.T) {
	r := receiverOf(t, 503, 429, 200, 500)
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var n notes
	var p pauses
	w := NewWebhook(p.after, rand.Reader, n.add)
	to := &scoring.Webhook{URL: r.URL + "/path", TokenFile: token}
	w.Send(nil, toldOf(0, false))
	w.Send(to, toldOf(1, false))
	w.Send(to, toldOf(1, true))
	w.Close()
	w.Send(to, toldOf(2, false)) // comes too late
	if len(r.got) != 5 {
		t.Fatalf("got %+v", r.got)
	}
	for i, of := range r.got {
		want := toldOf(1, i >= 3)
		if of.told.Status != want.Status || of.told.Source != "press-7" || of.told.Event.First != 1 || of.token != "Bearer secret" {
			t.Errorf("post %d: got %+v, want %+v", i, of, want)
		}
		if len(of.key) != 32 || (of.key == r.got[0].key) != (i < 3) {
			t.Errorf("post %d has the key %s", i, of.key)
		}
	}
	if want := []time.Duration{time.Second, 2 * time.Second, time.Second}; !slices.Equal(p.all, want) {
		t.Errorf("got pauses %v, want %v", p.all, want)
	}
	if w.sent.Load() != 2 || w.failures.Load() != 3 || w.lost.Load() != 1 || len(n.all) != 4 {
		t.Errorf("sent %d, failures %d, lost %d, notes %q", w.sent.Load(), w.failures.Load(), w.lost.Load(), n.all)
	}
	if text := strings.Join(n.all, "\n"); strings.Contains(text, "/path") || strings.Contains(text, "secret") {
		t.Errorf("a note has a secret: %s", text)
	}
}

// An event that its receiver refuses is lost, and one is not sent to where an answer points.
func TestWebhooksThatRefuse(t *testing.T) {
	for _, code := range []int{301, 307, 400, 401, 404} {
		r := receiverOf(t, code)
		var n notes
		var p pauses
		w := NewWebhook(p.after, rand.Reader, n.add)
		w.Send(&scoring.Webhook{URL: r.URL}, toldOf(1, false))
		w.Close()
		if len(r.got) != 1 || w.lost.Load() != 1 || w.failures.Load() != 1 || len(n.all) != 1 {
			t.Errorf("%d: got %d posts, %d lost, notes %q", code, len(r.got), w.lost.Load(), n.all)
		}
	}
}

// A certificate that the system does not know ends each try, and the tries end.
func TestWebhooksAreVerified(t *testing.T) {
	var posts atomic.Int64
	r := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { posts.Add(1) }))
	defer r.Close()
	var n notes
	var p pauses
	w := NewWebhook(p.after, rand.Reader, n.add)
	w.Send(&scoring.Webhook{URL: r.URL}, toldOf(1, false))
	w.Close()
	if posts.Load() != 0 || w.lost.Load() != 1 || w.failures.Load() != mostTries || len(n.all) != 1 || p.all[len(p.all)-1] != longestPause {
		t.Errorf("%d posts, %d lost, %d failures, notes %q, pauses %v", posts.Load(), w.lost.Load(), w.failures.Load(), n.all, p.all)
	}
}

// A receiver that never answers, or answers without end, keeps nobody waiting.
func TestWebhooksNeverBlock(t *testing.T) {
	hangs, came := make(chan bool), make(chan bool, 1)
	r := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		came <- true
		select {
		case <-hangs:
		case <-q.Context().Done():
		}
	}))
	defer r.Close()
	defer close(hangs)
	var n notes
	w := NewWebhook(func(time.Duration) <-chan time.Time { return closed() }, rand.Reader, n.add)
	to := &scoring.Webhook{URL: r.URL}
	w.Send(to, toldOf(1, false))
	<-came
	for i := range mostPosts + 5 {
		w.Send(to, toldOf(2+i, false))
	}
	if w.lost.Load() != 5 {
		t.Errorf("%d are lost, want 5", w.lost.Load())
	}
	w.Close()
	if w.lost.Load() != mostPosts+6 || len(n.all) != 2 {
		t.Errorf("at the end, %d are lost, notes %q", w.lost.Load(), n.all)
	}

	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return
			}
		}
	}))
	defer endless.Close()
	w = NewWebhook(new(pauses).after, rand.Reader, n.add)
	w.Send(&scoring.Webhook{URL: endless.URL}, toldOf(1, false))
	w.Close()
	if w.sent.Load() != 1 {
		t.Error("an answer without end was not taken")
	}
}

// A server sends the events of its sources by the rules of its model.
func TestEventsGoToTheWebhook(t *testing.T) {
	r := receiverOf(t)
	l := loadedModel(t, 0, "x")
	l.Rules.Webhook = &scoring.Webhook{URL: r.URL}
	hook := NewWebhook(new(pauses).after, rand.Reader, t.Logf)
	_, h := serverOf(t, l, func(c *Config) { c.Webhook = hook })
	send(t, h, "?source=v", "application/json", `[{"a": 0}, {"a": 9}, {"a": 9}, {"a": 0}, {"a": 0}, {"a": 0}, {"a": 0}, {"a": 0}]`)
	<-r.seen
	<-r.seen
	hook.Close()
	answer, err := h.Client().Get(h.URL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	metrics, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(metrics), "collabdict_serve_webhook_events_total 2\n") {
		t.Errorf("got\n%s", metrics)
	}
	for i, status := range []string{"began", "ended"} {
		if of := r.got[i].told; of.Status != status || of.Source != "v" || of.Model != "x" || of.Event.First != 2 || of.Event.Last != 3 {
			t.Errorf("got %+v", of)
		}
	}
}
