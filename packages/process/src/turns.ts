import { setImmediate as nextTurn } from 'node:timers/promises';

const turnMs = 5;

/**
 * Maps a list and yields to the event loop every 5 ms, so that a customer's large list does not delay other requests.
 */
export async function inTurns<From, To>(list: readonly From[], work: (one: From) => To): Promise<To[]> {
  const done: To[] = [];
  let since = performance.now();
  for (const item of list) {
    done.push(work(item));
    if (performance.now() - since < turnMs) continue;
    await nextTurn();
    since = performance.now();
  }
  return done;
}
