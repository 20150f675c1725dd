package cli

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/internal/config"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/files"
	"github.com/collabdict/collabdict/internal/ops/web"
	"github.com/collabdict/collabdict/internal/run/local"
	"github.com/collabdict/collabdict/internal/serve"
)

const (
	// tokenFile has the token of programs that send rows, and seriesFolder what the sources' next rows need.
	tokenFile    = "serve.token"
	seriesFolder = "series"
	// watchModel is the time after which a new model is noticed.
	watchModel = 2 * time.Second
	// mostClients is the number of requests scored at a time, and mostSources that of series in memory.
	mostClients = 64
	mostSources = 1000
	// idleClient is the time after which a request that sends nothing ends.
	idleClient = time.Minute
)

// serveFlags say what to serve, and to whom.
type serveFlags struct {
	scoredFlags
	listen, token, cert, key string
}

func (a *app) serve() *cobra.Command {
	var s serveFlags
	cmd := &cobra.Command{
		Use: "serve MODEL", Short: "Score rows over HTTP",
		Long: `serve scores rows by the model in a participant's folder. It needs no other member. It prints the address of
a page, which opens once: there you score files, watch sources, and see the model. Programs send rows:

  POST /v1/score   scores of one row, a batch or a stream: JSON, JSON lines or CSV
  GET /v1/model    the model, its columns, and its thresholds
  GET /v1/components   weights, means and dependencies of a mixture
  GET /v1/sources  the sources so far
  GET /v1/scores   scores of a source as they come, as server-sent events
  GET /v1/events   events as they begin and end, as server-sent events
  GET /openapi.json   all of these, described by OpenAPI 3.1
  GET /metrics     numbers of rows, anomalies and missing cells, for Prometheus
  GET /healthz, /readyz

Rows with the same ?source=NAME are one series: windows, rolling thresholds and events go on from one
request to the next, also after a crash. Rules in alarms.yaml beside the model apply, as for score. Its
webhook gets each event as it begins and ends.

A program sends the token in serve.token beside the model, as Authorization: Bearer TOKEN. serve listens
on this machine alone, unless --listen names another address; that needs --tls-cert and --tls-key.

A new model in the folder is loaded at once, and requests that have begun keep theirs.`,
		Example: `  collabdict serve plant-a
  token="Authorization: Bearer $(cat plant-a/serve.token)"
  curl -H "$token" --data-binary @today.csv -H 'Content-Type: text/csv' \
    'http://127.0.0.1:8086/v1/score?source=press-7'
  curl -H "$token" http://127.0.0.1:8086/v1/model
  curl -H "$token" --no-buffer http://127.0.0.1:8086/v1/events
  curl -H "$token" http://127.0.0.1:8086/metrics
  curl -H "$token" http://127.0.0.1:8086/openapi.json
  curl http://127.0.0.1:8086/healthz
  curl http://127.0.0.1:8086/readyz`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.take(args)
			return a.serveModel(cmd.Context(), &s)
		},
	}
	f := cmd.Flags()
	f.StringVar(&s.model, "model", "", "model `FILE`, or the folder that it is in")
	f.StringVar(&s.timeColumn, "time-column", "", timeColumnHelp)
	s.thresholdFlags.add(cmd)
	addOwn(cmd, &s.own)
	s.addWith(cmd)
	s.addAlarms(cmd)
	f.StringVar(&s.listen, "listen", "127.0.0.1:8086", "`ADDRESS` to listen on")
	f.StringVar(&s.token, "token-file", "", "`FILE` with the token of programs; it is made if it is missing (default "+tokenFile+" beside the model)")
	f.StringVar(&s.cert, "tls-cert", "", "`FILE` with a certificate, in PEM")
	f.StringVar(&s.key, "tls-key", "", "`FILE` with its key, in PEM")
	return cmd
}

