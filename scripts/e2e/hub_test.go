//go:build e2e && linux

package e2e

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"strings"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// hub switches Ethernet frames between the ports of a namespace like a network switch, with
// delay and loss. It is a separate process in that namespace and reads commands from its
// standard input:
//
//	delay 100ms     of each frame from now on
//	loss 0.01       the share of frames that are lost
//	part a,b c,d    frames between the two sets are lost; other ports are not affected
//	heal            ends part
type hub struct {
	mu    sync.Mutex
	delay time.Duration
	loss  float64
	side  map[string]int // side of each parted port
	ports []*port
	at    map[[6]byte]*port // port on which an address was last seen
	rng   *rand.Rand
}

// port is one end of a link.
type port struct {
	name string
	fd   int
	out  chan frame
}

// frame is a frame that waits to be sent.
type frame struct {
	due   time.Time
	bytes []byte
}

const frameMost = 1 << 16

// switchFrames runs a hub over all interfaces of the namespace except loopback, until its
// standard input ends.
func switchFrames(commands io.Reader) error {
	h := &hub{at: map[[6]byte]*port{}, side: map[string]int{}, rng: rand.New(rand.NewPCG(1, 2))}
	list, err := net.Interfaces()
	if err != nil {
		return err
	}
	for _, i := range list {
		if i.Flags&net.FlagLoopback != 0 {
			continue
		}
		p, err := openPort(i)
		if err != nil {
			return fmt.Errorf("%s: %w", i.Name, err)
		}
		h.ports = append(h.ports, p)
	}
	for _, p := range h.ports {
		go p.send()
		go h.receive(p)
	}
	fmt.Println("ready")
	lines := bufio.NewScanner(commands)
	for lines.Scan() {
		if err := h.obey(strings.Fields(lines.Text())); err != nil {
			return err
		}
		fmt.Println("done")
	}
	return nil
}

func (h *hub) obey(words []string) (err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case len(words) == 2 && words[0] == "delay":
		h.delay, err = time.ParseDuration(words[1])
	case len(words) == 2 && words[0] == "loss":
		_, err = fmt.Sscan(words[1], &h.loss)
	case len(words) == 3 && words[0] == "part":
		for side, names := range words[1:] {
			for _, name := range strings.Split(names, ",") {
				h.side[name] = 1 + side
			}
		}
	case len(words) == 1 && words[0] == "heal":
		clear(h.side)
	default:
		return fmt.Errorf("unknown command %q", words)
	}
	return err
}

func openPort(i net.Interface) (*port, error) {
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW, int(networkOrder(unix.ETH_P_ALL)))
	if err != nil {
		return nil, err
	}
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 64<<20)
	if err := unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: networkOrder(unix.ETH_P_ALL), Ifindex: i.Index}); err != nil {
		return nil, err
	}
	return &port{name: i.Name, fd: fd, out: make(chan frame, 1<<16)}, nil
}

func networkOrder(v uint16) uint16 {
	var b [2]byte
	binary.BigEndian.PutUint16(b[:], v)
	return binary.NativeEndian.Uint16(b[:])
}

func (h *hub) receive(p *port) {
	b := make([]byte, frameMost)
	for {
		n, from, err := unix.Recvfrom(p.fd, b, 0)
		if err != nil || n < 14 {
			continue
		}
		if ll, ok := from.(*unix.SockaddrLinklayer); ok && ll.Pkttype == unix.PACKET_OUTGOING {
			continue
		}
		h.pass(p, append([]byte(nil), b[:n]...))
	}
}

// pass forwards a frame, to all other ports if the receiver's port is unknown.
func (h *hub) pass(from *port, b []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at[[6]byte(b[6:12])] = from
	to, known := h.at[[6]byte(b[:6])]
	for _, p := range h.ports {
		a, c := h.side[from.name], h.side[p.name]
		if p == from || known && p != to || a != 0 && c != 0 && a != c || h.rng.Float64() < h.loss {
			continue
		}
		select {
		case p.out <- frame{time.Now().Add(h.delay), b}:
		default: // dropped, as by a router with a full queue
		}
	}
}

func (p *port) send() {
	for f := range p.out {
		time.Sleep(time.Until(f.due)) // the delay of the link
		_, _ = unix.Write(p.fd, f.bytes)
	}
}

// plainFrames makes an interface send frames that fit the link and have checksums: a hub cannot
// do the work that the kernel leaves to network cards.
func plainFrames(name string) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	for _, feature := range []uint32{unix.ETHTOOL_STXCSUM, unix.ETHTOOL_SSG, unix.ETHTOOL_STSO, unix.ETHTOOL_SGSO, unix.ETHTOOL_SGRO} {
		value := struct{ command, on uint32 }{feature, 0}
		var request struct {
			name [unix.IFNAMSIZ]byte
			data unsafe.Pointer
			_    [16]byte
		}
		copy(request.name[:], name)
		request.data = unsafe.Pointer(&value)
		if _, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCETHTOOL, uintptr(unsafe.Pointer(&request))); e != 0 && e != unix.EOPNOTSUPP {
			return fmt.Errorf("ethtool %s: %w", name, e)
		}
	}
	return nil
}

// helper runs the process that the environment names instead of tests. A hub or a listener runs
// until its standard input ends.
func helper() (is bool, err error) {
	switch os.Getenv("COLLABDICT_E2E") {
	case "hub":
		return true, switchFrames(os.Stdin)
	case "listen":
		l, err := net.Listen("tcp", "0.0.0.0:4001")
		if err != nil {
			return true, err
		}
		fmt.Println("ready")
		_, err = io.Copy(io.Discard, os.Stdin)
		return true, errors.Join(err, l.Close())
	case "plain":
		list, err := net.Interfaces()
		for _, i := range list {
			if err == nil && i.Flags&net.FlagLoopback == 0 {
				err = plainFrames(i.Name)
			}
		}
		return true, err
	}
	return false, nil
}
