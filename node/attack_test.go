package node

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/protocol"
	quic "github.com/libp2p/go-libp2p/p2p/transport/quic"
	"github.com/libp2p/go-libp2p/p2p/transport/tcp"
	"github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"

	"github.com/collabdict/collabdict/internal/config"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/node/internal/nodetest"
	"github.com/collabdict/collabdict/node/internal/rendezvous"
)

// Strangers in a process of their own attack one of four member processes. Their work is
// bounded, and so must be the memory and the processor time that the member spends. With
// testkit.Full, the attack is ten times as long, and the time per round is checked, too.
var (
	shortAttack = attack{Identities: 400, Streams: 4_000, Junk: 100 << 20, Time: 6 * time.Second}
	fullAttack  = attack{Identities: 10_000, Streams: 100_000, Junk: 1 << 30, Time: time.Minute}
)

const (
	memoryMost    = 32 << 20 // bytes by which the attacked member may grow
	processorMost = 1.25     // factor by which a round may take longer in the long attack
)

func TestStrangersAttackAMember(t *testing.T) {
	testkit.SkipRaced(t) // the program is built without the detector
	testkit.LongOnly(t)
	if runtime.GOOS != "linux" {
		t.Skip("reads what a process holds from /proc")
	}
	a, rows, components := shortAttack, 2000, "8"
	full := testkit.Full
	if full {
		a, rows, components = fullAttack, 100_000, "24" // a round that takes some time to compute
	} else {
		t.Parallel()
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "collabdict")
	if out, err := exec.Command("go", "build", "-o", program, "../cmd/collabdict").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// A first run creates folders with a list of members and free ports.
	command(t, program, dir, "up", "--generate", fmt.Sprintf("participants=4,rows=%d,columns=20,patterns=5", rows), "--components", components,
		"--rounds", "2", "--tol", "0", "--out", "o").succeeds(t)
	s := begin(t, dir, program)
	first := s.now
	s.watch(t, nil, first.round+40)
	quiet, before := s.peak, s.now
	attackers := s.attack(t, a)
	s.watch(t, attackers.done, endless)
	t.Log(attackers.report(t))
	during := s.now
	s.watch(t, nil, during.round+10) // the run continues
	s.interrupt(t)
	t.Logf("%s of processor time per round undisturbed, %s under attack, in rounds %d to %d; %d MiB before, at most %d MiB",
		before.each(first), during.each(before), before.round, during.round, quiet>>20, s.peak>>20)
	if grown := s.peak - quiet; grown > memoryMost {
		t.Errorf("the attacked member has grown by %d MiB, want at most %d", grown>>20, memoryMost>>20)
	}
	if ratio := float64(during.each(before)) / float64(before.each(first)); full && ratio > processorMost {
		t.Errorf("a round takes %.2f times the processor time under attack, want at most %.2f", ratio, processorMost)
	}
}

// A siege is a run of four processes; the test watches one of them.
type siege struct {
	victim     *process
	others     []*process
	consortium *config.Consortium
	now        sample
	peak       int64
}

// A sample is the victim's work and memory when it reported a round.
type sample struct {
	round     int
	processor time.Duration
	memory    int64
}

func (s sample) each(since sample) time.Duration {
	return (s.processor - since.processor) / time.Duration(max(1, s.round-since.round))
}

const endless = 100_000 // rounds; more than a test waits for

