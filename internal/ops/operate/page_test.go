package operate

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/collabdict/collabdict/internal/run/report"
)

var systemClock = Clock{time.Now, time.After}

var pageFiles = fstest.MapFS{"index.html": {Data: []byte("<title>run</title>")}}

// get returns the code and the text of an answer.
func get(t *testing.T, h http.Handler, path string) (int, string) {
	t.Helper()
	r := httptest.NewRequest("GET", path, nil)
	r.Header.Set("Accept", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

func TestAnswersThatAreNotThereYet(t *testing.T) {
	h := NewPage(systemClock).Handler(pageFiles)
	for _, path := range []string{"/page/run", "/page/privacy", "/page/model", "/page/x"} {
		if code, _ := get(t, h, path); code != http.StatusNotFound {
			t.Errorf("%s: got %d", path, code)
		}
	}
	if code, text := get(t, h, "/"); code != 200 || !strings.Contains(text, "<title>") {
		t.Errorf("the page: got %d %s", code, text)
	}
}

// browser opens an address, and keeps its session.
func browser(t *testing.T, address string) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &http.Client{Jar: jar, Transport: &http.Transport{}}
	a, err := c.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	if text, err := io.ReadAll(a.Body); err != nil || a.StatusCode != 200 || !strings.Contains(string(text), "<title>") {
		t.Fatalf("got %s %s: %v", a.Status, text, err)
	}
	return c
}

func TestThePageIsGuarded(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	p := NewPage(systemClock)
	p.Next(inRound(1, 3))
	address, stop, err := ServePage(context.Background(), p, pageFiles)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	server, _, ticket := strings.Cut(address, "/?")
	if !ticket || !strings.HasPrefix(server, "http://127.0.0.1:") {
		t.Fatalf("got %s, want an address with a ticket on this machine", address)
	}
	c := browser(t, address)
	stranger := &http.Client{Transport: &http.Transport{}}
	defer c.CloseIdleConnections()
	defer stranger.CloseIdleConnections()
	for _, test := range []struct {
		name, path string
		client     *http.Client
		change     func(*http.Request)
		want       int
	}{
		{"its own page", "/page/run", c, func(r *http.Request) { r.Header.Set("Accept", "application/json") }, 200},
		{"no session", "/page/run", stranger, nil, 401},
		{"no session", "/", stranger, nil, 401},
		{"a token, of which there is none", "/page/run", stranger, func(r *http.Request) { r.Header.Set("Authorization", "Bearer ") }, 401},
		{"a ticket that was used", strings.TrimPrefix(address, server), stranger, nil, 403},
		{"another name of this host", "/page/run", c, func(r *http.Request) { r.Host = "evil.example" }, 403},
		{"another page", "/page/run", c, func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }, 403},
		{"a method that changes", "/page/run", c, func(r *http.Request) { r.Method = "POST" }, 405},
	} {
		r, err := http.NewRequest("GET", server+test.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if test.change != nil {
			test.change(r)
		}
		a, err := test.client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(a.Body)
		a.Body.Close()
		if err != nil || a.StatusCode != test.want {
			t.Errorf("%s: got %d, want %d: %v", test.name, a.StatusCode, test.want, err)
		}
		if test.want != 200 && strings.Contains(string(text), "member-000") {
			t.Errorf("%s: the answer has the status", test.name)
		}
		if a.Header.Get("Content-Security-Policy") == "" || a.Header.Get("Access-Control-Allow-Origin") != "" {
			if test.want != 403 || test.name != "another name of this host" {
				t.Errorf("%s: headers %v", test.name, a.Header)
			}
		}
	}
}

// event reads the next event of a stream.
func event(t *testing.T, from *bufio.Reader) (name string, run Run) {
	t.Helper()
	for {
		line, err := from.ReadString('\n')
		if err != nil {
			t.Fatalf("after event %q: %v", name, err)
		}
		line = strings.TrimSuffix(line, "\n")
		if of, is := strings.CutPrefix(line, "event: "); is {
			name = of
		} else if data, is := strings.CutPrefix(line, "data: "); is {
			if err := json.Unmarshal([]byte(data), &run); err != nil {
				t.Fatal(err)
			}
		} else if line == "" && name != "" {
			return name, run
		}
	}
}

// A stream begins with the history, then tells what is new, and ends with its server.
func TestAStreamTellsWhatIsNew(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	p := NewPage(systemClock)
	for round := range 4 {
		p.Next(inRound(round, 3))
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	address, stop, err := ServePage(ctx, p, pageFiles)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	c := browser(t, address)
	defer c.CloseIdleConnections()
	server, _, _ := strings.Cut(address, "/?")
	a, err := c.Get(server + "/page/run")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	if kind := a.Header.Get("Content-Type"); a.StatusCode != 200 || kind != "text/event-stream" {
		t.Fatalf("got %s, %s", a.Status, kind)
	}
	from := bufio.NewReader(a.Body)
	name, run := event(t, from)
	if name != "run" || len(run.Rounds) != 3 || len(run.Events) != 1 || len(run.Members) != 3 {
		t.Errorf("got %s %+v", name, run)
	}
	p.Next(inRound(4, 3))
	if name, run = event(t, from); name != "news" || len(run.Rounds) != 1 || run.Rounds[0].Round != 4 || len(run.Events) != 0 || run.Status.Round != 4 {
		t.Errorf("got %s %+v", name, run)
	}
	p.SetModel(&Learned{Kind: "ggm"})
	if name, _ = event(t, from); name != "model" {
		t.Errorf("got %s", name)
	}
	p.SetPrivacy(&Privacy{}) // at the end, all that is new comes before it
	cancel()
	if name, _ = event(t, from); name != "privacy" {
		t.Errorf("got %s", name)
	}
	if name, _ = event(t, from); name != "end" {
		t.Errorf("got %s", name)
	}
	if _, err := from.ReadByte(); err != io.EOF {
		t.Errorf("after the end: %v", err)
	}
}

// A reader receives what a stream writes, each time after a delay.
type reader struct {
	header   http.Header
	delay    time.Duration
	deadline time.Time

	mu    sync.Mutex
	texts []string
}

// received returns what the reader has received so far.
func (r *reader) received() []string {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.texts)
}

func (r *reader) Header() http.Header                 { return r.header }
func (r *reader) WriteHeader(int)                     {}
func (r *reader) Flush()                              {}
func (r *reader) SetReadDeadline(time.Time) error     { return nil }
func (r *reader) SetWriteDeadline(at time.Time) error { r.deadline = at; return nil }
func (r *reader) Write(text []byte) (n int, err error) {
	received := time.Now().Add(r.delay)
	if received.After(r.deadline) {
		<-time.After(time.Until(r.deadline))
		return 0, os.ErrDeadlineExceeded
	}
	<-time.After(r.delay)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.texts = append(r.texts, string(text))
	return len(text), nil
}

// streamTo begins a stream to a reader. The returned function ends it, and waits.
func streamTo(p *Page, to *reader) (ended chan struct{}, end func()) {
	to.header = http.Header{}
	ctx, cancel := context.WithCancel(context.Background())
	ended = make(chan struct{})
	go func() {
		defer close(ended)
		p.Handler(pageFiles).ServeHTTP(to, httptest.NewRequest("GET", "/page/run", nil).WithContext(ctx))
	}()
	return ended, func() { cancel(); <-ended }
}

func TestAStreamHasFewEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, to := NewPage(systemClock), &reader{}
		_, end := streamTo(p, to)
		begun := time.Now()
		for round := 1; round <= 1000; round++ { // in five seconds
			p.Next(inRound(round, 3))
			<-time.After(5 * time.Millisecond)
		}
		got := to.received()
		if most := int(time.Since(begun)/streamEvery) + 1; len(got) > most || len(got) < most-2 {
			t.Errorf("got %d events, want about %d", len(got), most)
		}
		<-time.After(streamEvery)
		n := len(to.received())
		for range 10 { // nothing but the time changes
			s := inRound(1000, 3)
			s.At = time.Now()
			s.Process.HeapBytes++
			p.Next(s)
			<-time.After(time.Second)
		}
		if got = to.received(); len(got) != n {
			t.Errorf("got %q although nothing has changed", got[n:])
		}
		<-time.After(aliveEvery + time.Second)
		if got = to.received(); len(got) != n+1 || !strings.HasPrefix(got[n], ":") {
			t.Errorf("got %q, want a sign of life", got[n:])
		}
		end()
	})
}

