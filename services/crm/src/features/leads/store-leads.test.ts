import type { crm } from '@tandem/crm-contract';
import { identityPeer, members, type TestService, teams, until, users } from '@tandem/testing';
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
interface Stored {
  succeeded: number;
  results: {
    id: string | null;
    success: boolean;
    outcome: string | null;
    error: { code: string; errors: object[] } | null;
  }[];
}

const stored = ({ status, data }: { status: number; data: unknown }) => {
  expect(status).toBe(200);
  return data as Stored;
};
const outcomes = (reply: { status: number; data: unknown }) =>
  stored(reply).results.map(({ outcome, error }) => outcome ?? error?.code);
const eventsOf = (api: Api, name: string) =>
  service.events.filter((one) => one.tenantId === api.caller.tenantId && one.name === name);
const count = async (api: Api, query = {}) => (await api.listLeads({ query })).body.pagination?.total;

describe('bulkCreateLeads', () => {
  it('creates the leads in the order of the request, each with its event', async () => {
    const api = service.as();
    const items = [aLead({ assignedTo: members.seller }), aLead({ tags: ['fair'] }), aLead()];
    const { succeeded, results } = stored(await api.bulkCreateLeads({ body: { items } }));
    expect([succeeded, results.map(({ outcome }) => outcome)]).toEqual([3, ['created', 'created', 'created']]);
    const leads = await Promise.all(results.map(({ id }) => api.getLead({ params: { id: id as string } })));
    expect(leads.map(({ data }) => data.email)).toEqual(items.map(({ email }) => email));
    expect(leads[0]?.data).toMatchObject({ assignedTo: members.seller, teamId: teams.sales });
    await until('every lead has its event', () => eventsOf(api, 'lead.created').length === 3);
  });

  it('stores the others when an item breaks a rule, and names the lead that has the external id', async () => {
    const api = service.as();
    const { data: lead } = await api.createLead({ body: aLead({ externalId: 'x-1' }) });
    const items = [aLead({ externalId: 'x-1' }), aLead({ externalId: 'x-2' }), aLead({ externalId: 'x-2' })];
    const reply = await api.bulkCreateLeads({ body: { items } });
    expect(outcomes(reply)).toEqual(['external_id_taken', 'created', 'external_id_taken']);
    const [first] = stored(reply).results;
    expect(first?.error?.errors).toEqual([
      { field: 'externalId', message: expect.stringMatching(/^Must be unique; the lead \w{16} has it$/) },
    ]);
    expect([first?.id, await count(api), lead.externalId]).toEqual([null, 2, 'x-1']);
  });

  it.each([
    ['a malformed item', [aLead(), aLead({ email: 'nonsense' })], 'items.1.email'],
    ['an inactive assignee', [aLead(), aLead({ assignedTo: users.suspended })], 'items.1.assignedTo'],
    ['an unknown team', [aLead({ teamId: '99' })], 'items.0.teamId'],
    ['no item', [], 'items'],
    ['too many items', Array.from({ length: 251 }, () => aLead()), 'items'],
  ])('rejects a request with %s, and changes nothing', async (_, items, field) => {
    const api = service.as();
    const reply = await api.bulkCreateLeads({ body: { items } });
    expect([reply.status, reply.body.errors?.[0]?.field, await count(api)]).toEqual([422, field, 0]);
  });
});

describe('bulkUpsertLeads', () => {
  it('updates the lead with the address, ignoring case, creates the missing one, and reports what happened', async () => {
    const api = service.as();
    const { data: lead } = await api.createLead({ body: aLead({ email: 'ada@example.com', firstName: 'Ada' }) });
    const items = [
      { email: 'ADA@example.com', lastName: 'King' },
      aLead({ email: 'grace@example.com' }),
      { email: 'Grace@example.com', lastName: 'Hopper' },
      { email: 'nobody@example.com' },
    ];
    const reply = await api.bulkUpsertLeads({ body: { key: 'email', items } });
    expect(outcomes(reply)).toEqual(['updated', 'created', 'duplicate_in_request', 'validation_failed']);
    expect(stored(reply).results[3]?.error?.errors).toMatchObject([{ field: 'firstName' }, { field: 'lastName' }]);
    expect((await api.getLead({ params: { id: lead.id } })).data).toMatchObject({
      firstName: 'Ada',
      lastName: 'King',
      email: 'ADA@example.com',
      version: 2,
    });
    const again = { body: { key: 'email' as const, items: [{ email: 'ADA@example.com', lastName: 'King' }] } };
    expect(outcomes(await api.bulkUpsertLeads(again))).toEqual(['unchanged']);
    await until('each change has one event', () => eventsOf(api, 'lead.created').length === 2);
    expect(eventsOf(api, 'lead.updated')).toHaveLength(1);
  });

  it('uses the external id, and refuses what a single change would refuse', async () => {
    const api = service.as();
    const { data: lead } = await api.createLead({ body: aLead({ externalId: 'e-1', email: 'one@example.com' }) });
    await api.convertLead({ body: { leadId: lead.id } });
    for (const externalId of ['e-2', 'e-3'])
      await api.createLead({ body: aLead({ externalId, email: 'b@example.com' }) });
    const items = [
      { externalId: 'e-1', status: 'contacted' as const },
      { externalId: 'e-2', email: 'c@example.com' },
      aLead({ externalId: 'e-4' }),
    ];
    const reply = await api.bulkUpsertLeads({ body: { key: 'externalId', items } });
    expect(outcomes(reply)).toEqual(['lead_converted', 'updated', 'created']);
    await api.createLead({ body: aLead({ email: 'b@example.com' }) });
    const ambiguous = await api.bulkUpsertLeads({ body: { key: 'email', items: [aLead({ email: 'B@example.com' })] } });
    expect(outcomes(ambiguous)).toEqual(['key_ambiguous']);
    const missing = await api.bulkUpsertLeads({ body: { key: 'externalId', items: [aLead()] } });
    expect([missing.status, missing.body.errors?.[0]?.field]).toEqual([422, 'items.0.externalId']);
  });

  it.each(['email', 'externalId'] as const)(
    'creates one lead when two requests have the same %s at once',
    async (key) => {
      const api = service.as();
      const items = Array.from({ length: 5 }, (_, index) => aLead({ externalId: `same-${index}` }));
      const replies = await Promise.all(
        [items, items.toReversed()].map((some) => api.bulkUpsertLeads({ body: { key, items: some } })),
      );
      expect(replies.flatMap(outcomes).sort()).toEqual([...Array(5).fill('created'), ...Array(5).fill('unchanged')]);
      expect(await count(api)).toBe(5);
    },
  );

  it('does not touch leads that the caller cannot change, or of the other environment', async () => {
    const api = service.as();
    const tenantId = api.caller.tenantId as number;
    await api.createLead({ body: aLead({ email: 'ada@example.com', externalId: 'taken' }) });
    const items = [aLead({ email: 'ada@example.com' }), aLead({ externalId: 'taken' })];
    const narrow = service.as({ tenantId, userId: 77, can: ['leads:write:own'] });
    const reply = await narrow.bulkUpsertLeads({ body: { key: 'email', items } });
    expect(outcomes(reply)).toEqual(['created', 'external_id_taken']);
    expect(stored(reply).results[1]?.error?.errors).toEqual([
      { field: 'externalId', message: 'Must be unique; another lead has it' },
    ]);
    const sandbox = service.as({ tenantId, environment: 'sandbox' });
    expect(
      outcomes(await sandbox.bulkUpsertLeads({ body: { key: 'externalId', items: [items[1] as object] } })),
    ).toEqual(['created']);
  });
});

