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
const levels = ['high', 'medium', 'low'];
const likely = [0.2, 0.05]; // probabilities from which on finding a member's part of a sum is of the first and the second level

// about returns how serious a warning is, whom it concerns, and what to do.
function about(w) {
  const of = say.kinds[w.kind] ?? (isPrivate(w) ? say.other : { level: 'low' });
  if (w.kind !== 'unhidden') return of;
  const p = told.privacy?.protection?.breach_predicted ?? 1, level = likely.findIndex((least) => p >= least);
  return { ...of, level: levels[level < 0 ? 2 : level] };
}

const own = () => told.run?.status.name ?? told.model?.participant;

/** Reports whether a warning concerns the member of this page alone or among others. @param {Warning} w @returns {boolean} */
export const ofOwn = (w) => (w.members?.length ? w.members.includes(own()) : about(w).to === true);

/**
 * Returns the warnings about privacy, each once: the most serious first, and of these first those of the own member.
 *
 * @returns {Warning[]}
 */
export function ofPrivacy() {
  const all = [...told.privacy?.warnings ?? [], ...told.run?.status.known ?? [], ...told.run?.status.warned ?? []].filter(isPrivate);
  const first = new Map();
  for (const w of all) if (!first.has(w.text)) first.set(w.text, w);
  const rank = (w) => 2 * levels.indexOf(level(w)) + (ofOwn(w) ? 0 : 1);
  return [...first.values()].sort((a, b) => rank(a) - rank(b));
}

// level returns how serious a warning is here: what is known of the own member's rows is never less so than the same of another.
const level = (w) => (ofOwn(w) && exposures.includes(w.kind) ? levels[0] : about(w).level);

/** Kinds of warnings that something is known of a member that is lost, or comes back. */
const exposures = ['known', 'estimated'];

/** Returns the warnings that something is known of a member's rows. @param {string} member @returns {Warning[]} */
export const exposed = (member) => ofPrivacy().filter((w) => exposures.includes(w.kind) && w.members?.includes(member));

/**
 * Reports whether all that is known by losses and returns is among the warnings: they are the last ones only, and a member
 * outside the sums learns of none.
 *
 * @returns {boolean}
 */
export function complete() {
  const { status, members } = told.run, me = members?.find((m) => m.own);
  return (status.known_in_all ?? 0) <= (status.known?.length ?? 0) && (!me || ['summed', 'here'].includes(me.state))
    && !ofPrivacy().some((w) => !w.kind || (exposures.includes(w.kind) && !w.members?.length));
}

/** Returns those of these warnings that are more than information. @param {Warning[]} all @returns {Warning[]} */
export const notable = (all) => all.filter((w) => level(w) !== 'low');

/** Returns how many of these warnings are serious. @param {Warning[]} all @returns {number} */
export const serious = (all) => all.filter((w) => level(w) === 'high').length;

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

// adviceFor returns what to do. Once a run has ended, nobody can be brought back.
const adviceFor = (w) => (w.kind === 'absent' && (told.ended || told.run?.outcome || told.run?.status.phase === 'ended') ? null : about(w).advice);

/** Returns a list of warnings. @param {Warning[]} all @param {string} own - the member of this page @returns {HTMLElement} */
export function list(all, own) {
  return el('ul', { class: 'warnings' }, ...all.map((w) => {
    const { concerns } = about(w), advice = adviceFor(w);
    const named = w.members?.length ? say.named(w.members, own) : concerns;
    return el('li', { class: `warning ${level(w)}` },
      el('p', {}, el('strong', {}, say.levels[level(w)]), named ? ` · ${say.concerns(named)}` : '', w.at ? el('span', { class: 'quiet' }, ` · ${clock(w.at)}`) : ''),
      el('p', {}, sentence(w, own)),
      advice ? el('p', {}, el('strong', {}, say.advice), ' ', advice) : null);
  }));
}
