import { randomUUID } from 'node:crypto';
import { until } from '@tandem/testing';
import { aTenant, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

type Tenant = Awaited<ReturnType<typeof aTenant>>;
const time = '2026-11-21T10:00:00.000Z';

interface Fields {
  data: object;
  attendee?: string;
  endAt?: string;
  record?: object;
  changes?: object;
  caller?: object;
}

/** An event of the calendar, as crm publishes it. */
function eventOf(tenant: Tenant, name: string, fields: Fields) {
  const { data, attendee, endAt = '2099-03-10T10:00:00.000Z', changes } = fields;
  const record = {
    id: '7',
    tenantId: '1',
    title: 'Demo',
    description: null,
    startAt: '2026-03-10T09:00:00.000Z',
    endAt,
    timezone: 'Europe/Berlin',
    allDay: false,
    status: 'scheduled',
    allowedTransitions: [],
    location: null,
    joinUrl: null,
    visibility: 'default',
    leadId: null,
    opportunityId: null,
    organizerId: tenant.user.id,
    attendees: attendee ? [attends(attendee)] : [],
    recurrence: null,
    recurringEventId: null,
    originalStartAt: null,
    createdBy: null,
    version: 1,
    createdAt: time,
    updatedAt: time,
    ...fields.record,
  };
  const userId = attendee && name === 'responded' ? Number(attendee) : Number(tenant.user.id);
  return {
    id: randomUUID(),
    name: `calendar_event.${name}`,
    tenantId: tenant.tenantId,
    environment: 'live',
    occurredAt: time,
    action: 'calendar_event.do',
    target: { type: 'calendar_event', id: 7 },
    caller: fields.caller ?? { type: 'user', userId, name: 'Ada', requestId: 'req_1' },
    data: { calendarEventId: '7', ...data },
    record,
    ...(changes && { changes }),
  };
}
const attends = (userId: string) => ({ userId, email: null, name: null, response: 'pending', respondedAt: null });
const send = (event: { id: string; name: string }) => service.publish(event.name, event, event.id);
const inboxOf = async (tenant: Tenant, userId: string) =>
  (await tenant.as(userId, ['notifications:read']).listNotifications()).data as { title: string; body: string }[];

it('notifies invited users once per event, of changes that matter, and of cancellations', async () => {
  const tenant = await aTenant(service);
  const { id: attendee } = await tenant.addUser('member');
  const titles = async () => (await inboxOf(tenant, attendee)).map(({ title }) => title);
  const created = eventOf(tenant, 'created', { attendee, data: { title: 'Demo' } });
  await send(created);
  await send(created);
  await until('the invitation arrives', async () => (await titles()).includes('You are invited to an event'));
  await send(eventOf(tenant, 'updated', { attendee, data: { fields: ['leadId'] } }));
  await send(eventOf(tenant, 'created', { attendee, endAt: '2020-01-01T00:00:00.000Z', data: { title: 'Past' } }));
  await send(eventOf(tenant, 'cancelled', { attendee, data: { reason: null } }));
  await until('the cancellation arrives', async () => (await titles()).includes('An event was cancelled'));
  expect(await titles()).not.toContain('An event was changed');
  const [shown] = await inboxOf(tenant, attendee);
  expect(shown?.body).toContain('“Demo”');
});

it('notifies members of changes by others, those who are removed or added of that, and gives the reason', async () => {
  const tenant = await aTenant(service);
  const [gone, fresh, actor] = [
    await tenant.addUser('member'),
    await tenant.addUser('member'),
    await tenant.addUser('member'),
  ].map(({ id }) => id) as [string, string, string];
  const caller = { type: 'user', userId: Number(actor), name: 'Eve', requestId: 'req_1' };
  const record = { attendees: [attends(fresh), attends(actor)] };
  const listed = (userId: string) => ({ userId: Number(userId), email: null });
  const attendees = { from: [listed(gone), listed(actor)], to: [listed(fresh), listed(actor)] };
  const titleOf = async (userId: string) => (await inboxOf(tenant, userId))[0]?.title;
  await send(eventOf(tenant, 'updated', { record, caller, data: { fields: ['attendees'] }, changes: { attendees } }));
  await until('both arrive', async () => (await titleOf(gone)) !== undefined && (await titleOf(fresh)) !== undefined);
  expect([await titleOf(gone), await titleOf(fresh), await titleOf(tenant.user.id)]).toEqual([
    'You are not invited to an event any more',
    'You are invited to an event',
    undefined,
  ]);
  await send(eventOf(tenant, 'updated', { record, caller, data: { fields: ['description'] } }));
  await until('the change arrives', async () => (await titleOf(tenant.user.id)) === 'An event was changed');
  await send(eventOf(tenant, 'cancelled', { record, caller, data: { reason: 'Ada is ill' } }));
  await until('the cancellation arrives', async () => (await titleOf(fresh)) === 'An event was cancelled');
  expect((await inboxOf(tenant, tenant.user.id))[0]).toMatchObject({
    title: 'An event was cancelled',
    body: expect.stringContaining('Reason: Ada is ill'),
  });
  expect(await inboxOf(tenant, actor)).toEqual([]);
});

it('notifies the host of a booking, and attendees of the deletion of a scheduled event', async () => {
  const tenant = await aTenant(service);
  const { id: attendee } = await tenant.addUser('member');
  await send(
    eventOf(tenant, 'created', {
      data: { title: 'Demo' },
      caller: { type: 'anonymous', requestId: 'req_1' },
      record: {
        leadId: '5',
        attendees: [{ ...attends(attendee), userId: null, email: 'ada@example.com', name: 'Ada Lovelace' }],
      },
    }),
  );
  await until('the booking arrives', async () => (await inboxOf(tenant, tenant.user.id))[0]);
  expect((await inboxOf(tenant, tenant.user.id))[0]).toMatchObject({
    title: 'A time was booked with you',
    body: expect.stringContaining('“Demo” with Ada Lovelace, '),
    // An erasure of the lead searches for its code.
    data: { type: 'calendar_event', leadId: expect.any(String) },
  });
  await send(eventOf(tenant, 'deleted', { attendee, data: {}, record: { status: 'cancelled', title: 'Over' } }));
  await send(eventOf(tenant, 'deleted', { attendee, data: {} }));
  await until('the deletion arrives', async () => (await inboxOf(tenant, attendee))[0]);
  expect((await inboxOf(tenant, attendee)).map(({ title }) => title)).toEqual(['An event was cancelled']);
});

it('notifies the organizer of answers, of one to a series once', async () => {
  const tenant = await aTenant(service);
  const { id: attendee } = await tenant.addUser('member');
  const data = { userId: attendee, email: null, response: 'accepted' };
  const occurrence = { id: '8', recurringEventId: '7' };
  await send(eventOf(tenant, 'responded', { attendee, data: { ...data, byAnswerToSeries: true }, record: occurrence }));
  await send(eventOf(tenant, 'responded', { attendee, data }));
  await until('the answer arrives', async () => (await inboxOf(tenant, tenant.user.id)).length > 0);
  const caller = { type: 'system', requestId: 'req_1' };
  await send(eventOf(tenant, 'cancelled', { attendee, data: { reason: null }, record: { id: '9' }, caller }));
  const titles = async () => (await inboxOf(tenant, tenant.user.id)).map(({ title }) => title);
  await until('a later notification arrives', async () => (await titles()).includes('An event was cancelled'));
  expect(await titles()).toEqual(['An event was cancelled', 'An invitation was answered']);
});

it('notifies members of a cancelled occurrence, also while the series gets answers', async () => {
  const tenant = await aTenant(service);
  const { id: attendee } = await tenant.addUser('member');
  const answer = { userId: attendee, email: null, response: 'accepted' };
  const record = { id: '8', recurringEventId: '7' };
  await Promise.all([
    send(eventOf(tenant, 'responded', { attendee, data: answer })),
    send(eventOf(tenant, 'updated', { attendee, data: { fields: ['leadId'] } })),
    send(eventOf(tenant, 'cancelled', { attendee, data: { reason: null }, record })),
  ]);
  const titles = async () => (await inboxOf(tenant, attendee)).map(({ title }) => title);
  await until('the cancellation arrives', async () => (await titles()).includes('An event was cancelled'));
});

it('moves an event that cannot be read to the dead letters', async () => {
  const tenant = await aTenant(service);
  await send({ ...eventOf(tenant, 'created', { data: {} }), record: { id: 'none' } } as never);
  await until('it is a dead letter', async () => (await service.deadLetters('notify-of-calendar')).length > 0);
});
