// Elements, made without markup in text, so that no name of a sensor or a source is read as markup.

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
  return el('div', { class: 'scroll', role: 'group', tabindex: 0, 'aria-label': name },
    el('table', { 'aria-label': name },
      el('thead', {}, el('tr', {}, ...head.map((h, i) => el('th', { scope: 'col', class: kind(i) }, h.text)))),
      el('tbody', {}, ...rows.map((r) => el('tr', {}, ...r.map((c, i) =>
        (i === 0 ? el('th', { scope: 'row', class: kind(i) }, c) : el('td', { class: kind(i) }, c))))))));
}
