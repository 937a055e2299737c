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

const ada = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@engines.example' };
/** The event of search that the pair of two leads is dismissed. */
const dismissed = (api: Api, leadIds: string[] | null, score = 1) => ({
  ...{ id: randomUUID(), name: 'duplicate.dismissed', tenantId: api.caller.tenantId, environment: 'live' },
  ...{ occurredAt: new Date().toISOString(), action: 'duplicate.dismiss', target: { type: 'duplicate', id: 5 } },
  caller: { type: 'key', userId: 1, keyId: 1, requestId: 'test' },
  data: { duplicateId: '5', type: 'lead', recordIds: ['b', 'a'], leadIds: leadIds },
  record: {
    ...{ id: '5', score, status: 'dismissed', dismissedBy: '7', dismissedAt: '2026-03-02T10:00:00.000Z', version: 2 },
  },
});
const send = (event: ReturnType<typeof dismissed>) => service.publish(event.name, event, event.id);
const twoLeads = async (api: Api, email = ada.email): Promise<[string, string]> => {
  const { data: one } = await api.createLead({ body: aLead(ada) });
  const { data: other } = await api.createLead({ body: aLead({ ...ada, email }) });
  return [one.id, other.id];
};
const pair = (api: Api, expected: object) =>
  until(`the pair becomes ${JSON.stringify(expected)}`, async () => {
    const { data } = await api.listLeadDuplicates();
    const [found] = data;
    const now = found && { status: found.status, confidence: found.confidence };
    return JSON.stringify(now) === JSON.stringify(expected) && found;
  });

describe('a decision of search about two leads', () => {
  it('dismisses their pair, once, without an event that would come back to search', async () => {
    const api = service.as();
    const [one, other] = await twoLeads(api);
    await pair(api, { status: 'open', confidence: 1 });
    const event = dismissed(api, [other, one]);
    await send(event);
    const found = await pair(api, { status: 'dismissed', confidence: 1 });
    expect(found).toMatchObject({ decidedBy: '7', decidedAt: '2026-03-02T10:00:00.000Z', version: 2 });
    await send(event);
    await send({ ...event, id: randomUUID() });
    await send(dismissed(api, null));
    expect(await service.deadLetters('dismiss-duplicates')).toEqual([]);
    expect(await pair(api, { status: 'dismissed', confidence: 1 })).toMatchObject({ version: 2 });
    expect(service.events.filter(({ name }) => name === 'duplicate_pair.dismissed')).toEqual([]);
    const system = service.as({ ...api.caller, type: 'system', name: 'search', can: [] });
    const asked = await system.findDismissedDuplicates({ body: { leadIds: [other, one] } });
    const dismissal = { confidence: 1, decidedBy: '7', decidedAt: '2026-03-02T10:00:00.000Z' };
    expect(asked.data).toEqual(
      expect.arrayContaining([
        { leadId: one, dismissed: [{ otherId: other, ...dismissal }] },
        { leadId: other, dismissed: [] },
      ]),
    );
    const stranger = service.as({ type: 'system', name: 'search', can: [] });
    expect((await stranger.findDismissedDuplicates({ body: { leadIds: [one, other] } })).data).toEqual([]);
  });

  it('about less than what the leads have in common now changes nothing', async () => {
    const api = service.as();
    const [one, other] = await twoLeads(api, 'ada+x@engines.example');
    await pair(api, { status: 'open', confidence: 0.9 });
    await api.updateLead({ params: { id: other }, body: { email: ada.email } });
    await pair(api, { status: 'open', confidence: 1 });
    await send(dismissed(api, [one, other], 0.9));
    await send(dismissed(api, [one, other], 1));
    expect(await pair(api, { status: 'dismissed', confidence: 1 })).toMatchObject({ version: 3 });
  });

  it('that cannot be read is set aside', async () => {
    const api = service.as();
    await service.publish('duplicate.dismissed', Buffer.from('{ not json'), randomUUID());
    await send({ ...dismissed(api, ['1', '2']), data: { duplicateId: '5' } as never });
    await until('both are dead letters', async () => (await service.deadLetters('dismiss-duplicates')).length === 2);
  });
});
