import { publishPartner, until } from '@tandem/testing';
import {
  type Api,
  aLeadRecord,
  anEvent,
  crmPeer,
  found,
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
afterAll(async () => {
  await service?.close();
  await peer?.close();
});

const tenantOf = (api: Api) => api.caller.tenantId as number;
const send = async (api: Api, id: number, lastName: string) => {
  const record = aLeadRecord(tenantOf(api), id, { lastName });
  const event = anEvent('lead.created', tenantOf(api), record, {
    leadId: record.id,
    email: record.email,
    source: null,
  });
  await service.publish(event.name, event, event.id);
};

async function runNow(api: Api): Promise<void> {
  await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'reconcile-documents'`);
  await until('the run is complete', async () => {
    const [row] = await service.sqlWithin(api.caller, 'SELECT completed_at FROM reconciliation');
    return row?.['completed_at'] !== null;
  });
}

it('every night, documents become as their records are, and the run says how many differed', async () => {
  const api = service.as();
  for (const id of [1, 2, 3]) await send(api, id, `Nightly${id}`);
  await until('all are found', async () => (await found(api, 'nightly')).length === 3);
  const jobs = () =>
    service.sqlWithin(
      api.caller,
      `SELECT due_at > now() AS is_later FROM platform.job WHERE name = 'reconcile-documents'`,
    );
  expect(await jobs()).toEqual([{ is_later: true }]);
  // The events of a change, a removal and a creation were lost; the third lead is as it was.
  const record = (id: number, lastName: string, version: number) =>
    aLeadRecord(tenantOf(api), id, { lastName, version });
  leads.push({ record: record(1, 'Morning1', 2), isDeleted: false });
  leads.push({ record: record(3, 'Nightly3', 1), isDeleted: false });
  leads.push({ record: record(4, 'Morning4', 1), isDeleted: false });
  await runNow(api);
  const [row] = await service.sqlWithin(api.caller, 'SELECT last_checked, last_repaired FROM reconciliation');
  expect(row).toEqual({ last_checked: 4, last_repaired: 3 });
  expect([(await found(api, 'nightly')).length, (await found(api, 'morning')).length]).toEqual([1, 2]);
  expect(await jobs()).toEqual([{ is_later: true }]);
});

it('a document that a client removed stays removed until its record changes', async () => {
  const api = service.as();
  await send(api, 7, 'Lamarr7');
  await until('it is found', async () => (await found(api, 'lamarr7')).length === 1);
  leads.push({ record: aLeadRecord(tenantOf(api), 7, { lastName: 'Lamarr7', version: 1 }), isDeleted: false });
  const [row] = await service.sqlWithin(api.caller, 'SELECT document_id FROM document WHERE removed_at IS NULL');
  const params = { type: 'lead', id: row?.['document_id'] as string };
  expect((await api.removeDocument({ params })).status).toBe(200);
  await runNow(api);
  expect(await found(api, 'lamarr7')).toEqual([]);
});

it('a partner whose removal was lost is not found after the night', async () => {
  const api = service.as();
  const fields = { partnerId: '4', version: 1, data: { company: 'Bombe' }, company: 'Bombe', status: 'pending' };
  await publishPartner({ service, tenantId: tenantOf(api) }, 'partner.registered', fields);
  const partners = async () => (await api.searchPartners({ query: { q: 'bombe' } })).data;
  await until('it is found', async () => (await partners()).length === 1);
  await runNow(api);
  expect(await partners()).toEqual([]);
});
