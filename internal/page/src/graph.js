// Lines in a circle of names: dependencies between sensors, and members that exchange vectors.

import { svg } from './dom.js';

/**
 * @typedef {object} Edge
 * @property {string} a
 * @property {string} b
 * @property {number} partial_correlation - from −1 to 1
 */

const round = (v) => v.toFixed(1);

// places returns where names are around a circle, which has room around it for them.
function places(names, room) {
  const radius = Math.max(130, names.length * 3), size = 2 * (radius + room);
  const at = new Map(names.map((n, i) => {
    const turn = 2 * Math.PI * i / names.length - Math.PI / 2;
    return [n, { x: Math.cos(turn) * radius, y: Math.sin(turn) * radius, turn }];
  }));
  return { at, box: `${-size / 2} ${-size / 2} ${size} ${size}` };
}

function label(name, { turn }, off) {
  const left = Math.cos(turn) < -1e-9, degrees = turn * 180 / Math.PI + (left ? 180 : 0);
  const text = name.length > 16 ? `${name.slice(0, 15)}…` : name;
  return svg('text', { transform: `rotate(${round(degrees)})`, x: left ? -off : off, dy: '0.32em', 'text-anchor': left ? 'end' : 'start' }, text);
}

/**
 * Returns a drawing of edges between the names that these join.
 *
 * @param {string} title - what it shows
 * @param {string[]} names - in their order around the circle
 * @param {Edge[]} edges
 * @returns {SVGElement}
 */
export function circle(title, names, edges) {
  const joined = names.filter((n) => edges.some((e) => e.a === n || e.b === n));
  const { at, box } = places(joined, 110);
  const strongest = Math.max(...edges.map((e) => Math.abs(e.partial_correlation)));
  const lines = edges.map((e) => {
    const a = at.get(e.a), b = at.get(e.b);
    return svg('path', {
      d: `M${round(a.x)} ${round(a.y)}Q${round(0.2 * (a.x + b.x))} ${round(0.2 * (a.y + b.y))} ${round(b.x)} ${round(b.y)}`,
      class: e.partial_correlation < 0 ? 'edge against' : 'edge',
      'stroke-width': round(0.6 + 4 * Math.abs(e.partial_correlation) / strongest),
    });
  });
  const labels = joined.map((n) => {
    const place = at.get(n);
    return svg('g', { transform: `translate(${round(place.x)} ${round(place.y)})` }, svg('circle', { r: 3.5, class: 'node' }), label(n, place, 9));
  });
  return svg('svg', { class: 'graph', role: 'img', 'aria-label': title, viewBox: box }, ...lines, ...labels);
}

const mostLabels = 40; // members with their names beside them

/**
 * Returns a drawing of members, the pairs that exchange vectors, and those that others relay.
 *
 * @param {string} title - what it shows
 * @param {{name: string, state: string, own?: boolean, via?: string, waited?: string}[]} members
 * @param {{a: string, b: string}[]} edges
 * @returns {SVGElement}
 */
export function ring(title, members, edges) {
  const labelled = members.length <= mostLabels, many = members.length > 60;
  const { at, box } = places(members.map((m) => m.name), labelled ? 110 : 30);
  const line = (a, b, kind) => (at.has(a) && at.has(b)
    ? svg('line', { class: kind, x1: round(at.get(a).x), y1: round(at.get(a).y), x2: round(at.get(b).x), y2: round(at.get(b).y) }) : null);
  const nodes = members.map((m) => {
    const place = at.get(m.name), state = m.waited ? 'waited' : m.state;
    return svg('g', { class: `member ${state}${m.own ? ' own' : ''}`, transform: `translate(${round(place.x)} ${round(place.y)})` },
      mark(state, many ? 5 : 7), labelled && label(m.name, place, 16));
  });
  return svg('svg', { class: `graph ring${many ? ' many' : ''}`, role: 'img', 'aria-label': title, viewBox: box },
    ...edges.map((e) => line(e.a, e.b, 'exchange')), ...members.filter((m) => m.via).map((m) => line(m.name, m.via, 'relay')), ...nodes);
}

// mark returns the sign of a state: a disc, a ring, a square or a cross, so that color is not needed.
function mark(state, r) {
  if (state === 'out' || state === 'waited') return svg('rect', { x: -r, y: -r, width: 2 * r, height: 2 * r });
  if (state === 'lost' || state === 'away') return svg('g', {}, svg('circle', { r: r + 2, class: 'ground' }), svg('path', { d: `M${-r} ${-r}L${r} ${r}M${-r} ${r}L${r} ${-r}` }));
  return svg('circle', { r });
}
