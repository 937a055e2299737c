import type { crm } from '@tandem/crm-contract';
import { type Mailbox, type ReceivedMail, startMailbox } from '@tandem/mailbox';
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

// Events of the past are not mailed.
const year = new Date().getUTCFullYear() + 1;
const at = (rest: string) => `${year}-${rest}`;
const anEvent = (fields: Fields = {}) => ({
  title: 'Demo',
  startAt: at('03-10T09:00:00.000Z'),
  endAt: at('03-10T10:00:00.000Z'),
  ...fields,
});
const create = async (api: Api, fields: Fields = {}) => (await api.createCalendarEvent({ body: anEvent(fields) })).data;
const eventsOf = (api: Api, name: string) =>
  service.events.filter((event) => event.tenantId === api.caller.tenantId && event.name === `calendar_event.${name}`);
const eventNamed = (api: Api, name: string) =>
  until(`${name} arrives`, () => eventsOf(api, name).at(-1)) as Promise<{
    data: Fields;
    record: Fields;
    changes: Fields;
  }>;
let addresses = 0;
const anAddress = () => `guest${++addresses}@example.com`;
const mailTo = (address: string, subject: RegExp) =>
  until(`the message ${subject} arrives`, () =>
    mailbox.to(address).findLast((mail) => subject.test(mail.subject)),
  ) as Promise<ReceivedMail & { invitation: string }>;
const tokenIn = ({ text }: ReceivedMail) => /\/rsvp\/(\S+)/.exec(text)?.[1] as string;

