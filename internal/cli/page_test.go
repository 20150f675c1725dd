package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/collabdict/collabdict/internal/data/plants"
	"github.com/collabdict/collabdict/internal/ops/operate"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/internal/run/simulate"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/testkit/pipelinetest"
)

// shownAt returns the code of a page's answer, and decodes it.
func shownAt(t *testing.T, p *operate.Page, path string, to any) int {
	t.Helper()
	r := httptest.NewRequest("GET", path, nil)
	r.Header.Set("Accept", "application/json")
	w := httptest.NewRecorder()
	p.Handler(fstest.MapFS{}).ServeHTTP(w, r)
	if w.Code == http.StatusOK {
		if err := json.Unmarshal(w.Body.Bytes(), to); err != nil {
			t.Fatal(err)
		}
	}
	return w.Code
}

// The page has what the monitor of its process reports, before the first round and at the end.
func TestAMonitorShowsItsPage(t *testing.T) {
	testkit.SkipRaced(t)
	parts := plants.Generate(plants.Spec{Participants: 3, Rows: 80, Columns: 3, Patterns: 2}, 4)
	task := pipelinetest.Task(t, "ggm", "components=2", "rounds=3", "tol=0")
	m := monitored(t, 1)
	m.page = operate.NewPage(systemClock)
	m.trains(task)
	m.plans(task, 3, len(parts), m.journal)
	m.enter(operate.Running)
	var private operate.Privacy
	if code := shownAt(t, m.page, "/page/privacy", &private); code != http.StatusOK || len(private.Summary.Open) == 0 || len(private.Spent) != 2 || private.Told != nil {
		t.Errorf("before the first round, got %d %+v", code, private)
	}
	run, err := simulate.Simulate(t.Context(), task, parts, func(p simulate.Progress) { m.completed(p.Progress, len(parts), p.Virtual) })
	if err != nil {
		t.Fatal(err)
	}
	m.learns(run.Models[0], run.Report, m.journal)
	var shown operate.Run
	if code := shownAt(t, m.page, "/page/run", &shown); code != http.StatusOK || len(shown.Rounds) != 3 || !shown.Rounds[2].Objective.Defined || shown.Rounds[2].Virtual == 0 {
		t.Errorf("got %d %+v", code, shown)
	}
	var learned operate.Learned
	if code := shownAt(t, m.page, "/page/model", &learned); code != http.StatusOK || len(learned.Components) != 2 {
		t.Errorf("got %d %+v", code, learned)
	}
	if shownAt(t, m.page, "/page/privacy", &private); len(private.Told) == 0 {
		t.Errorf("at the end, got %+v", private)
	}
}

// view serves the page of a finished run until it is interrupted, to who has the address.
func TestViewServesAFinishedRun(t *testing.T) {
	testkit.SkipRaced(t)
	dir := t.TempDir()
	parts := plants.Generate(plants.Spec{Participants: 3, Rows: 80, Columns: 3, Patterns: 2}, 4)
	run, err := simulate.Simulate(t.Context(), pipelinetest.Task(t, "ggm", "components=2", "rounds=3", "tol=0"), parts, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := writeRun(dir, run.Report, run.Course.Rounds, run.Models); err != nil {
		t.Fatal(err)
	}
	said, to := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- (&app{out: io.Discard, err: to}).viewRun(ctx, dir) }()
	line, err := bufio.NewReader(said).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address := regexp.MustCompile(`http://\S+`).FindString(line)
	server, _, _ := strings.Cut(address, "/?")
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &http.Client{Jar: jar, Transport: &http.Transport{}}
	defer c.CloseIdleConnections()
	for _, test := range []struct {
		at   string
		code int
	}{{server + "/", 401}, {server + "/page/run", 401}, {address, 200}, {server + "/page/model", 200}, {server + "/page.js", 200}} {
		a, err := c.Get(test.at)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		if a.StatusCode != test.code {
			t.Errorf("%s: got %d, want %d", test.at, a.StatusCode, test.code)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Elsewhere than at a terminal, no page is served and nothing is printed.
func TestThereIsNoPageInALog(t *testing.T) {
	var log bytes.Buffer
	p, stop := (&app{err: &log}).openPage(t.Context(), "out")
	stop()
	if p != nil || log.Len() > 0 {
		t.Errorf("got %v and %q", p, log.String())
	}
}

// The page of several nodes is that of the first one that still runs.
func TestThePageOfSeveralNodes(t *testing.T) {
	p := operate.NewPage(systemClock)
	f := newFleet(newScreen(io.Discard), false, "out", []string{"a", "b"})
	f.page = p
	f.next(1, &operate.Status{Name: "b", Phase: operate.Running}) // the first node that runs is shown
	f.next(0, &operate.Status{Name: "a", Phase: operate.Running, Round: 1, Last: &operate.Round{Loss: report.Of(1)}})
	var shown operate.Run
	if shownAt(t, p, "/page/run", &shown); shown.Status.Name != "a" || shown.Status.Last == nil {
		t.Errorf("got %+v", shown)
	}
	f.ended(0, report.End{})
	f.next(1, &operate.Status{Name: "b", Phase: operate.Running, Round: 2})
	if shownAt(t, p, "/page/run", &shown); shown.Status.Name != "b" || shown.Status.Round != 2 {
		t.Errorf("after the first has ended, got %+v", shown)
	}
}
