import { aPerson, until } from '@tandem/testing';
import { type Api, aLeadRecord, anEvent, crmPeer, ids, type Service, startSearch } from '../../search.test-service.ts';

let service: Service;
let peer: Awaited<ReturnType<typeof crmPeer>>;
const leads: Parameters<typeof crmPeer>[0] = [];
beforeAll(async () => {
  peer = await crmPeer(leads);
  service = await startSearch({ crmUrl: peer.url });
});
beforeEach(() => {
  leads.length = 0;
});
afterAll(async () => {
  await service?.close();
  await peer?.close();
});

type Fields = Parameters<typeof aLeadRecord>[2];
interface Pair {
  id: string;
  records: { id: string; name: string }[];
  score: number;
  level: string;
  version: number;
}

const tenantOf = (api: Api) => api.caller.tenantId as number;
const code = (api: Api, id: number) => ids.encode('lead', tenantOf(api), id);
const versions = new Map<string, number>();
/** Sends an event of a lead, each with a later version. */
const send = async (api: Api, what: string, id: number, fields: Fields = {}) => {
  const { environment } = api.caller;
  const key = `${tenantOf(api)} ${environment} ${id}`;
  const version = (versions.get(key) ?? 0) + 1;
  versions.set(key, version);
  const record = aLeadRecord(tenantOf(api), id, { version, ...fields });
  const data = { leadId: record.id, email: record.email, source: record.source, changes: {} };
  const event = { ...anEvent(`lead.${what}`, tenantOf(api), record, data), environment };
  await service.publish(event.name, event, event.id);
};
const list = async (api: Api, query: Record<string, string> = {}): Promise<Pair[]> => {
  const { status, data, body } = await api.listDuplicates({ query: { limit: '100', ...query } });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return data;
};
const become = (api: Api, what: string, scores: number[], query: Record<string, string> = {}) =>
  until(what, async () => {
    const found = await list(api, query);
    return JSON.stringify(found.map(({ score }) => score).sort()) === JSON.stringify(scores) && found;
  });
/** Waits until every document that was written has been compared. */
const compared = (api: Api) =>
  until('all documents are compared', async () => {
    const [row] = await service.sqlWithin(
      api.caller,
      `SELECT (SELECT count(*) FROM duplicate_check) + (SELECT count(*) FROM platform.job WHERE name = 'pair-documents') AS left`,
    );
    return Number(row?.['left']) === 0;
  });
const indexed = (api: Api, id: number, lastName: string) =>
  until(`${lastName} is indexed`, async () => {
    const [row] = await service.sqlWithin(
      api.caller,
      `SELECT FROM document WHERE document_id = $1 AND document ->> 'lastName' = $2 AND removed_at IS NULL`,
      [code(api, id), lastName],
    );
    return row !== undefined;
  });

const ada = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@engines.example' };
const twoLeads = async (api: Api, fields: Fields = {}) => {
  await send(api, 'created', 1, ada);
  await send(api, 'created', 2, { ...ada, ...fields });
};

