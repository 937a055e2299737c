import type { crm } from '@tandem/crm-contract';
import { identityPeer, type TestService } from '@tandem/testing';
import { startCrm } from '../../crm.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let service: TestService<typeof crm>;
beforeAll(async () => {
  identity = await identityPeer();
  service = await startCrm({ IDENTITY_URL: identity.url, MAIL_PER_DAY_MAX: 1 });
});
afterAll(async () => {
  await service?.close();
  await identity?.close();
});

const year = new Date().getUTCFullYear() + 1;
const times = { startAt: `${year}-03-10T09:00:00.000Z`, endAt: `${year}-03-10T10:00:00.000Z` };

it('refuses invitations and cancellations beyond the messages of a day, and changes nothing then', async () => {
  const api = service.as();
  const create = (...emails: string[]) =>
    api.createCalendarEvent({ body: { title: 'Demo', ...times, attendees: emails.map((email) => ({ email })) } });
  const refused = await create('ada@example.com', 'bob@example.com');
  expect([refused.status, refused.body.code]).toEqual([429, 'mail_limit']);
  expect((await api.listCalendarEvents()).data).toEqual([]);
  const { status, data } = await create('ada@example.com');
  expect(status).toBe(201);
  const params = { id: data.id };
  const cancelled = await api.cancelCalendarEvent({ params, body: {} });
  expect([cancelled.status, cancelled.body.code]).toEqual([429, 'mail_limit']);
  expect((await api.getCalendarEvent({ params })).data).toMatchObject({ status: 'scheduled', version: 1 });
  // Without people to notify, the limit does not matter.
  expect((await create()).status).toBe(201);
});
