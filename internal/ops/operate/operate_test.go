package operate

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict/internal/ops/web"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/node"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// running is the status of a member of three in the middle of a run.
func running() *Status {
	return &Status{
		Release: "0.1.0", Name: "a", Model: "ggm", Phase: Running, At: noon, Began: noon.Add(-time.Hour), Since: noon.Add(-time.Minute),
		Round: 11, Rounds: 40, Pace: 2 * time.Second, Spent: []Spent{{report.ReleaseEntry, report.Spend{ZCDP: 0.5, Epsilon: 3, Delta: 1e-5}}},
		Node: &node.Status{
			Name: "a", State: "session", Want: 3, Least: 3, Slot: 14, Ballots: 2, Call: "sum", Members: []string{"a", "b", "c"},
			LastTook: 1500 * time.Millisecond, Traffic: node.Traffic{BytesSent: 1000, BytesReceived: 2000, MessagesSent: 10, MessagesReceived: 20},
		},
		Process: Process{Goroutines: 40, HeapBytes: 1 << 20, StateBytes: 4096},
	}
}

// with returns a running member's status with a change.
func with(change func(*Status)) *Status {
	s := running()
	change(s)
	return s
}

func TestDescriptionOfAProcess(t *testing.T) {
	for name, c := range map[string]struct {
		s              *Status
		healthy, ready bool
		what           string
	}{
		"loading":        {&Status{Phase: Loading}, true, false, "reading the rows"},
		"begins to join": {&Status{Phase: Joining}, true, false, "joining"},
		"some are here": {
			&Status{Phase: Joining, Node: &node.Status{Want: 3, Present: []string{"a (12D3)", "b (12D3)"}, Missing: []string{"c (12D3)"}}},
			true, false, "joining: 2 of 3 members are here; waiting for c",
		},
		"in a sum": {running(), true, true, "round 12: sum"},
		"computes": {with(func(s *Status) { s.Node.State = "computing" }), true, true, "round 12: computing"},
		"waits": {
			with(func(s *Status) {
				s.Node.Waiting = []node.Waiting{{Name: "b", For: 70 * time.Second}, {Name: "c", For: 3 * time.Second}}
			}),
			true, true, "round 12: waiting for b, c, 1m10s",
		},
		"another is lost": {with(func(s *Status) { s.Node.Absent = []node.Absent{{Name: "b", Lost: true}} }), true, true, "round 12: sum"},
		"paused": {
			with(func(s *Status) { s.Node.Paused, s.Node.Absent = true, []node.Absent{{Name: "b", Lost: true}} }),
			true, true, "round 12: paused: 3 of 3 members are needed",
		},
		"paused by agreement": {
			with(func(s *Status) {
				s.Node.Paused, s.Node.PausedBy, s.Node.Since, s.Node.State = true, 2, noon.Add(-time.Hour), "promised"
				s.Node.Absent = []node.Absent{{Name: "a", Reason: "catching up"}}
			}),
			true, true, "round 12: paused by agreement, change 2, since 2026-03-04 11:00 UTC",
		},
		"failed while paused": {
			with(func(s *Status) { s.Node.Paused, s.Node.PausedBy, s.Node.State = true, 2, "failed" }),
			false, true, "the run has failed: round 12: paused by agreement, change 2",
		},
		"out": {
			with(func(s *Status) { s.Node.Absent = []node.Absent{{Name: "a", Reason: "catching up"}} }),
			false, true, "this member is not in the sums: catching up",
		},
		"not in the view": {
			with(func(s *Status) { s.Node.Members = []string{"b", "c"} }),
			false, true, "this member is not in the sums: it was not in the last one",
		},
		"failed": {with(func(s *Status) { s.Node.State, s.Node.Call = "failed", "" }), false, true, "the run has failed: round 12: failed"},
		"saves":  {with(func(s *Status) { s.Phase = Saving; s.Node.State = "finished" }), true, true, "writing the results"},
	} {
		for path, want := range map[string]bool{"/healthz": c.healthy, "/readyz": c.ready} {
			answer := httptest.NewRecorder()
			Handler(func() *Status { return c.s }, nil).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
			what := c.what
			if path == "/readyz" && !c.healthy {
				what = c.s.Activity()
			}
			if got := answer.Code == http.StatusOK; got != want || strings.TrimSpace(answer.Body.String()) != what {
				t.Errorf("%s %s: %d %q, want %t %q", name, path, answer.Code, answer.Body, want, what)
			}
		}
	}
}

