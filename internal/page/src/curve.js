// Figures over rounds.

import '../vendor/uplot/uPlot.min.css';
import uPlot from '../vendor/uplot/uPlot.esm.js';
import { theme } from './chart.js';

const height = 200;

/** A Curve draws figures in an element, in whose width it fits. */
export class Curve {
  /**
   * @param {HTMLElement} host
   * @param {(v: number) => string} write
   */
  constructor(host, write) {
    Object.assign(this, { host, write, plot: null, data: null });
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
    const { color, axis } = theme(this.host);
    this.plot = new uPlot({
      width: this.host.clientWidth || 400, height,
      legend: { show: false },
      cursor: { show: false },
      scales: { x: { time: false, range: (u, low, high) => (high > low ? [low, high] : [low - 1, high + 1]) } },
      axes: [{ ...axis, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000] }, { ...axis, size: 64, values: (u, all) => all.map((v) => this.write(v)) }],
      series: [{}, { stroke: color('--line'), width: 1.5, points: { show: (u, s, from, to) => to - from < 40, size: 4, fill: color('--line') } }],
    }, this.data, this.host);
  }
}
