// Scores over time or rows, with a threshold.

import '../vendor/uplot/uPlot.min.css';
import uPlot from '../vendor/uplot/uPlot.esm.js';

/**
 * @typedef {object} Drawn
 * @property {number[]} x - ascending
 * @property {(number|null)[]} scores
 * @property {boolean} times - whether x is in seconds since 1970
 * @property {number|null} threshold
 * @property {{from: number, to: number, chosen: boolean}[]} spans - of events, in x
 * @property {number|null} chosen - index of the row that is explained
 */

const height = 320;

// times are the forms of times on the axis, by the seconds from one to the next: their own, and with the day or
// the year where that begins.
const day = '{YYYY}-{MM}-{DD}';
const times = [
  [31536000, '{YYYY}', null, null, null, null, null, null, 1],
  [86400, '{MM}-{DD}', `\n{YYYY}`, null, null, null, null, null, 1],
  [60, '{HH}:{mm}', `\n${day}`, null, `\n${day}`, null, null, null, 1],
  [1, '{HH}:{mm}:{ss}', `\n${day}`, null, `\n${day}`, null, null, null, 1],
  [0.001, '{HH}:{mm}:{ss}.{fff}', `\n${day}`, null, `\n${day}`, null, null, null, 1],
];

const utc = (t) => uPlot.tzDate(new Date(t * 1000), 'Etc/UTC'); // times have been read as if they were in UTC

/**
 * Returns the colors of an element, the font of what is drawn in it, and the look of axes.
 *
 * @param {HTMLElement} host
 * @returns {{color: (name: string) => string, font: string, axis: object}}
 */
export function theme(host) {
  const style = getComputedStyle(host);
  const color = (name) => style.getPropertyValue(name).trim();
  const font = `12px ${style.fontFamily}`;
  return { color, font, axis: { stroke: color('--quiet'), font, grid: { stroke: color('--grid'), width: 1 }, ticks: { stroke: color('--grid'), width: 1 } } };
}

