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
		if w.Name == Forget {
			fmt.Fprintf(&b, "; forget %d", w.Slot)
			continue
		}
		fmt.Fprintf(&b, "; write %s", w.Name)
	}
	for _, d := range e.Decisions {
		fmt.Fprintf(&b, "; decide %d of %v", d.Slot, d.Members)
	}
	for _, send := range e.Sends {
		to := "all"
		if send.To != All {
			to = fmt.Sprintf("m%d", send.To)
		}
		fmt.Fprintf(&b, "; %s -> %s", describeBody(send.Message), to)
	}
	for _, v := range e.Serves {
		fmt.Fprintf(&b, "; serve %d -> m%d", v.Slot, v.To)
	}
	if e.Err != nil {
		fmt.Fprintf(&b, "; failed: %v", e.Err)
	}
	fmt.Fprintf(&b, " [%s]", after)
	return b.String()
}

func describeEvent(ev Event) string {
	switch ev := ev.(type) {
	case Call:
		return "calls " + ev.Kind.String()
	case Receive:
		return fmt.Sprintf("<- m%d %s", ev.From, describeBody(ev.Message.message))
	case Abort:
		return "aborts"
	case Finish:
		return "finishes"
	}
	return "tick"
}

func describeBody(m Message) string {
	at := ""
	if m.Ballot > 0 {
		at = fmt.Sprintf("@%d", m.Ballot)
	}
	switch b := m.Body.(type) {
	case *Step:
		return fmt.Sprintf("step%s(%d)", at, b.Round)
	case *Heartbeat:
		return fmt.Sprintf("beat%s(%s %v)", at, b.State, b.Waiting)
	case *View:
		if b.Finish != nil {
			return fmt.Sprintf("view%s(finish %d)", at, b.Finish.Attempt)
		}
		return fmt.Sprintf("view%s%v", at, b.Members)
	case *Done:
		return fmt.Sprintf("done%s(%d)", at, b.Value.Attempt)
	}
	return strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", m.Body), "*consensus.")) + at
}
