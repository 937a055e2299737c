import { calendarEntriesMax, type crm } from '@tandem/crm-contract';
import { identityPeer, longestTurn, members, type TestService, teams, users } from '@tandem/testing';
import { startCrm } from '../../crm.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let service: TestService<typeof crm>;
beforeAll(async () => {
  identity = await identityPeer();
  service = await startCrm({ IDENTITY_URL: identity.url });
});
afterAll(async () => {
  await service?.close();
  await identity?.close();
});

const query = { from: '2027-03-01T00:00:00Z', to: '2027-03-20T00:00:00Z' };

it('does not delay other requests while it expands many series', async () => {
  const api = service.as();
  await service.sqlWithin(
    api.caller,
    `INSERT INTO calendar_event (uid, title, start_at, end_at, timezone, recurrence, updated_at)
     SELECT 'series' || n, 'Demo', '0001-01-15T09:00:00Z', '0001-01-15T10:00:00Z', 'Europe/Berlin', 'FREQ=MONTHLY', now()
     FROM generate_series(1, 600) AS n`,
  );
  const read = async () => expect((await api.getCalendar({ query, unparsed: true })).status).toBe(200);
  expect(await longestTurn(read)).toBeLessThan(100);
});

it('shows the entries of the members of a team, whichever team a record belongs to', async () => {
  const api = service.as();
  const at = (hour: string) => `2027-03-10T${hour}:00:00.000Z`;
  for (const [index, assignedTo] of [members.seller, users.active].entries()) {
    const title = index ? 'Of others' : 'Of a member';
    const { data: deal } = await api.createOpportunity({ body: { name: 'Rollout', currency: 'EUR' } });
    await api.createMilestone({ params: { oid: deal.id }, body: { title, ownerId: assignedTo, dueAt: at('11') } });
    await api.createTask({ body: { title, assignedTo, teamId: index ? teams.sales : null, dueAt: at('10') } });
    const own = service.as({ tenantId: api.caller.tenantId as number, userId: Number(assignedTo) });
    await own.createCalendarEvent({ body: { title, startAt: at('09'), endAt: at('10') } });
  }
  const { data } = await api.getCalendar({ query: { ...query, teamId: teams.sales } });
  expect(data.isTruncated).toBe(false);
  expect(data.entries.map(({ type, title }: { type: string; title: string }) => [type, title])).toEqual([
    ['event', 'Of a member'],
    ['task', 'Of a member'],
    ['milestone', 'Of a member'],
  ]);
  const alone = { ...query, teamId: teams.sales, userIds: users.active };
  expect((await api.getCalendar({ query: alone })).data.entries).toEqual([]);
});

it('says that there are more entries than it shows', async () => {
  const api = service.as();
  await service.sqlWithin(
    api.caller,
    `INSERT INTO task (title, due_at, updated_at)
     SELECT 'Call', '2027-03-10T09:00:00Z', now() FROM generate_series(1, ${calendarEntriesMax + 1}) AS n`,
  );
  const { data } = await api.getCalendar({ query });
  expect([data.entries.length, data.isTruncated]).toEqual([calendarEntriesMax, true]);
});
