import { createSlots } from './slots.ts';

/** A promise and how to resolve it. */
const held = () => Promise.withResolvers<void>();
// Everything here happens in memory, so all that can run has run after one turn of the event loop.
const settled = () => new Promise((resolve) => setImmediate(resolve));

it('runs at most so many jobs at once', async () => {
  const slots = createSlots(2, 0);
  const gates = [held(), held(), held()];
  const begun: number[] = [];
  const all = gates.map((gate, index) =>
    slots.run('a', () => {
      begun.push(index);
      return gate.promise;
    }),
  );
  await settled();
  expect(begun).toEqual([0, 1]);
  gates[1]?.resolve();
  await settled();
  expect(begun).toEqual([0, 1, 2]);
  for (const gate of gates) gate.resolve();
  await Promise.all(all);
});

it('runs another job while one waits outside, and lets that one finish before jobs that have not begun', async () => {
  const slots = createSlots(1, 1);
  const [answer, second] = [held(), held()];
  const steps: string[] = [];
  const all = [
    slots.run('a', async (outside) => {
      await outside(() => answer.promise);
      steps.push('first is back');
    }),
    slots.run('a', async () => {
      steps.push('second works');
      await second.promise;
    }),
    slots.run('a', async () => void steps.push('third works')),
  ];
  await settled();
  answer.resolve();
  await settled();
  expect(steps).toEqual(['second works']);
  second.resolve();
  await Promise.all(all);
  expect(steps).toEqual(['second works', 'first is back', 'third works']);
});

it('lets only so many jobs wait outside, and keeps the place of a further one', async () => {
  const slots = createSlots(1, 1);
  const gates = [held(), held()];
  const begun: number[] = [];
  const all = [0, 1, 2].map((index) =>
    slots.run('a', (outside) => {
      begun.push(index);
      return outside(async () => gates[index]?.promise);
    }),
  );
  await settled();
  expect(begun).toEqual([0, 1]);
  gates[1]?.resolve();
  await settled();
  expect(begun).toEqual([0, 1, 2]);
  gates[0]?.resolve();
  await Promise.all(all);
});

it('frees the place of a job that fails outside', async () => {
  const slots = createSlots(1, 1);
  const failing = slots.run('a', (outside) => outside(() => Promise.reject(new Error('refused'))));
  await expect(failing).rejects.toThrow('refused');
  await expect(slots.run('a', async () => 'works')).resolves.toBe('works');
});

it('starts waiting jobs of different tenants in turn', async () => {
  const slots = createSlots(1, 0);
  const first = held();
  const order: string[] = [];
  const all = [slots.run('busy', () => first.promise)];
  for (const tenant of ['busy', 'busy', 'busy', 'other', 'third', 'other'])
    all.push(slots.run(tenant, async () => void order.push(tenant)));
  first.resolve();
  await Promise.all(all);
  expect(order).toEqual(['busy', 'other', 'third', 'busy', 'other', 'busy']);
});