// serveModel serves until the context ends.
func (a *app) serveModel(ctx context.Context, s *serveFlags) error {
	host, _, err := net.SplitHostPort(s.listen)
	if err != nil {
		return &flagError{"listen", fmt.Sprintf("want an address such as 127.0.0.1:8086, got %q", s.listen), ""}
	}
	secure, names, err := s.certificate()
	if err != nil {
		return err
	}
	if secure == nil && !web.Local(host) {
		return &flagError{"tls-cert", "missing, but others can connect to " + s.listen, "name a certificate and its key, or listen on 127.0.0.1"}
	}
	if s.model, err = modelIn(s.model); err != nil {
		return err
	}
	folder, seen := filepath.Dir(s.model), s.state()
	hook := serve.NewWebhook(time.After, rand.Reader, a.note)
	defer hook.Close()
	server, err := serve.New(serve.Config{
		Version: release, Load: func() (*serve.Loaded, error) { return s.loaded(a) }, Folder: filepath.Join(folder, seriesFolder),
		Sources: mostSources, Clients: mostClients, Idle: idleClient, Done: ctx.Done(), Now: time.Now, After: time.After, Webhook: hook,
	})
	if err != nil {
		return err
	}
	if s.token == "" {
		s.token = filepath.Join(folder, tokenFile)
	}
	token, err := readToken(s.token)
	if err != nil {
		return err
	}
	if err := files.MkdirPrivate(filepath.Join(folder, seriesFolder)); err != nil {
		return err
	}
	l, err := net.Listen("tcp", s.listen)
	if err != nil {
		return &flagError{"listen", err.Error(), "name another address"}
	}
	scheme := "http"
	if secure != nil {
		l, scheme = tls.NewListener(l, secure), "https"
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	guard := web.NewGuard(token, port, web.Hosts(host, names...), nil, serve.Open...)
	h := web.NewServer(guard.Wrap(server.Handler()))
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(l) }()
	a.note("scores at %s://%s/v1/score, with the token in %s", scheme, l.Addr(), s.token)
	a.note("page at %s", guard.Address(scheme+"://"+net.JoinHostPort(visited(host, names), port)))
	go s.watch(ctx, a, server, seen)
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if h.Shutdown(ending) == nil {
		return nil
	}
	return h.Close()
}

// visited returns the host to open a page at, for a server that listens on a host, with a certificate of names.
func visited(host string, names []string) string {
	i := slices.IndexFunc(names, func(name string) bool { return !strings.Contains(name, "*") })
	switch ip := net.ParseIP(host); {
	case i >= 0:
		return names[i]
	case host == "" || ip != nil && ip.IsUnspecified():
		return "localhost"
	}
	return host
}

// loaded loads the model for a server.
func (s *serveFlags) loaded(a *app) (*serve.Loaded, error) {
	of := s.scoredFlags
	of.data, of.missing = []string{"-"}, dataset.KeepMissing
	text, err := os.ReadFile(of.model)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(of.model)
	if err != nil {
		return nil, err
	}
	m, spec, err := of.load(a)
	if err != nil {
		return nil, err
	}
	if err := a.complete(m, &of); err != nil {
		return nil, err
	}
	if err := of.readRules(m); err != nil {
		return nil, err
	}
	if _, err := of.threshold(m); err != nil {
		return nil, err
	}
	digest := sha256.Sum256(text)
	return &serve.Loaded{
		Model: m, Spec: spec, Rules: &of.rules, Promised: of.promise(m), Digest: hex.EncodeToString(digest[:]), Written: info.ModTime(),
		Limits: func() *local.Threshold {
			t, err := of.threshold(m)
			if err != nil { // it was made above
				panic("cli: " + err.Error())
			}
			return t
		},
	}, nil
}

// state returns what changes with any of the model's files.
func (s *serveFlags) state() (all string) {
	for _, path := range []string{s.model, ownBeside(s.model), localBeside(s.model), s.alarmsPath(), filepath.Join(filepath.Dir(s.model), config.NodeFile)} {
		if info, err := os.Stat(path); err == nil {
			all += fmt.Sprint(path, info.Size(), info.ModTime().UnixNano(), "\n")
		}
	}
	return all
}

// watch loads the model again whenever one of its files differs from what was seen.
func (s *serveFlags) watch(ctx context.Context, a *app, server *serve.Server, seen string) {
	folder := filepath.Dir(s.model)
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(watchModel):
		}
		now := s.state()
		if now == seen {
			continue
		}
		// Files of a run are written one after another, so the first of them may not fit the others yet.
		if err := server.Reload(); err != nil {
			a.note("warning: the model in %s has changed, but cannot be loaded, so the one before scores on: %v", folder, err)
		} else {
			a.note("loaded the new model in %s", folder)
		}
		seen = now
	}
}

// certificate returns the certificate to serve with, and the names of hosts in it; nil for none.
func (s *serveFlags) certificate() (*tls.Config, []string, error) {
	if s.cert == "" && s.key == "" {
		return nil, nil, nil
	}
	c, err := tls.LoadX509KeyPair(s.cert, s.key)
	if err != nil {
		return nil, nil, &flagError{"tls-cert", err.Error(), "name a certificate and its key, both in PEM"}
	}
	leaf, err := x509.ParseCertificate(c.Certificate[0])
	if err != nil {
		return nil, nil, &flagError{"tls-cert", err.Error(), "name a certificate and its key, both in PEM"}
	}
	return &tls.Config{Certificates: []tls.Certificate{c}, MinVersion: tls.VersionTLS12}, slices.Clone(leaf.DNSNames), nil
}

// readToken reads a token, or makes one.
func readToken(path string) (string, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		token := web.NewToken(nil)
		return token, files.WriteBytes(path, 0o600, []byte(token+"\n"))
	}
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	if len(token) < 16 {
		return "", &flagError{"token-file", fmt.Sprintf("want a token of at least 16 characters in %s, got %d", path, len(token)), "remove the file, and a new one is made"}
	}
	return token, nil
}
