import { ServiceCallError } from '@tandem/client/internal';
import { createIdCodec } from '@tandem/ids';
import { UsageError } from './admin-arguments.ts';
import type { Part } from './admin-projections.ts';
import { rebuildProjection } from './admin-rebuild.ts';

const ids = createIdCodec('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789');
const [tenant, other] = [3, 4].map((id) => ids.encode('tenant', id, id));
const unavailable = new ServiceCallError('rebuildDuplicates', 503, 'unavailable');

/**
 * Rebuilds one projection of the tenants 3 and 4, with two pages of one record each, and records the rebuilt pages, the
 * printed lines and the waits. Waits and pages of `pageMs` advance the clock.
 */
async function rebuild({
  fails = () => undefined,
  from,
  pageMs = 0,
  rate = 500,
}: {
  fails?: (calls: number) => Error | undefined;
  from?: string | undefined;
  pageMs?: number;
  rate?: number;
}) {
  const rebuilt: string[] = [];
  const lines: string[] = [];
  const waits: number[] = [];
  let time = 0;
  let calls = 0;
  const part: Part = {
    name: 'leads/all',
    async rebuild({ after, as: { tenantId, environment } }) {
      time += pageMs;
      const error = fails(++calls);
      if (error) throw error;
      rebuilt.push(`${tenantId}/${environment}/${after}`);
      const next = (after ?? 0) + 1;
      return { read: 1, written: 1, removed: 0, next: next < 2 ? next : null };
    },
  };
  const done = rebuildProjection(
    { service: 'crm', parts: () => [part] },
    [3, 4],
    { rate, from },
    {
      as: { requestId: 'test' },
      ids,
      connect: () => {
        throw new Error('This projection calls no service');
      },
      now: () => time,
      print: (line) => void lines.push(line),
      async wait(ms) {
        if (ms) waits.push(ms);
        time += ms;
      },
    },
  );
  const error = await done.then(
    () => undefined,
    (reason: Error) => reason,
  );
  return { rebuilt, lines, waits, error };
}

const everyPage = ['3/live', '3/sandbox', '4/live', '4/sandbox'].flatMap((one) => [`${one}/null`, `${one}/1`]);

it('walks through every tenant and environment, at the rate', async () => {
  const { rebuilt, waits, lines } = await rebuild({ rate: 10 });
  expect(rebuilt).toEqual(everyPage);
  expect(waits).toEqual(Array(7).fill(100));
  expect(lines).toEqual(['Done: 8 records read, 8 rows written, 0 removed']);
});

it('repeats a page that fails for a moment, with growing delays', async () => {
  const { rebuilt, waits, lines, error } = await rebuild({ fails: (calls) => (calls < 3 ? unavailable : undefined) });
  expect({ rebuilt, error }).toEqual({ rebuilt: everyPage, error: undefined });
  expect(waits.filter((ms) => ms >= 1_000)).toEqual([1_000, 2_000]);
  expect(lines[0]).toBe('rebuildDuplicates returned 503; retrying in 1 s');
});

it('stops when a page keeps failing, with the position that continues the rebuild', async () => {
  const { rebuilt, error } = await rebuild({ fails: (calls) => (calls > 4 ? unavailable : undefined) });
  expect(rebuilt).toEqual(everyPage.slice(0, 4));
  expect(error?.message).toMatch(/^rebuildDuplicates returned 503; 4 records read, .*; to continue from here: --from /);
  const from = /--from (\S+)$/.exec(error?.message ?? '')?.[1];
  expect((await rebuild({ from })).rebuilt).toEqual(everyPage.slice(4));
});

it('repeats no page that another attempt would not change', async () => {
  const rejected = new ServiceCallError('rebuildDuplicates', 422, 'validation_failed');
  const { waits, error } = await rebuild({ fails: () => rejected });
  expect({ waits, cause: error?.cause }).toEqual({ waits: [], cause: rejected });
});

it('prints its progress at most once a second, with a position that continues the rebuild', async () => {
  const { lines } = await rebuild({ pageMs: 300 });
  expect(lines.map((line) => /^[^;]*/.exec(line)?.[0])).toEqual([
    '4 records read, 4 rows written, 0 removed',
    'Done: 8 records read, 8 rows written, 0 removed',
  ]);
  const from = /--from (\S+)$/.exec(lines[0] as string)?.[1];
  expect(from).toContain(`${other}/live/leads/all/`);
  expect((await rebuild({ from })).rebuilt).toEqual(everyPage.slice(4));
});

it('continues within a part after a public id', async () => {
  const from = `${tenant}/sandbox/leads/all/${ids.encode('lead', 3, 1)}`;
  expect((await rebuild({ from })).rebuilt).toEqual(everyPage.slice(3));
});

it.each([
  '3/live/leads/all/1',
  `${tenant}/live/leads/all/1`,
  `${tenant}/live/deals/${ids.encode('lead', 3, 1)}`,
  `${tenant}/test/leads/all/${ids.encode('lead', 3, 1)}`,
  `${tenant}/live/leads/all/${ids.encode('lead', 4, 1)}`,
  `${ids.encode('tenant', 5, 5)}/live/leads/all/${ids.encode('lead', 5, 1)}`,
])('rejects the position %s', async (from) => {
  const { error, rebuilt } = await rebuild({ from });
  expect({ usage: error instanceof UsageError, rebuilt }).toEqual({ usage: true, rebuilt: [] });
});
