// Elements, made without markup in text, so that no name of a sensor or a source is read as markup.

import { words } from './messages.js';

/**
 * Returns a new element. Attributes that are functions become listeners, true sets an empty attribute, and
 * false, null and undefined leave it out.
 *
 * @param {string} tag
 * @param {Record<string, any>} [attributes]
 * @param {...(Node|string|null|undefined|false)} children
 * @returns {HTMLElement}
 */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/**
 * Returns a new element of a drawing.
 *
 * @param {string} tag
 * @param {Record<string, any>} [attributes]
 * @param {...(Node|string|null|undefined|false)} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function fill(e, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') e.addEventListener(name, value);
    else if (value === true) e.setAttribute(name, '');
    else if (value !== false && value != null) e.setAttribute(name, String(value));
  }
  e.append(...children.filter((c) => c != null && c !== false));
  return e;
}

/**
 * Replaces what an element has, and keeps the focus and how far a table in it is scrolled. The focus finds its
 * element by the attribute data-key.
 *
 * @param {HTMLElement} host
 * @param {...(Node|string)} children
 */
export function renew(host, ...children) {
  const at = document.activeElement, inside = host.contains(at), key = at?.dataset.key;
  const top = host.querySelector('.scroll')?.scrollTop ?? 0;
  host.replaceChildren(...children);
  const scroll = host.querySelector('.scroll');
  if (scroll) scroll.scrollTop = top;
  if (inside) ((key && host.querySelector(`[data-key="${CSS.escape(key)}"]`)) || scroll)?.focus({ preventScroll: true });
}

// What does not fit in a table says so, as many devices show no bars.
const fits = new ResizeObserver((seen) => {
  for (const { target: table } of seen) {
    const host = table.parentElement;
    if (!host) continue;
    host.classList.toggle('wide', host.scrollWidth > host.clientWidth + 1);
    host.classList.toggle('long', host.scrollHeight > host.clientHeight + 1);
  }
});

/**
 * Returns a table in a part of the page that scrolls and can be reached by keyboard. Cells are texts or nodes; the first
 * of a row is its head.
 *
 * @param {string} name - what the table shows
 * @param {{text: string, number?: boolean}[]} head
 * @param {(Node|string)[][]} rows
 * @returns {HTMLElement}
 */
export function table(name, head, rows) {
  const kind = (i) => (head[i].number ? 'number' : null);
  const all = el('table', { 'aria-label': name },
    el('caption', { 'aria-hidden': 'true' }, el('span', { class: 'for-wide' }, words.wide), el('span', { class: 'for-long' }, words.long)),
    el('thead', {}, el('tr', {}, ...head.map((h, i) => el('th', { scope: 'col', class: kind(i) }, h.text)))),
    el('tbody', {}, ...rows.map((r) => el('tr', {}, ...r.map((c, i) =>
        (i === 0 ? el('th', { scope: 'row', class: kind(i) }, c) : el('td', { class: kind(i) }, c)))))));
  fits.observe(all);
  return el('div', { class: 'scroll', role: 'group', tabindex: 0, 'aria-label': name }, all);
}
