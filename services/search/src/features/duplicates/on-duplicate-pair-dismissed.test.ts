import { randomUUID } from 'node:crypto';
import { until } from '@tandem/testing';
import { type Api, aLeadRecord, anEvent, crmPeer, type Service, startSearch } from '../../search.test-service.ts';

let service: Service;
let peer: Awaited<ReturnType<typeof crmPeer>>;
beforeAll(async () => {
  peer = await crmPeer([]);
  service = await startSearch({ crmUrl: peer.url });
});
beforeEach(() => {
  peer.dismissed.length = 0;
});
afterAll(async () => {
  await service?.close();
  await peer?.close();
});

const ada = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@engines.example' };
const tenantOf = (api: Api) => api.caller.tenantId as number;
const publish = (event: ReturnType<typeof anEvent>) => service.publish(event.name, event, event.id);
const sendLead = (api: Api, id: number, fields: Parameters<typeof aLeadRecord>[2]) => {
  const record = aLeadRecord(tenantOf(api), id, fields);
  const data = { leadId: record.id, email: record.email, source: record.source, changes: {} };
  return publish(anEvent(record.version === 1 ? 'lead.created' : 'lead.updated', tenantOf(api), record, data));
};
const decision = (confidence: number) => ({
  ...{ leadIds: ['1', '2'], confidence, decidedBy: '7', decidedAt: '2026-03-02T10:00:00.000Z' },
});
/** The event of crm that the pair of the leads 1 and 2 is dismissed. */
const dismissed = (api: Api, confidence: number) => {
  const more = { matchedOn: ['email'], status: 'dismissed', version: 2, createdAt: '2026-03-01T10:00:00.000Z' };
  const record = { id: '5', ...decision(confidence), ...more };
  const event = anEvent('duplicate_pair.dismissed', tenantOf(api), record, {
    duplicatePairId: '5',
    leadIds: ['1', '2'],
  });
  return { ...event, target: { type: 'duplicate_pair', id: 5 } };
};
const pairs = (api: Api, status: string, expected: object[]) =>
  until(`${status} pairs become ${JSON.stringify(expected)}`, async () => {
    const { data } = await api.listDuplicates({ query: { status } });
    const found = data.map(({ score, version }: { score: number; version: number }) => ({ score, version }));
    return JSON.stringify(found) === JSON.stringify(expected) && data;
  });
const twoLeads = async (api: Api, fields: object = {}) => {
  await sendLead(api, 1, ada);
  await sendLead(api, 2, { ...ada, ...fields });
};

describe('a decision of crm about two leads', () => {
  it('dismisses the pair, once, without an event that would come back to crm', async () => {
    const api = service.as();
    await twoLeads(api);
    await pairs(api, 'open', [{ score: 1, version: 1 }]);
    const event = dismissed(api, 1);
    await publish(event);
    const [pair] = await pairs(api, 'dismissed', [{ score: 1, version: 2 }]);
    expect(pair).toMatchObject({ dismissedBy: '7', dismissedAt: '2026-03-02T10:00:00.000Z' });
    await publish(event);
    await publish({ ...event, id: randomUUID() });
    await twoLeads(service.as());
    await sendLead(api, 3, ada);
    await pairs(api, 'open', [
      { score: 1, version: 1 },
      { score: 1, version: 1 },
    ]);
    await pairs(api, 'dismissed', [{ score: 1, version: 2 }]);
    expect(service.events.filter(({ name }) => name === 'duplicate.dismissed')).toEqual([]);
  });

  it('about less than what the leads have in common now changes nothing', async () => {
    const api = service.as();
    await twoLeads(api, { email: 'ada+x@engines.example' });
    await pairs(api, 'open', [{ score: 0.9, version: 1 }]);
    await sendLead(api, 2, { ...ada, version: 2 });
    await pairs(api, 'open', [{ score: 1, version: 2 }]);
    await publish(dismissed(api, 0.9));
    await publish(dismissed(api, 1));
    await pairs(api, 'dismissed', [{ score: 1, version: 3 }]);
  });

  it('holds for a pair that search finds later', async () => {
    const api = service.as();
    const { leadIds: _, ...dismissedPair } = decision(1);
    peer.dismissed.push({ leadId: '1', dismissed: [{ otherId: '2', ...dismissedPair }] });
    await twoLeads(api);
    const [pair] = await pairs(api, 'dismissed', [{ score: 1, version: 2 }]);
    expect(pair).toMatchObject({ dismissedBy: '7' });
  });

  it('that cannot be read is set aside', async () => {
    const api = service.as();
    await service.publish('duplicate_pair.dismissed', Buffer.from('{ not json'), randomUUID());
    await publish({ ...dismissed(api, 1), record: { id: '5' } });
    await until('both are dead letters', async () => (await service.deadLetters('dismiss-pairs')).length === 2);
  });
});