// The time left follows from the last rounds. It is unknown if the number of rounds has no bound.
func TestTimeLeft(t *testing.T) {
	for want, s := range map[string]*Status{
		"58s true":  running(),
		"0s true":   with(func(s *Status) { s.Round = 40 }),
		"0s false":  with(func(s *Status) { s.Rounds = 0 }),
		"0s false ": with(func(s *Status) { s.Node.Absent = []node.Absent{{Name: "a", Reason: "catching up"}} }),
	} {
		left, known := s.Left()
		if got := left.String() + map[bool]string{true: " true", false: " false"}[known]; got != strings.TrimSpace(want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func metricsOf(t *testing.T, s *Status) string {
	t.Helper()
	answer := httptest.NewRecorder()
	Handler(nil, func() *Status { return s }).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if answer.Code != http.StatusOK {
		t.Fatalf("%d: %s", answer.Code, answer.Body)
	}
	return answer.Body.String()
}

func TestMetricsMatchTheStatus(t *testing.T) {
	text := metricsOf(t, with(func(s *Status) {
		s.Node.Waiting = []node.Waiting{{Name: "plant \"b\"\n", For: 70 * time.Second}}
		s.Node.Absent = []node.Absent{{Name: "c", Lost: true}, {Name: "d"}}
	}))
	for _, want := range []string{
		`collabdict_build_info{release="0.1.0"} 1`, `collabdict_phase{phase="running"} 1`, `collabdict_phase{phase="loading"} 0`,
		`collabdict_round 11`, `collabdict_rounds_limit 40`, `collabdict_remaining_seconds 58`, `collabdict_slot 14`, `collabdict_state{state="session"} 1`,
		`collabdict_members_wanted 3`, `collabdict_members_present 2`, `collabdict_sent_bytes_total 1000`, `collabdict_received_messages_total 20`,
		`collabdict_ballots_total 2`, `collabdict_member_waiting_seconds{member="plant \"b\"\n"} 70`, `collabdict_last_sum_duration_seconds 1.5`,
		`collabdict_goroutines 40`, `collabdict_heap_bytes 1.048576e+06`, `collabdict_state_file_bytes 4096`,
		`collabdict_privacy_epsilon{by="release",delta="1e-05"} 3`, `collabdict_healthy 1`, `collabdict_start_timestamp_seconds 1.772622e+09`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

// Metrics pass the checks of Prometheus in every phase.
func TestPrometheusTakesTheMetrics(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("SKIPPED, NOTHING CHECKED: promtool is not installed (Debian package prometheus)")
	}
	for _, s := range []*Status{running(), {Phase: Loading}, {Phase: Joining, Node: &node.Status{Want: 3}}} {
		c := exec.Command(promtool, "check", "metrics")
		c.Stdin = strings.NewReader(metricsOf(t, s))
		if said, err := c.CombinedOutput(); err != nil || len(said) > 0 {
			t.Errorf("%s: %v: %s", s.Phase, err, said)
		}
	}
}

// A written status is read back unchanged.
func TestStatusIsRead(t *testing.T) {
	want := running()
	want.Last = &Round{Loss: report.Of(2), Members: 3}
	text, err := json.Marshal(want)
	got := &Status{}
	if err := json.Unmarshal(text, got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v: got %+v, want %+v", err, got, want)
	}
	if err != nil {
		t.Error(err)
	}
}

func TestOneProcessHoldsAFolder(t *testing.T) {
	dir := t.TempDir() + "/new"
	f, err := Hold(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Serve(Handler(running, running)); err != nil {
		t.Fatal(err)
	}
	if _, err := Hold(dir); err == nil || !strings.Contains(err.Error(), "in use by another process") {
		t.Errorf("a second process: %v", err)
	}
	c, err := NewClient(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Status(t.Context())
	if err != nil || s.Round != 11 {
		t.Errorf("%v: %+v", err, s)
	}
	if info, err := os.Stat(dir + "/" + socketFile); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v: %v", err, info)
	}
	if err := f.Release(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("a new folder without content stays: %v", err)
	}
}

// A socket that a killed process has left is replaced; files of the folder stay.
func TestAStaleSocketIsReplaced(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/"+socketFile, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := NewClient(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Status(t.Context()); !isNotRunning(err) {
		t.Errorf("a stale socket: %v", err)
	}
	f, err := Hold(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Serve(Handler(running, running)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Status(t.Context()); err != nil {
		t.Error(err)
	}
	if err := f.Release(); err != nil {
		t.Error(err)
	}
	if _, err := c.Status(t.Context()); !isNotRunning(err) {
		t.Errorf("after its end: %v", err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Error(err)
	}
}

// A folder whose path is too long for a socket is reached by a relative path. If that is too long,
// too, the error says what to do.
func TestLongPaths(t *testing.T) {
	dir := t.TempDir() + "/" + strings.Repeat("long-", 20) + "/" + strings.Repeat("x", 60)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := NewClient(dir); err == nil || !strings.Contains(err.Error(), "at most 103 bytes") {
		t.Errorf("from far away: %v", err)
	}
	t.Chdir(dir)
	for _, name := range []string{dir, "."} {
		f, err := Hold(name)
		if err == nil {
			err = f.Serve(Handler(running, running))
		}
		if err != nil {
			t.Fatal(err)
		}
		c, err := NewClient(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Status(t.Context()); err != nil {
			t.Error(err)
		}
		if err := f.Release(); err != nil {
			t.Error(err)
		}
	}
}

// An address without a host listens on the loopback interface only.
func TestAddressesWithoutAHost(t *testing.T) {
	at, stop, err := ServeTCP(":0", Handler(running, running))
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	if !strings.HasPrefix(at, "127.0.0.1:") {
		t.Errorf("served at %s", at)
	}
	a, err := http.Get("http://" + at + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	if a.StatusCode != http.StatusOK {
		t.Errorf("%s", a.Status)
	}
	if _, _, err := ServeTCP("nowhere", nil); err == nil {
		t.Error("an address without a port is served")
	}
}

// A page of another site, whose name has been made to mean this machine, learns nothing.
func TestHostsOfRequests(t *testing.T) {
	for _, c := range []struct {
		listen           string
		allowed, refused []string
	}{
		{
			"127.0.0.1",
			[]string{"127.0.0.1:9464", "127.0.0.1", "127.8.9.1:1", "localhost:9464", "LocalHost.", "[::1]:9464", "::1"},
			[]string{"evil.example:9464", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "192.0.2.1:9464", "a b", "", ":9464"},
		},
		{"plants.example", []string{"plants.example:9464", "Plants.Example.", "localhost", "192.0.2.1:9464"}, []string{"evil.example", "a.plants.example"}},
		{"0.0.0.0", []string{"10.1.2.3:9464", "[2001:db8::1]:9464", "localhost:1"}, []string{"evil.example:9464", "0.0.0.0.evil.example"}},
		{"192.0.2.1", []string{"192.0.2.1:9464", "192.0.2.7", "localhost"}, []string{"evil.example"}},
	} {
		h := web.ForHosts(web.Hosts(c.listen), Handler(running, running))
		for want, hosts := range map[int][]string{http.StatusOK: c.allowed, http.StatusForbidden: c.refused} {
			for _, host := range hosts {
				for _, path := range []string{"/", "/status", "/metrics", "/healthz", "/readyz"} {
					r, answer := httptest.NewRequest(http.MethodGet, path, nil), httptest.NewRecorder()
					r.Host = host
					if h.ServeHTTP(answer, r); answer.Code != want {
						t.Errorf("at %s, host %q, %s: got %d, want %d", c.listen, host, path, answer.Code, want)
					}
					if text := answer.Body.String(); want == http.StatusForbidden && (!strings.Contains(text, host) || strings.Contains(text, "round 12")) {
						t.Errorf("at %s, host %q: got the text %q", c.listen, host, text)
					}
				}
			}
		}
	}
	at, stop, err := ServeTCP(":0", Handler(running, running))
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+at+"/status", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "evil.example"
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	if a.StatusCode != http.StatusForbidden {
		t.Errorf("served to evil.example: %s", a.Status)
	}
}

func isNotRunning(err error) bool { return errors.Is(err, ErrNotRunning) }
