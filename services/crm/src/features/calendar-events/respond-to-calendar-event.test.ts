import type { crm } from '@tandem/crm-contract';
import { identityPeer, type TestService, until, users } from '@tandem/testing';
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

describe('respondToCalendarEvent', () => {
  it('stores the answer of an attendee once', async () => {
    const api = service.as();
    const { id } = await create(api, { attendees: [{ userId: users.active }] });
    const theirs = service.as({ tenantId: api.caller.tenantId as number, userId: Number(users.active) });
    const answer = () => theirs.respondToCalendarEvent({ params: { id }, body: { response: 'tentative' } });
    const { data } = await answer();
    expect(data).toMatchObject({ version: 2, attendees: [{ response: 'tentative', respondedAt: expect.any(String) }] });
    expect((await answer()).data.version).toBe(2);
    const event = await eventNamed(api, 'responded');
    expect(event.data).toEqual({
      calendarEventId: id,
      userId: users.active,
      email: null,
      response: 'tentative',
      byAnswerToSeries: false,
    });
  });

  describe('for a series with a changed occurrence', () => {
    /** A weekly series of an attendee, who answers it, with its second occurrence changed. */
    async function aChangedSeries() {
      const api = service.as();
      const theirs = service.as({ tenantId: api.caller.tenantId as number, userId: Number(users.active) });
      const { id } = await create(api, { recurrence: 'FREQ=WEEKLY;COUNT=5', attendees: [{ userId: users.active }] });
      const changed = await api.updateCalendarEvent({
        params: { id },
        query: { scope: 'this', originalStartAt: at('03-17T09:00:00.000Z') },
        body: { title: 'Other' },
      });
      const answer = (eventId: string, response: string) =>
        theirs.respondToCalendarEvent({ params: { id: eventId }, body: { response } });
      const read = async () => (await api.getCalendarEvent({ params: { id: changed.data.id } })).data;
      const occurrence = async () => (await read()).attendees[0].response;
      return { api, series: id as string, exception: changed.data.id as string, answer, occurrence, read };
    }

    it('applies to that occurrence too, as its next version and with its event, each time', async () => {
      const { api, series, exception, answer, occurrence, read } = await aChangedSeries();
      const { version } = await read();
      await answer(series, 'accepted');
      expect(await read()).toMatchObject({ version: version + 1, attendees: [{ response: 'accepted' }] });
      await until('both events arrive', () => eventsOf(api, 'responded').length === 2);
      const answered = eventsOf(api, 'responded').map(({ data }) => data as Fields);
      expect(answered.map((data) => [data['calendarEventId'], data['byAnswerToSeries']])).toEqual(
        expect.arrayContaining([
          [series, false],
          [exception, true],
        ]),
      );
      await answer(series, 'declined');
      expect(await occurrence()).toBe('declined');
    });

    it('applies to an occurrence that was changed after an earlier answer', async () => {
      const { api, series, answer } = await aChangedSeries();
      await answer(series, 'accepted');
      const { data: later } = await api.updateCalendarEvent({
        params: { id: series },
        query: { scope: 'this', originalStartAt: at('03-24T09:00:00.000Z') },
        body: { title: 'Later' },
      });
      expect(later.attendees[0].response).toBe('accepted');
      await answer(series, 'declined');
      expect((await api.getCalendarEvent({ params: { id: later.id } })).data.attendees[0].response).toBe('declined');
    });

    it.each([
      ['another answer', 'declined'],
      ['the same answer', 'accepted'],
    ])('does not apply to it after %s to the occurrence itself', async (_, own) => {
      const { series, exception, answer, occurrence } = await aChangedSeries();
      await answer(series, 'accepted');
      await answer(exception, own);
      await answer(series, 'tentative');
      expect(await occurrence()).toBe(own);
    });

    it('does not apply to it when it is cancelled', async () => {
      const { api, series, exception, answer, occurrence } = await aChangedSeries();
      await api.cancelCalendarEvent({ params: { id: exception }, body: {} });
      expect([(await answer(series, 'accepted')).status, await occurrence()]).toEqual([200, 'pending']);
    });
  });

  it('refuses callers who are not attendees with 403, and answers to a cancelled event with 409', async () => {
    const api = service.as();
    const { id } = await create(api, { attendees: [{ userId: users.active }] });
    const theirs = service.as({ tenantId: api.caller.tenantId as number, userId: Number(users.active) });
    const body = { response: 'accepted' };
    const outside = await api.respondToCalendarEvent({ params: { id }, body });
    await api.cancelCalendarEvent({ params: { id }, body: {} });
    const late = await theirs.respondToCalendarEvent({ params: { id }, body });
    expect([outside.status, outside.body.code, late.status, late.body.code]).toEqual([
      403,
      'not_an_attendee',
      409,
      'event_cancelled',
    ]);
  });
});
