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

it('the first engagement follows a merge and its undoing, also if its event was removed', async () => {
  const { api, told, become } = aTenant();
  const day = (number: number) => `2026-03-0${number}T10:00:00.000Z`;
  const record = async (leadId: string, timestamp: string, fields: object = {}) => {
    const body = { eventType: 'email_open', leadId, timestamp, messageId: timestamp, ...fields };
    expect((await api.recordEvent({ body })).status).toBe(201);
  };
  await record('1', day(1), { automated: true });
  await record('1', day(2));
  await record('2', day(5));
  // The retention removed the event, and keeps the time.
  await record('4', day(1));
  await service.sqlWithin(api.caller, 'DELETE FROM engagement_event WHERE lead_id = 4');
  const touches = async () => {
    const rows = await service.sqlWithin(api.caller, 'SELECT lead_id::int AS id, at FROM first_touch');
    return Object.fromEntries(rows.map(({ id, at }) => [id, (at as Date).toISOString()]));
  };
  const touchesBecome = (wanted: object) =>
    until(`the touches are ${JSON.stringify(wanted)}`, async () => {
      expect(await touches()).toMatchObject(wanted);
      return true;
    });
  await publishLeadMerge(told, { leadId: '1', into: '2', version: 2 });
  await become(['1'], [[]]);
  await touchesBecome({ 2: day(2) });
  // A lead without an engagement of its own gets that of the merged one.
  await publishLeadMerge(told, { leadId: '2', into: '3', version: 2 });
  await touchesBecome({ 3: day(2) });
  await publishLeadMerge(told, { leadId: '2', from: '3', version: 3 });
  await publishLeadMerge(told, { leadId: '1', from: '2', version: 3 });
  await touchesBecome({ 1: day(2), 2: day(5) });
  await until('lead 3 has none any more', async () => !('3' in (await touches())));
  await service.sqlWithin(api.caller, `UPDATE retention SET kept_since = '2026-03-02T00:00:00Z'`);
  await publishLeadMerge(told, { leadId: '4', into: '1', version: 2 });
  await touchesBecome({ 1: day(1) });
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
