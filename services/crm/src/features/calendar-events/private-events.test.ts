import type { crm } from '@tandem/crm-contract';
import { identityPeer, type TestService, users } from '@tandem/testing';
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
const times = { startAt: `${year}-03-10T09:00:00.000Z`, endAt: `${year}-03-10T10:00:00.000Z` };
const create = async (api: Api, fields: Fields = {}) =>
  (await api.createCalendarEvent({ body: { title: 'Checkup', ...times, ...fields } })).data;
const colleagueOf = (api: Api) => service.as({ tenantId: api.caller.tenantId as number, userId: Number(users.active) });

type Params = { params: { id: string } };
const writes: [
  name: string,
  (api: Api, one: Params & { query?: Record<string, string> }) => Promise<{ status: number }>,
][] = [
  ['updateCalendarEvent', (api, one) => api.updateCalendarEvent({ ...one, body: { visibility: 'default' } })],
  [
    'updateCalendarEvent with attendees',
    (api, one) => api.updateCalendarEvent({ ...one, body: { attendees: [{ userId: users.active }] } }),
  ],
  ['completeCalendarEvent', (api, one) => api.completeCalendarEvent(one)],
  ['cancelCalendarEvent', (api, one) => api.cancelCalendarEvent({ ...one, body: {} })],
  ['deleteCalendarEvent', (api, one) => api.deleteCalendarEvent(one)],
];

describe.each(writes)('%s', (_, write) => {
  it('does not find a private event of others, and finds one that the caller attends', async () => {
    const api = service.as();
    const { id } = await create(api, { visibility: 'private' });
    expect((await write(colleagueOf(api), { params: { id } })).status).toBe(404);
    expect((await api.getCalendarEvent({ params: { id } })).data).toMatchObject({ status: 'scheduled', version: 1 });
    const attended = await create(api, { visibility: 'private', attendees: [{ userId: users.active }] });
    expect((await write(colleagueOf(api), { params: { id: attended.id } })).status).toBe(200);
  });

  it('does not find a private occurrence of a series that others may change', async () => {
    const api = service.as();
    const { id } = await create(api, { recurrence: 'FREQ=DAILY;COUNT=3' });
    const query = { scope: 'this', originalStartAt: times.startAt };
    const one = await api.updateCalendarEvent({ params: { id }, query, body: { visibility: 'private' } });
    expect((await write(colleagueOf(api), { params: { id }, query })).status).toBe(404);
    expect((await api.getCalendarEvent({ params: { id: one.data.id } })).data.version).toBe(one.data.version);
  });
});

it('respondToCalendarEvent does not find a private event of others', async () => {
  const api = service.as();
  const { id } = await create(api, { visibility: 'private' });
  const reply = await colleagueOf(api).respondToCalendarEvent({ params: { id }, body: { response: 'accepted' } });
  expect(reply.status).toBe(404);
});
