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

/** An event of the calendar, as crm publishes it. */
function eventOf(tenant: Tenant, name: string, fields: { data: object; attendee?: string; endAt?: string }) {
  const { data, attendee, endAt = '2099-03-10T10:00:00.000Z' } = fields;
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
    attendees: attendee ? [{ userId: attendee, email: null, name: null, response: 'pending', respondedAt: null }] : [],
    recurrence: null,
    recurringEventId: null,
    originalStartAt: null,
    createdBy: null,
    version: 1,
    createdAt: time,
    updatedAt: time,
  };
  return {
    id: randomUUID(),
    name: `calendar_event.${name}`,
    tenantId: tenant.tenantId,
    environment: 'live',
    occurredAt: time,
    action: 'calendar_event.do',
    target: { type: 'calendar_event', id: 7 },
    caller: {
      type: 'user',
      userId: attendee && name === 'responded' ? Number(attendee) : Number(tenant.user.id),
      name: 'Ada',
      requestId: 'req_1',
    },
    data: { calendarEventId: '7', ...data },
    record,
  };
}
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

it('notifies the organizer of answers', async () => {
  const tenant = await aTenant(service);
  const { id: attendee } = await tenant.addUser('member');
  await send(eventOf(tenant, 'responded', { attendee, data: { userId: attendee, email: null, response: 'accepted' } }));
  const shown = await until('the answer arrives', async () => (await inboxOf(tenant, tenant.user.id))[0]);
  expect(shown.title).toBe('An invitation was answered');
});

it('moves an event that cannot be read to the dead letters', async () => {
  const tenant = await aTenant(service);
  await send({ ...eventOf(tenant, 'created', { data: {} }), record: { id: 'none' } } as never);
  await until('it is a dead letter', async () => (await service.deadLetters('notify-of-calendar')).length > 0);
});
