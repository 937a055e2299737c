import { setImmediate as nextTurn } from 'node:timers/promises';

const turnMs = 5;

/**
 * Does something with each entry of a list, and lets the event loop serve others whenever 5 ms have passed: for lists
 * whose entries are a customer's, so that a large one delays nobody else.
 */
export async function inTurns<From, To>(list: readonly From[], work: (one: From) => To): Promise<To[]> {
  const done: To[] = [];
  let since = performance.now();
  for (const one of list) {
    done.push(work(one));
    if (performance.now() - since < turnMs) continue;
    await nextTurn();
    since = performance.now();
  }
  return done;
}
