package plots

import (
	"image/color"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Colours that colour-blind readers can tell apart (Okabe and Ito 2008), and greys. The colours
// of members' states differ in lightness as well.
var (
	blue   = rgb(0x00, 0x72, 0xb2)
	orange = rgb(0xe6, 0x9f, 0x00)
	purple = rgb(0xcc, 0x79, 0xa7)
	sky    = rgb(0xa6, 0xd3, 0xee)
	ink    = rgb(0x22, 0x22, 0x22)
	grey   = rgb(0x5f, 0x5f, 0x5f)
	faint  = rgb(0xd4, 0xd4, 0xd4)
	white  = rgb(0xff, 0xff, 0xff)
)

func rgb(r, g, b uint8) color.Color { return color.NRGBA{R: r, G: g, B: b, A: 0xff} }

const (
	titleSize = vg.Length(13)
	labelSize = vg.Length(10)
	tickSize  = vg.Length(9)
)

// style returns a text style with the given size, colour and alignment.
func style(size vg.Length, c color.Color, x text.XAlignment, y text.YAlignment) text.Style {
	return text.Style{
		Color: c, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size),
		XAlign: x, YAlign: y, Handler: plot.DefaultTextHandler,
	}
}

func bold(s text.Style) text.Style {
	s.Font.Weight = 3 // WeightBold of golang.org/x/image/font
	return s
}

func stroke(c color.Color, width vg.Length, dashes ...vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: width, Dashes: dashes}
}

// newPlot returns an empty plot with named axes.
func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.LineStyle = stroke(grey, 0.6)
		a.Padding = 4
		a.Label.TextStyle = style(labelSize, ink, text.XCenter, text.YBottom)
		a.Tick.LineStyle = stroke(grey, 0.6)
		a.Tick.Length = 4
		a.Tick.Label.Font = style(tickSize, ink, 0, 0).Font
		a.Tick.Label.Color = ink
	}
	p.X.Label.Text, p.Y.Label.Text = x, y
	p.X.Label.Padding, p.Y.Label.Padding = 4, 6
	return p
}

// middle writes text that is centred vertically, like the labels of axes.
func middle(c draw.Canvas, s text.Style, at vg.Point, txt string) {
	s.YAlign = text.YCenter
	at.Y += s.FontExtents().Descent
	c.FillText(s, at, txt)
}

// mostRunes is the longest name beside a row, in runes.
const mostRunes = 26

// short shortens a name to mostRunes.
func short(name string) string {
	if r := []rune(name); len(r) > mostRunes {
		return string(r[:mostRunes-1]) + "…"
	}
	return name
}

// wrapped returns a text in lines of a width, broken at spaces. It leaves out what has no room in the
// largest number of lines.
func wrapped(s text.Style, txt string, wide vg.Length, most int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(txt) {
		longer := word
		if line != "" {
			longer = line + " " + word
		}
		if line != "" && s.Width(longer) > wide {
			lines = append(lines, line)
			longer = word
		}
		line = longer
	}
	if lines = append(lines, line); len(lines) > most {
		lines = lines[:most]
		lines[most-1] += " …"
	}
	for i, line := range lines {
		r := []rune(line)
		for len(r) > 1 && s.Width(string(r)) > wide {
			r = append(r[:len(r)-2], '…')
		}
		lines[i] = string(r)
	}
	return lines
}