describe('invitations by mail', () => {
  /** A person outside of the tenant. */
  const visitor = () => {
    const { tenantId: _, ...caller } = service.as({ type: 'anonymous' }).caller;
    return caller;
  };
  const answer = (token: string, response: string) =>
    service.send(service.operations.answerRsvp, { params: { token }, body: { response } }, visitor());

  it('bring a link to answer and the event for calendars; changes and cancellations follow', async () => {
    const api = service.as();
    const email = anAddress();
    const { id } = await create(api, { attendees: [{ email, name: 'Ada' }] });
    const invited = await mailTo(email, /^Invitation: Demo$/);
    expect(invited.invitation).toMatch(/METHOD:REQUEST[\s\S]*SEQUENCE:0[\s\S]*DTSTART:\d{4}0310T090000Z/);
    await api.updateCalendarEvent({ params: { id }, body: { startAt: at('03-11T09:00:00.000Z') } });
    const changed = await mailTo(email, /^Changed: Demo$/);
    expect(changed.invitation).toMatch(/METHOD:REQUEST[\s\S]*SEQUENCE:1[\s\S]*DTSTART:\d{4}0311T090000Z/);
    await api.cancelCalendarEvent({ params: { id }, body: { reason: 'The customer is ill' } });
    const cancelled = await mailTo(email, /^Cancelled: Demo$/);
    expect(cancelled.text).toContain('Reason: The customer is ill');
    expect(cancelled.invitation).toMatch(/METHOD:CANCEL[\s\S]*SEQUENCE:2[\s\S]*STATUS:CANCELLED/);
    const uids = [invited, changed, cancelled].map(({ invitation }) => /UID:(.*)/.exec(invitation)?.[1]);
    expect(new Set(uids).size).toBe(1);
  });

  it('tell removed attendees of the cancellation, and nobody of a past event', async () => {
    const api = service.as();
    const [gone, kept] = [anAddress(), anAddress()];
    const { id } = await create(api, { attendees: [{ email: gone }, { email: kept }] });
    await mailTo(gone, /^Invitation/);
    await create(api, { startAt: '2020-03-10T09:00:00Z', endAt: '2020-03-10T10:00:00Z', attendees: [{ email: kept }] });
    await api.updateCalendarEvent({ params: { id }, body: { attendees: [{ email: kept }] } });
    await mailTo(gone, /^Cancelled/);
    expect(mailbox.to(kept).map(({ subject }) => subject)).toEqual(['Invitation: Demo']);
  });

  it('tell guests of an event that is moved to the past, or cancelled with that', async () => {
    const api = service.as();
    const past = { startAt: '2020-03-10T09:00:00Z', endAt: '2020-03-10T10:00:00Z' };
    for (const [change, subject] of [
      [past, /^Changed/],
      [{ ...past, status: 'cancelled' }, /^Cancelled/],
    ] as const) {
      const email = anAddress();
      const { id } = await create(api, { attendees: [{ email }] });
      await api.updateCalendarEvent({ params: { id }, body: change });
      await mailTo(email, subject);
    }
  });

  it('are not sent to people who are added by the change that cancels', async () => {
    const api = service.as();
    const [kept, added] = [anAddress(), anAddress()];
    const { id } = await create(api, { attendees: [{ email: kept }] });
    const attendees = [{ email: kept }, { email: added }];
    await api.updateCalendarEvent({ params: { id }, body: { attendees, status: 'cancelled' } });
    await mailTo(kept, /^Cancelled/);
    await create(api, { title: 'Later', attendees: [{ email: added }] });
    await mailTo(added, /Later$/);
    expect(mailbox.to(added).map(({ subject }) => subject)).toEqual(['Invitation: Later']);
  });

  it('send nothing in the sandbox', async () => {
    const api = service.as({ environment: 'sandbox' });
    const email = anAddress();
    await create(api, { attendees: [{ email }] });
    const [row] = await service.sqlWithin(api.caller, 'SELECT state FROM platform.mail');
    expect([row?.['state'], mailbox.to(email)]).toEqual(['suppressed', []]);
  });

  it('are shown by their link without a change, and answered by a POST', async () => {
    const api = service.as();
    const email = anAddress();
    const { id } = await create(api, { attendees: [{ email }] });
    const token = tokenIn(await mailTo(email, /^Invitation/));
    const show = () => service.send(service.operations.getRsvp, { params: { token } }, visitor());
    expect((await show()).body).toMatchObject({ data: { title: 'Demo', status: 'scheduled', response: 'pending' } });
    const page = await service.send(service.operations.showRsvpPage, { params: { token } }, visitor());
    expect([page.status, page.text]).toEqual([200, expect.stringContaining(`data-action="/v1/public/rsvp/${token}"`)]);
    expect((await api.getCalendarEvent({ params: { id } })).data.version).toBe(1);
    const reply = await answer(token, 'accepted');
    expect([reply.status, reply.body.message]).toEqual([200, 'Thank you for your answer']);
    const event = await eventNamed(api, 'responded');
    expect(event.data).toMatchObject({ calendarEventId: id, userId: null, email, response: 'accepted' });
    expect((await api.getCalendarEvent({ params: { id } })).data.attendees[0].response).toBe('accepted');
    await api.cancelCalendarEvent({ params: { id }, body: {} });
    expect([(await answer(token, 'declined')).status, (await show()).body.data]).toEqual([
      409,
      expect.objectContaining({ status: 'cancelled' }),
    ]);
    await api.deleteCalendarEvent({ params: { id } });
    expect([(await show()).status, (await answer('unknown', 'accepted')).status]).toEqual([404, 404]);
  });

  it('to a series are answered with its changed occurrences', async () => {
    const api = service.as();
    const email = anAddress();
    const { id } = await create(api, { recurrence: 'FREQ=WEEKLY;COUNT=3', attendees: [{ email }] });
    const token = tokenIn(await mailTo(email, /^Invitation/));
    const { data: changed } = await api.updateCalendarEvent({
      params: { id },
      query: { scope: 'this', originalStartAt: at('03-17T09:00:00.000Z') },
      body: { title: 'Other' },
    });
    expect((await answer(token, 'declined')).status).toBe(200);
    const { data } = await api.getCalendarEvent({ params: { id: changed.id } });
    expect(data.attendees).toMatchObject([{ email, response: 'declined' }]);
  });
});