describe('the pairs of a new lead', () => {
  it('have what identifies the two records, the score, and why', async () => {
    const api = service.as();
    await twoLeads(api, { firstName: 'Augusta' });
    const [pair] = await become(api, 'the pair is found', [1]);
    const records = [code(api, 1), code(api, 2)].sort();
    expect(pair).toMatchObject({ type: 'lead', level: 'exact', status: 'open', version: 1, dismissedBy: null });
    expect(pair?.records.map(({ id }) => id)).toEqual(records);
    expect(pair?.records).toContainEqual({
      ...{ id: code(api, 2), name: 'Augusta Lovelace', email: 'ada@engines.example', company: null, phone: null },
    });
    expect(pair).toMatchObject({ signals: expect.arrayContaining([{ field: 'email', similarity: 1, matched: true }]) });
  });

  it('are corrected by each further change, and removed when they are no longer likely', async () => {
    const api = service.as();
    await twoLeads(api);
    const [first] = await become(api, 'an exact pair', [1]);
    await send(api, 'updated', 2, { ...ada, email: 'ada+news@engines.example' });
    const [second] = await become(api, 'a likely pair', [0.9], { level: 'likely' });
    expect(second).toMatchObject({ id: first?.id, version: 2 });
    expect(await list(api, { level: 'exact' })).toEqual([]);
    await send(api, 'updated', 2, { ...ada, email: 'ada@other.example' });
    await become(api, 'namesakes are no pair', []);
    const left = await service.sqlWithin(api.caller, 'SELECT FROM duplicate_record');
    expect(left).toEqual([]);
  });

  it('are each found once, however many leads arrive together and however often', async () => {
    const api = service.as();
    const all = Array.from({ length: 10 }, (_, n) => n + 1);
    await Promise.all(all.map((id) => send(api, 'created', id, ada)));
    await Promise.all(all.map((id) => send(api, 'updated', id, { ...ada, phone: '+442071234567' })));
    await become(
      api,
      'each two are a pair',
      Array.from({ length: 45 }, () => 1),
    );
    await compared(api);
    expect(await list(api)).toHaveLength(45);
  });

  it('belong to one tenant and environment', async () => {
    const api = service.as();
    const sandbox = service.as({ ...api.caller, environment: 'sandbox' });
    const other = service.as();
    await send(api, 'created', 1, ada);
    await send(sandbox, 'created', 1, ada);
    await send(other, 'created', 1, ada);
    await send(sandbox, 'created', 2, ada);
    await become(sandbox, 'the pair of the sandbox', [1]);
    await Promise.all([indexed(api, 1, 'Lovelace'), indexed(other, 1, 'Lovelace')]);
    await Promise.all([compared(api), compared(other)]);
    expect([await list(api), await list(other)]).toEqual([[], []]);
  });

  it('are sorted and paged like every list, and a type is a filter', async () => {
    const api = service.as();
    await twoLeads(api);
    await send(api, 'created', 3, { ...ada, email: 'ada+x@engines.example' });
    await become(api, 'three pairs', [0.9, 0.9, 1]);
    expect((await list(api, { sort: '-score' })).map(({ score }) => score)).toEqual([1, 0.9, 0.9]);
    const { body } = await api.listDuplicates({ query: { limit: '2', type: 'lead' } });
    expect(body.pagination).toMatchObject({ total: 3, hasNext: true });
    expect(await list(api, { type: 'account' })).toEqual([]);
    expect((await api.listDuplicates({ query: { type: 'task' } })).status).toBe(422);
  });
});

it('accounts, partners and documents of clients are paired too', async () => {
  const api = service.as();
  const partner = { company: 'Engines Ltd', email: 'a@engines.example', firstName: 'Ada', lastName: 'King' };
  for (const id of ['p', 'q']) await api.indexDocument({ body: { type: 'partner', id, data: partner } });
  const account = (id: number) => ({
    ...{ id: String(id), tenantId: String(tenantOf(api)), name: 'Engines GmbH', domain: 'engines.example', tags: [] },
    ...{ address: { street: null, city: 'Berlin', postalCode: null, region: null, country: null }, customFields: {} },
    ...{ ownerId: '7', createdAt: '2026-03-01T10:00:00.000Z', updatedAt: '2026-03-01T10:00:00.000Z', version: 1 },
  });
  for (const id of [5, 6]) {
    const event = anEvent('account.created', tenantOf(api), account(id));
    await service.publish(event.name, event, event.id);
  }
  await become(api, 'the partners', [1], { type: 'partner' });
  const [pair] = await become(api, 'the accounts', [0.97], { type: 'account' });
  expect(pair?.records).toMatchObject([{ name: 'Engines GmbH' }, { name: 'Engines GmbH' }]);
});

describe('pairs of others', () => {
  it('are hidden unless both records may be read, whatever the number of newer ones', async () => {
    const api = service.as();
    await twoLeads(api, { assignedTo: '77' });
    await send(api, 'updated', 1, { ...ada, assignedTo: '77' });
    await become(api, 'the own pair', [1]);
    for (let id = 3; id <= 12; id++) await send(api, 'created', id, ada);
    await become(
      api,
      'all pairs',
      Array.from({ length: 66 }, () => 1),
    );
    const tenantId = tenantOf(api);
    const narrow = service.as({ tenantId, userId: 77, can: ['search:read', 'leads:read:own'] });
    const { data, body } = await narrow.listDuplicates({ query: { limit: '1' } });
    expect(data.map(({ records }: Pair) => records.map(({ id }) => id).sort())).toEqual([
      [code(api, 1), code(api, 2)].sort(),
    ]);
    expect(body.pagination).toMatchObject({ total: 1, hasNext: false });
    await send(api, 'updated', 2, { ...ada, assignedTo: '78' });
    await until('the lead has another owner', async () => (await list(narrow)).length === 0);
    expect((await service.as({ tenantId, can: ['search:read'] }).listDuplicates()).status).toBe(403);
    const partnerOnly = service.as({ tenantId, can: ['search:read', 'partners:read'] });
    expect(await list(partnerOnly)).toEqual([]);
    expect((await partnerOnly.listDuplicates({ query: { type: 'lead' } })).status).toBe(403);
  });
});

