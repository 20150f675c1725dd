// Warnings: whom they concern, how serious they are, and what to do.

import { el } from './dom.js';
import { told } from './feed.js';
import { capital, clock } from './format.js';
import { words } from './messages.js';

const say = words.warnings;

/**
 * @typedef {object} Warning
 * @property {string} text
 * @property {string} [kind]
 * @property {string[]} [members] - those that it is about
 * @property {string} [at]
 */

const isPrivate = (w) => w.text.startsWith('privacy: ') || w.kind === 'open_seats';
const about = (w) => say.kinds[w.kind] ?? (isPrivate(w) ? say.other : { level: 'low' });
const levels = ['high', 'medium', 'low'];

/** Returns the warnings about privacy, each once, the most serious first. @returns {Warning[]} */
export function ofPrivacy() {
  const all = [...told.privacy?.warnings ?? [], ...told.run?.status.known ?? [], ...told.run?.status.warned ?? []].filter(isPrivate);
  const first = new Map();
  for (const w of all) if (!first.has(w.text)) first.set(w.text, w);
  return [...first.values()].sort((a, b) => levels.indexOf(about(a).level) - levels.indexOf(about(b).level));
}

/** Returns how many of these warnings are serious. @param {Warning[]} all @returns {number} */
export const serious = (all) => all.filter((w) => about(w).level === 'high').length;

/**
 * Returns the other warnings of the process, the newest first: those that still hold, and those that are solved, as the
 * member is back.
 *
 * @returns {{open: Warning[], solved: Warning[]}}
 */
export function ofRun() {
  const back = new Set((told.run?.members ?? []).filter((m) => ['summed', 'here'].includes(m.state) && !m.waited).map((m) => m.name));
  const solved = (w) => w.kind === 'returned' || (['absent', 'link'].includes(w.kind) && w.members?.every((m) => back.has(m)));
  const all = [...(told.run?.status.warned ?? [])].reverse().filter((w) => !isPrivate(w));
  return { open: all.filter((w) => !solved(w)), solved: all.filter(solved) };
}

// sentence returns the text of a warning. A name at its begin stays as it is. A warning to others says who they are.
function sentence({ text, kind, members }, own) {
  let bare = text.replace(/^privacy: /, '');
  if (say.kinds[kind]?.to && members && !(members.length === 1 && members[0] === own)) bare = say.said(members, bare);
  return `${members?.some((m) => bare.startsWith(m)) ? bare : capital(bare)}${bare.endsWith('.') ? '' : '.'}`;
}

/** Returns a list of warnings. @param {Warning[]} all @param {string} own - the member of this page @returns {HTMLElement} */
export function list(all, own) {
  return el('ul', { class: 'warnings' }, ...all.map((w) => {
    const { level, concerns, advice } = about(w);
    const named = w.members?.length ? say.named(w.members, own) : concerns;
    return el('li', { class: `warning ${level}` },
      el('p', {}, el('strong', {}, say.levels[level]), named ? ` · ${say.concerns(named)}` : '', w.at ? el('span', { class: 'quiet' }, ` · ${clock(w.at)}`) : ''),
      el('p', {}, sentence(w, own)),
      advice ? el('p', {}, el('strong', {}, say.advice), ' ', advice) : null);
  }));
}
