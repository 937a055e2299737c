import { randomUUID } from 'node:crypto';
import { publishLeadMerge, until } from '@tandem/testing';
import { type Analytics, startAnalytics } from '../../analytics.test-service.ts';

let service: Analytics;
beforeAll(async () => {
  service = await startAnalytics();
});
afterAll(() => service?.close());

function aTenant() {
  const api = service.as();
  const told = { service, tenantId: api.caller.tenantId as number };
  const record = async (leadId: string, messageId = leadId) => {
    const { status } = await api.recordEvent({ body: { eventType: 'email_open', leadId, messageId } });
    expect(status).toBe(201);
  };
  /** The messages of the events of each lead. */
  const places = async (...leadIds: string[]) => {
    const pages = await Promise.all(leadIds.map((leadId) => api.listRecordedEvents({ query: { leadId } })));
    return pages.map(({ data }) => data.map(({ messageId }: { messageId: string }) => messageId).sort());
  };
  const become = (leadIds: string[], wanted: string[][]) =>
    until(`${leadIds} have ${JSON.stringify(wanted)}`, async () => {
      return JSON.stringify(await places(...leadIds)) === JSON.stringify(wanted);
    });
  return { api, told, record, places, become };
}

it('events of a merged lead belong to the survivor, through several merges, and go back when these are undone', async () => {
  const { told, record, become } = aTenant();
  for (const leadId of ['1', '2', '3']) await record(leadId);
  await publishLeadMerge(told, { leadId: '1', into: '2', version: 2 });
  await become(['1', '2', '3'], [[], ['1', '2'], ['3']]);
  await publishLeadMerge(told, { leadId: '2', into: '3', version: 2 });
  await become(['1', '2', '3'], [[], [], ['1', '2', '3']]);
  // An event of a request that checked the lead before it was merged.
  await record('1', 'late');
  await record('3', 'own');
  await become(['1', '2', '3'], [[], [], ['1', '2', '3', 'late', 'own']]);
  await publishLeadMerge(told, { leadId: '2', from: '3', version: 3 });
  await become(['1', '2', '3'], [[], ['1', '2', 'late'], ['3', 'own']]);
  await publishLeadMerge(told, { leadId: '1', from: '2', version: 3 });
  await become(['1', '2', '3'], [['1', 'late'], ['2'], ['3', 'own']]);
  await record('1', 'new');
  await become(['1'], [['1', 'late', 'new']]);
});

it('events that arrive twice or in another order lead to the same places, in their tenant and environment only', async () => {
  const [one, other] = [aTenant(), aTenant()];
  for (const { record } of [one, other]) for (const leadId of ['1', '2', '3']) await record(leadId);
  const { told, become, places } = one;
  const id = randomUUID();
  await publishLeadMerge(told, { leadId: '2', into: '3', version: 2, id });
  await become(['1', '2', '3'], [['1'], [], ['2', '3']]);
  await publishLeadMerge(told, { leadId: '2', from: '3', version: 3 });
  await become(['1', '2', '3'], [['1'], ['2'], ['3']]);
  await publishLeadMerge(told, { leadId: '2', into: '3', version: 2, id });
  await publishLeadMerge(told, { leadId: '2', into: '3', version: 2 });
  // The undoing of a merge that is not known yet.
  await publishLeadMerge(told, { leadId: '3', from: '1', version: 3 });
  await publishLeadMerge(told, { leadId: '3', into: '1', version: 2 });
  await publishLeadMerge(told, { leadId: '1', into: '2', version: 2 });
  await become(['1', '2', '3'], [[], ['1', '2'], ['3']]);
  expect(await other.places('1', '2', '3')).toEqual([['1'], ['2'], ['3']]);
  expect(await places('1', '2', '3')).toEqual([[], ['1', '2'], ['3']]);
  expect(await service.deadLetters('follow-lead-merges')).toEqual([]);
});

it('thousands of events move in batches; an unreadable merge is a dead letter', async () => {
  const { api, told, become } = aTenant();
  await service.sqlWithin(
    api.caller,
    `INSERT INTO engagement_event (type, lead_id, timestamp, message_id)
     SELECT 'email_open', 1, now(), 'many' FROM generate_series(1, 1100)`,
  );
  await publishLeadMerge(told, { leadId: '1', into: '2', version: 2 });
  await become(['1'], [[]]);
  const [row] = await service.sqlWithin(
    api.caller,
    'SELECT count(*)::int AS n FROM engagement_event WHERE lead_id = 2',
  );
  expect(row).toEqual({ n: 1100 });
  await publishLeadMerge(told, { leadId: '1', into: 'no', version: 3 });
  const letters = await until('it is a dead letter', async () => {
    const found = await service.deadLetters('follow-lead-merges');
    return found.length > 0 && found;
  });
  expect(letters[0]).toMatchObject({ name: 'lead.deleted', reason: 'unreadable' });
});
