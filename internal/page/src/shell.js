// What is around the views of a page: its name, the way from view to view, and what is announced.

import { el } from './dom.js';
import { words } from './messages.js';

/**
 * A View is one part of a page. mount fills it once; what that returns, if anything, is called each time the view
 * is shown.
 *
 * @typedef {object} View
 * @property {string} name - in the address of the page
 * @property {string} title
 * @property {(root: HTMLElement) => (() => void) | void} mount
 */

const status = el('p', { id: 'status', role: 'status' });
const problem = el('p', { id: 'problem', role: 'alert', hidden: true });
const whose = el('span', { class: 'whose' });

/**
 * Announces a change to those who hear the page, and to those who see it, unless they see it elsewhere.
 *
 * @param {string} text
 * @param {boolean} [seen]
 */
export function announce(text, seen = false) {
  status.textContent = text;
  status.classList.toggle('hidden', seen);
}

/** Shows that the server cannot be reached, until the text is ''. @param {string} text */
export function trouble(text) {
  if (problem.textContent === text) return;
  problem.textContent = text;
  problem.hidden = text === '';
  if (text === '') announce(words.connected);
}

/** Names whose page it is. @param {string} name */
export function name(name) {
  whose.textContent = name;
}

/**
 * Shows views, the first of them unless the address names another.
 *
 * @param {View[]} views
 */
export function start(views) {
  const main = el('main', { id: 'main', tabindex: -1 });
  const parts = views.map((view) => ({
    view,
    link: el('a', { href: `#${view.name}` }, view.title),
    root: el('section', { hidden: true, 'aria-labelledby': `${view.name}-title` },
      el('h1', { id: `${view.name}-title`, tabindex: -1 }, view.title)),
  }));
  main.append(...parts.map((p) => p.root));
  document.body.append(
    el('a', { class: 'skip', href: '#main', click: (e) => { e.preventDefault(); main.focus(); } }, words.skip),
    el('header', {},
      el('p', { class: 'brand' }, words.program, ' ', whose),
      el('nav', { 'aria-label': words.views }, ...parts.map((p) => p.link)),
      status),
    problem, main);

  for (const p of parts) p.shown = p.view.mount(p.root);
  const show = (moved) => {
    const wanted = parts.find((p) => `#${p.view.name}` === location.hash) ?? parts[0];
    for (const p of parts) {
      p.root.hidden = p !== wanted;
      if (p === wanted) p.link.setAttribute('aria-current', 'page');
      else p.link.removeAttribute('aria-current');
    }
    document.title = words.pageTitle(wanted.view.title);
    wanted.shown?.();
    if (moved) announce('');
    if (moved) wanted.root.querySelector('h1').focus();
  };
  addEventListener('hashchange', () => show(true));
  show(false);
}
