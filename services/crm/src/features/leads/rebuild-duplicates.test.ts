import type { crm } from '@tandem/crm-contract';
import { type TestService, testService, until } from '@tandem/testing';
import pg from 'pg';
import { aLead, alone } from '../../crm.test-service.ts';
import { crmService } from '../../service.ts';

let service: TestService<typeof crm>;
let databaseUrl: string;
beforeAll(async () => {
  service = await testService('crm', (settings) => {
    databaseUrl = settings.DATABASE_URL;
    return crmService({ ...settings, ...alone });
  });
});
afterAll(() => service?.close());

type Api = ReturnType<TestService<typeof crm>['as']>;

/** The pairs of a tenant without their ids, which are new after a rebuild. */
async function pairsOf(api: Api) {
  const { data } = await api.listLeadDuplicates({ query: { limit: '100' } });
  return (data as { leadIds: string[]; confidence: number; matchedOn: string[] }[])
    .map(({ leadIds, confidence, matchedOn }) => ({ leadIds, confidence, matchedOn }))
    .sort((one, other) => (`${one.leadIds}` < `${other.leadIds}` ? -1 : 1));
}

const somePairs = (api: Api, count: number) =>
  until(`${count} pairs are found`, async () => {
    const pairs = await pairsOf(api);
    return pairs.length === count && pairs;
  });

/** Walks through all pages as the command does; resolves to the sums. */
async function rebuild(api: Api) {
  const system = service.as({ ...api.caller, type: 'system', name: 'admin', can: [] });
  const total = { read: 0, written: 0, removed: 0 };
  let after: number | null = null;
  do {
    const { status, data } = await system.rebuildDuplicates({ body: { part: 'leads', after } });
    expect(status).toBe(200);
    total.read += data.read;
    total.written += data.written;
    total.removed += data.removed;
    after = data.next;
  } while (after !== null);
  return total;
}

/** An event that is handled later would find the pairs of its lead again. */
const allHandled = (api: Api) =>
  until('the event of every created lead is handled', async () => {
    const [events] = await service.sqlWithin(
      api.caller,
      `SELECT (SELECT count(*) FROM lead)
        - (SELECT count(*) FROM platform.inbox WHERE consumer LIKE '%detect-duplicates%') AS waiting`,
    );
    return Number(events?.['waiting']) <= 0;
  });

const forget = async (api: Api) => {
  await allHandled(api);
  await service.sqlWithin(api.caller, 'DELETE FROM duplicate_pair');
  await service.sqlWithin(api.caller, 'UPDATE lead SET is_paired = false');
};

it('lost pairs are the same after a rebuild of several pages, and a second rebuild changes nothing', async () => {
  const api = service.as();
  for (let n = 0; n < 26; n++)
    for (const email of [`twin${n}@example.com`, `Twin${n}@example.com`])
      await api.createLead({ body: aLead({ email }) });
  const before = await somePairs(api, 26);
  await forget(api);
  expect(await rebuild(api)).toEqual({ read: 52, written: 26, removed: 0 });
  expect(await pairsOf(api)).toEqual(before);
  expect(await rebuild(api)).toEqual({ read: 52, written: 0, removed: 0 });
});

it('pairs of every kind are rebuilt as the events made them', async () => {
  const api = service.as();
  const name = { firstName: 'Ada', lastName: 'Byron' };
  await api.createLead({ body: aLead({ ...name, email: 'ada@example.com' }) });
  await api.createLead({ body: aLead({ ...name, email: 'Ada@example.com' }) });
  await api.createLead({ body: aLead({ email: 'ada+news@example.com', phone: '+491701111111' }) });
  await api.createLead({ body: aLead({ phone: '+491701111111' }) });
  const before = await somePairs(api, 4);
  await forget(api);
  expect(await pairsOf(api)).toEqual([]);
  expect(await rebuild(api)).toEqual({ read: 4, written: 4, removed: 0 });
  expect(await pairsOf(api)).toEqual(before);
  const id = before[0]?.leadIds[0];
  expect((await api.getLead({ params: { id } })).data.duplicateCount).toBe(2);
});

it('pairs of a change whose event was lost are corrected or removed', async () => {
  const api = service.as();
  const name = { firstName: 'Grace', lastName: 'Hopper' };
  const { data: first } = await api.createLead({ body: aLead({ ...name, email: 'grace@example.com' }) });
  await api.createLead({ body: aLead({ ...name, email: 'grace@example.com' }) });
  const { data: third } = await api.createLead({ body: aLead({ phone: '+491702222222' }) });
  await api.createLead({ body: aLead({ phone: '+491702222222' }) });
  await somePairs(api, 2);
  await allHandled(api);
  const change = 'UPDATE lead SET email = $2, phone = NULL WHERE id = $1';
  for (const { id } of [first, third]) await service.sqlWithin(api.caller, change, [id, `me@changed${id}.example`]);
  expect(await rebuild(api)).toEqual({ read: 4, written: 1, removed: 1 });
  expect(await pairsOf(api)).toMatchObject([{ confidence: 0.6, matchedOn: ['name'] }]);
});

it('a change of a lead while its page is rebuilt wins', async () => {
  const api = service.as();
  const { data } = await api.createLead({ body: aLead({ email: 'raced@example.com' }) });
  await api.createLead({ body: aLead({ email: 'raced@example.com' }) });
  await somePairs(api, 1);
  await forget(api);
  const writer = new pg.Client({ connectionString: databaseUrl });
  await writer.connect();
  try {
    await writer.query(`SELECT set_config('app.tenant_id', $1, false), set_config('app.environment', 'live', false)`, [
      String(api.caller.tenantId),
    ]);
    await writer.query('BEGIN');
    await writer.query(`UPDATE lead SET email = 'elsewhere@example.com' WHERE id = $1`, [data.id]);
    const rebuilt = rebuild(api);
    await until('the rebuild waits for the lead', async () => {
      const waiting = await service.sql(`SELECT FROM pg_locks WHERE NOT granted AND pid IN (
        SELECT pid FROM pg_stat_activity WHERE datname = current_database())`);
      return waiting.length > 0;
    });
    await writer.query('COMMIT');
    expect(await rebuilt).toEqual({ read: 2, written: 0, removed: 0 });
  } finally {
    await writer.end();
  }
  expect(await pairsOf(api)).toEqual([]);
});

it('each environment is rebuilt within its own leads', async () => {
  const api = service.as();
  const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
  for (const one of [api, api, sandbox, sandbox])
    await one.createLead({ body: aLead({ email: 'shared@example.com' }) });
  await Promise.all([somePairs(api, 1), somePairs(sandbox, 1)]);
  for (const one of [api, sandbox]) await forget(one);
  expect(await rebuild(api)).toEqual({ read: 2, written: 1, removed: 0 });
  expect([(await pairsOf(api)).length, (await pairsOf(sandbox)).length]).toEqual([1, 0]);
  expect(await rebuild(sandbox)).toEqual({ read: 2, written: 1, removed: 0 });
});
