package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/collabdict/collabdict/internal/serve"
	"github.com/collabdict/collabdict/internal/testkit"
)

// A server that is killed twenty times, also in the middle of requests, and whose model is written anew
// meanwhile, loses no row that it has acknowledged: the windows of a source are those of one long request.
func TestServerIsKilled(t *testing.T) {
	testkit.LongOnly(t)
	dir := t.TempDir()
	train := start(t, dir, "sim", "--generate", "participants=3,rows=200,columns=3,patterns=2", "--window", "6", "--components", "3", "--rounds", "5", "--out", "o")
	if code, said := train.end(t); code != 0 {
		t.Fatal(said)
	}
	random := rand.New(rand.NewPCG(1, 2))
	var rows []string
	for range 400 {
		rows = append(rows, fmt.Sprintf(`{"temp_1": %.3f, "flow_2": %.3f, "pressure_3": %.3f}`, 68+4*random.NormFloat64(), 12.5+random.NormFloat64(), 5+0.3*random.NormFloat64()))
	}
	folder := filepath.Join(dir, "o", "plant-a")
	client := &http.Client{Timeout: time.Minute}
	var address, token string
	begin := func() *member {
		s := start(t, dir, "serve", folder, "--listen", "127.0.0.1:0")
		address = s.until(t, `scores at (http://\S+/v1/score)`)[1]
		text, err := os.ReadFile(filepath.Join(folder, "serve.token"))
		if err != nil {
			t.Fatal(err)
		}
		token = strings.TrimSpace(string(text))
		return s
	}
	send := func(source, body string) (*serve.Scored, error) {
		r, err := http.NewRequest(http.MethodPost, address+"?source="+source, strings.NewReader(body))
		if err != nil {
			return nil, err
		}
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		a, err := client.Do(r)
		if err != nil {
			return nil, err
		}
		defer a.Body.Close()
		text, err := io.ReadAll(a.Body)
		if err == nil && a.StatusCode != http.StatusOK {
			err = fmt.Errorf("%s: %s", a.Status, text)
		}
		scored := &serve.Scored{}
		if err == nil {
			err = json.Unmarshal(text, scored)
		}
		return scored, err
	}
	scores := func(s *serve.Scored) (all []string) {
		for _, r := range s.Rows {
			all = append(all, fmt.Sprint(r.Row, " ", *r.Score))
		}
		return all
	}
	s := begin()
	whole, err := send("whole", "["+strings.Join(rows, ",")+"]")
	if err != nil {
		t.Fatal(err)
	}
	want := scores(whole)
	var got []string
	for next := 0; next < len(rows); {
		var others sync.WaitGroup // whose requests the kill may cut
		for i := range 3 {
			others.Go(func() {
				for n := range 50 {
					if _, err := send(fmt.Sprint("other-", i), rows[n]); err != nil {
						return
					}
				}
			})
		}
		for to := min(len(rows), next+20); next < to; {
			n := min(to-next, 1+random.IntN(4))
			of, err := send("v", "["+strings.Join(rows[next:next+n], ",")+"]")
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, scores(of)...)
			next += n
		}
		if err := s.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		others.Wait()
		<-s.done
		s = begin()
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	// A model that is written anew is loaded without losing a request.
	file := filepath.Join(folder, "model.npz")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan bool)
	var clients sync.WaitGroup
	for i := range 4 {
		clients.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if _, err := send(fmt.Sprint("client-", i), rows[i]); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	if err := os.WriteFile(file+".new", bytes.Clone(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		t.Fatal(err)
	}
	s.until(t, `loaded the new model`)
	close(stop)
	clients.Wait()
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
}