// begin starts an endless run in the folders of an earlier run of two rounds. It returns when
// the run is in its second round.
func begin(t *testing.T, dir, program string) *siege {
	t.Helper()
	s := &siege{}
	path := filepath.Join(dir, "o", "consortium.yaml")
	text, err := os.ReadFile(path)
	if err == nil {
		text = []byte(strings.Replace(string(text), "\n  rounds: 2\n", fmt.Sprintf("\n  rounds: %d\n", endless), 1))
		err = os.WriteFile(path, text, 0o600)
	}
	if err == nil {
		s.consortium, err = config.ReadConsortium(path)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range s.consortium.Members {
		p := command(t, program, dir, "run", "--unsigned", "--verbose", "--dir", filepath.Join("o", m.Name))
		if s.victim == nil {
			s.victim = p
		} else {
			s.others = append(s.others, p)
		}
	}
	s.victim.says(t, "round 2/")
	s.look("round 2/")
	return s
}

// interrupt ends all processes, and fails the test if one has ended before.
func (s *siege) interrupt(t *testing.T) {
	t.Helper()
	for _, p := range append(s.others, s.victim) {
		if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		for range p.lines {
		}
		if code := p.cmd.ProcessState.ExitCode(); code != 130 {
			t.Errorf("%s has ended with %v, want the exit code 130 of an interrupt", strings.Join(p.cmd.Args[1:], " "), p.cmd.ProcessState)
		}
	}
}

var roundLine = regexp.MustCompile(`round (\d+)/`)

// watch takes a sample per round, until something ends or the run reaches a round.
func (s *siege) watch(t *testing.T, until <-chan struct{}, round int) {
	t.Helper()
	look := time.NewTicker(20 * time.Millisecond) // memory peaks between rounds
	defer look.Stop()
	stands := time.NewTimer(3 * nodetest.Within)
	for s.now.round < round {
		select {
		case <-stands.C:
			t.Fatalf("the attacked member has printed nothing since round %d", s.now.round)
		case <-look.C:
			s.now.memory = residentOf(s.victim.cmd.Process.Pid, s.now.memory)
			s.peak = max(s.peak, s.now.memory)
		case line, running := <-s.victim.lines:
			if !running {
				t.Fatalf("the attacked member has ended with %v", s.victim.cmd.ProcessState)
			}
			s.look(line)
			stands.Reset(3 * nodetest.Within)
		case <-until:
			return
		}
	}
}

// look takes a sample if the victim reports the end of a round.
func (s *siege) look(line string) {
	if m := roundLine.FindStringSubmatch(line); m != nil {
		s.now.round, _ = strconv.Atoi(m[1])
		s.now.processor = processorOf(s.victim.cmd.Process.Pid, s.now.processor)
	}
}

// residentOf returns a process's resident memory outside of files, or the last value if it has
// ended.
func residentOf(pid int, last int64) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return last
	}
	for line := range strings.Lines(string(b)) {
		if text, is := strings.CutPrefix(line, "RssAnon:"); is {
			if kb, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "kB")), 10, 64); err == nil {
				return kb << 10
			}
		}
	}
	return last
}

// processorOf returns the processor time of a process, or the last value if it has ended.
func processorOf(pid int, last time.Duration) time.Duration {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return last
	}
	fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond // USER_HZ is 100 on all Linux architectures that Go supports
}

// attackers is a process that attacks.
type attackers struct {
	done   chan struct{}
	output []byte
	err    error
}

func (s *siege) attack(t *testing.T, a attack) *attackers {
	t.Helper()
	first := s.consortium.Members[0]
	for _, addr := range first.Addrs {
		a.addrs = append(a.addrs, addr+"/p2p/"+first.ID)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("nice", "-n", "19", self, "-test.run=^TestAttackers$", "-test.v")
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", attackVariable+"="+a.String())
	r := &attackers{done: make(chan struct{})}
	go func() {
		defer close(r.done)
		r.output, r.err = cmd.CombinedOutput()
	}()
	return r
}

// report returns the counts of the attackers' actions.
func (r *attackers) report(t *testing.T) string {
	t.Helper()
	if r.err != nil {
		t.Errorf("%v\n%s", r.err, r.output)
	}
	for line := range strings.Lines(string(r.output)) {
		if _, did, is := strings.Cut(line, "attacked: "); is {
			return "attacked: " + strings.TrimSpace(did)
		}
	}
	return string(r.output)
}

const attackVariable = "COLLABDICT_ATTACK_ON"

// attack makes strangers attack for the given time.
type attack struct {
	Identities, Streams int
	Junk                int64
	Time                time.Duration
	addrs               []string
}

func (a attack) String() string {
	return fmt.Sprintf("%d %d %d %d %s", a.Identities, a.Streams, a.Junk, a.Time, strings.Join(a.addrs, " "))
}

// TestAttackers is the main function of the attacking process.
func TestAttackers(t *testing.T) {
	var a attack
	text := os.Getenv(attackVariable)
	if text == "" {
		t.Skip("is started by TestStrangersAttackAMember")
	}
	if _, err := fmt.Sscan(text, &a.Identities, &a.Streams, &a.Junk, (*int64)(&a.Time)); err != nil {
		t.Fatal(err)
	}
	f := &force{attack: a}
	for _, addr := range strings.Fields(text)[4:] {
		to, err := peer.AddrInfoFromString(addr)
		if err != nil {
			t.Fatal(err)
		}
		f.to = append(f.to, *to)
	}
	ctx, cancel := context.WithTimeout(t.Context(), a.Time)
	defer cancel()
	var work sync.WaitGroup
	for i := range 32 {
		work.Go(func() { f.identities(ctx, i) })
	}
	work.Go(func() { f.raw(ctx) })
	work.Wait()
	t.Logf("attacked: %d identities, %d connections past the handshake, %d streams of %d tried, %d MiB of junk", f.made.Load(), f.connected.Load(), f.opened.Load(), f.tried.Load(), f.sent.Load()>>20)
	if f.made.Load() < int64(a.Identities) {
		t.Logf("attacked: fewer identities than %d in %s: this machine is slow", a.Identities, a.Time)
	}
}

// A force is a group of attackers at work.
type force struct {
	attack
	to                                   []peer.AddrInfo // one per address
	made, connected, tried, opened, sent atomic.Int64
}

// protocols holds all protocols that a member answers, and one that it does not know.
func (f *force) protocols() []protocol.ID {
	return []protocol.ID{
		rendezvous.HelloProtocol, "/ipfs/id/1.0.0", "/ipfs/id/push/1.0.0", "/meshsub/1.2.0", "/meshsub/1.1.0", "/floodsub/1.0.0",
		"/collabdict/0000000000000000/data/1", "/libp2p/circuit/relay/0.2.0/stop", "/nothing/1",
	}
}

// identities makes one host after another, each with a connection and its share of streams.
func (f *force) identities(ctx context.Context, worker int) {
	for n := worker; ctx.Err() == nil && f.made.Load() < int64(f.Identities); n++ {
		f.made.Add(1)
		h, err := libp2p.New(libp2p.NoListenAddrs, libp2p.Transport(tcp.NewTCPTransport), libp2p.Transport(quic.NewTransport),
			libp2p.ResourceManager(&network.NullResourceManager{}), libp2p.DisableMetrics(), libp2p.DisableRelay(), libp2p.Ping(false))
		if err != nil {
			continue
		}
		f.connect(ctx, h, f.to[n%len(f.to)])
		h.Close()
	}
}

func (f *force) connect(ctx context.Context, h host.Host, to peer.AddrInfo) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	h.Peerstore().AddAddrs(to.ID, to.Addrs, time.Minute)
	c, err := h.Network().DialPeer(ctx, to.ID)
	if err != nil {
		return
	}
	f.connected.Add(1)
	each := 2 * f.Streams / f.Identities
	if f.opened.Load() < int64(f.Streams) { // hosts that are admitted make up for the others
		each = f.Streams
	}
	for i := 0; i < each && ctx.Err() == nil && !c.IsClosed(); i++ {
		f.tried.Add(1)
		s, err := c.NewStream(ctx)
		if err != nil {
			continue
		}
		f.opened.Add(1)
		f.junk(s, f.protocols()[i%len(f.protocols())], i)
	}
}

