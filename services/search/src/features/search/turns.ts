import { setImmediate as othersFirst } from 'node:timers/promises';

const turnMs = 10;

/** Does something with each of a list, and lets other requests come in between: a document may be 64 KB of words. */
export async function inTurns<From, To>(list: readonly From[], work: (one: From) => To): Promise<To[]> {
  const done: To[] = [];
  let since = performance.now();
  for (const one of list) {
    done.push(work(one));
    if (performance.now() - since < turnMs) continue;
    await othersFirst();
    since = performance.now();
  }
  return done;
}
