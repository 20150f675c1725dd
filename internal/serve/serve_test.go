package serve

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/mixtures/ggm"
	"github.com/collabdict/collabdict/internal/run/local"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/internal/run/scoring"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/model"
)

// loadedModel returns a model of the sensors a and b, whose rows are near 0, or of windows of its rows.
func loadedModel(t testing.TB, window int, digest string) *Loaded {
	t.Helper()
	dim := 2
	if window > 0 {
		dim = 6
	}
	precision := mat.NewSymDense(dim, nil)
	for i := range dim {
		precision.SetSym(i, i, 1)
	}
	mixture, err := gmm.NewMixture([]float64{1}, mat.NewDense(1, dim, nil), []*mat.SymDense{precision})
	if err != nil {
		t.Fatal(err)
	}
	columns := []string{"a", "b", "c", "d", "e", "f"}[:dim]
	m, err := model.New(ggm.Kind.Name, ggm.Kind.New().Options(), columns, mixture)
	if err != nil {
		t.Fatal(err)
	}
	m.Manifest.Window = window
	l := &Loaded{
		Model: m, Rules: &scoring.Rules{}, Promised: 0.01, Digest: digest, Written: time.Unix(1.8e9, 0),
		Limits: func() *local.Threshold { return local.Fixed(10) },
	}
	l.Spec = dataset.Spec{Columns: m.DataColumns(), Window: window, MinRows: 1, Missing: dataset.KeepMissing, Scored: true}
	return l
}

// never is a channel that receives nothing: what is there decides.
func never(time.Duration) <-chan time.Time { return nil }

func serverOf(t testing.TB, l *Loaded, change func(*Config)) (*Server, *httptest.Server) {
	t.Helper()
	c := Config{Version: "test", Load: func() (*Loaded, error) { return l, nil }, Sources: 10, Clients: 100, Idle: time.Minute, Now: time.Now, After: never}
	if change != nil {
		change(&c)
	}
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s.Handler())
	t.Cleanup(h.Close)
	return s, h
}

