package serve

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/collabdict/collabdict/internal/run/scoring"
)

const (
	// mostPosts is the number of events that may wait to be sent to a webhook.
	mostPosts = 1000
	// mostTries is the number of times that an event is sent, with pauses that double from firstPause to
	// longestPause: half an hour in all.
	mostTries    = 15
	firstPause   = time.Second
	longestPause = 5 * time.Minute
	// postTime bounds a try, and mostAnswer the bytes of an answer that are read.
	postTime   = 10 * time.Second
	mostAnswer = 64 << 10
	// lastPosts is the time for the events that wait when the program ends.
	lastPosts = 5 * time.Second
)

// Webhook sends events, one after another, to where rules say. It is safe for concurrent use.
type Webhook struct {
	after  func(time.Duration) <-chan time.Time
	random io.Reader
	note   func(format string, a ...any)
	client *http.Client

	to     atomic.Pointer[scoring.Webhook] // that of the last event, in case the one before was wrong
	mu     sync.Mutex
	closed bool
	queue  chan post
	done   chan struct{} // closed when nothing is sent anymore
	cancel context.CancelFunc
	failed bool // the last try has failed

	sent, failures, lost atomic.Int64 // events, tries, events
}

// post is an event on its way.
type post struct {
	key  string // the same in each try
	body []byte
}

// NewWebhook returns a webhook that takes pauses by after and keys from random. It calls note with warnings.
func NewWebhook(after func(time.Duration) <-chan time.Time, random io.Reader, note func(format string, a ...any)) *Webhook {
	ctx, cancel := context.WithCancel(context.Background())
	w := &Webhook{
		after: after, random: random, note: note, queue: make(chan post, mostPosts), done: make(chan struct{}), cancel: cancel,
		client: &http.Client{
			Timeout: postTime,
			// An answer must not send what depends on rows elsewhere.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	go w.run(ctx)
	return w
}

// Send sends an event, without waiting for it. to is nil for nowhere.
func (w *Webhook) Send(to *scoring.Webhook, t Told) {
	if w == nil || to == nil {
		return
	}
	w.to.Store(to)
	key := make([]byte, 16)
	body, err := json.Marshal(t)
	if err == nil {
		_, err = io.ReadFull(w.random, key)
	}
	if err != nil {
		w.lost.Add(1)
		w.note("warning: an event cannot be sent to the webhook: %v", err)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		w.lost.Add(1)
		return
	}
	select {
	case w.queue <- post{hex.EncodeToString(key), body}:
	default:
		if w.lost.Add(1) == 1 {
			w.note("warning: more than %d events wait for the webhook, so others are lost", mostPosts)
		}
	}
}

// Close gives the events that wait a little time, and ends the sending.
func (w *Webhook) Close() {
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		close(w.queue)
	}
	w.mu.Unlock()
	select {
	case <-w.done:
	case <-w.after(lastPosts):
	}
	w.cancel()
	<-w.done
}

func (w *Webhook) run(ctx context.Context) {
	defer close(w.done)
	ended := int64(0)
	for p := range w.queue {
		switch {
		case ctx.Err() != nil:
			w.lost.Add(1)
			ended++
		case !w.deliver(ctx, p):
			w.lost.Add(1)
			if ctx.Err() != nil {
				ended++
			}
		default:
			w.sent.Add(1)
		}
	}
	if ended > 0 {
		w.note("warning: %d events did not reach the webhook before the end", ended)
	}
}

// deliver sends an event until the receiver takes it, or refuses it for good.
func (w *Webhook) deliver(ctx context.Context, p post) bool {
	pause := firstPause
	for try := 1; ; try++ {
		again, err := w.try(ctx, p)
		if err == nil {
			if w.failed {
				w.failed = false
				w.note("the webhook takes events again")
			}
			return true
		}
		w.failures.Add(1)
		if again = again && try < mostTries && ctx.Err() == nil; !w.failed && ctx.Err() == nil {
			w.failed = true
			what := "the event is lost"
			if again {
				what = "the event is sent again for half an hour"
			}
			w.note("warning: the webhook does not take an event: %v; %s", err, what)
		}
		if !again {
			return false
		}
		select {
		case <-ctx.Done():
			return false
		case <-w.after(pause):
		}
		pause = min(2*pause, longestPause)
	}
}

// try sends an event once. again reports whether another try may succeed. Errors do not have the address, as its
// path may be a secret.
func (w *Webhook) try(ctx context.Context, p post) (again bool, err error) {
	to := w.to.Load()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to.URL, bytes.NewReader(p.body))
	if err != nil {
		return false, errors.New("its address cannot be used")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "collabdict")
	r.Header.Set("Idempotency-Key", p.key)
	if to.TokenFile != "" {
		token, err := os.ReadFile(to.TokenFile)
		if err != nil {
			return true, err
		}
		r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	}
	a, err := w.client.Do(r)
	if err != nil {
		if of, ok := errors.AsType[*url.Error](err); ok {
			err = of.Err
		}
		return true, err
	}
	defer a.Body.Close()
	_, _ = io.CopyN(io.Discard, a.Body, mostAnswer) // so that the connection can be used again
	switch {
	case a.StatusCode/100 == 2:
		return false, nil
	case a.StatusCode/100 == 5, a.StatusCode == http.StatusRequestTimeout, a.StatusCode == http.StatusTooManyRequests:
		return true, fmt.Errorf("want a status of 200 to 299, got %s", a.Status)
	}
	return false, fmt.Errorf("want a status of 200 to 299, got %s", a.Status)
}
