import { randomUUID } from 'node:crypto';
import type { crm } from '@tandem/crm-contract';
import { type TestService, until } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

type Api = ReturnType<TestService<typeof crm>['as']>;

const pairs = async (api: Api) =>
  (await api.listLeadDuplicates()).data as { leadIds: string[]; confidence: number; matchedOn: string[] }[];
const somePairs = (api: Api, count: number) =>
  until(`${count} pairs are found`, async () => {
    const found = await pairs(api);
    return found.length >= count && found;
  });

describe('duplicate detection', () => {
  it('pairs leads of one address, in any case, and says why', async () => {
    const api = service.as();
    const { data: first } = await api.createLead({ body: aLead({ email: 'Same@Example.com' }) });
    const { data: second } = await api.createLead({ body: aLead({ email: 'same@example.com' }) });
    const [pair] = await somePairs(api, 1);
    expect(pair).toMatchObject({ leadIds: [first.id, second.id], confidence: 1, matchedOn: ['email'] });
    expect((await api.getLead({ params: { id: first.id } })).data.duplicateCount).toBe(1);
  });

  it('finds namesakes a weak match and equal phones a strong one', async () => {
    const api = service.as();
    await api.createLead({ body: aLead({ firstName: 'Ada', lastName: 'Byron' }) });
    await api.createLead({ body: aLead({ firstName: 'ada', lastName: 'byron' }) });
    await api.createLead({ body: aLead({ phone: '+491701111111' }) });
    await api.createLead({ body: aLead({ phone: '+491701111111' }) });
    const found = await somePairs(api, 2);
    expect(found.map((pair) => [pair.matchedOn, pair.confidence]).sort()).toEqual([
      [['name'], 0.5],
      [['phone'], 0.8],
    ]);
  });

  it('looks again when an address changes', async () => {
    const api = service.as();
    await api.createLead({ body: aLead({ email: 'goal@example.com' }) });
    const { data } = await api.createLead({ body: aLead() });
    await api.updateLead({ params: { id: data.id }, body: { email: 'goal@example.com' } });
    expect(await somePairs(api, 1)).toHaveLength(1);
  });

  it('pairs nobody across tenants or environments', async () => {
    const api = service.as();
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    const body = aLead({ email: 'shared@example.com' });
    for (const one of [api, sandbox, service.as()]) await one.createLead({ body });
    await api.createLead({ body: aLead({ email: 'shared@example.com' }) });
    await somePairs(api, 1);
    expect([(await pairs(api)).length, (await pairs(sandbox)).length]).toEqual([1, 0]);
  });

  it('does not list a pair once a lead of it is deleted', async () => {
    const api = service.as();
    await api.createLead({ body: aLead({ email: 'gone@example.com' }) });
    const { data } = await api.createLead({ body: aLead({ email: 'gone@example.com' }) });
    await somePairs(api, 1);
    await api.deleteLead({ params: { id: data.id } });
    expect(await pairs(api)).toEqual([]);
  });

  it.each(['own', 'team'])('shows who may read only %s leads the pairs of which both are theirs', async (reach) => {
    const api = service.as({ userId: 1 });
    const tenantId = api.caller.tenantId as number;
    const email = 'triplet@example.com';
    const { data: created } = await api.createLead({ body: aLead({ email }) });
    const { data: another } = await api.createLead({ body: aLead({ email }) });
    await service.as({ tenantId, userId: 2 }).createLead({ body: aLead({ email }) });
    await somePairs(api, 3);
    const narrow = service.as({ tenantId, userId: 1, can: [`leads:read:${reach}`] });
    const { status, data, body } = await narrow.listLeadDuplicates();
    expect([status, body.pagination?.total]).toEqual([200, 1]);
    expect(data[0].leadIds).toEqual([created.id, another.id]);
    await api.deleteLead({ params: { id: another.id } });
    expect(await pairs(narrow)).toEqual([]);
  });

  it('takes the same event twice without a second effect', async () => {
    const api = service.as();
    await api.createLead({ body: aLead({ email: 'twice@example.com' }) });
    await api.createLead({ body: aLead({ email: 'twice@example.com' }) });
    await somePairs(api, 1);
    const event = service.events.find((one) => one.name === 'lead.created' && one.tenantId === api.caller.tenantId);
    await service.publish('lead.created', event, event?.id as string);
    const marker = await api.createLead({ body: aLead({ email: 'twice@example.com' }) });
    expect(marker.status).toBe(201);
    expect(await somePairs(api, 3)).toHaveLength(3);
  });

  it('sets an event aside that is none, and goes on with the next', async () => {
    const api = service.as();
    await service.publish('lead.created', Buffer.from('{ not json'), randomUUID());
    await service.publish(
      'lead.created',
      { id: randomUUID(), name: 'lead.created', tenantId: 1, environment: 'live', data: {}, record: {} },
      randomUUID(),
    );
    await api.createLead({ body: aLead({ email: 'after@example.com' }) });
    await api.createLead({ body: aLead({ email: 'after@example.com' }) });
    expect(await somePairs(api, 1)).toHaveLength(1);
    expect(
      await until('both are dead letters', async () => (await service.deadLetters('detect-duplicates')).length === 2),
    ).toBe(true);
  });
});
