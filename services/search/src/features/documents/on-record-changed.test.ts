import { randomUUID } from 'node:crypto';
import { publishPartner, until } from '@tandem/testing';
import { type Api, aLeadRecord, anEvent, ids, type Service, startSearch } from '../../search.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startSearch();
});
afterAll(() => service?.close());

type Event = ReturnType<typeof anEvent>;
const send = (event: Event) => service.publish(event.name, event, event.id);
const tenantOf = (api: Api) => api.caller.tenantId as number;
const leads = async (api: Api, q: string) => (await api.searchLeads({ query: { q } })).data;
const some = (api: Api, q: string) =>
  until(`${q} is found`, async () => {
    const found = await leads(api, q);
    return found.length > 0 && found;
  });
const leadEvent = (api: Api, what: string, id: number, fields: Parameters<typeof aLeadRecord>[2] = {}) => {
  const record = aLeadRecord(tenantOf(api), id, fields);
  const data = { leadId: record.id, email: record.email, source: record.source, changes: {} };
  return anEvent(`lead.${what}`, tenantOf(api), record, data);
};
/** Sends a lead of its own and waits for it: what was sent before has been handled then. */
const settled = async (api: Api) => {
  const marker = `marker${randomUUID().slice(0, 8)}`;
  await send(leadEvent(api, 'created', 9_999, { lastName: marker, version: Date.now() % 1_000_000_000 }));
  await some(api, marker);
};

