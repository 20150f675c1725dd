package browser

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// columns is the number of sensors, and rows that of a large file.
const (
	columns = 38
	rows    = 100_000
)

// folder has the program, a consortium's results and files of rows.
var folder string

func TestMain(m *testing.M) {
	if _, err := browserPath(); err != nil {
		fmt.Println("browser: SKIPPED, NOTHING CHECKED:", err)
		return
	}
	var err error
	if folder, err = os.MkdirTemp("", "collabdict-page-"); err != nil {
		panic(err)
	}
	code := 1
	if err := prepare(); err != nil {
		fmt.Println(err)
	} else {
		code = m.Run()
	}
	os.RemoveAll(folder)
	os.Exit(code)
}

func browserPath() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("want chromium or google-chrome in PATH, got none")
}

func prepare() error {
	build := exec.Command("go", "build", "-o", filepath.Join(folder, "collabdict"), "./cmd/collabdict")
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	train := exec.Command("./collabdict", "sim", "--generate", fmt.Sprintf("participants=3,rows=3000,columns=%d,patterns=4", columns), "--components", "6", "--rounds", "10", "--out", "o")
	train.Dir = folder
	if out, err := train.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// server is a running server, with the address of its page.
type server struct {
	page, origin, token string
	cmd                 *exec.Cmd
}

// serve starts a server of plant-a on a port, "0" for any.
func serve(t *testing.T, port string) *server {
	t.Helper()
	return serveFolder(t, filepath.Join(folder, "o", "plant-a"), port)
}

func serveFolder(t *testing.T, of, port string) *server {
	t.Helper()
	s := &server{cmd: exec.Command(filepath.Join(folder, "collabdict"), "serve", of, "--listen", "127.0.0.1:"+port)}
	said, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	lines := bufio.NewScanner(said)
	for s.page == "" {
		if !lines.Scan() {
			t.Fatal("the server ended")
		}
		if m := regexp.MustCompile(`page at ((http://\S+)/\?ticket=\S+)`).FindStringSubmatch(lines.Text()); m != nil {
			s.page, s.origin = m[1], m[2]
		}
	}
	go func() {
		for lines.Scan() {
		}
	}()
	token, err := os.ReadFile(filepath.Join(of, "serve.token"))
	if err != nil {
		t.Fatal(err)
	}
	s.token = strings.TrimSpace(string(token))
	return s
}

func (s *server) stop() {
	_ = s.cmd.Process.Kill()
	_, _ = s.cmd.Process.Wait()
}

// ask sends a request as a program does, and returns the status.
func (s *server) ask(t *testing.T, method, path, kind, body string) int {
	t.Helper()
	r, err := http.NewRequest(method, s.origin+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	r.Header.Set("Content-Type", kind)
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	return a.StatusCode
}

// names returns the model's columns.
func (s *server) names(t *testing.T) (names []string) {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, s.origin+"/v1/components", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	var of struct {
		Columns    []string
		Components []struct{ Mean []float64 }
	}
	if err := json.NewDecoder(a.Body).Decode(&of); err != nil {
		t.Fatal(err)
	}
	means = of.Components[0].Mean
	return of.Columns
}

// means are those of the first component.
var means []float64

// csv writes a file of rows that drift about a component's mean, in which one is empty. The last nine of each 500
// have a fault: it grows from one event to the next, and rises and falls within each. The third is of another sensor,
// whose values are too low.
func csv(t *testing.T, name string, names []string, n int) string {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("time," + strings.Join(names, ",") + "\n")
	at := time.Date(2026, 11, 7, 6, 0, 0, 0, time.UTC)
	drift := make([]float64, len(names))
	for i := range n {
		b.WriteString(at.Add(time.Duration(i) * time.Minute).Format("2006-01-02 15:04:05"))
		for j := range names {
			drift[j] = 0.9*drift[j] + 0.002*random.NormFloat64()
			v := means[j] * (1 + drift[j])
			if event, at := i/500, i%500-490; at > 0 {
				size := 1 - math.Abs(float64(at-5))/6
				switch {
				case event == 2 && j == 4:
					v *= 1 - 0.7*size
				case event != 2 && j == 3:
					v *= 1 + (0.6+0.5*float64(event))*size
				}
			}
			if i == n/2 {
				b.WriteByte(',')
			} else {
				fmt.Fprintf(&b, ",%.4f", v)
			}
		}
		b.WriteByte('\n')
	}
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A tab is a page in a browser. Whatever it logs, and requests to others, are faults.
type tab struct {
	*testing.T
	ctx context.Context

	mu     sync.Mutex
	faults []string
}

// open opens a page. expected are texts of errors that the test provokes.
func open(t *testing.T, s *server, expected ...string) *tab {
	t.Helper()
	path, err := browserPath()
	if err != nil {
		t.Fatal(err)
	}
	alloc, end := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WindowSize(1440, 900))...)
	t.Cleanup(end)
	ctx, end := chromedp.NewContext(alloc)
	t.Cleanup(end)
	p := &tab{T: t, ctx: ctx}
	fault := func(format string, a ...any) {
		text := fmt.Sprintf(format, a...)
		for _, e := range expected {
			if strings.Contains(text, e) {
				return
			}
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.faults = append(p.faults, text)
	}
	listening := chromedp.Listen(ctx, func(of any) {
		switch of := of.(type) {
		case *runtime.EventExceptionThrown:
			fault("exception: %s: %s", of.ExceptionDetails.Text, of.ExceptionDetails.Exception.Description)
		case *runtime.EventConsoleAPICalled:
			fault("console.%s: %s", of.Type, of.Args[0].Value)
		case *network.EventRequestWillBeSent:
			if u, err := url.Parse(of.Request.URL); err != nil || u.Scheme != "data" && u.Scheme+"://"+u.Host != s.origin {
				fault("request to another origin: %s", of.Request.URL)
			}
		case *network.EventResponseReceived:
			if of.Response.Status >= 400 {
				fault("%v for %s", of.Response.Status, of.Response.URL)
			}
		}
	})
	if listening != nil {
		t.Fatal(listening)
	}
	p.run(chromedp.Navigate(s.page), chromedp.WaitVisible(chromedp.CSS("main h1")))
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, f := range p.faults {
			t.Error(f)
		}
	})
	return p
}

