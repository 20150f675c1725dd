package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/collabdict/collabdict/internal/ops/operate"
)

// screen shows lines: on a terminal, a line about the present state is replaced by the next one;
// elsewhere all lines stay.
type screen struct {
	w        io.Writer
	terminal *os.File // nil if there is none

	mu   sync.Mutex
	last string // the line that the next one replaces
	rows int    // length of the table that the next one replaces
}

func newScreen(w io.Writer) *screen {
	s := &screen{w: w}
	switch w := w.(type) {
	case *os.File:
		if term.IsTerminal(int(w.Fd())) {
			s.terminal = w
		}
	case *logs:
		s.terminal = w.terminal
	}
	return s
}

// show shows a line about the present state, or one that stays.
func (s *screen) show(l operate.Line) {
	if !l.Present || s.terminal == nil {
		s.line(l.Text)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	width, _ := s.size()
	line := cut(l.Text, width)
	fmt.Fprint(s.w, replaced(s.last, line))
	s.last = line
}

// size returns the width and the height of the terminal in characters.
func (s *screen) size() (width, height int) {
	width, height, err := term.GetSize(int(s.terminal.Fd()))
	if err != nil || width == 0 || height == 0 {
		return 80, 24
	}
	return width, height
}

// cut shortens a line to the width of a terminal: a line that wraps cannot be replaced.
func cut(line string, width int) string {
	if characters := []rune(line); width > 1 && len(characters) >= width {
		return string(characters[:width-1])
	}
	return line
}

// replaced returns the text that replaces last by line on a terminal.
func replaced(last, line string) string {
	return "\r" + line + strings.Repeat(" ", max(0, utf8.RuneCountInString(last)-utf8.RuneCountInString(line)))
}

// line shows a line that stays.
func (s *screen) line(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leave()
	fmt.Fprintln(s.w, text)
}

// end keeps the last line, and starts a new one.
func (s *screen) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leave()
}

func (s *screen) leave() {
	if s.last != "" {
		fmt.Fprintln(s.w)
		s.last = ""
	}
}

// table shows the table of a status in the place of the last one.
func (s *screen) table(status *operate.Status) {
	var table bytes.Buffer
	status.WriteTable(&table)
	width, height := s.size()
	s.draw(table.String(), width, height)
}

// draw replaces the last table. It leaves out what does not fit on the screen.
func (s *screen) draw(table string, width, height int) {
	const up, clearLine, clearBelow = "\x1b[%dA", "\x1b[K", "\x1b[J"
	if s.rows > 0 {
		fmt.Fprintf(s.w, up, s.rows)
	}
	lines := strings.Split(strings.TrimRight(table, "\n"), "\n")
	lines = lines[:min(len(lines), max(1, height-1))]
	for _, l := range lines {
		fmt.Fprintf(s.w, "%s%s\n", cut(l, width), clearLine)
	}
	fmt.Fprint(s.w, clearBelow)
	s.rows = len(lines)
}
