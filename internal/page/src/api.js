// Requests to the server of this page.

import { words } from './messages.js';

/** Lost says that the server did not answer; its session may be over. */
export class Lost extends Error {}

/**
 * @param {string} path
 * @param {RequestInit} [options]
 * @returns {Promise<Response>}
 */
export async function ask(path, options) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch (e) {
    if (e.name === 'AbortError') throw e;
    throw new Lost(words.gone);
  }
  if (answer.status === 401) throw new Lost(words.sessionOver);
  if (!answer.ok) {
    const problem = await answer.json().catch(() => ({}));
    throw new Error(problem.detail || problem.title || words.refused(answer.status));
  }
  return answer;
}

/** @param {string} path @returns {Promise<any>} */
export const get = async (path) => (await ask(path, { headers: { Accept: 'application/json' } })).json();

/**
 * Passes on each line of an answer in JSON lines.
 *
 * @param {Response} answer
 * @param {(line: any) => void} each
 */
export async function lines(answer, each) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    let part;
    try {
      part = await reader.read();
    } catch (e) {
      if (e.name === 'AbortError') throw e;
      throw new Lost(words.gone);
    }
    const all = (rest + (part.value ?? '')).split('\n');
    rest = part.done ? '' : all.pop();
    for (const line of all) if (line) each(JSON.parse(line));
    if (part.done) return;
  }
}

const again = 3000; // milliseconds from one attempt to connect to the next

/**
 * Listens to server-sent events until the function that it returns is called. The browser connects again by
 * itself, unless the server refused.
 *
 * @param {string} path
 * @param {string} other - a path that tells why the server refuses
 * @param {Record<string, (data: any) => void>} by - what to do with each kind of event
 * @param {(problem: string) => void} state - '' once the connection stands
 * @returns {() => void}
 */
export function listen(path, other, by, state) {
  let source, timer;
  const connect = () => {
    source = new EventSource(path);
    source.onopen = () => state('');
    source.onerror = async () => {
      if (source.readyState !== EventSource.CLOSED) return state(words.reconnecting);
      timer = setTimeout(connect, again);
      state(await get(other).then(() => words.reconnecting, (e) => e.message));
    };
    for (const [kind, then] of Object.entries(by)) source.addEventListener(kind, (e) => then(JSON.parse(e.data)));
  };
  connect();
  return () => {
    clearTimeout(timer);
    source.close();
  };
}