describe('records of other services', () => {
  it('are found under their public ids, with public ids in them', async () => {
    const api = service.as();
    const tenantId = tenantOf(api);
    await send(leadEvent(api, 'created', 17, { lastName: 'Turing', customFields: { hobby: 'Running' } }));
    const [hit] = await some(api, 'turing');
    expect(hit).toMatchObject({
      type: 'lead',
      id: ids.encode('lead', tenantId, 17),
      document: {
        id: ids.encode('lead', tenantId, 17),
        tenantId: ids.encode('tenant', tenantId, tenantId),
        assignedTo: ids.encode('user', tenantId, 7),
        createdBy: ids.encode('user', tenantId, 8),
        createdAt: '2026-03-01T10:00:00.000Z',
      },
    });
    expect(await leads(api, 'running')).toHaveLength(1);
    expect((await api.searchLeads({ query: { q: 'turing', assignedTo: '7' } })).data).toHaveLength(1);
    expect((await api.searchLeads({ query: { q: 'turing', assignedTo: '6' } })).data).toHaveLength(0);
  });

  it('stand as in their newest version, whatever the order of events', async () => {
    const api = service.as();
    const [first, second] = [
      leadEvent(api, 'created', 1, { lastName: 'Oldname' }),
      leadEvent(api, 'updated', 1, { lastName: 'Newname', version: 2 }),
    ];
    await send(second);
    await some(api, 'newname');
    await send(first);
    await send({ ...second, id: randomUUID() });
    await send(second);
    await settled(api);
    expect([(await leads(api, 'oldname')).length, (await leads(api, 'newname')).length]).toEqual([0, 1]);
  });

  it('take the newest of several in one batch', async () => {
    const api = service.as();
    const events = Array.from({ length: 20 }, (_, n) =>
      leadEvent(api, n ? 'updated' : 'created', 1, { lastName: `Version${n}`, version: n + 1 }),
    );
    await Promise.all(events.map(send));
    expect(await some(api, 'version19')).toHaveLength(1);
    expect(await leads(api, 'version3')).toHaveLength(0);
  });

  it('are gone once deleted, stay so, and come back when restored', async () => {
    const api = service.as();
    await send(leadEvent(api, 'created', 1, { lastName: 'Hopper' }));
    await some(api, 'hopper');
    await send(leadEvent(api, 'deleted', 1, { lastName: 'Hopper', version: 3 }));
    await until('it is gone', async () => (await leads(api, 'hopper')).length === 0);
    await send(leadEvent(api, 'updated', 1, { lastName: 'Hopper', version: 2 }));
    await settled(api);
    expect(await leads(api, 'hopper')).toEqual([]);
    await send(leadEvent(api, 'restored', 1, { lastName: 'Hopper', version: 4 }));
    await some(api, 'hopper');
  });

  it('follow every change of a partner: its fields and its status, until it is deleted', async () => {
    const api = service.as();
    const told = { service, tenantId: tenantOf(api) };
    const found = async (query: Record<string, string>) => (await api.searchPartners({ query })).data.length;
    const change = (name: string, version: number, fields: object) =>
      publishPartner(told, `partner.${name}`, { partnerId: '4', version, ...fields });
    await change('registered', 1, { data: { company: 'Bombe' }, company: 'Bombe', status: 'pending' });
    await until('it is found', async () => (await found({ q: 'bombe', status: 'pending' })) === 1);
    await change('updated', 2, { company: 'Colossus', customFields: { desk: 'Enigma' }, status: 'pending' });
    await until('its new company is found', async () => (await found({ q: 'colossus' })) === 1);
    expect([await found({ q: 'bombe' }), await found({ q: 'enigma' })]).toEqual([0, 1]);
    const steps = { rejected: 'rejected', reapplied: 'pending', suspended: 'suspended', reactivated: 'approved' };
    let version = 2;
    for (const [name, status] of Object.entries(steps)) {
      await change(name, ++version, { data: { reason: null }, company: 'Colossus', status });
      await until(`it is ${status}`, async () => (await found({ q: 'colossus', status })) === 1);
    }
    await change('terminated', ++version, {
      data: { reason: 'Fraud', unpaid: 'pay' },
      company: 'Colossus',
      status: 'terminated',
    });
    await until('it is terminated', async () => (await found({ q: 'colossus', status: 'terminated' })) === 1);
    await change('deleted', ++version, { company: 'Colossus' });
    await until('it is gone', async () => (await found({ q: 'colossus' })) === 0);
  });

  it('replace what a client put in their place only when they change', async () => {
    const api = service.as();
    await send(leadEvent(api, 'created', 1, { lastName: 'Franklin' }));
    const [hit] = await some(api, 'franklin');
    await api.indexDocument({ body: { type: 'lead', id: hit.id, data: { ...hit.document, note: 'crystallography' } } });
    await send({ ...leadEvent(api, 'created', 1, { lastName: 'Franklin' }), id: randomUUID() });
    await settled(api);
    expect(await leads(api, 'crystallography')).toHaveLength(1);
    await send(leadEvent(api, 'updated', 1, { lastName: 'Elsie', version: 2 }));
    await some(api, 'elsie');
    expect(await leads(api, 'crystallography')).toHaveLength(0);
  });

  it('set an event aside that cannot be read, and go on', async () => {
    const api = service.as();
    await service.publish('lead.created', Buffer.from('{ not json'), randomUUID());
    await send({ ...leadEvent(api, 'created', 1), record: { id: '1' } });
    await settled(api);
    await until('both are dead letters', async () => (await service.deadLetters('index-records')).length === 2);
  });

  it('are kept from whoever may read only their own leads', async () => {
    const api = service.as();
    const tenantId = tenantOf(api);
    await send(leadEvent(api, 'created', 1, { lastName: 'Johnson', assignedTo: '7' }));
    await send(leadEvent(api, 'created', 2, { lastName: 'Johnson', assignedTo: null, createdBy: '5' }));
    await until('both are found', async () => (await leads(api, 'johnson')).length === 2);
    const narrow = service.as({ tenantId, userId: 7, can: ['search:read', 'leads:read:own'] });
    expect((await leads(narrow, 'johnson')).map(({ id }: { id: string }) => id)).toEqual([
      ids.encode('lead', tenantId, 1),
    ]);
    expect((await narrow.autocomplete({ query: { q: 'john' } })).data).toHaveLength(1);
  });
});