// send posts a body, and returns the status and the answer.
func send(t testing.TB, h *httptest.Server, query, kind, body string) (int, string) {
	t.Helper()
	r, err := h.Client().Post(h.URL+"/v1/score"+query, kind, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(text)
}

// rowsIn returns the rows of an answer in JSON or JSON lines.
func rowsIn(t testing.TB, text string) (rows []Row) {
	t.Helper()
	var batch Scored
	if json.Unmarshal([]byte(text), &batch) == nil && batch.Rows != nil {
		return batch.Rows
	}
	for line := range strings.Lines(text) {
		var row Row
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		rows = append(rows, row)
	}
	return rows
}

// All forms of a request give the same scores.
func TestFormsOfRows(t *testing.T) {
	_, h := serverOf(t, loadedModel(t, 0, "x"), nil)
	const objects = `{"at": "2026-11-07 06:00", "a": 0.5, "b": 0}
{"at": "2026-11-07 06:10", "a": 7, "b": 1e400}
{"at": "2026-11-07 06:20", "b": 1}
{"at": "2026-11-07 06:30", "a": null, "b": null}
`
	bodies := map[string]string{
		"application/x-ndjson":           objects,
		"application/json":               "[" + strings.ReplaceAll(strings.TrimSpace(objects), "\n", ",") + "]",
		"application/json; charset=utf8": "[" + strings.ReplaceAll(strings.TrimSpace(objects), "\n", ",") + "]",
	}
	var first []Row
	for kind, body := range bodies {
		code, text := send(t, h, "", kind, body)
		rows := rowsIn(t, text)
		if code != http.StatusOK || len(rows) != 4 {
			t.Fatalf("%s: got %d %s", kind, code, text)
		}
		if first == nil {
			first = rows
		}
		if a, b := fmt.Sprint(asJSON(t, rows)), fmt.Sprint(asJSON(t, first)); a != b {
			t.Errorf("%s: got %s, want %s", kind, a, b)
		}
	}
	for i, want := range []struct {
		anomaly *bool
		enough  bool
		missing []string
		sensors int
	}{{new(bool), true, nil, 0}, {ptr(true), true, nil, 2}, {new(bool), true, []string{"a"}, 0}, {nil, false, []string{"a", "b"}, 0}} {
		got := first[i]
		if asJSON(t, got.Anomaly) != asJSON(t, want.anomaly) || got.Enough != want.enough || !slices.Equal(got.Missing, want.missing) || len(got.Sensors) != want.sensors || (got.Score == nil) != (want.anomaly == nil) || got.Time == "" {
			t.Errorf("row %d: got %s", i+1, asJSON(t, got))
		}
	}
	code, text := send(t, h, "?explain=all&top=1", "application/json", `{"a": 3}`)
	if rows := rowsIn(t, text); code != http.StatusOK || len(rows) != 1 || len(rows[0].Sensors) != 1 || rows[0].Sensors[0].Sensor != "a" || !slices.Equal(rows[0].Missing, []string{"b"}) {
		t.Errorf("one row: got %d %s", code, text)
	}
	code, text = send(t, h, "", "text/csv", "at;a;b\n2026-11-07 06:00;0,5;0\n2026-11-07 06:10;7;1e400\n2026-11-07 06:20;;1\n2026-11-07 06:30;;\n")
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if code != http.StatusOK || len(lines) != 5 || !strings.HasPrefix(lines[2], "2,2026-11-07 06:10,") || !strings.Contains(lines[2], ",1,true,,,") {
		t.Errorf("CSV: got %d %s", code, text)
	}
}

func ptr[T any](v T) *T { return &v }

func asJSON(t testing.TB, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A row of a stream is answered before the next one is sent.
func TestAStreamIsAnsweredLineByLine(t *testing.T) {
	_, h := serverOf(t, loadedModel(t, 0, "x"), func(c *Config) {
		c.After = func(time.Duration) <-chan time.Time { return closed() }
	})
	body, rows := io.Pipe()
	go fmt.Fprintln(rows, `{"a": 1, "b": 0}`)
	answer, err := h.Client().Post(h.URL+"/v1/score", "application/x-ndjson", body)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	lines := bufio.NewReader(answer.Body)
	for i := range 5 {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if row := rowsIn(t, line)[0]; row.Row != i+1 {
			t.Errorf("got row %d, want %d", row.Row, i+1)
		}
		fmt.Fprintf(rows, "{\"a\": %d, \"b\": 0}\n", i)
	}
	rows.Close()
	if _, err := io.ReadAll(lines); err != nil {
		t.Error(err)
	}
}

func closed() <-chan time.Time {
	c := make(chan time.Time)
	close(c)
	return c
}

func TestRequestsThatCannotBeAnswered(t *testing.T) {
	s, h := serverOf(t, loadedModel(t, 0, "x"), func(c *Config) { c.Clients = 1 })
	for _, c := range []struct {
		name, query, kind, body string
		want                    int
	}{
		{"no type", "", "", "{}", 415},
		{"another type", "", "text/html", "{}", 415},
		{"no JSON", "", "application/json", "{", 422},
		{"numbers", "", "application/json", "[1, 2]", 422},
		{"an empty body", "", "application/json", "", 422},
		{"no rows of CSV", "", "text/csv", "", 422},
		{"CSV without the columns", "", "text/csv", "x,y\n1,2\n", 422},
		{"a nested value", "", "application/x-ndjson", `{"a": {"b": 1}}`, 422},
		{"another way to explain", "?explain=some", "application/json", `{"a": 1}`, 422},
		{"a name that is no UTF-8", "?source=%ff", "application/json", `{"a": 1}`, 422},
		{"a long name", "?source=" + strings.Repeat("x", mostName+1), "application/json", `{"a": 1}`, 422},
		{"a large batch", "", "application/json", `[{"a": ` + strings.Repeat(" ", mostBatch) + "1}]", 413},
		{"a line without end", "", "application/x-ndjson", `{"a": ` + strings.Repeat(" ", mostBatch+1<<16), 413},
		{"rows after a bad one", "", "application/json", `{"a": 1}`, 200},
	} {
		if code, text := send(t, h, c.query, c.kind, c.body); code != c.want {
			t.Errorf("%s: got %d %.200s, want %d", c.name, code, text, c.want)
		}
	}
	for path, want := range map[string]int{"/v1/score": 405, "/v1/rows": 404, "/docs": 404, "/healthz": 200, "/readyz": 200, "/metrics": 200, "/openapi.json": 200, "/": 200, "/page.js": 200, "/page.css": 200, "/v1/model": 200, "/v1/components": 200, "/v1/sources": 200} {
		r, err := h.Client().Get(h.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != want {
			t.Errorf("GET %s: got %d, want %d", path, r.StatusCode, want)
		}
	}
	s.room <- struct{}{}
	if code, _ := send(t, h, "", "application/json", `{"a": 1}`); code != http.StatusTooManyRequests {
		t.Errorf("a full server: got %d", code)
	}
	<-s.room
	_, release, err := s.take("v")
	if err != nil {
		t.Fatal(err)
	}
	if code, _ := send(t, h, "?source=v", "application/json", `{"a": 1}`); code != http.StatusConflict {
		t.Errorf("a source in use: got %d", code)
	}
	release()
	if code, _ := send(t, h, "?source=v", "application/json", `{"a": 1}`); code != http.StatusOK {
		t.Errorf("a source that was in use: got %d", code)
	}
}

// Answers may take longer than the server gives to short ones.
func TestLongAnswers(t *testing.T) {
	s, _ := serverOf(t, loadedModel(t, 0, "x"), nil)
	h := httptest.NewUnstartedServer(s.Handler())
	h.Config.WriteTimeout = time.Nanosecond
	h.Start()
	defer h.Close()
	const rows = 5000
	for kind, body := range map[string]string{
		"text/csv":             "a,b\n" + strings.Repeat("1,2\n", rows),
		"application/x-ndjson": strings.Repeat("{\"a\":1,\"b\":2}\n", rows),
		"application/json":     "[" + strings.Repeat("{\"a\":1,\"b\":2},", rows-1) + "{\"a\":1,\"b\":2}]",
	} {
		code, text := send(t, h, "", kind, body)
		if code != http.StatusOK || strings.Count(text, "true") != rows {
			t.Errorf("%s: got %d and %d rows", kind, code, strings.Count(text, "true"))
		}
	}
}

// A client that reads no answer before it has sent all of a large body gets its answer.
func TestABodyIsSentBeforeItsAnswerIsRead(t *testing.T) {
	folder := t.TempDir()
	_, h := serverOf(t, loadedModel(t, 0, "x"), func(c *Config) { c.Folder = folder })
	const rows = 1 << 20
	body := "a,b\n" + strings.Repeat("1,2\n", rows)
	c, err := net.Dial("tcp", h.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(c, "POST /v1/score HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\nContent-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if n := bytes.Count(text, []byte("\n")); err != nil || n != rows+1 {
		t.Errorf("got %d lines: %v", n, err)
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) > 0 {
		t.Errorf("the body is still on the disk: %v %v", left, err)
	}
}

func TestABodyIsBounded(t *testing.T) {
	_, h := serverOf(t, loadedModel(t, 0, "x"), nil)
	r := httptest.NewRequest(http.MethodPost, "/v1/score", strings.NewReader("a,b\n1,2\n"))
	r.Header.Set("Content-Type", "text/csv")
	r.ContentLength = mostHeld + 1
	w := httptest.NewRecorder()
	h.Config.Handler.ServeHTTP(w, r)
	if w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

// Accept asks for lines or CSV, whatever the form of the rows.
func TestFormsOfAnswers(t *testing.T) {
	_, h := serverOf(t, loadedModel(t, 0, "x"), nil)
	for _, c := range []struct{ kind, body, accept, want string }{
		{"text/csv", "a,b\n7,2\n", "application/x-ndjson", "application/x-ndjson"},
		{"application/json", `{"a": 7, "b": 2}`, "application/x-ndjson", "application/x-ndjson"},
		{"application/x-ndjson", `{"a": 7, "b": 2}`, "text/csv", "text/csv"},
		{"text/csv", "a,b\n7,2\n", "application/json", "text/csv"},
		{"text/csv", "a,b\n7,2\n", "*/*", "text/csv"},
	} {
		r, err := http.NewRequest(http.MethodPost, h.URL+"/v1/score", strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", c.kind)
		r.Header.Set("Accept", c.accept)
		answer, err := h.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if got := answer.Header.Get("Content-Type"); err != nil || answer.StatusCode != http.StatusOK || got != c.want {
			t.Errorf("%s for %s: got %d %s: %v", c.accept, c.kind, answer.StatusCode, got, err)
		}
		if c.want == "application/x-ndjson" {
			if rows := rowsIn(t, string(text)); len(rows) != 1 || len(rows[0].Sensors) != 2 {
				t.Errorf("%s for %s: got %s", c.accept, c.kind, text)
			}
		}
	}
}

// A listener gets the past rows of its source alone, hears of new sources, and goes on where it ended.
func TestScoresAreTold(t *testing.T) {
	_, h := serverOf(t, loadedModel(t, 0, "x"), nil)
	send(t, h, "?source=v", "text/csv", "note,a,b\nx,1,2\ny,9,9\n")
	send(t, h, "?source=w", "text/csv", "a,b\n1,2\n")
	send(t, h, "", "text/csv", "a,b\n1,2\n")
	hear := func(source, last string, messages int) (kinds []string, told []SourceScored) {
		t.Helper()
		r, err := http.NewRequest(http.MethodGet, h.URL+"/v1/scores?source="+source, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Last-Event-ID", last)
		answer, err := h.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		lines := bufio.NewReader(answer.Body)
		kind := ""
		for len(kinds) < messages {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if of, ok := strings.CutPrefix(line, "event: "); ok {
				kind = strings.TrimSpace(of)
			}
			if text, ok := strings.CutPrefix(line, "data: "); ok {
				kinds = append(kinds, kind)
				if kind == "scored" {
					var of SourceScored
					if err := json.Unmarshal([]byte(text), &of); err != nil {
						t.Fatal(err)
					}
					told = append(told, of)
				}
			}
		}
		return kinds, told
	}
	kinds, told := hear("v", "0", 4)
	if !slices.Equal(kinds, []string{"alive", "began", "scored", "began"}) {
		t.Errorf("got %q", kinds)
	}
	if len(told) != 1 || told[0].Source != "v" || *told[0].Threshold != 10 || len(told[0].Rows) != 2 || !*told[0].Rows[1].Anomaly || told[0].Rows[1].Carried != nil || len(told[0].Rows[1].Sensors) != 2 {
		t.Errorf("got %s", asJSON(t, told))
	}
	if kinds, _ := hear("w", "3", 2); !slices.Equal(kinds, []string{"alive", "scored"}) {
		t.Errorf("after a message: got %q", kinds)
	}
	if kinds, _ := hear("", "0", 3); !slices.Equal(kinds, []string{"alive", "began", "began"}) {
		t.Errorf("without a source: got %q", kinds)
	}
	if kinds, _ := hear("v", "99", 3); !slices.Equal(kinds, []string{"alive", "began", "scored"}) {
		t.Errorf("after a number of an earlier start: got %q", kinds)
	}
	r, err := h.Client().Get(h.URL + "/v1/sources")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var sources []Source
	if err := json.NewDecoder(r.Body).Decode(&sources); err != nil || !slices.Equal(sources, []Source{{"v", 2, 1}, {"w", 1, 0}}) {
		t.Errorf("got %v: %v", sources, err)
	}
}

// The past is bounded by its size, and a listener that does not read is dropped.
func TestTheHubIsBounded(t *testing.T) {
	h := newHub(10)
	_, slow := h.listen(0)
	for i := range 2 * mostWaiting {
		h.publish(i, 4)
	}
	if past, _ := h.listen(0); len(past) != 2 || past[1].Data != 2*mostWaiting-1 {
		t.Errorf("got %v", past)
	}
	n := 0
	for range slow {
		n++
	}
	if n != mostWaiting {
		t.Errorf("the slow one got %d messages", n)
	}
	h.publish("large", 11)
	if past, _ := h.listen(0); len(past) != 1 {
		t.Errorf("got %v", past)
	}
}

// Listeners are few at a time, and are let go when the server ends.
func TestListenersAreBounded(t *testing.T) {
	done := make(chan struct{})
	_, h := serverOf(t, loadedModel(t, 0, "x"), func(c *Config) { c.Done = done })
	end := sync.OnceFunc(func() { close(done) })
	t.Cleanup(end)
	listen := func(path string) (code int, ended <-chan error) {
		t.Helper()
		codes, read := make(chan int, 1), make(chan error, 1)
		go func() {
			r, err := h.Client().Get(h.URL + path)
			if err != nil {
				codes <- 0
				read <- err
				return
			}
			defer r.Body.Close()
			codes <- r.StatusCode
			_, err = io.Copy(io.Discard, r.Body)
			read <- err
		}()
		return <-codes, read
	}
	var all []<-chan error
	for i := range mostListeners {
		code, ended := listen([]string{eventsPath, scoresPath}[i%2])
		if code != http.StatusOK {
			t.Fatalf("listener %d: got %d", i+1, code)
		}
		all = append(all, ended)
	}
	if code, _ := listen(scoresPath); code != http.StatusTooManyRequests {
		t.Errorf("one more: got %d", code)
	}
	if code, _ := send(t, h, "", "application/json", `{"a": 1}`); code != http.StatusOK {
		t.Errorf("rows meanwhile: got %d", code)
	}
	end()
	for _, ended := range all {
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
}

func TestThresholdsToChooseFrom(t *testing.T) {
	l := loadedModel(t, 0, "x")
	if got := thresholds(l.Model); got != nil {
		t.Errorf("without own rows: got %v", got)
	}
	scores := make([]float64, 200)
	own := mat.NewDense(len(scores), 2, nil)
	for i := range scores {
		scores[i] = float64(i)
		own.Set(i, 0, float64(i))
	}
	l.Model.Local = &model.Local{
		Nearest: local.NewNearest(own), Scores: [][]float64{scores, scores},
		Calibrations: []*local.Calibration{local.Calibrate(scores), local.Calibrate(scores)},
	}
	if err := l.Model.With(model.Shared); err != nil {
		t.Fatal(err)
	}
	got := thresholds(l.Model)
	if len(got) != 6 || got[len(got)-1] != (Threshold{0.005, 199}) {
		t.Errorf("got %v", got)
	}
	for i := 1; i < len(got); i++ {
		if got[i].Promised >= got[i-1].Promised || got[i].Threshold <= got[i-1].Threshold {
			t.Errorf("got %v", got)
		}
	}
}

// The description says how many faults the model finds, if labels told which rows are faulty.
func TestFoundFaults(t *testing.T) {
	l := loadedModel(t, 0, "x")
	for _, c := range []struct {
		verdict *report.Verdict
		want    *Found
	}{
		{nil, nil},
		{&report.Verdict{By: report.ByExchanged, Rows: 600}, nil},
		{&report.Verdict{By: report.ByFaults, Rows: 360, FoundTogether: 186}, &Found{360, 186, 0.01}},
	} {
		l.Model.Manifest.HeldOut = &model.HeldOut{Verdict: c.verdict}
		if got := l.describe().Found; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%+v: got %+v, want %+v", c.verdict, got, c.want)
		}
	}
}

// A client that sends nothing more ends its request.
func TestSlowClients(t *testing.T) {
	_, h := serverOf(t, loadedModel(t, 0, "x"), func(c *Config) { c.Idle = 10 * time.Millisecond })
	body, rows := io.Pipe()
	defer rows.Close()
	r, err := http.NewRequest(http.MethodPost, h.URL+"/v1/score", body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-ndjson")
	go fmt.Fprint(rows, `{"a": 1`)
	answer, err := h.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusRequestTimeout {
		t.Errorf("got %s", answer.Status)
	}
}

// Rows in pieces have the scores of one request, whatever the pieces, and whether or not the process crashed
// between them. Rows of another source do not matter.
func TestPiecesOfASource(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var rows []string
	for i := range 60 {
		a := random.NormFloat64()
		if i/10 == 3 {
			a += 9
		}
		rows = append(rows, fmt.Sprintf(`{"a": %.3f, "b": %.3f}`, a, random.NormFloat64()))
	}
	scores := func(rows []Row) (all []string) {
		for _, r := range rows {
			all = append(all, fmt.Sprint(r.Row, *r.Score, *r.Anomaly))
		}
		return all
	}
	l := loadedModel(t, 5, "x")
	_, h := serverOf(t, l, nil)
	_, text := send(t, h, "?source=v", "application/x-ndjson", strings.Join(rows, "\n"))
	want := scores(rowsIn(t, text))
	for trial := range 10 {
		folder := t.TempDir()
		var told []string
		begin := func() (*Server, *httptest.Server) {
			return serverOf(t, l, func(c *Config) { c.Folder = folder })
		}
		s, h := begin()
		var got []string
		for from := 0; from < len(rows); {
			to := min(len(rows), from+1+random.IntN(7))
			code, text := send(t, h, "?source=v", "application/x-ndjson", strings.Join(rows[from:to], "\n"))
			if code != http.StatusOK {
				t.Fatal(text)
			}
			got = append(got, scores(rowsIn(t, text))...)
			send(t, h, "?source=w", "application/json", `{"a": 100, "b": 100}`)
			from = to
			if random.IntN(3) == 0 {
				told = append(told, s.told("v")...)
				s, h = begin() // as after a crash: nothing but the folder is left
			}
		}
		told = append(told, s.told("v")...)
		if !slices.Equal(got, want) {
			t.Fatalf("trial %d: got\n%q, want\n%q", trial, got, want)
		}
		if n := strings.Count(strings.Join(told, " "), "began"); n == 0 || n != strings.Count(strings.Join(told, " "), "ended") || len(told) != 2*n {
			t.Errorf("trial %d: told %q", trial, told)
		}
	}
}

// told returns what was published of a source.
func (s *Server) told(source string) (all []string) {
	past, l := s.events.listen(0)
	s.events.leave(l)
	for _, m := range past {
		switch of := m.Data.(type) {
		case EventBegan:
			if of.Source == source {
				all = append(all, "began")
			}
		case EventEnded:
			if of.Source == source {
				all = append(all, "ended")
			}
		}
	}
	return all
}

// A new model scores the requests after it, and a model that cannot be loaded changes nothing.
func TestReload(t *testing.T) {
	next, fault := loadedModel(t, 0, "one"), error(nil)
	s, h := serverOf(t, next, func(c *Config) { c.Load = func() (*Loaded, error) { return next, fault } })
	digest := func() string {
		_, text := send(t, h, "?source=v", "application/json", `{"a": 1}`)
		var of Scored
		if err := json.Unmarshal([]byte(text), &of); err != nil {
			t.Fatal(err)
		}
		return of.Model
	}
	if got := digest(); got != "one" {
		t.Errorf("got the model %s", got)
	}
	next, fault = loadedModel(t, 0, "two"), errors.New("local.npz is of another model")
	if err := s.Reload(); err == nil || digest() != "one" {
		t.Errorf("after a load that failed: %v, model %s", err, digest())
	}
	if !s.failed.Load() {
		t.Error("a load that failed is not noted")
	}
	fault = nil
	if err := s.Reload(); err != nil || digest() != "two" {
		t.Errorf("after a load: %v, model %s", err, digest())
	}
	if s.failed.Load() {
		t.Error("the load after one that failed is not noted")
	}
}

// Series that were not used for longest make room for others, and come back from the disk.
func TestManySources(t *testing.T) {
	s, h := serverOf(t, loadedModel(t, 3, "x"), func(c *Config) { c.Sources, c.Folder = 2, t.TempDir() })
	for _, source := range []string{"a", "b", "a", "c", "b", "b"} {
		if code, text := send(t, h, "?source="+source, "application/json", `{"a": 1, "b": 1}`); code != http.StatusOK {
			t.Fatal(text)
		}
	}
	if len(s.sources) != 2 || s.sources["a"] != nil || s.sources["b"].Rows != 3 {
		t.Errorf("got %d series, b with %d rows", len(s.sources), s.sources["b"].Rows)
	}
}

// Clients at the same time get the scores that they get alone.
func TestManyClients(t *testing.T) {
	s, h := serverOf(t, loadedModel(t, 0, "x"), nil)
	_, text := send(t, h, "?explain=all", "application/json", `[{"a": 12, "b": 1}, {"a": 0, "b": 1}]`)
	want := asJSON(t, rowsIn(t, text))
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 20 {
				query := "?explain=all"
				if i%2 == 0 {
					query = fmt.Sprintf("?explain=all&source=%d", i)
				}
				code, text := send(t, h, query, "application/json", `[{"a": 12, "b": 1}, {"a": 0, "b": 1}]`)
				rows := rowsIn(t, text)
				for k := range rows {
					rows[k].Row = k + 1
				}
				if got := asJSON(t, rows); code != http.StatusOK || got != want {
					t.Errorf("got %d %s, want %s", code, got, want)
				}
				if err := s.Reload(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

// Listeners hear of events, of those of a source if they name one, and of those that they have missed.
func TestEventsAreTold(t *testing.T) {
	_, h := serverOf(t, loadedModel(t, 0, "x"), nil)
	for _, source := range []string{"v", "w"} {
		send(t, h, "?source="+source, "application/json", `[{"a": 0}, {"a": 9}, {"a": 9}, {"a": 0}, {"a": 0}, {"a": 0}, {"a": 0}, {"a": 0}]`)
	}
	r, err := http.NewRequest(http.MethodGet, h.URL+"/v1/events?source=w", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Last-Event-ID", "1")
	answer, err := h.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var got []string
	lines := bufio.NewScanner(answer.Body)
	for len(got) < 7 && lines.Scan() {
		if name, data, ok := strings.Cut(lines.Text(), ": "); ok {
			if name == "data" {
				var of struct {
					Source string
					Event  struct{ First, Last, Anomalies int }
				}
				if err := json.Unmarshal([]byte(data), &of); err != nil {
					t.Fatal(err)
				}
				data = fmt.Sprint(of.Source, of.Event)
			}
			got = append(got, name+" "+data)
		}
	}
	want := []string{"event alive", "data {0 0 0}", "id 3", "event began", "data w{2 3 2}", "id 4", "event ended"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMetrics(t *testing.T) {
	_, h := serverOf(t, loadedModel(t, 0, "x"), nil)
	send(t, h, "?source=v", "application/json", `[{"a": 0, "b": 0}, {"a": 99}]`)
	send(t, h, "", "application/json", `[{"a": 0, "b": 0}]`)
	send(t, h, "", "application/json", `[{"a": 0, "b": -99}, {"a": 0, "b": 0}]`)
	send(t, h, "?source=%ff", "application/json", `{"a": 0}`) // no UTF-8, so no label
	r, err := h.Client().Get(h.URL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`collabdict_serve_rows_total{source="v"} 2`, `collabdict_serve_anomalies_total{source="v"} 1`,
		`collabdict_serve_missing_cells_total{sensor="b",source="v"} 1`, `collabdict_serve_false_alarms_promised 0.01`,
		`collabdict_serve_sensor_anomalies_total{sensor="a",source="v"} 1`, `collabdict_serve_sensor_anomalies_total{sensor="b",source=""} 1`,
		`collabdict_serve_rows_total{source=""} 3`, `collabdict_serve_model_load_failed 0`,
	} {
		if !bytes.Contains(text, []byte(want+"\n")) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

// The rules of Prometheus and the dashboard of Grafana name metrics that there are.
func TestDeployedMetrics(t *testing.T) {
	described := make(chan *prometheus.Desc, 100)
	collector{}.Describe(described)
	close(described)
	var have []string
	for d := range described {
		have = append(have, regexp.MustCompile(`"(collabdict_\w+)"`).FindStringSubmatch(d.String())[1])
	}
	for _, name := range testkit.DeployedMetrics(t, "../../deploy") {
		if testkit.OfServer(name) && !slices.Contains(have, name) {
			t.Errorf("there is no metric %s", name)
		}
	}
}

// A slow reader of metrics keeps no request waiting.
func TestSlowReadersOfMetrics(t *testing.T) {
	s, h := serverOf(t, loadedModel(t, 0, "x"), nil)
	send(t, h, "?source=v", "application/json", `{"a": 0, "b": 0}`)
	metrics, seen := make(chan prometheus.Metric), false
	go func() {
		collector{s}.Collect(metrics)
		close(metrics)
	}()
	for m := range metrics {
		if m.Desc() == rowsMetric {
			if seen = s.mu.TryLock(); seen {
				s.mu.Unlock()
			}
		}
	}
	if !seen {
		t.Error("the sources are locked while metrics are sent")
	}
}

// A request that waits for its turn while a model is loaded scores by the new one: the series does not go back.
func TestASeriesDoesNotGoBack(t *testing.T) {
	next := loadedModel(t, 0, "one")
	s, h := serverOf(t, next, func(c *Config) { c.Load = func() (*Loaded, error) { return next, nil } })
	body, rows := io.Pipe()
	answered := make(chan string)
	s.mu.Lock() // the request below waits for its series
	go func() {
		answer, err := h.Client().Post(h.URL+"/v1/score?source=v", "application/x-ndjson", body)
		if err != nil {
			answered <- err.Error()
			return
		}
		defer answer.Body.Close()
		answered <- answer.Header.Get(modelHeader)
	}()
	for len(s.room) == 0 {
		runtime.Gosched()
	}
	next = loadedModel(t, 0, "two")
	if err := s.Reload(); err != nil {
		t.Error(err)
	}
	s.mu.Unlock()
	fmt.Fprintln(rows, `{"a": 0, "b": 0}`)
	rows.Close()
	if got := <-answered; got != "two" {
		t.Errorf("got the model %q, want two", got)
	}
}

func FuzzScore(f *testing.F) {
	s, h := serverOf(f, loadedModel(f, 2, "x"), nil)
	for _, kind := range []string{"application/json", "application/x-ndjson", "text/csv"} {
		f.Add(kind, `[{"a": 1, "b": null}, {"a": "x"}]`)
		f.Add(kind, "a,b\n1,2\n")
	}
	_ = s
	f.Fuzz(func(t *testing.T, kind, body string) {
		r := httptest.NewRequest(http.MethodPost, "/v1/score", strings.NewReader(body))
		r.Header.Set("Content-Type", kind)
		w := httptest.NewRecorder()
		h.Config.Handler.ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Errorf("got %d %s", w.Code, w.Body)
		}
	})
}
