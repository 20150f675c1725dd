package consensus

import (
	"fmt"
	"strings"
)

// describe renders an event and its effects as a line of a transcript.
func describe(s int, ev Event, e Effects, after State) string {
	var b strings.Builder
	fmt.Fprintf(&b, "m%d %s", s, describeEvent(ev))
	for _, w := range e.Writes {
		fmt.Fprintf(&b, "; write %s", [...]string{1: "entered", "vote", "opened"}[w.Kind])
	}
	for _, send := range e.Sends {
		to := "all"
		if send.To != All {
			to = fmt.Sprintf("m%d", send.To)
		}
		fmt.Fprintf(&b, "; %s -> %s", describeBody(send.Message.Body), to)
	}
	if o := e.Outcome; o != nil {
		if o.Err != nil {
			fmt.Fprintf(&b, "; failed: %v", o.Err)
		} else {
			b.WriteString("; decided")
		}
	}
	fmt.Fprintf(&b, " [%s]", after)
	return b.String()
}

func describeEvent(ev Event) string {
	switch ev := ev.(type) {
	case Call:
		return "calls " + ev.Kind.String()
	case Receive:
		return fmt.Sprintf("<- m%d %s", ev.From, describeBody(ev.Message.Body))
	case Abort:
		return "aborts"
	case Finish:
		return "finishes"
	}
	return "tick"
}

func describeBody(b Body) string {
	switch b := b.(type) {
	case *Step:
		return fmt.Sprintf("step(%d)", b.Iteration)
	case *Beat:
		return fmt.Sprintf("beat(%s %v)", b.State, b.Waiting)
	}
	return strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", b), "*consensus."))
}