describe('a record that goes', () => {
  it('takes its pairs along at once, and brings them back when it is restored', async () => {
    const api = service.as();
    await twoLeads(api);
    await become(api, 'the pair', [1]);
    // A merge deletes the lead that is merged into another one.
    await send(api, 'deleted', 2, { ...ada, mergedIntoId: '1' });
    await become(api, 'no pair', []);
    await send(api, 'restored', 2, { ...ada, email: 'ada+x@engines.example' });
    await become(api, 'the pair, with its current score', [0.9]);
  });

  it('leaves nothing after 30 days', async () => {
    const api = service.as();
    await twoLeads(api);
    await become(api, 'the pair', [1]);
    await send(api, 'deleted', 2, ada);
    await become(api, 'no pair', []);
    const left = async () =>
      (await service.sqlWithin(api.caller, 'SELECT FROM duplicate_pair UNION ALL SELECT FROM duplicate_record')).length;
    await service.housekeep();
    expect(await left()).toBe(3);
    await service.sqlWithin(
      api.caller,
      `UPDATE duplicate_record SET removed_at = now() - interval '31 days' WHERE removed_at IS NOT NULL`,
    );
    await service.housekeep();
    expect(await left()).toBe(1);
  });
});

it('an erasure leaves no pair of the person, not even a hidden one', async () => {
  const api = service.as();
  const tenantId = tenantOf(api);
  await twoLeads(api);
  await api.indexDocument({ body: { type: 'lead', id: 'own', data: ada } });
  await api.indexDocument({ body: { type: 'lead', id: 'other', data: { ...ada, email: 'ada+x@engines.example' } } });
  await become(api, 'all pairs', [0.9, 0.9, 0.9, 1, 1, 1]);
  await send(api, 'deleted', 1, ada);
  await become(api, 'the others', [0.9, 0.9, 1]);
  const person = aPerson({ leadCodes: [code(api, 1)], emails: [ada.email] });
  const data = { person, services: ['search'] };
  const event = { ...anEvent('personal_data.erasure_requested', tenantId, { id: '1' }, data) };
  await service.publish(event.name, { ...event, target: { type: 'erasure', id: 1 } }, event.id);
  await until('the pairs of the lead and of the document with the address are gone', async () => {
    const rows = await service.sqlWithin(api.caller, 'SELECT document_id FROM duplicate_record ORDER BY document_id');
    return (
      JSON.stringify(rows.map(({ document_id }) => document_id)) === JSON.stringify([code(api, 2), 'other'].sort())
    );
  });
  expect((await list(api)).map(({ score }) => score)).toEqual([0.9]);
});

describe('a reindex', () => {
  it('keeps pairs and decisions, and compares records that never were', async () => {
    const api = service.as();
    await twoLeads(api);
    const [pair] = await become(api, 'the pair', [1]);
    await api.dismissDuplicatePair({ params: { pairId: pair?.id as string } });
    for (const [id, fields] of [ada, ada, { ...ada, email: 'ada+x@engines.example' }].entries())
      leads.push({ record: aLeadRecord(tenantOf(api), id + 1, { ...fields, version: 9 }), isDeleted: false });
    const { data } = await api.reindex({ body: { types: ['lead'] } });
    await until('the index is rebuilt', async () => {
      const { data: job } = await api.getReindex({ params: { jobId: data.jobId } });
      return job.status === 'completed';
    });
    await become(api, 'the pairs of the new record', [0.9, 0.9]);
    expect(await list(api, { status: 'dismissed' })).toMatchObject([{ id: pair?.id, score: 1 }]);
    await compared(api);
  });

  it('hides the pairs of records that are gone, though no event told of it', async () => {
    const api = service.as();
    await twoLeads(api);
    await become(api, 'the pair', [1]);
    leads.push({ record: aLeadRecord(tenantOf(api), 1, { ...ada, version: 9 }), isDeleted: false });
    const { data } = await api.reindex({ body: { types: ['lead'] } });
    await until('the index is rebuilt', async () => {
      const { data: job } = await api.getReindex({ params: { jobId: data.jobId } });
      return job.status === 'completed';
    });
    await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'drop-index'`);
    await become(api, 'no pair', []);
  });

  it('of documents from before the keys of duplicates begins when duplicates are asked for', async () => {
    const api = service.as();
    for (const id of ['a', 'b']) await api.indexDocument({ body: { type: 'lead', id, data: ada } });
    await become(api, 'the pair', [1]);
    // As the release before left them.
    await service.sqlWithin(api.caller, `DELETE FROM posting WHERE term LIKE '~%'`);
    await service.sqlWithin(api.caller, 'DELETE FROM duplicate_record');
    await service.sqlWithin(api.caller, `UPDATE document SET words = 'v3:digest', facts = NULL`);
    const find = async () => (await api.findDuplicates({ body: { type: 'lead', data: ada } })).data.length;
    expect(await find()).toBe(0);
    await until('duplicates are found', async () => (await find()) === 2);
    await become(api, 'the pair is stored', [1]);
  });
});