func (p *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.Fatal(err)
	}
}

// get returns the value of an expression, a promise's once it is there.
func get[T any](p *tab, expression string) T {
	p.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.Fatalf("%s: %v", expression, err)
	}
	return v
}

// until waits until an expression is true.
func (p *tab) until(expression string) {
	p.Helper()
	if err := chromedp.Do(p.ctx, chromedp.Poll[chromedp.Void](expression, chromedp.WithPollingTimeout(time.Minute))); err != nil {
		p.Fatalf("%s: %v; the page says %q", expression, err, get[string](p, "document.body.innerText"))
	}
}

// choose chooses a file to score.
func (p *tab) choose(path string) {
	p.Helper()
	p.run(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{path}))
}

// press presses keys, where the focus is.
func (p *tab) press(keys ...string) {
	p.Helper()
	for _, k := range keys {
		p.run(chromedp.KeyEvent(k))
	}
}

// size sets the width and the height of the window, and colors, light or dark.
func (p *tab) size(width, height int64, colors string) {
	p.Helper()
	_, err := chromedp.Call(p.ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 600})
	if err == nil {
		_, err = chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: colors}}})
	}
	if err == nil {
		_, err = chromedp.Call(p.ctx, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: width < 600})
	}
	if err != nil {
		p.Fatal(err)
	}
}

// picture keeps a picture in the folder COLLABDICT_SCREENSHOTS, if that is set.
func (p *tab) picture(name string) {
	p.Helper()
	dir := os.Getenv("COLLABDICT_SCREENSHOTS")
	if dir == "" {
		return
	}
	get[bool](p, "new Promise((then) => setTimeout(() => then(true), 150))")
	png, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600); err != nil {
		p.Fatal(err)
	}
}

// accessible checks a view with axe-core, in light and dark, and that it fits each width.
func (p *tab) accessible(name string) {
	p.Helper()
	for _, colors := range []string{"light", "dark"} {
		for _, width := range []int64{390, 1440, 2560} {
			p.size(width, 900, colors)
			p.picture(fmt.Sprintf("%s-%s-%d", name, colors, width))
			if wide := get[int](p, "document.documentElement.scrollWidth"); int64(wide) > width {
				p.Errorf("%s: the page is %d wide in a window of %d", name, wide, width)
			}
			if !get[bool](p, "typeof axe !== 'undefined'") || width == 2560 {
				continue
			}
			for _, v := range get[[]string](p, `axe.run(document, {resultTypes: ['violations']}).then((r) => r.violations.map((v) => v.id + ': ' + v.help + ': ' + v.nodes.map((n) => n.html + ' ' + n.failureSummary).join('; ')))`) {
				p.Errorf("%s, %s, %d wide: %s", name, colors, width, v)
			}
		}
	}
	p.size(1440, 900, "light")
}