/** A Chart draws scores in an element, in whose width it fits. */
export class Chart {
  /**
   * @param {HTMLElement} host
   * @param {{y: string, threshold: (t: number) => string}} words
   * @param {(index: number) => void} choose - called with a row that was clicked
   * @param {(index: number|null) => void} point - called with the row below the pointer
   * @param {() => void} zoomed - called when another part is shown
   */
  constructor(host, words, choose, point, zoomed) {
    Object.assign(this, { host, words, choose, point, zoomed, plot: null, drawn: null });
    new ResizeObserver(() => this.fit()).observe(host);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.make());
  }

  /** Draws rows that differ from those before. @param {Drawn} drawn */
  show(drawn) {
    const before = this.drawn;
    this.drawn = drawn;
    if (!this.plot || before.times !== drawn.times) {
      this.make();
      return;
    }
    const { min, max } = this.plot.scales.x;
    const whole = !(min > before.x[0] || max < before.x[before.x.length - 1]);
    this.plot.setData(this.data(), whole);
    if (!whole) this.zoom(min, max); // what is looked at stays
  }

  /** Draws the same rows with another threshold, events or choice. @param {Partial<Drawn>} changes */
  change(changes) {
    if (!this.plot) return;
    Object.assign(this.drawn, changes);
    const { min, max } = this.plot.scales.x;
    this.plot.setData(this.data(), false);
    this.plot.setScale('x', { min, max });
  }

  /** Shows the part from one x to another, or all. @param {number} [min] @param {number} [max] */
  zoom(min, max) {
    const { first, last } = this.ends();
    if (min === undefined || !(max > min)) this.plot.setScale('x', { min: first, max: last });
    else this.plot.setScale('x', { min: Math.max(first, min), max: Math.min(last, max) });
  }

  // ends returns what is shown at most, with room for the marks of the first and the last row.
  ends() {
    const { x } = this.drawn, first = x[0], last = x[x.length - 1], room = 0.01 * (last - first) || 1;
    return { first: first - room, last: last + room };
  }

  /** Scales what is shown about its middle, and moves it by a part of its width. */
  move(factor, by) {
    const { min, max } = this.plot.scales.x;
    const { first, last } = this.ends();
    const width = Math.min((max - min) * factor, last - first);
    let from = (min + max) / 2 - width / 2 + by * width;
    from = Math.max(first, Math.min(from, last - width));
    this.zoom(from, from + width);
  }

  /** Returns the first and the last x that are shown. @returns {{min: number, max: number}} */
  shown() {
    const { min, max } = this.plot.scales.x;
    return { min: min ?? -Infinity, max: max ?? Infinity };
  }

  data() {
    return [this.drawn.x, this.drawn.scores];
  }

  fit() {
    const width = this.host.clientWidth;
    if (this.plot && width > 0 && width !== this.plot.width) this.plot.setSize({ width, height });
  }

  make() {
    if (!this.drawn) return;
    const scale = this.plot?.scales.x;
    this.plot?.destroy();
    const { color, font, axis } = theme(this.host);
    const colors = { span: color('--span'), chosenSpan: color('--chosen-span'), alarm: color('--alarm'), gap: color('--quiet'), ink: color('--ink'), ground: color('--ground') };
    this.plot = new uPlot({
      width: this.host.clientWidth || 600, height,
      padding: [12, 52, null, null], // at the right, the threshold
      tzDate: utc,
      legend: { show: false },
      cursor: { drag: { x: true, y: false, setScale: true }, points: { show: false } },
      scales: { x: { time: this.drawn.times }, y: { range: (u, low, high) => this.range(low, high) } },
      axes: [{ ...axis, space: 80, ...(this.drawn.times ? { values: times } : {}) }, { ...axis, size: 52, label: this.words.y, labelSize: 18, labelFont: font, labelGap: 0 }],
      series: [
        {},
        { stroke: color('--line'), width: 1.25, points: { show: (u, s, from, to) => to - from < 80, size: 4, fill: color('--line') }, spanGaps: false },
      ],
      hooks: {
        drawClear: [(u) => this.spans(u, colors)],
        draw: [(u) => this.marks(u, colors, font)],
        setScale: [(u, axis) => axis === 'x' && u === this.plot && this.zoomed()],
        setCursor: [(u) => this.point(u.cursor.idx ?? null)],
        ready: [(u) => this.listen(u)],
      },
    }, this.data(), this.host);
    if (scale && scale.min != null && this.drawn.x.length > 1) this.zoom(scale.min, scale.max);
  }

  range(low, high) {
    const t = this.drawn.threshold;
    if (low == null || high == null) return [0, t == null ? 1 : 1.2 * Math.abs(t) + 1];
    const top = t == null ? high : Math.max(high, t), bottom = Math.min(low, t ?? low);
    const room = 0.06 * (top - bottom || 1);
    return [bottom - room, top + room];
  }

  // spans marks events by bands, and rows without a score at the bottom.
  spans(u, colors) {
    const { ctx, bbox } = u, { x, scores, spans } = this.drawn;
    const ratio = devicePixelRatio, right = bbox.left + bbox.width, bottom = bbox.top + bbox.height;
    ctx.save();
    for (const { from, to, chosen } of spans) {
      const begin = Math.max(bbox.left, u.valToPos(from, 'x', true) - 3 * ratio), end = Math.min(right, u.valToPos(to, 'x', true) + 3 * ratio);
      if (!(end > begin)) continue;
      ctx.fillStyle = chosen ? colors.chosenSpan : colors.span;
      ctx.fillRect(begin, bbox.top, end - begin, bbox.height);
      ctx.fillStyle = colors.alarm;
      ctx.fillRect(begin, bbox.top, end - begin, (chosen ? 6 : 3) * ratio);
    }
    ctx.fillStyle = colors.gap;
    for (const i of this.visible(u)) {
      if (scores[i] != null) continue;
      const at = u.valToPos(x[i], 'x', true);
      ctx.fillRect(at - 1.5 * ratio, bottom - 10 * ratio, 3 * ratio, 10 * ratio);
    }
    ctx.restore();
  }

  // visible returns the indices of the rows that are shown.
  * visible(u) {
    const { x } = this.drawn, { min, max } = u.scales.x;
    for (let i = u.valToIdx(min); i < x.length && x[i] <= max; i++) if (x[i] >= min) yield i;
  }

  // marks draws the threshold, the anomalies, and the row that is explained. Of anomalies that would cover each
  // other, the highest has a mark.
  marks(u, colors, font) {
    const { ctx, bbox } = u, { threshold, chosen, x, scores } = this.drawn;
    const ratio = devicePixelRatio, apart = 7 * ratio;
    const dot = (i, radius) => {
      ctx.beginPath();
      ctx.arc(u.valToPos(x[i], 'x', true), u.valToPos(scores[i], 'y', true), radius * ratio, 0, 2 * Math.PI);
    };
    ctx.save();
    ctx.fillStyle = ctx.strokeStyle = colors.alarm;
    if (threshold != null) {
      const y = u.valToPos(threshold, 'y', true);
      ctx.lineWidth = 1.5 * ratio;
      ctx.setLineDash([6 * ratio, 4 * ratio]);
      line(ctx, bbox.left, y, bbox.left + bbox.width, y);
      ctx.font = font.replace('12px', `${12 * ratio}px`);
      ctx.textAlign = 'left';
      ctx.textBaseline = 'middle';
      ctx.fillText(this.words.threshold(threshold), bbox.left + bbox.width + 6 * ratio, y);
      const highest = new Map();
      for (const i of this.visible(u)) {
        if (!(scores[i] > threshold)) continue;
        const place = Math.floor(u.valToPos(x[i], 'x', true) / apart), other = highest.get(place);
        if (other === undefined || scores[i] > scores[other]) highest.set(place, i);
      }
      for (const i of highest.values()) {
        dot(i, 3);
        ctx.fill();
      }
    }
    if (chosen != null && scores[chosen] != null && x[chosen] >= u.scales.x.min && x[chosen] <= u.scales.x.max) {
      ctx.setLineDash([]);
      ctx.lineWidth = 2 * ratio;
      ctx.strokeStyle = colors.ink;
      ctx.fillStyle = colors.ground;
      dot(chosen, 6);
      ctx.fill();
      ctx.stroke();
      ctx.fillStyle = scores[chosen] > threshold ? colors.alarm : colors.ink;
      dot(chosen, 3);
      ctx.fill();
    }
    ctx.restore();
  }

  // listen chooses the highest score near a click, as rows may be closer than pixels.
  listen(u) {
    let from = 0;
    u.over.addEventListener('mousedown', (e) => { from = e.clientX; });
    u.over.addEventListener('click', (e) => {
      if (Math.abs(e.clientX - from) > 3) return; // it was a drag
      const at = e.clientX - u.over.getBoundingClientRect().left;
      let best = u.valToIdx(u.posToVal(at, 'x'));
      for (let i = u.valToIdx(u.posToVal(at - 6, 'x')); i <= u.valToIdx(u.posToVal(at + 6, 'x')); i++) {
        if (this.drawn.scores[i] != null && !(this.drawn.scores[best] >= this.drawn.scores[i])) best = i;
      }
      if (this.drawn.scores[best] != null) this.choose(best);
    });
  }
}