// A reader that does not receive an event in time is dropped; others are not delayed.
func TestASlowReaderIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPage(systemClock)
		p.Next(inRound(1, 3))
		slow, late := &reader{delay: mostBehind + time.Second}, &reader{delay: mostBehind - time.Second}
		dropped, _ := streamTo(p, slow)
		_, end := streamTo(p, late)
		begun := time.Now()
		<-dropped
		if took := time.Since(begun); took != mostBehind || len(slow.received()) != 0 {
			t.Errorf("was dropped after %s and %d events", took, len(slow.received()))
		}
		p.Next(inRound(2, 3))
		end()
		if len(late.texts) == 0 || !strings.Contains(late.texts[0], "event: run") {
			t.Errorf("got %q", late.texts)
		}
	})
}

func TestLeftIsAbsentIfUnknown(t *testing.T) {
	p := NewPage(systemClock)
	p.Next(running())
	if run := p.since(0, 0).run; run.Left != 58*time.Second {
		t.Errorf("got %s", run.Left)
	}
	p.Next(with(func(s *Status) { s.Pace = 0 }))
	if run := p.since(0, 0).run; run.Left != 0 {
		t.Errorf("got %s", run.Left)
	}
}

func TestUndefinedObjectivesAreNull(t *testing.T) {
	text, err := json.Marshal(Point{Round: 1, Objective: report.OfOK(0, false)})
	if err != nil || !strings.Contains(string(text), `"objective":null`) {
		t.Errorf("got %s: %v", text, err)
	}
}

// The page counts for how long a member is waited for, so what the process does has no figure that is soon too low.
func TestDoingHasNoTimeWaited(t *testing.T) {
	p := NewPage(systemClock)
	p.Next(lost())
	run := p.since(0, 0).run
	if _, doing := lost().Healthy(); doing != run.Doing+", 1m10s" {
		t.Errorf("got %q, of %q", run.Doing, doing)
	}
	if reason := run.Members[1].Reason; reason != "nothing heard" {
		t.Errorf("got %q", reason)
	}
}

// A page names the port of its process, and the log of the member that it shows.
func TestAPageNamesThePortAndTheLog(t *testing.T) {
	p := NewPage(systemClock)
	p.Next(inRound(1, 3))
	if r := p.since(0, 0).run; r.Port != "" || r.Log != "" {
		t.Errorf("got %q and %q", r.Port, r.Log)
	}
	p.SetFolder("o")
	p.SetPort("http://127.0.0.1:9464")
	p.SetLog("node.log")
	r := p.since(0, 0).run
	if want := filepath.Join("o", r.Status.Name, "node.log"); r.Port != "http://127.0.0.1:9464" || r.Log != want {
		t.Errorf("got %q and %q, want %s", r.Port, r.Log, want)
	}
}
