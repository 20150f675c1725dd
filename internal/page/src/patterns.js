// What a mixture has learned, for each page that shows a model.

import { el, table } from './dom.js';
import { count, even, percent, short } from './format.js';
import { circle } from './graph.js';
import { words } from './messages.js';
import { announce } from './shell.js';

const say = words.model;
const mostEdges = 30; // that are drawn and listed
const far = 1.5; // standard deviations of the patterns' means from which on one is marked

/** Returns a part of a view. @param {string} title @param {...(Node|string)} children */
export const part = (title, ...children) => el('section', {}, el('h2', {}, title), ...children);

/** Returns the part with what is known of a model. @param {([string, Node|string]|null)[]} lines */
export const facts = (lines) => part(say.facts,
  el('dl', {}, ...lines.filter(Boolean).map(([k, v]) => el('div', {}, el('dt', {}, k), el('dd', {}, v)))));

/**
 * Returns the parts about the patterns of a mixture. Those of a smaller weight than least do not matter, and are
 * only counted.
 *
 * @param {{weight: number, mean: number[], edges: import('./graph.js').Edge[]}[]} components
 * @param {string[]} columns
 * @param {Record<string, string>} units - by column
 * @param {number} least
 * @param {HTMLElement|string} [beside] - a part to show beside the weights
 * @returns {HTMLElement[]}
 */
export function patterns(components, columns, units, least, beside = '') {
  const every = components.map((c, i) => ({ ...c, k: i + 1 })).sort((a, b) => b.weight - a.weight);
  if (!every.length) return [beside, part(say.patterns, el('p', {}, say.noPatterns))].filter(Boolean);
  const all = every.filter((c) => c.weight >= least);
  const edge = (e) => `${e.a} with ${e.b} ${short(e.partial_correlation, 2)}`;
  const weights = part(say.patterns, el('p', { class: 'quiet' }, say.patternsNote(every.length)),
    all.length < every.length ? el('p', { class: 'quiet' }, say.small(every.length - all.length)) : '',
    table(say.patterns, [{ text: say.which }, { text: say.weight, number: true }, { text: say.edges, number: true }, { text: say.strongest }],
      all.map((c) => [say.pattern(c.k),
        el('span', { class: 'share' }, el('progress', { max: 1, value: c.weight, 'aria-hidden': 'true' }), percent(c.weight)),
        count(c.edges.length), c.edges.slice(0, 3).map(edge).join(', ') || '–'])));
  return [el('div', { class: 'pair' }, weights, beside), means(all, columns, units), dependencies(all, columns)];
}

function means(all, columns, units) {
  return part(say.means, el('p', { class: 'quiet' }, say.meansNote),
    table(say.means, [{ text: say.column }, ...all.map((c) => ({ text: say.pattern(c.k), number: true }))],
      columns.map((name, j) => {
        const middle = all.reduce((s, c) => s + c.weight * c.mean[j], 0);
        const spread = Math.sqrt(all.reduce((s, c) => s + c.weight * (c.mean[j] - middle) ** 2, 0));
        const written = even(all.map((c) => c.mean[j]));
        return [units[name] ? `${name} (${units[name]})` : name, ...all.map((c, i) => {
          const off = spread > 0 ? (c.mean[j] - middle) / spread : 0;
          const mark = off > far ? '▲ ' : off < -far ? '▼ ' : '';
          return el('span', { class: mark ? 'far' : null }, mark, written[i]);
        })];
      })));
}

function dependencies(all, columns) {
  const shown = el('div', { class: 'pair' });
  const choice = el('select', { id: 'pattern', change: () => announce(show(), true) }, ...all.map((c, i) => el('option', { value: i }, `${say.pattern(c.k)} (${percent(c.weight)})`)));
  const show = () => {
    const { k, edges } = all[Number(choice.value)];
    if (!edges.length) {
      shown.replaceChildren(el('p', {}, say.noEdges));
      return say.noEdges;
    }
    const few = edges.slice(0, mostEdges), written = even(few.map((e) => e.partial_correlation), 3);
    const names = [...new Set([...columns, ...few.flatMap((e) => [e.a, e.b])])];
    const free = names.filter((n) => !few.some((e) => e.a === n || e.b === n));
    shown.replaceChildren(
      el('figure', {}, circle(say.graph(k, few.length), names, few),
        el('ul', { class: 'keys quiet', 'aria-label': say.keys }, el('li', { class: 'key-together' }, say.rise), el('li', { class: 'key-against' }, say.fall))),
      el('div', {},
        few.length < edges.length ? el('p', { class: 'quiet' }, say.cut(few.length, edges.length)) : '',
        free.length ? el('p', { class: 'quiet' }, say.free(free)) : '',
        table(say.dependencies, [{ text: say.first }, { text: say.second }, { text: say.correlation, number: true }],
          few.map((e, i) => [e.a, e.b, written[i]]))));
    return say.graph(k, few.length);
  };
  show();
  return part(say.dependencies, el('p', { class: 'quiet' }, say.dependenciesNote),
    el('p', { class: 'chooser' }, el('label', { for: 'pattern' }, say.which), choice), shown);
}
