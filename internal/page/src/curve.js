// Figures over rounds.

import '../vendor/uplot/uPlot.min.css';
import uPlot from '../vendor/uplot/uPlot.esm.js';
import { theme } from './chart.js';

const height = 200;
const whole = [1, 2, 5].flatMap((f) => [0, 1, 2, 3, 4, 5].map((e) => f * 10 ** e)).sort((a, b) => a - b);

/** A Curve draws figures in an element, in whose width it fits. */
export class Curve {
  /**
   * @param {HTMLElement} host
   * @param {string} x - what is along the axis
   * @param {(v: number) => string} write
   * @param {boolean} [counts] - whether the figures are counts, which are shown from 0
   */
  constructor(host, x, write, counts = false) {
    Object.assign(this, { host, x, write, counts, plot: null, data: null });
    new ResizeObserver(() => this.fit()).observe(host);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.make());
  }

  /** Draws figures at ascending x. @param {number[]} x @param {(number|null)[]} y */
  show(x, y) {
    this.data = [x, y];
    if (this.plot) this.plot.setData(this.data);
    else this.make();
  }

  fit() {
    const width = this.host.clientWidth;
    if (this.plot && width > 0 && width !== this.plot.width) this.plot.setSize({ width, height });
  }

  make() {
    if (!this.data) return;
    this.plot?.destroy();
    const { color, font, axis } = theme(this.host);
    this.plot = new uPlot({
      width: this.host.clientWidth || 400, height,
      legend: { show: false },
      cursor: { show: false },
      scales: { x: { time: false, range: (u, low, high) => (high > low ? [low, high] : [low - 1, high + 1]) }, y: this.counts ? { range: (u, low, high) => [0, (high ?? 0) + 1] } : {} },
      axes: [{ ...axis, incrs: whole, label: this.x, labelSize: 16, labelFont: font, labelGap: 0, size: 44 }, { ...axis, size: 64, ...(this.counts ? { incrs: whole } : {}), values: (u, all) => all.map((v) => this.write(v)) }],
      series: [{}, { stroke: color('--line'), width: 1.5, ...(this.counts ? { paths: uPlot.paths.stepped({ align: 1 }) } : {}), points: { show: (u, s, from, to) => to - from < 40, size: 4, fill: color('--line') } }],
    }, this.data, this.host);
  }
}
