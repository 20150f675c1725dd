package plots

import (
	"bytes"
	"errors"
	"fmt"
	"image/color"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/collabdict/collabdict/internal/files"
	"github.com/collabdict/collabdict/internal/run/report"
)

// figure is a plot with a title, a subtitle and a legend above it.
type figure struct {
	name            string // of its files
	title, subtitle string
	keys            []key
	height          vg.Length
	*plot.Plot
	body    func(c draw.Canvas) // replaces the plot
	private bool                // only the owner can read its files
}

// key is an entry of the legend: a line, a dot, a ring or a box.
type key struct {
	label           string
	line            draw.LineStyle // unused if its width is 0
	dot, ring, fill color.Color
}

const (
	width  = 7.5 * vg.Inch
	height = 4.4 * vg.Inch
	margin = vg.Length(12)
	dpi    = 160
)

// A Picture is one of the types of this package that have a Name.
type Picture interface{ figure() *figure }

// Draw draws pictures as NAME.svg and NAME.png in a folder. It leaves out values that are not
// finite.
func Draw(dir string, all ...Picture) error {
	for _, p := range all {
		if err := p.figure().write(dir); err != nil {
			return err
		}
	}
	return nil
}

// Write draws the figures of a run as NAME.svg and NAME.png in a folder. It removes an earlier
// run's figures of convergence, weights and choice if this run has none.
func Write(dir string, c *report.Course) error {
	for _, f := range figures(c) {
		if err := f.write(dir); err != nil {
			return err
		}
	}
	if c.Convergence == nil {
		if err := remove(dir, convergenceName); err != nil {
			return err
		}
	}
	if c.Weightings == nil {
		if err := remove(dir, weightsName); err != nil {
			return err
		}
	}
	if c.Choice == nil {
		return remove(dir, choiceName)
	}
	return nil
}

// remove removes a figure if it exists.
func remove(dir, name string) error {
	for _, ending := range []string{".svg", ".png"} {
		if err := os.Remove(filepath.Join(dir, name+ending)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (f *figure) write(dir string) error {
	mode := fs.FileMode(0o644)
	if f.private {
		mode = 0o600
	}
	for _, w := range []func() ([]byte, string, error){f.svg, f.png} {
		b, ending, err := w()
		if err == nil {
			err = files.WriteBytes(filepath.Join(dir, f.name+ending), mode, b)
		}
		if err != nil {
			return fmt.Errorf("draw %s: %w", f.name, err)
		}
	}
	return nil
}

func figures(c *report.Course) []*figure {
	all := []*figure{objective(c), sent(c), timeline(c)}
	if c.Convergence != nil {
		all = append(all, convergence(c.Convergence))
	}
	if c.Weightings != nil {
		all = append(all, weights(c.Weightings))
	}
	if c.Choice != nil {
		all = append(all, choice(c.Choice))
	}
	return all
}

// fonts replaces the font used to measure text if that is not installed: these fonts are as
// wide.
const fonts = "font-family:'Liberation Sans',Arial,Helvetica,sans-serif"

// mended inserts fonts, corrects the type of images, and keeps their pixels sharp.
var mended = strings.NewReplacer("font-family:Liberation Sans", fonts, "data:image/jpg;", "data:image/png;", "<image ", `<image style="image-rendering:pixelated" `)

func (f *figure) svg() ([]byte, string, error) {
	c := vgsvg.New(width, f.height)
	f.draw(draw.New(c))
	var b bytes.Buffer
	_, err := c.WriteTo(&b)
	return []byte(mended.Replace(b.String())), ".svg", err
}

func (f *figure) png() ([]byte, string, error) {
	c := vgimg.NewWith(vgimg.UseWH(width, f.height), vgimg.UseDPI(dpi))
	f.draw(draw.New(c))
	var b bytes.Buffer
	_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(&b)
	return b.Bytes(), ".png", err
}

func (f *figure) draw(c draw.Canvas) {
	c.SetColor(white)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	line := func(s text.Style, txt string, below vg.Length) {
		c.FillText(s, vg.Point{X: c.Min.X, Y: c.Max.Y}, txt)
		c.Max.Y -= s.Height("x") + below
	}
	line(bold(style(titleSize, ink, text.XLeft, text.YTop)), f.title, 5)
	line(style(labelSize, grey, text.XLeft, text.YTop), f.subtitle, 6)
	if len(f.keys) > 0 {
		c.Max.Y -= f.legend(c) + 4
	}
	if f.body != nil {
		f.body(c)
		return
	}
	f.Plot.Draw(c)
}

// legend draws the keys in lines, and returns their height.
func (f *figure) legend(c draw.Canvas) vg.Length {
	const swatch, gap, apart, row = vg.Length(18), vg.Length(5), vg.Length(16), vg.Length(14)
	s := style(tickSize, ink, text.XLeft, text.YCenter)
	x, y := c.Min.X, c.Max.Y-row/2
	for _, k := range f.keys {
		w := swatch + gap + s.Width(k.label) + apart
		if x > c.Min.X && x+w-apart > c.Max.X {
			x, y = c.Min.X, y-row
		}
		switch {
		case k.dot != nil:
			c.DrawGlyph(draw.GlyphStyle{Color: k.dot, Radius: 3, Shape: draw.CircleGlyph{}}, vg.Point{X: x + swatch/2, Y: y})
		case k.ring != nil:
			c.DrawGlyph(draw.GlyphStyle{Color: k.ring, Radius: 4, Shape: draw.RingGlyph{}}, vg.Point{X: x + swatch/2, Y: y})
		case k.fill != nil:
			c.FillPolygon(k.fill, box(x, y-4, x+swatch, y+4))
		default:
			c.StrokeLine2(k.line, x, y, x+swatch, y)
		}
		middle(c, s, vg.Point{X: x + swatch + gap, Y: y}, k.label)
		x += w
	}
	return c.Max.Y - y + row/2
}

func box(x0, y0, x1, y1 vg.Length) []vg.Point {
	return []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}
}
