// What the server of a run tells, for all views.

import { listen } from './api.js';
import { clock } from './format.js';
import { words } from './messages.js';
import { announce, name, trouble } from './shell.js';

const say = words.run;
const silent = 4000; // milliseconds of a wait from which on it is announced

const patience = 5000; // milliseconds after which a page without news says so

/** @type {{run: any, rounds: any[], events: any[], privacy: any, model: any, ended: boolean, finished: boolean, kept: boolean, late: boolean}} -
 *   finished: the run had ended when it was opened; kept: there is no run; late: nothing has come for a while */
export const told = { run: null, rounds: [], events: [], privacy: null, model: null, ended: false, finished: false, kept: false, late: false };

const views = [];

/**
 * Calls a function now and whenever something is new: the run, the privacy, the model, or how long members have
 * been waited for (waits).
 *
 * @param {'run'|'privacy'|'model'|'waits'} kind
 * @param {() => void} f
 */
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
    if (of.run) take.run(of.run);
    else name(say.whose(of.model.participant));
    told.kept = !of.run;
    changed('run');
    take.privacy(of.privacy);
    take.model(of.model);
    return;
  }
  setTimeout(() => { told.late = true; changed('run'); }, patience);
  setInterval(waits, 1000); // the server sends nothing while a wait goes on
  const stop = listen('/page/run', '/page/run', { ...take, end: () => { stop(); take.end(); } }, (problem) => {
    trouble(problem && told.run?.folder ? `${problem} ${say.again(told.run.folder)}` : problem);
  });
}

const take = {
  run: (run) => {
    told.rounds = [];
    told.events = [];
    told.finished = run.status.phase === 'ended';
    add(run);
  },
  news: (run) => {
    add(run);
    tell(run.events?.filter((e) => e.kind !== 'begun').map((e) => (e.kind === 'known' ? say.known(e.text) : e.text)) ?? []);
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
    if (!told.finished) announce(say.over);
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

// tell announces texts, of many the last.
function tell(texts) {
  if (texts.length) announce(texts.slice(-3).join('; '));
}

const late = new Set(); // members whose silence was announced

// waits announces for whom the others wait.
function waits() {
  if (!told.run || told.ended || told.run.outcome) return;
  const waited = (told.run.members ?? []).filter((m) => m.waited && Date.now() - Date.parse(m.waited) >= silent);
  tell(waited.filter((m) => !late.has(m.name)).map((m) => say.silent(m.name, clock(m.waited))));
  late.clear();
  for (const m of waited) late.add(m.name);
  if (told.run.members?.some((m) => m.waited || m.state !== 'summed')) changed('waits');
}