// junk opens a stream of a protocol and sends partial, too large or meaningless frames. The
// stream stays open until the connection ends.
func (f *force) junk(s network.Stream, p protocol.ID, kind int) {
	_ = s.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
	for _, line := range []string{"/multistream/1.0.0\n", string(p) + "\n"} {
		f.write(s, append(binary.AppendUvarint(nil, uint64(len(line))), line...))
	}
	body := make([]byte, 256<<10)
	_, _ = rand.Read(body[:1<<10])
	switch kind % 4 {
	case 0: // a length, and fewer bytes than it promises
		f.write(s, binary.LittleEndian.AppendUint32(nil, wire.Segment))
	case 1: // endless full frames
		f.write(s, append(binary.LittleEndian.AppendUint32(nil, wire.Segment), 1, 0, 0, 0, 0))
		f.write(s, body)
	case 2: // a varint length of 512 KiB, and half the bytes
		f.write(s, binary.AppendUvarint(nil, 512<<10))
		f.write(s, body)
	default:
		f.write(s, body)
	}
}

func (f *force) write(w io.Writer, b []byte) {
	n, _ := w.Write(b)
	f.sent.Add(int64(n))
}

// raw sends bytes that are no handshake over TCP and UDP, at a fixed rate.
func (f *force) raw(ctx context.Context) {
	junk := make([]byte, 1<<20)
	_, _ = rand.Read(junk)
	began := time.Now()
	for i := 0; ctx.Err() == nil && f.sent.Load() < f.Junk; i++ {
		if due := time.Duration(float64(f.Time) * float64(f.sent.Load()) / float64(f.Junk)); due > time.Since(began) {
			<-time.After(due - time.Since(began))
		}
		c, err := f.dial(f.to[i%len(f.to)].Addrs[0])
		if err != nil {
			<-time.After(time.Millisecond)
			continue
		}
		_ = c.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
		if _, isUDP := c.(*net.UDPConn); isUDP {
			for at := 0; at+1200 <= len(junk) && ctx.Err() == nil; at += 1200 {
				f.write(c, append([]byte{0xc3, 0, 0, 0, 1}, junk[at:at+1195]...))
			}
		} else {
			f.write(c, junk)
		}
		c.Close()
	}
}

func (f *force) dial(a multiaddr.Multiaddr) (net.Conn, error) {
	if _, err := a.ValueForProtocol(multiaddr.P_UDP); err == nil {
		a, _ = multiaddr.SplitFunc(a, func(c multiaddr.Component) bool { return c.Protocol().Code == multiaddr.P_QUIC_V1 })
	}
	network, addr, err := manet.DialArgs(a)
	if err != nil {
		return nil, err
	}
	return net.DialTimeout(network, addr, time.Second)
}
