import { until } from '@tandem/testing';
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
const tenantOf = (api: Api) => api.caller.tenantId as number;
const found = async (api: Api, q: string) => (await api.searchLeads({ query: { q } })).data as { id: string }[];
const own = (api: Api, id: number, fields: Fields, isDeleted = false) =>
  leads.push({ record: aLeadRecord(tenantOf(api), id, fields), isDeleted });
const sendEvent = async (api: Api, what: string, id: number, fields: Fields) => {
  const record = aLeadRecord(tenantOf(api), id, fields);
  const data = { leadId: record.id, email: record.email, source: record.source, changes: {} };
  const event = anEvent(`lead.${what}`, tenantOf(api), record, data);
  await service.publish(event.name, event, event.id);
};

/** Walks through all pages as the command does; resolves to the sums. */
async function rebuild(api: Api) {
  const system = service.as({ ...api.caller, type: 'system', name: 'admin', can: [] });
  const total = { indexed: 0, removed: 0 };
  for (const step of ['index', 'remove']) {
    let after: number | null = null;
    do {
      const { status, data } = await system.rebuildDocuments({ body: { type: 'lead', step, after } });
      expect(status).toBe(200);
      total.indexed += data.indexed;
      total.removed += data.removed;
      after = data.next;
    } while (after !== null);
  }
  return total;
}

it('an empty index is filled from the records, page by page', async () => {
  const api = service.as();
  for (let id = 1; id <= 7; id++) own(api, id, { lastName: `Rebuilt${id}` });
  expect(await rebuild(api)).toEqual({ indexed: 7, removed: 0 });
  for (let id = 1; id <= 7; id++)
    expect((await found(api, `rebuilt${id}`)).map((hit) => hit.id)).toEqual([ids.encode('lead', tenantOf(api), id)]);
});

it('documents whose events were lost become as their records are, and removed ones are found', async () => {
  const api = service.as();
  for (const id of [1, 2, 3]) await sendEvent(api, 'created', id, { lastName: `Before${id}` });
  await until('all are found', async () => (await found(api, 'before')).length === 3);
  own(api, 1, { lastName: 'Changed', version: 4 });
  own(api, 2, { lastName: 'Before2', version: 3 }, true);
  expect(await rebuild(api)).toEqual({ indexed: 1, removed: 2 });
  expect(await found(api, 'before')).toEqual([]);
  expect(await found(api, 'changed')).toHaveLength(1);
});

it('terms and spellings that the index lost are written again', async () => {
  const api = service.as();
  own(api, 1, { lastName: 'Lovelace' });
  await rebuild(api);
  for (const lost of ['posting', 'spelling']) {
    await service.sqlWithin(api.caller, `DELETE FROM ${lost}`);
    await rebuild(api);
    expect(await found(api, 'lovelace')).toHaveLength(1);
    expect(await found(api, 'lovelaxe')).toHaveLength(1);
  }
});

it('an event that is newer than the exported record wins, and a late older one does not come back', async () => {
  const api = service.as();
  await sendEvent(api, 'updated', 1, { lastName: 'Newest', version: 9 });
  await until('it is found', async () => (await found(api, 'newest')).length === 1);
  own(api, 1, { lastName: 'Exported', version: 8 });
  own(api, 2, { lastName: 'Present', version: 5 });
  await rebuild(api);
  await sendEvent(api, 'updated', 2, { lastName: 'Late', version: 4 });
  await sendEvent(api, 'created', 3, { lastName: 'Marker' });
  await until('later events are handled', async () => (await found(api, 'marker')).length === 1);
  expect(await found(api, 'newest')).toHaveLength(1);
  expect(await found(api, 'present')).toHaveLength(1);
  expect([...(await found(api, 'exported')), ...(await found(api, 'late'))]).toEqual([]);
});

it('a tenant is rebuilt within its own records only, and a second run changes nothing', async () => {
  const [api, other] = [service.as(), service.as()];
  own(api, 1, { lastName: 'Ourselves' });
  await rebuild(api);
  expect(await rebuild(api)).toEqual({ indexed: 1, removed: 0 });
  expect(await found(other, 'ourselves')).toEqual([]);
  expect(await found(api, 'ourselves')).toHaveLength(1);
});
