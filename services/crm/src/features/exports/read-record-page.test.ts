import type { crm } from '@tandem/crm-contract';
import { identityPeer, members, type TestService } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

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
type Fields = { list?: string; filters?: object; after?: number; limit?: number };

/** Reads a page as another service does, limited to the records of a user if there is one. */
const read = (api: Api, body: Fields, narrow?: { userId: number }) =>
  service.as({ type: 'system', tenantId: api.caller.tenantId as number, ...(narrow && { narrow }) }).readRecordPage({
    body: { list: 'listLeads', filters: {}, after: 0, limit: 1_000, ...body },
  });

const emailsOf = (reply: Awaited<ReturnType<typeof read>>) =>
  reply.data.records.map(({ email }: { email: string }) => email);

it('returns what the list returns, in the order of ids, page by page', async () => {
  const api = service.as();
  for (const email of ['a@acme.com', 'b@other.com', 'c@acme.com', 'd@acme.com'])
    await api.createLead({ body: aLead({ email }) });
  const filters = { search: 'acme' };
  const first = await read(api, { filters, limit: 2 });
  expect(emailsOf(first)).toEqual(['a@acme.com', 'c@acme.com']);
  const second = await read(api, { filters, limit: 2, after: first.data.next });
  expect([emailsOf(second), second.data.next]).toEqual([['d@acme.com'], null]);
  const { data } = await api.listLeads({ query: { ...filters, sort: 'createdAt' } });
  expect([...first.data.records, ...second.data.records]).toEqual(data);
});

it('returns only records that a narrowed caller can read', async () => {
  const api = service.as();
  await api.createLead({ body: aLead() });
  const tenantId = api.caller.tenantId as number;
  await service.as({ tenantId, userId: 42 }).createLead({ body: aLead({ email: 'own@example.com' }) });
  expect(emailsOf(await read(api, {}, { userId: 42 }))).toEqual(['own@example.com']);
  expect(emailsOf(await read(service.as(), {}))).toEqual([]);
});

it('returns the calendar events that the user of the export can see, and of private ones of others only their times', async () => {
  const [organizer, colleague] = [Number(members.seller), Number(members.both)];
  const api = service.as({ userId: organizer });
  const tenantId = api.caller.tenantId as number;
  const event = { startAt: '2030-03-10T09:00:00.000Z', endAt: '2030-03-10T10:00:00.000Z' };
  await api.createCalendarEvent({ body: { ...event, title: 'Interview', visibility: 'private' } });
  await api.createCalendarEvent({ body: { ...event, title: 'Demo' } });
  const titlesFor = async (userId: number, narrow?: { userId: number }) => {
    const reader = service.as({ type: 'system', tenantId, userId, ...(narrow && { narrow }) });
    const body = { list: 'listCalendarEvents', filters: {}, after: 0, limit: 1_000 };
    return (await reader.readRecordPage({ body })).data.records.map(({ title }: { title: string }) => title);
  };
  expect([await titlesFor(organizer), await titlesFor(colleague)]).toEqual([
    ['Interview', 'Demo'],
    ['Busy', 'Demo'],
  ]);
  const ownFor = (userId: number) => titlesFor(userId, { userId });
  expect([await ownFor(organizer), await ownFor(colleague)]).toEqual([['Interview', 'Demo'], []]);
});

it('names filters that the list rejects, and knows no other list', async () => {
  const api = service.as();
  const fieldsOf = async (filters: object, list = 'listLeads') =>
    (await read(api, { list, filters })).data.errors?.map(({ field }: { field: string }) => field);
  expect(await fieldsOf({ status: 'new', scoreMin: 'many' })).toEqual(['filters.scoreMin']);
  expect(await fieldsOf({ customFields: { salary: 1 } })).toEqual(['filters.customFields.salary']);
  expect(await fieldsOf({ colour: 'red' })).toEqual(['filters']);
  expect((await read(api, { list: 'listImports' })).status).toBe(404);
});

it('ends a page before it becomes too large', async () => {
  const api = service.as();
  const big = 'x'.repeat(14_000);
  await api.createLead({ body: aLead() });
  await service.sqlWithin(
    api.caller,
    `INSERT INTO lead (email, first_name, last_name, custom_fields)
     SELECT 'big' || n || '@example.com', 'Big', 'Lead', jsonb_build_object('text', $1::text) FROM generate_series(1, 300) AS n`,
    [big],
  );
  let [count, pages] = [0, 0];
  for (let next: number | null = 0; next !== null; pages++) {
    const reply: Awaited<ReturnType<typeof read>> = await read(api, { after: next });
    expect(reply.text.length).toBeLessThan(2_500_000);
    count += reply.data.records.length;
    next = reply.data.next;
  }
  expect([count, pages]).toEqual([301, 3]);
});
