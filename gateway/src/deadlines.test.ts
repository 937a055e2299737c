import { until } from '@tandem/testing';
import { createDeadlines } from './deadlines.ts';

const tickMs = 5;

/** Work that settles when the returned function is called, with a deadline that notes its name. */
function aCall(deadlines: ReturnType<typeof createDeadlines>, name: string, ticks: number, late: string[]) {
  const { promise, resolve } = Promise.withResolvers<void>();
  void deadlines.of(promise, ticks * tickMs, () => late.push(name));
  return resolve;
}

it('calls late once for each call that takes too long, whatever settles between them', async () => {
  const deadlines = createDeadlines(tickMs);
  const late: string[] = [];
  const settle = ['a', 'b', 'c', 'd'].map((name, index) => aCall(deadlines, name, index + 1, late));
  settle[1]?.();
  settle[3]?.();
  await until('the first is late', () => late.includes('a'));
  // Settles after its deadline, when it is no longer in the list.
  settle[0]?.();
  await until('the third is late', () => late.includes('c'));
  aCall(deadlines, 'last', 3, late);
  await until('the last is late', () => late.includes('last'));
  expect(late).toEqual(['a', 'c', 'last']);
});

it('calls late for every call with the same deadline, and for those that begin meanwhile', async () => {
  const deadlines = createDeadlines(tickMs);
  const late: string[] = [];
  const { promise } = Promise.withResolvers<void>();
  void deadlines.of(promise, tickMs, () => aCall(deadlines, 'second', 1, late));
  for (const name of ['a', 'b']) aCall(deadlines, name, 1, late);
  await until('all are late', () => late.length === 3);
  expect(late.toSorted()).toEqual(['a', 'b', 'second']);
});
