// What the server of a run tells, for all views.

import { listen } from './api.js';
import { words } from './messages.js';
import { announce, name, trouble } from './shell.js';

const say = words.run;
const silent = 4000; // milliseconds of a wait from which on it is announced

/** @type {{run: any, rounds: any[], events: any[], privacy: any, model: any, ended: boolean}} */
export const told = { run: null, rounds: [], events: [], privacy: null, model: null, ended: false };

const views = [];

/** Calls a function now and whenever something of a kind is new. @param {string} kind @param {() => void} f */
export function on(kind, f) {
  views.push({ kind, f });
  f();
}

const changed = (kind) => views.forEach((v) => v.kind === kind && v.f());

/** Shows what is in the page itself, or listens to the server. */
export function follow() {
  const kept = document.getElementById('data');
  if (kept) {
    const of = JSON.parse(kept.textContent);
    take.run(of.run);
    take.privacy(of.privacy);
    take.model(of.model);
    return;
  }
  const stop = listen('/page/run', '/page/run', { ...take, end: () => { stop(); take.end(); } }, (problem) => {
    trouble(problem && told.run?.folder ? `${problem} ${say.again(told.run.folder)}` : problem);
  });
}

const take = {
  run: (run) => {
    told.rounds = [];
    told.events = [];
    add(run);
  },
  news: (run) => {
    const before = told.run;
    add(run);
    tell(before, run);
  },
  privacy: (of) => {
    told.privacy = of;
    changed('privacy');
  },
  model: (of) => {
    told.model = of;
    changed('model');
  },
  end: () => {
    told.ended = true;
    announce(say.over);
    changed('run');
  },
};

function add(run) {
  told.run = run;
  told.rounds = told.rounds.concat(run.rounds ?? []);
  told.events = told.events.concat(run.events ?? []).slice(-1000);
  name(say.whose(run.status.name));
  changed('run');
}

// tell announces what has happened, and who is waited for.
function tell(before, run) {
  const texts = (run.events ?? []).filter((e) => e.kind !== 'begun').map((e) => e.text);
  for (const m of run.members ?? []) {
    if (!long(m, run)) continue;
    const old = before.members?.find((o) => o.name === m.name);
    if (!old || !long(old, before)) texts.push(say.silent(m.name, seconds(m, run)));
  }
  if (texts.length > 3) texts.splice(0, texts.length - 3);
  if (texts.length) announce(texts.join(' '));
}

const seconds = (m, run) => Math.round((Date.parse(run.status.at) - Date.parse(m.waited)) / 1000);
const long = (m, run) => m.waited && 1000 * seconds(m, run) >= silent;