// withAxe loads axe-core, if its path is known.
func (p *tab) withAxe() {
	p.Helper()
	path := os.Getenv("COLLABDICT_AXE")
	if path == "" {
		p.Log("axe-core is not checked: want COLLABDICT_AXE with the path of axe.min.js")
		return
	}
	text, err := os.ReadFile(path)
	if err != nil {
		p.Fatal(err)
	}
	p.run(chromedp.Evaluate[chromedp.Void](string(text)))
}

// counts is the sentence with the numbers of rows, anomalies and events.
const counts = "document.querySelector('.summary + p').textContent"

const scored = "!document.querySelector('.content').hidden"

// Every view is free of violations that axe finds, fits each width, light and dark.
func TestViewsAreAccessible(t *testing.T) {
	s := serve(t, "0")
	file := csv(t, "few.csv", s.names(t), 2000)
	p := open(t, s, "422 for")
	p.withAxe()
	p.until("document.querySelector('.empty pre')")
	p.accessible("scores-empty")
	p.choose(file)
	p.until(scored)
	p.run(chromedp.Click(chromedp.CSS(".link")))
	p.until("document.querySelector('figure:has(h3) canvas')")
	p.accessible("scores")
	p.run(chromedp.Click(chromedp.CSS(".listed > summary")))
	p.until("document.querySelector('.listed tbody')")
	p.accessible("scores-table")
	p.run(chromedp.Navigate(s.origin + "/#model"))
	p.until("document.querySelector('.graph')")
	p.accessible("model")
	p.run(chromedp.Navigate(s.origin + "/#scores"))
	p.choose(csv(t, "none.csv", nil, 1))
	p.until("!document.querySelector('.notice').hidden")
	p.accessible("scores-error")
}

// A file is scored, its threshold moved, and its events shown, by keyboard alone.
func TestAFileByKeyboard(t *testing.T) {
	s := serve(t, "0")
	file := csv(t, "keys.csv", s.names(t), 2000)
	p := open(t, s)
	p.until("document.querySelector('.empty pre')")
	p.press(kb.Tab)
	if get[string](p, "document.activeElement.className") != "skip" {
		t.Error("the first key does not lead to the way past the head")
	}
	p.press(kb.Enter, kb.Tab)
	if get[string](p, "document.activeElement.id") != "file" {
		t.Errorf("the file cannot be reached: at %s", get[string](p, "document.activeElement.outerHTML"))
	}
	p.choose(file)
	p.until(scored)
	const summary = counts
	before := get[string](p, summary)
	if !strings.Contains(before, "2,000 rows") || !strings.Contains(before, "2026-11-07 22:40") { // when a row has no number
		t.Errorf("got %q", before)
	}
	// Each control is reached once by the tab key, and has a visible focus.
	var reached []string
	p.run(chromedp.Focus(chromedp.CSS("#main")))
	for range 60 {
		p.press(kb.Tab)
		at := get[string](p, "(() => { const e = document.activeElement; return e === document.body ? '' : (e.id || e.textContent.slice(0, 40) || e.outerHTML.slice(0, 60)) })()")
		if at == "" || slices.Contains(reached, at) {
			break
		}
		reached = append(reached, at)
	}
	for _, want := range []string{"file", "Zoom in", "Show all", "threshold", "exact", "Next anomaly", "Rows of the chart as a table"} {
		if !slices.Contains(reached, want) {
			t.Errorf("the tab key does not reach %q, but %q", want, reached)
		}
	}
	p.run(chromedp.Focus(chromedp.CSS("#threshold")))
	p.press(slices.Repeat([]string{kb.PageDown}, 9)...)
	if after := get[string](p, summary); after == before {
		t.Errorf("the slider changes nothing: %q", after)
	}
	p.run(chromedp.Focus(chromedp.CSS(".link")))
	p.press(kb.Enter)
	p.until("document.querySelector('.row') && document.querySelector('.row').parentElement.innerText.includes('Expected')")
	row := "document.querySelector('.row').textContent"
	chosen := get[string](p, row)
	for _, text := range []string{"Next anomaly", "Zoom in", "Later", "Show all", get[string](p, "document.querySelector('.exact button').textContent")} {
		if !get[bool](p, fmt.Sprintf("(() => { const b = [...document.querySelectorAll('button')].find((b) => b.textContent === %q); b.focus(); return document.activeElement === b && b.matches(':focus-visible') })()", text)) {
			t.Errorf("%s has no visible focus", text)
		}
		p.press(kb.Enter)
	}
	if get[string](p, row) == chosen {
		t.Error("the next row is the same")
	}
	if after := get[string](p, summary); after != before {
		t.Errorf("with the model's threshold again: got %q, want %q", after, before)
	}
	p.run(chromedp.Focus(chromedp.CSS(".listed > summary")))
	p.press(kb.Enter)
	p.until("document.querySelectorAll('.listed tbody tr').length === 500")
	p.run(chromedp.Evaluate[chromedp.Void]("[...document.querySelectorAll('button')].find((b) => b.textContent === 'Zoom in').focus()"))
	p.press(slices.Repeat([]string{kb.Enter}, 5)...)
	p.until("document.querySelectorAll('.listed tbody tr').length < 80")
	// The headline names the sensors of events, and the values of an event's sensor are shown beside what was expected.
	names := s.names(t)
	for _, sensor := range names[3:5] {
		p.until(fmt.Sprintf("document.querySelector('.summary').textContent.includes(%q)", sensor))
	}
	p.run(chromedp.Evaluate[chromedp.Void]("[...document.querySelectorAll('button')].find((b) => b.textContent === 'Show all').click()"), chromedp.Focus(chromedp.CSS(".link")))
	p.until("document.querySelectorAll('.listed tbody tr').length === 500")
	p.press(kb.Enter)
	p.until(fmt.Sprintf("!document.querySelector('figure:has(h3)').hidden && document.querySelector('h3').textContent.includes(%q)", names[3]))
	if n := get[int](p, "document.querySelectorAll('figure:has(h3) tbody tr').length"); n != 69 {
		t.Errorf("got the values of %d rows, want 30 before the event, 9 of it and 30 after it", n)
	}
	p.until("(() => { const n = document.querySelectorAll('.listed tbody tr').length; return n > 0 && n < 500 })()") // the chart shows the event alone
	if !get[bool](p, "document.querySelector('.link').matches('[aria-current=true]')") {
		t.Error("the chosen event is not marked in the list")
	}
}