describe('an externalId', () => {
  it('is unique among the leads that are not deleted, also for two requests at once', async () => {
    const api = service.as();
    const body = aLead({ externalId: 'only' });
    const replies = await Promise.all([1, 2, 3].map(() => api.createLead({ body })));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const lead = replies.find(({ status }) => status === 201)?.data as { id: string };
    const { data: other } = await api.createLead({ body: aLead() });
    const patch = () => api.updateLead({ params: { id: other.id }, body: { externalId: 'only' } });
    const refused = await patch();
    expect([refused.status, refused.body.code, refused.body.errors?.[0]?.field]).toEqual([
      409,
      'external_id_taken',
      'externalId',
    ]);
    expect(await count(api, { externalId: 'only' })).toBe(1);
    await api.deleteLead({ params: { id: lead.id } });
    expect((await patch()).status).toBe(200);
    expect((await api.restoreLead({ params: { id: lead.id } })).body.code).toBe('external_id_taken');
    await api.updateLead({ params: { id: other.id }, body: { externalId: null } });
    expect((await api.restoreLead({ params: { id: lead.id } })).status).toBe(200);
  });
});

describe('consent and time zone', () => {
  it('is not given in the future', async () => {
    const consent = { sms: { state: 'granted', at: '2099-01-01T00:00:00Z' } };
    const reply = await service.as().createLead({ body: aLead({ consent }) });
    expect([reply.status, reply.body.errors]).toEqual([
      422,
      [{ field: 'consent.sms.at', message: 'Must not be in the future' }],
    ]);
  });

  it('changes the channels of the request, with the time of the decision, and lists them in the event', async () => {
    const api = service.as();
    const consent = {
      email: { state: 'granted', source: 'Fair' },
      sms: { state: 'unknown', at: '2026-01-02T03:04:05.000Z' },
    };
    const { data: lead } = await api.createLead({ body: aLead({ consent, timezone: 'Europe/Berlin' }) });
    expect(lead).toMatchObject({
      timezone: 'Europe/Berlin',
      consent: { email: { state: 'granted', at: expect.any(String), source: 'Fair' } },
    });
    const params = { id: lead.id };
    const body = { consent: { email: { state: 'denied' as const, source: 'Unsubscribed' }, sms: null } };
    const { data: changed } = await api.updateLead({ params, body });
    expect(changed.consent).toEqual({ email: { state: 'denied', source: 'Unsubscribed', at: expect.any(String) } });
    expect((await api.updateLead({ params, body })).data.version).toBe(2);
    const event = await until('the event arrives', () => eventsOf(api, 'lead.updated')[0]);
    expect(event.changes?.['consent']).toMatchObject({
      from: { email: { state: 'granted' }, sms: { state: 'unknown' } },
      to: { email: { state: 'denied' } },
    });
    const bad = await api.updateLead({ params, body: { timezone: 'Mars/Olympus' } });
    expect([bad.status, bad.body.errors?.[0]?.field]).toEqual([422, 'timezone']);
  });
});

it('a lead shows the earliest due time of its open tasks', async () => {
  const api = service.as();
  const { data: lead } = await api.createLead({ body: aLead() });
  const params = { id: lead.id };
  expect((await api.getLead({ params })).data).toMatchObject({ nextTaskAt: null, lastActivityAt: null });
  for (const dueAt of ['2027-02-01T10:00:00.000Z', '2027-01-01T10:00:00.000Z', null])
    await api.createTask({ body: { title: 'Call', leadId: lead.id, dueAt } });
  expect((await api.getLead({ params })).data.nextTaskAt).toBe('2027-01-01T10:00:00.000Z');
});
