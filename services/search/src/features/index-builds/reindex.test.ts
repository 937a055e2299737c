import { until } from '@tandem/testing';
import {
  type Api,
  aLeadRecord,
  anEvent,
  crmPeer,
  found,
  ids,
  type Service,
  startSearch,
} from '../../search.test-service.ts';

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

const tenantOf = (api: Api) => api.caller.tenantId as number;
type Fields = Parameters<typeof aLeadRecord>[2];
const send = async (api: Api, id: number, fields: Fields) => {
  const record = aLeadRecord(tenantOf(api), id, fields);
  const event = anEvent('lead.updated', tenantOf(api), record, { leadId: record.id, changes: {} });
  await service.publish(event.name, event, event.id);
};
const started = async (api: Api) => {
  const { status, data } = await api.reindex({ body: { types: ['lead'] } });
  expect(status).toBe(202);
  return data.jobId as number;
};
const completed = (api: Api, jobId: number) =>
  until('the index is rebuilt', async () => {
    const { data } = await api.getReindex({ params: { jobId } });
    return data.status === 'completed';
  });

it('builds the index from records and documents of clients, and leaves nothing of the old one', async () => {
  const api = service.as();
  for (let id = 1; id <= 7; id++)
    leads.push({ record: aLeadRecord(tenantOf(api), id, { lastName: 'Rebuilt' }), isDeleted: false });
  await api.indexDocument({ body: { type: 'lead', id: 'own', data: { name: 'Rebuilt' } } });
  await api.indexDocument({ body: { type: 'lead', id: 'removed', data: { name: 'Rebuilt' } } });
  await api.removeDocument({ params: { type: 'lead', id: 'removed' } });
  expect(await found(api, 'rebuilt')).toEqual(['own']);
  const jobId = await started(api);
  await completed(api, jobId);
  expect((await found(api, 'rebuilt')).sort()).toEqual(
    [...leads.map(({ record }) => ids.encode('lead', tenantOf(api), Number(record.id))), 'own'].sort(),
  );
  const { data } = await api.getJob({ params: { id: jobId } });
  expect(data).toMatchObject({ status: 'completed', result: { types: [{ type: 'lead', documents: 8 }] } });
  await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'drop-index'`);
  await until('the old index is deleted', async () => {
    const [row] = await service.sqlWithin(
      api.caller,
      `SELECT (SELECT count(*) FROM document WHERE type = 'lead') + (SELECT count(*) FROM spelling WHERE type = 'lead')
        + (SELECT count(*) FROM posting WHERE type = 'lead') AS left`,
    );
    return Number(row?.['left']) === 0;
  });
  expect(await found(api, 'rebuilt')).toHaveLength(8);
  expect(await found(api, 'rebuitl', { mode: 'semantic' })).not.toEqual([]);
  await completed(api, await started(api));
  expect(await found(api, 'rebuilt')).toHaveLength(8);
});

it('answers from the old index until the new one is complete, and has changes of the meantime in both', async () => {
  const api = service.as();
  await send(api, 1, { lastName: 'Present' });
  await until('it is found', async () => (await found(api, 'present')).length === 1);
  const release = peer.hold();
  const jobId = await started(api);
  leads.push({ record: aLeadRecord(tenantOf(api), 1, { lastName: 'Present' }), isDeleted: false });
  await send(api, 1, { lastName: 'Changed', version: 5 });
  await send(api, 2, { lastName: 'Created' });
  await api.indexDocument({ body: { type: 'lead', id: 'own', data: { name: 'Meantime' } } });
  await until('changes are found in the old index', async () => (await found(api, 'created')).length === 1);
  expect([await found(api, 'changed'), await found(api, 'present'), await found(api, 'meantime')]).toMatchObject([
    [expect.any(String)],
    [],
    ['own'],
  ]);
  expect((await api.reindex({ body: {} })).body.code).toBe('reindex_running');
  release();
  await completed(api, jobId);
  expect([
    (await found(api, 'changed')).length,
    (await found(api, 'present')).length,
    (await found(api, 'created')).length,
    (await found(api, 'meantime')).length,
  ]).toEqual([1, 0, 1, 1]);
});

it('continues after a crash where the last page was written', async () => {
  const api = service.as();
  for (let id = 1; id <= 8; id++)
    leads.push({ record: aLeadRecord(tenantOf(api), id, { lastName: 'Resumed' }), isDeleted: false });
  peer.failAfter(2);
  const jobId = await started(api);
  await completed(api, jobId);
  expect(await found(api, 'resumed')).toHaveLength(8);
  const { data } = await api.getReindex({ params: { jobId } });
  expect(data.result).toEqual({ types: [{ type: 'lead', documents: 8 }] });
});

it('needs the permission to manage the search, and knows only its own jobs', async () => {
  const api = service.as();
  const limited = service.as({ tenantId: tenantOf(api), can: ['search:write', 'search:read'] });
  expect((await limited.reindex({ body: {} })).status).toBe(403);
  expect((await api.getReindex({ params: { jobId: 1 } })).status).toBe(404);
});