const low = 200; // height of a chart of values

/** Values draws what a sensor sent against what was expected, in an element in whose width it fits. */
export class Values {
  /** @param {HTMLElement} host */
  constructor(host) {
    Object.assign(this, { host, plot: null, drawn: null });
    new ResizeObserver(() => this.fit()).observe(host);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.make());
  }

  /** @param {{x: number[], got: (number|null)[], expected: (number|null)[], times: boolean, from: number, to: number}} drawn - from and to of the event, in x */
  show(drawn) {
    this.drawn = drawn;
    this.make();
  }

  fit() {
    const width = this.host.clientWidth;
    if (this.plot && width > 0 && width !== this.plot.width) this.plot.setSize({ width, height: low });
  }

  make() {
    if (!this.drawn) return;
    this.plot?.destroy();
    const { color, font, axis } = theme(this.host), { x, got, expected, from, to } = this.drawn;
    this.plot = new uPlot({
      width: this.host.clientWidth || 400, height: low,
      tzDate: utc,
      legend: { show: false },
      cursor: { show: false },
      scales: { x: { time: this.drawn.times, range: (u, first, last) => (last > first ? [first, last] : [first - 1, first + 1]) } },
      axes: [{ ...axis, space: 80, ...(this.drawn.times ? { values: times } : {}) }, { ...axis, size: 64, font }],
      series: [
        {},
        { stroke: color('--ink'), width: 1.5, dash: [6, 4], points: { show: false } },
        { stroke: color('--line'), width: 2, points: { show: false } },
      ],
      hooks: {
        drawClear: [(u) => {
          const begin = u.valToPos(from, 'x', true), end = u.valToPos(to, 'x', true), room = 3 * devicePixelRatio;
          u.ctx.save();
          u.ctx.fillStyle = color('--span');
          u.ctx.fillRect(begin - room, u.bbox.top, end - begin + 2 * room, u.bbox.height);
          u.ctx.restore();
        }],
      },
    }, [x, expected, got], this.host);
  }
}

function line(ctx, x0, y0, x1, y1) {
  ctx.beginPath();
  ctx.moveTo(x0, y0);
  ctx.lineTo(x1, y1);
  ctx.stroke();
}
