import { bookingLimits, type crm } from '@tandem/crm-contract';
import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { identityPeer, members, type TestService, until, users } from '@tandem/testing';
import { startCrm } from '../../crm.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let mailbox: Mailbox;
let service: TestService<typeof crm>;
beforeAll(async () => {
  identity = await identityPeer();
  identity.names.set(users.active, 'Grace Hopper');
  mailbox = await startMailbox();
  service = await startCrm({ IDENTITY_URL: identity.url, SMTP_URL: mailbox.smtpUrl });
});
afterAll(async () => {
  await service?.close();
  await mailbox?.close();
  await identity?.close();
});

type Api = ReturnType<typeof service.as>;
type Fields = Record<string, unknown>;

const aLink = async (api: Api, fields: Fields = {}) =>
  (
    await api.createBookingLink({
      body: { title: 'Intro call', durationMinutes: 5, hostIds: [users.active], ...fields },
    })
  ).data;
const year = new Date().getUTCFullYear() + 1;
const later = { startAt: `${year}-03-10T09:00:00.000Z`, endAt: `${year}-03-10T10:00:00.000Z` };
/** A person outside of the tenant. */
const visitor = () => {
  const { tenantId: _, ...caller } = service.as({ type: 'anonymous' }).caller;
  return caller;
};
const slotsOf = async (slug: string): Promise<string[]> => {
  const { data } = await service.send(service.operations.getBookingOffer, { params: { slug } }, visitor());
  return data.slots.map(({ startAt }: { startAt: string }) => startAt);
};
const book = (slug: string, fields: Fields) =>
  service.send(
    service.operations.bookTime,
    { params: { slug }, body: { name: 'Ada Lovelace', email: 'ada@example.com', ...fields } },
    visitor(),
  );

it('sends nothing that the visitor wrote to the address that they entered', async () => {
  const api = service.as();
  const { slug } = await aLink(api, { questions: [{ key: 'size', label: 'How many?' }] });
  const [startAt] = await slotsOf(slug);
  const email = 'stranger@example.com';
  await book(slug, { startAt, email, name: 'Prize https://evil.example', answers: { size: 'Call evil now' } });
  const [event] = (await api.listCalendarEvents()).data;
  expect(event).toMatchObject({ title: 'Intro call', description: 'How many?\nCall evil now' });
  expect(event.attendees).toMatchObject([{ name: 'Prize https://evil.example' }]);
  await api.updateCalendarEvent({ params: { id: event.id }, body: { location: 'Room 5' } });
  await api.cancelCalendarEvent({ params: { id: event.id }, body: {} });
  const messages = await until('all messages arrive', () => mailbox.to(email).length === 3 && mailbox.to(email));
  expect(messages.map(({ subject }) => subject).sort()).toEqual([
    'Booked: Intro call',
    'Cancelled: Intro call',
    'Changed: Intro call',
  ]);
  expect(JSON.stringify(messages)).not.toMatch(/evil/i);
});

it('sends a description that the host writes, and names the host when somebody else changes or cancels', async () => {
  const api = service.as();
  const { slug } = await aLink(api, { questions: [{ key: 'size', label: 'How many?' }] });
  const [startAt] = await slotsOf(slug);
  const email = 'guest-of-host@example.com';
  const { data } = await book(slug, { startAt, email, answers: { size: '12' } });
  const [event] = (await api.listCalendarEvents()).data;
  const params = { id: event.id };
  await api.updateCalendarEvent({ params, body: { description: 'Bring the plans' } });
  // One message tells of a change that also cancels.
  await api.updateCalendarEvent({ params, body: { location: 'Room 5', status: 'cancelled' } });
  // A message about the cancellation's own change would arrive before this one.
  await api.createCalendarEvent({ body: { ...later, title: 'Later', attendees: [{ email }] } });
  const messages = await until(
    'the last message arrives',
    () => mailbox.to(email).some(({ subject }) => subject.endsWith('Later')) && mailbox.to(email),
  );
  expect(messages.map(({ subject }) => subject).sort()).toEqual([
    'Booked: Intro call',
    'Cancelled: Intro call',
    'Changed: Intro call',
    'Invitation: Later',
  ]);
  const textOf = (word: string) => messages.find(({ subject }) => subject.startsWith(word))?.text;
  expect(textOf('Changed')).toContain('Bring the plans');
  expect(textOf('Changed')).toContain(`changed your booking with ${data.hostNames[0]}.`);
  expect(textOf('Cancelled')).toContain(`cancelled your booking with ${data.hostNames[0]}.`);
  expect(textOf('Cancelled')).toContain('Room 5');
});

