// Scores over time or rows, with a threshold.

import '../vendor/uplot/uPlot.min.css';
import uPlot from '../vendor/uplot/uPlot.esm.js';

/**
 * @typedef {object} Drawn
 * @property {number[]} x - ascending
 * @property {(number|null)[]} scores
 * @property {boolean} times - whether x is in seconds since 1970
 * @property {number|null} threshold
 * @property {{from: number, to: number}[]} spans - of events, in x
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
   * @param {{x: string, y: string, threshold: (t: number) => string}} words
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
    const { x } = this.drawn;
    const first = x[0], last = x[x.length - 1];
    if (!(last > first)) this.plot.setScale('x', { min: first - 1, max: first + 1 });
    else if (min === undefined || !(max > min)) this.plot.setScale('x', { min: first, max: last });
    else this.plot.setScale('x', { min: Math.max(first, min), max: Math.min(last, max) });
  }

  /** Scales what is shown about its middle, and moves it by a part of its width. */
  move(factor, by) {
    const { min, max } = this.plot.scales.x;
    const { x } = this.drawn;
    const width = Math.min((max - min) * factor, x[x.length - 1] - x[0]);
    let from = (min + max) / 2 - width / 2 + by * width;
    from = Math.max(x[0], Math.min(from, x[x.length - 1] - width));
    this.zoom(from, from + width);
  }

  /** Returns the first and the last x that are shown. @returns {{min: number, max: number}} */
  shown() {
    const { min, max } = this.plot.scales.x;
    return { min: min ?? -Infinity, max: max ?? Infinity };
  }

  data() {
    const { x, scores, threshold } = this.drawn;
    return [x, scores, threshold == null ? scores.map(() => null) : scores.map((v) => (v != null && v > threshold ? v : null))];
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
    const colors = { span: color('--span'), threshold: color('--alarm'), chosen: color('--ink'), ground: color('--ground') };
    this.plot = new uPlot({
      width: this.host.clientWidth || 600, height,
      tzDate: (t) => uPlot.tzDate(new Date(t * 1000), 'Etc/UTC'),
      legend: { show: false },
      cursor: { drag: { x: true, y: false, setScale: true }, points: { show: false } },
      scales: { x: { time: this.drawn.times }, y: { range: (u, low, high) => this.range(low, high) } },
      axes: [{ ...axis, space: 80, ...(this.drawn.times ? { values: times } : {}) }, { ...axis, size: 52, label: this.words.y, labelSize: 18, labelFont: font, labelGap: 0 }],
      series: [
        {},
        { stroke: color('--line'), width: 1.25, points: { show: (u, s, from, to) => to - from < 80, size: 4, fill: color('--line') }, spanGaps: false },
        { stroke: colors.threshold, paths: () => null, points: { show: true, size: 7, width: 1.5, fill: colors.ground, stroke: colors.threshold } },
      ],
      hooks: {
        drawClear: [(u) => this.spans(u, colors.span)],
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

  spans(u, fill) {
    const { ctx, bbox } = u;
    ctx.save();
    ctx.fillStyle = fill;
    for (const { from, to } of this.drawn.spans) {
      const left = Math.max(bbox.left, u.valToPos(from, 'x', true) - 2), right = Math.min(bbox.left + bbox.width, u.valToPos(to, 'x', true) + 2);
      if (right > left) ctx.fillRect(left, bbox.top, right - left, bbox.height);
    }
    ctx.restore();
  }

  marks(u, colors, font) {
    const { ctx, bbox } = u, { threshold, chosen, x } = this.drawn;
    const ratio = devicePixelRatio;
    ctx.save();
    if (threshold != null) {
      const y = u.valToPos(threshold, 'y', true);
      ctx.strokeStyle = ctx.fillStyle = colors.threshold;
      ctx.lineWidth = 1.5 * ratio;
      ctx.setLineDash([6 * ratio, 4 * ratio]);
      line(ctx, bbox.left, y, bbox.left + bbox.width, y);
      ctx.font = font.replace('12px', `${12 * ratio}px`);
      ctx.textAlign = 'right';
      const text = this.words.threshold(threshold), width = ctx.measureText(text).width;
      const right = bbox.left + bbox.width - 4 * ratio, base = y - 5 * ratio < bbox.top + 12 * ratio ? y + 15 * ratio : y - 5 * ratio;
      ctx.fillStyle = colors.ground;
      ctx.fillRect(right - width - 3 * ratio, base - 12 * ratio, width + 6 * ratio, 15 * ratio);
      ctx.fillStyle = colors.threshold;
      ctx.fillText(text, right, base);
    }
    if (chosen != null && x[chosen] >= u.scales.x.min && x[chosen] <= u.scales.x.max) {
      const at = u.valToPos(x[chosen], 'x', true);
      ctx.strokeStyle = colors.chosen;
      ctx.lineWidth = ratio;
      ctx.setLineDash([]);
      line(ctx, at, bbox.top, at, bbox.top + bbox.height);
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

function line(ctx, x0, y0, x1, y1) {
  ctx.beginPath();
  ctx.moveTo(x0, y0);
  ctx.lineTo(x1, y1);
  ctx.stroke();
}