// The page joins anomalies to the events that score tells.
func TestEventsAreThoseOfScore(t *testing.T) {
	s := serve(t, "0")
	file := csv(t, "events.csv", s.names(t), 3000)
	score := exec.Command("./collabdict", "score", "o/plant-a", file, "--json")
	score.Dir = folder
	out, err := score.Output()
	if err != nil {
		t.Fatal(err)
	}
	var told struct {
		Anomalies int
		Events    []struct {
			Start, End string
			Anomalies  int
		}
	}
	if err := json.Unmarshal(out, &told); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var want []string
	for _, e := range told.Events {
		want = append(want, fmt.Sprintf("%s|%s|%d", e.Start, e.End, e.Anomalies))
	}
	p := open(t, s)
	p.until("document.querySelector('.empty pre')")
	p.choose(file)
	p.until(scored)
	got := get[[]string](p, "[...document.querySelectorAll('.link')].map((b) => [0, 1, 5].map((i) => b.closest('tr').children[i]).map((c) => c.querySelector('[title]')?.title ?? c.textContent).join('|'))")
	if len(want) < 3 || !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A part of the chart is chosen by the pointer, and a click explains a row.
func TestTheChartByPointer(t *testing.T) {
	s := serve(t, "0")
	file := csv(t, "pointer.csv", s.names(t), 1000)
	p := open(t, s)
	p.until("document.querySelector('.empty pre')")
	p.choose(file)
	p.until(scored + " && document.querySelector('.u-over')")
	box := get[[]float64](p, "(() => { const r = document.querySelector('.u-over').getBoundingClientRect(); return [r.left, r.top, r.width, r.height] })()")
	at := func(x float64) (float64, float64) { return box[0] + x*box[2], box[1] + box[3]/2 }
	x, y := at(0.495) // rows 491 to 499 of 1,000
	p.run(chromedp.MouseClickXY(x, y))
	p.until("document.querySelector('.row')?.textContent.match(/Row 49[0-9]|Row 500/)")
	fromX, fromY := at(0.2)
	toX, toY := at(0.4)
	p.run(chromedp.DragAndDropXY(fromX, fromY, toX, toY))
	x, y = at(0.5) // row 300 of what is shown now
	p.run(chromedp.MouseClickXY(x, y))
	p.until("document.querySelector('.row').textContent.match(/Row (29[0-9]|30[0-9]|31[0-9])/)")
}

// A large file is scored and drawn within two seconds, on two processors that nothing else uses.
func TestALargeFile(t *testing.T) {
	s := serve(t, "0")
	file := csv(t, "large.csv", s.names(t), rows)
	p := open(t, s)
	p.until("document.querySelector('.empty pre')")
	begin := time.Now()
	p.choose(file)
	p.until(scored)
	took := time.Since(begin)
	t.Logf("%d rows of %d columns: %s", rows, columns, took)
	if text := get[string](p, counts); !strings.Contains(text, "100,000 rows") {
		t.Errorf("got %q", text)
	}
	if took > 30*time.Second {
		t.Errorf("it took %s", took)
	}
}

// Errors of files say where they are, and the page goes on.
func TestFilesThatCannotBeScored(t *testing.T) {
	s := serve(t, "0")
	names := s.names(t)
	p := open(t, s, "422 for")
	p.until("document.querySelector('.empty pre')")
	for name, text := range map[string]string{
		"empty.csv":  "",
		"other.csv":  "x,y\n1,2\n",
		"script.csv": "<script>alert(1)</script>\n1\n",
	} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		p.choose(path)
		p.until("document.querySelector('.notice strong')?.textContent.includes(" + fmt.Sprintf("%q", name) + ")")
		if get[int](p, "document.querySelectorAll('script').length") != 1 {
			t.Error("the file's text became a script")
		}
	}
	bad := csv(t, "bad.csv", names, 20)
	text, err := os.ReadFile(bad)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(bad, []byte(strings.Replace(string(text), "2026-11-07 06:10:00,", "2026-11-07 06:10:00,1,2,", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	p.choose(bad)
	p.until("document.querySelector('.notice').textContent.includes('bad.csv')")
	if got := get[string](p, "document.querySelector('.notice').textContent"); !strings.Contains(got, "Line 12:") {
		t.Errorf("got %q", got)
	}
	p.choose(csv(t, "good.csv", names, 20))
	p.until(scored + " && document.querySelector('.notice').hidden")
}

// The curve of a source grows as rows come, also after the server was gone.
func TestASourceLive(t *testing.T) {
	s := serve(t, "0")
	names := s.names(t)
	p := open(t, s, "401 for")
	p.until("document.querySelector('.empty pre')")
	send := func(n int) {
		t.Helper()
		text, err := os.ReadFile(csv(t, "live.csv", names, n))
		if err != nil {
			t.Fatal(err)
		}
		if code := s.ask(t, http.MethodPost, "/v1/score?source=press%207", "text/csv", string(text)); code != http.StatusOK {
			t.Fatal(code)
		}
	}
	send(100)
	p.until("!document.querySelector('#source').disabled")
	p.run(chromedp.SetValue(chromedp.CSS("#source"), "press 7"), chromedp.Evaluate[chromedp.Void]("document.querySelector('#source').dispatchEvent(new Event('change'))"))
	p.until(scored + " && document.querySelector('.summary + p').textContent.includes('100 rows')")
	send(600)
	p.until("document.querySelector('.summary + p').textContent.includes('700 rows')")
	p.until("document.querySelector('#status').textContent.includes('event')")
	p.run(chromedp.Focus(chromedp.CSS(".link")))
	send(600)
	p.until("document.querySelector('.summary + p').textContent.includes('1,300 rows')")
	if !get[bool](p, "document.activeElement.matches('.link')") {
		t.Error("the focus is lost as rows come")
	}
	s.stop()
	p.until("!document.querySelector('#problem').hidden")
	serve(t, s.origin[strings.LastIndex(s.origin, ":")+1:])
	p.until("document.querySelector('#problem').textContent.includes('prints now')")
}

// The page says how an event ends: by normal rows, by a row without numbers, by a gap in time, or by the end of the data. It
// says where the sensor went.
func TestEndsOfEvents(t *testing.T) {
	s := serve(t, "0")
	text, err := os.ReadFile(csv(t, "ends.csv", s.names(t), 2100))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")[:2001] // to the end of the fourth event; row i is line i
	time, _, _ := strings.Cut(lines[501], ",")
	lines[501] = time + strings.Repeat(",", columns)
	lines = slices.Delete(lines, 1501, 1561) // an hour after the third event
	path := filepath.Join(folder, "ends.csv")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	p := open(t, s)
	p.until("document.querySelector('.empty pre')")
	p.choose(path)
	p.until(scored + " && [...document.querySelectorAll('.causes')].every((c) => c.textContent.length > 1)")
	ends := get[[]string](p, "[...document.querySelectorAll('.link')].map((b) => b.closest('tr').querySelector('.ending')?.textContent ?? '')")
	if len(ends) != 4 || !strings.Contains(ends[0], "14:20") || ends[1] != "" || !strings.Contains(ends[2], "08:00") || ends[3] == "" || strings.Contains(ends[3], ":") {
		t.Errorf("got %q, want a row without numbers at 14:20, nothing, a gap until 08:00, and the end of the data", ends)
	}
	causes := get[[]string](p, "[...document.querySelectorAll('.causes')].map((c) => c.textContent)")
	for i, want := range []string{"rose to 1.6", "rose to 2.1", "fell to 0.3", "rose to 3.1"} {
		if !strings.Contains(causes[i], want) {
			t.Errorf("event %d: got %q, want %q", i, causes[i], want)
		}
	}
	if got := get[string](p, "document.querySelector('.summary').textContent"); !strings.Contains(got, "rose to 1.6–3.1 times") || !strings.Contains(got, "fell to 0.3 times") {
		t.Errorf("got %q", got)
	}
	// A source is chosen before the sensors of a file's events are asked for.
	get[bool](p, `(() => {
		document.querySelector('#threshold').dispatchEvent(new Event('input'));
		document.querySelector('#source').dispatchEvent(new Event('change'));
		return new Promise((then) => setTimeout(() => then(true), 400));
	})()`)
}

// The page says what the model misses, which part of the chart is shown, and lists rows in time on request.
func TestWhatIsShown(t *testing.T) {
	s := serve(t, "0")
	p := open(t, s)
	p.until("document.querySelector('.empty pre')")
	if got, want := get[string](p, "document.querySelector('.header').textContent"), "time,"+strings.Join(s.names(t), ","); got != want {
		t.Errorf("got the header %q, want %q", got, want)
	}
	p.choose(csv(t, "shown.csv", s.names(t), 2000))
	p.until(scored + " && document.querySelector('.part').textContent.includes('2026-11-07 06:00 – 2026-11-08 15:19')")
	if got := get[string](p, counts+" + ' ' + document.querySelector('.summary + p + p').textContent"); !regexp.MustCompile(`found \d+.* 5 normal rows in 8 hours`).MatchString(got) {
		t.Errorf("got %q", got)
	}
	if got := get[[]string](p, "[...document.querySelectorAll('.events tbody td:last-child')].map((c) => c.textContent)"); len(got) != 4 || slices.ContainsFunc(got, func(text string) bool { return !regexp.MustCompile(`^\d+\.\d\d$`).MatchString(text) }) {
		t.Errorf("got the peaks %q, want two decimals each", got)
	}
	p.run(chromedp.Click(chromedp.CSS(".link")))
	p.until("/2026-11-07 13:3\\d – 14:5\\d of 2026-11-07 06:00/.test(document.querySelector('.part').textContent)")
	p.run(chromedp.Click(chromedp.CSS(".part button")))
	p.until("!document.querySelector('.part').textContent.includes('13:3')")
	// A click with the mouse would miss the list if the page moves at that moment.
	p.run(chromedp.Evaluate[chromedp.Void]("document.querySelector('.listed > summary').click()"), chromedp.SetValue(chromedp.CSS("#order"), "time"), chromedp.Evaluate[chromedp.Void]("document.querySelector('#order').dispatchEvent(new Event('change'))"))
	p.until("[...document.querySelectorAll('.listed tbody th')].slice(0, 3).map((c) => c.textContent).join() === '1,2,3'")
	text, err := os.ReadFile(filepath.Join(folder, "shown.csv"))
	if err != nil {
		t.Fatal(err)
	}
	european := strings.NewReplacer(",", ";", ".", ",").Replace(string(text))
	european = regexp.MustCompile(`(?m)^(\d+)-(\d+)-(\d+) (\d+:\d+):\d+`).ReplaceAllString(european, "$3.$2.$1 $4")
	path := filepath.Join(folder, "european.csv")
	if err := os.WriteFile(path, []byte(european), 0o600); err != nil {
		t.Fatal(err)
	}
	p.choose(path)
	p.until("document.querySelector('.part').textContent.includes('2026-11-07 06:00 – 2026-11-08 15:19') && document.querySelector('.summary').textContent.includes('fell to 0.3')")
	p.size(390, 900, "light")
	p.until("document.querySelector('.events').compareDocumentPosition(document.querySelector('.content > figure')) === Node.DOCUMENT_POSITION_FOLLOWING")
}
