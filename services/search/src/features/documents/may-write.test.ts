import { until } from '@tandem/testing';
import { type Api, aLeadRecord, anEvent, ids, type Service, startSearch } from '../../search.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startSearch();
});
afterAll(() => service?.close());

const forged = { firstName: 'HACKED', email: 'hacked@example.com' };
const found = async (api: Api, q: string) => (await api.searchLeads({ query: { q } })).body.pagination?.total;

/** A tenant whose index has a lead of user 7 in team 3; the calls of another of its users. */
async function aTenant() {
  const owner = service.as();
  const tenantId = owner.caller.tenantId as number;
  const record = aLeadRecord(tenantId, 17, { assignedTo: '7', createdBy: '7', teamId: '3', lastName: 'Turing' });
  const data = { leadId: '17', email: record.email, source: 'web' };
  const event = anEvent('lead.created', tenantId, record, data);
  await service.publish(event.name, event, event.id);
  await until('the lead is found', async () => (await found(owner, 'turing')) === 1);
  const id = ids.encode('lead', tenantId, 17);
  const as = (userId: number, can: string[], teamIds: number[] = []) =>
    service.as({ tenantId, userId, teamIds, can: ['search:write', 'search:delete', 'leads:read', ...can] });
  const put = async (api: Api, more: object = {}) => {
    const { status, body } = await api.indexDocument({ body: { type: 'lead', id, data: { ...forged, ...more } } });
    return [status, body.errors?.[0]?.field];
  };
  return { owner, id, as, put };
}

describe('the document of a record', () => {
  it.each([
    ['who may write no leads', 8, [], [], 403],
    ['who may write own leads and has another', 8, ['leads:write:own'], [], 422],
    ['who may write team leads and is in another team', 8, ['leads:write:team'], [4], 422],
  ])('is not replaced or removed by %s', async (_, userId, can, teamIds, refused) => {
    const { owner, id, as, put } = await aTenant();
    const user = as(userId, can, teamIds);
    expect(await put(user)).toEqual([refused, 'id']);
    expect((await user.removeDocument({ params: { type: 'lead', id } })).status).toBe(refused === 403 ? 403 : 404);
    expect([await found(owner, 'hacked'), await found(owner, 'turing')]).toEqual([0, 1]);
  });

  it.each([
    ['who may write all leads', 8, ['leads:write'], []],
    ['its owner', 7, ['leads:write:own'], []],
    ['a member of its team', 8, ['leads:write:team'], [3]],
  ])('is replaced by %s', async (_, userId, can, teamIds) => {
    const { owner, as, put } = await aTenant();
    expect(await put(as(userId, can, teamIds))).toEqual([200, undefined]);
    expect(await found(owner, 'hacked')).toBe(1);
  });

  it('keeps the owners of the record, whatever the client puts there', async () => {
    const { id, as, put } = await aTenant();
    await put(as(7, ['leads:write:own']), { assignedTo: '8', createdBy: '8' });
    const thief = as(8, ['leads:write:own']);
    expect(await put(thief)).toEqual([422, 'id']);
    const owner = service.as({
      tenantId: thief.caller.tenantId as number,
      userId: 7,
      can: ['search:read', 'leads:read:own'],
    });
    expect((await owner.searchLeads({ query: { q: 'hacked' } })).data.map((hit: { id: string }) => hit.id)).toEqual([
      id,
    ]);
  });

  it('is no hindrance to documents with ids of the client', async () => {
    const { as } = await aTenant();
    const user = as(8, []);
    const own = { type: 'lead', id: 'my-17' };
    expect((await user.indexDocument({ body: { ...own, data: forged } })).status).toBe(200);
    expect((await user.removeDocument({ params: own })).status).toBe(200);
  });
});