it('keeps answers from the visitor, and the limits of the link, when a booking is continued as another series', async () => {
  const api = service.as();
  const { slug } = await aLink(api, { questions: [{ key: 'size', label: 'How many?' }] });
  const [startAt, ...others] = await slotsOf(slug);
  const email = 'weekly-guest@example.com';
  await book(slug, { startAt, email, answers: { size: 'Call evil now' } });
  const [{ id, description }] = (await api.listCalendarEvents()).data;
  const params = { id };
  await api.updateCalendarEvent({ params, body: { recurrence: 'FREQ=DAILY;COUNT=5', timezone: 'UTC' } });
  const originalStartAt = new Date(Date.parse(startAt as string) + 2 * 86_400_000).toISOString();
  const colleague = { userId: members.seller };
  const { data: next } = await api.updateCalendarEvent({
    params,
    query: { scope: 'following', originalStartAt },
    body: { description, title: 'Weekly', attendees: [{ email }, colleague] },
  });
  await api.updateCalendarEvent({ params: { id: next.id }, body: { location: 'Room 5' } });
  const messages = await until('the change arrives', () => {
    const all = mailbox.to(email);
    return all.some(({ subject }) => subject === 'Changed: Weekly') && all;
  });
  expect(JSON.stringify(messages)).not.toMatch(/evil/i);
  const invited = messages.find(({ subject }) => subject === 'Invitation: Weekly');
  expect(invited?.text).toContain('invites you to a booking with Grace Hopper.');
  // Two more bookings are possible beside the first one.
  const free = others.slice(0, 2);
  for (const time of free) expect((await book(slug, { startAt: time, email })).status).toBe(201);
});

it('takes three bookings ahead of an address, also at once, and more after one is cancelled', async () => {
  const api = service.as();
  const { slug } = await aLink(api);
  const slots = await slotsOf(slug);
  const replies = await Promise.all(slots.slice(0, 5).map((startAt) => book(slug, { startAt })));
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409, 409]);
  const startAt = slots[5];
  const again = await book(slug, { startAt, email: 'ADA+again@example.com' });
  expect([again.status, again.body.code]).toEqual([409, 'too_many_bookings']);
  expect((await book(slug, { startAt: slots[6], email: 'other@example.com' })).status).toBe(201);
  const events = (await api.listCalendarEvents()).data;
  const { id } = events.find(({ attendees }: { attendees: Fields[] }) => attendees[0]?.['email'] === 'ada@example.com');
  await api.cancelCalendarEvent({ params: { id }, body: {} });
  expect((await book(slug, { startAt })).status).toBe(201);
});

it('refuses more than thirty bookings of a link within an hour', async () => {
  const api = service.as();
  const { slug } = await aLink(api);
  const slots = await slotsOf(slug);
  for (let number = 0; number < bookingLimits.perHour; number++) {
    const reply = await book(slug, { startAt: slots[number], email: `visitor${number}@example.com` });
    expect(reply.status).toBe(201);
  }
  const next = { startAt: slots[bookingLimits.perHour], email: 'late@example.com' };
  const refused = await book(slug, next);
  expect([refused.status, refused.body.code]).toEqual([429, 'booking_limit']);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_000);
  const other = await aLink(api, { slug: 'other' });
  expect((await book(other.slug, next)).status).toBe(201);
  await service.sqlWithin(api.caller, `UPDATE calendar_event SET created_at = now() - interval '1 hour'`);
  expect((await book(slug, { ...next, startAt: slots[bookingLimits.perHour + 1] })).status).toBe(201);
});
