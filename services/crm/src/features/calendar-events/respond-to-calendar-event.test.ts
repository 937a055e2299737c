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
    expect(event.data).toEqual({ calendarEventId: id, userId: users.active, email: null, response: 'tentative' });
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
