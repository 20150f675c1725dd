package plots

import (
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sheet is grey images of one shape, in lines.
type Sheet struct {
	Name            string // of its files
	Title, Subtitle string
	Height, Width   int // size of an image, in pixels
	Lines           []SheetLine
	// Columns, if not nil, are names below the images. X labels the columns, and Y labels the
	// lines.
	Columns []string
	X, Y    string
	// Private makes the files readable by their owner only.
	Private bool
}

// SheetLine is images side by side.
type SheetLine struct {
	Label string
	// Apart leaves space above the line.
	Apart bool
	// Images have the pixels of one image each, row by row, from 0, black, to 255, white.
	// Values outside this range are clipped, and NaN is black.
	Images [][]float64
}

const (
	largestImage = vg.Length(38) // the longer side
	imageGap     = vg.Length(2)
	bandGap      = vg.Length(9)
	axisRoom     = vg.Length(16) // height of the names below, and of each axis
)

// layout holds positions and sizes on a sheet.
type layout struct {
	left, across, up vg.Length // margin left of the images, and the sides of one image
	height           vg.Length // of all
}

func (s Sheet) layout() layout {
	label := style(tickSize, ink, text.XLeft, text.YCenter)
	l := layout{height: bandGap}
	most := 1
	for i, line := range s.Lines {
		l.left = max(l.left, label.Width(short(line.Label)))
		most = max(most, len(line.Images))
		if line.Apart && i > 0 {
			l.height += bandGap
		}
	}
	if l.left += 6; s.Y != "" {
		l.left += axisRoom
	}
	l.across = min(largestImage, (width-2*margin-l.left)/vg.Length(most)-imageGap)
	if l.up = l.across * vg.Length(s.Height) / vg.Length(s.Width); l.up > largestImage {
		l.across, l.up = l.across*largestImage/l.up, largestImage
	}
	l.across, l.up = max(l.across, 1), max(l.up, 1)
	l.height += vg.Length(len(s.Lines)) * (l.up + imageGap)
	if s.Columns != nil {
		l.height += axisRoom
	}
	if s.X != "" {
		l.height += axisRoom
	}
	return l
}

func (s Sheet) figure() *figure {
	l := s.layout()
	f := &figure{name: s.Name, title: s.Title, subtitle: s.Subtitle, private: s.Private, height: 2*margin + 46 + l.height}
	f.body = func(c draw.Canvas) {
		label := style(tickSize, ink, text.XRight, text.YCenter)
		x, y := c.Min.X+l.left, c.Max.Y-bandGap
		for i, line := range s.Lines {
			if line.Apart && i > 0 {
				y -= bandGap
			}
			y -= l.up
			middle(c, label, vg.Point{X: x - 6, Y: y + l.up/2}, short(line.Label))
			for j, pixels := range line.Images {
				at := vg.Point{X: x + vg.Length(j)*(l.across+imageGap), Y: y}
				c.DrawImage(vg.Rectangle{Min: at, Max: vg.Point{X: at.X + l.across, Y: at.Y + l.up}}, s.image(pixels))
			}
			y -= imageGap
		}
		s.axes(c, l, y)
	}
	return f
}

// axes writes the names below the images, which end at y, and the label at their left.
func (s Sheet) axes(c draw.Canvas, l layout, y vg.Length) {
	x := c.Min.X + l.left
	for j, name := range s.Columns {
		at := vg.Point{X: x + vg.Length(j)*(l.across+imageGap) + l.across/2, Y: y - axisRoom/2}
		middle(c, style(tickSize, ink, text.XCenter, text.YCenter), at, name)
	}
	across := vg.Length(len(s.Columns)) * (l.across + imageGap)
	if s.X != "" {
		middle(c, style(labelSize, ink, text.XCenter, text.YCenter), vg.Point{X: x + across/2, Y: y - axisRoom*3/2}, s.X)
	}
	if s.Y != "" {
		up := style(labelSize, ink, text.XCenter, text.YTop)
		up.Rotation = math.Pi / 2
		c.FillText(up, vg.Point{X: c.Min.X, Y: (y + c.Max.Y - bandGap) / 2}, s.Y)
	}
}

// dotsWide is the least number of dots per side of an image, so that pixels stay sharp at any
// size.
const dotsWide = 112

// image returns an image whose pixels are squares of dots.
func (s Sheet) image(pixels []float64) image.Image {
	size := (dotsWide + max(s.Height, s.Width) - 1) / max(s.Height, s.Width)
	to := image.NewGray(image.Rect(0, 0, s.Width*size, s.Height*size))
	for y := range s.Height * size {
		for x := range s.Width * size {
			v := pixels[y/size*s.Width+x/size]
			if !(v > 0) {
				v = 0
			}
			to.SetGray(x, y, color.Gray{Y: uint8(math.Round(math.Min(v, 255)))})
		}
	}
	return to
}
