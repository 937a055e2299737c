import type { crm } from '@tandem/crm-contract';
import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { identityPeer, type TestService, until } from '@tandem/testing';
import { startCrm } from '../../crm.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let mailbox: Mailbox;
let service: TestService<typeof crm>;
beforeAll(async () => {
  identity = await identityPeer();
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

let addresses = 0;
const anAddress = () => `person${++addresses}@example.com`;
const following = { scope: 'following', originalStartAt: '2027-03-22T08:00:00.000Z' };
const occurrence = '2027-03-29T07:00:00.000Z';

/** A weekly series with one changed occurrence, to which another person is invited. */
async function aSeries() {
  const api = service.as();
  const [member, guest] = [anAddress(), anAddress()];
  const { data: series } = await api.createCalendarEvent({
    body: {
      title: 'Demo',
      // A Monday.
      startAt: '2027-03-08T08:00:00.000Z',
      endAt: '2027-03-08T09:00:00.000Z',
      recurrence: 'FREQ=WEEKLY;COUNT=5',
      attendees: [{ email: member }],
    },
  });
  const { data: exception } = await api.updateCalendarEvent({
    params: { id: series.id },
    query: { scope: 'this', originalStartAt: occurrence },
    body: { attendees: [{ email: member }, { email: guest }] },
  });
  return { api, series, exception, params: { id: series.id as string }, member, guest };
}
const eventOf = (api: Api, name: string, id: string) =>
  until(`calendar_event.${name} arrives`, () =>
    service.events.find(
      (event) =>
        event.tenantId === api.caller.tenantId &&
        event.name === `calendar_event.${name}` &&
        (event.data as Fields)['calendarEventId'] === id,
    ),
  );
const subjectsTo = (address: string) => mailbox.to(address).map(({ subject }) => subject);

type Series = Awaited<ReturnType<typeof aSeries>>;
it.each<[name: string, event: string, change: (one: Series) => Promise<{ status: number }>]>([
  ['the series is cancelled', 'cancelled', ({ api, params }) => api.cancelCalendarEvent({ params, body: {} })],
  ['the series is deleted', 'deleted', ({ api, params }) => api.deleteCalendarEvent({ params })],
  [
    'the series ends before them',
    'deleted',
    ({ api, params }) => api.cancelCalendarEvent({ params, query: following, body: {} }),
  ],
  [
    'the series moves',
    'deleted',
    ({ api, params }) => api.updateCalendarEvent({ params, body: { startAt: '2027-03-09T08:00:00.000Z' } }),
  ],
  [
    'following occurrences move',
    'deleted',
    ({ api, params }) =>
      api.updateCalendarEvent({ params, query: following, body: { startAt: '2027-03-23T08:00:00.000Z' } }),
  ],
])('changed occurrences have their event, and their guests a message, when %s', async (_, event, change) => {
  const made = await aSeries();
  const { api, exception, member, guest } = made;
  expect((await change(made)).status).toBe(200);
  await eventOf(api, event, exception.id);
  await until('the guest is notified', () => subjectsTo(guest).includes('Cancelled: Demo'));
  expect(mailbox.to(guest).at(-1)).toMatchObject({ invitation: expect.stringContaining('RECURRENCE-ID') });
  // Attendees of the series get the message about the series.
  await until('the member is notified', () => subjectsTo(member).length >= 2);
  expect(mailbox.to(member).filter(({ invitation }) => /CANCEL[\s\S]*RECURRENCE-ID/.test(invitation ?? ''))).toEqual(
    [],
  );
});

it('changed occurrences move to the series that continues theirs, as their next version', async () => {
  const { api, exception, params, guest } = await aSeries();
  const { data: next } = await api.updateCalendarEvent({ params, query: following, body: { title: 'New' } });
  const moved = (await api.getCalendarEvent({ params: { id: exception.id } })).data;
  expect(moved).toMatchObject({ recurringEventId: next.id, version: exception.version + 1 });
  await until('the event arrives', () =>
    service.events.some(
      ({ name, data }) =>
        name === 'calendar_event.updated' &&
        (data as Fields)['calendarEventId'] === exception.id &&
        String((data as Fields)['fields']) === 'recurringEventId',
    ),
  );
  await until('calendars of guests know it', () => subjectsTo(guest).includes('Changed: Demo'));
});

it('completing a changed occurrence and cancelling its series at once leaves it in one final state', async () => {
  for (let round = 0; round < 5; round++) {
    const { api, exception, params } = await aSeries();
    const [completed, cancelled] = await Promise.all([
      api.completeCalendarEvent({ params: { id: exception.id } }),
      api.cancelCalendarEvent({ params, body: {} }),
    ]);
    expect(cancelled.status).toBe(200);
    const { status } = (await api.getCalendarEvent({ params: { id: exception.id } })).data;
    expect([completed.status, status]).toEqual(completed.status === 200 ? [200, 'completed'] : [409, 'cancelled']);
  }
});
