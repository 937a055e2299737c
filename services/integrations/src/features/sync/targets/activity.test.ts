import type { ExternalRecord } from '../../../connectors/sync.ts';
import { lead } from '../../../testing.ts';
import { activityTarget } from './activity.ts';
import { type Peers, startPeers } from './peers.test-service.ts';

type ActivityRecord = Extract<ExternalRecord, { kind: 'activity' }>;

let peers: Peers;
beforeAll(async () => {
  peers = await startPeers();
});
afterAll(() => peers?.close());

const find = '/internal/leads/find-by-email';
const create = '/v1/activities';
const all = ['leads:read', 'activities:write'];
const occurredAt = '2026-03-02T09:30:00.000Z';

const record = (more: Partial<ActivityRecord> = {}): ActivityRecord => ({
  ...{ kind: 'activity', id: 'evt_1', version: '1', source: {}, leadEmail: 'ada@example.com' },
  fields: { subject: 'Stripe: invoice 0042 over 49.00 EUR was paid', body: null, occurredAt },
  ...more,
});
const aLead = (id: number) => ({
  ...lead({ environment: 'live', tenantId: 7 }, id),
  ...{ statusCode: 'new', scorePinned: false, teamId: null, accountId: null, partnerId: null, timezone: null },
  ...{ consent: {}, mergedIntoId: null },
});
const activity = (body: object) => ({
  ...{ id: '12', tenantId: '7', system: false, kind: null, details: {}, durationSeconds: null, direction: null },
  ...{ outcome: null, userId: '3', opportunityId: null, accountId: null, partnerId: null, taskId: null, version: 1 },
  ...{ createdAt: occurredAt, updatedAt: occurredAt },
  ...body,
});

beforeEach(() => {
  peers.calls.length = 0;
  peers.answer(find, () => ({ data: [aLead(8), aLead(9)] }));
  peers.answer(create, ({ body }) => ({ status: 201, data: activity(body) }));
});

it('logs a note on the oldest lead with the address, once', async () => {
  const outcome = await activityTarget.write(peers.context(all), record(), undefined);
  expect(outcome).toEqual({ action: 'created', recordId: 12 });
  expect(peers.calls).toMatchObject([
    { path: find, body: { email: 'ada@example.com' } },
    {
      path: create,
      idempotencyKey: 'the-key-of-the-record',
      caller: { userId: 3, permissions: all },
      body: {
        type: 'note',
        leadId: '8',
        subject: 'Stripe: invoice 0042 over 49.00 EUR was paid',
        body: null,
        occurredAt,
      },
    },
  ]);
});

it('does not log what it has logged', async () => {
  expect(await activityTarget.write(peers.context(all), record(), 12)).toEqual({ action: 'unchanged' });
  expect(peers.calls).toEqual([]);
});

it.each([
  ['no address', null],
  ['an invalid address', 'ada@'],
])('skips a record with %s without asking crm', async (_, leadEmail) => {
  const outcome = await activityTarget.write(peers.context(all), record({ leadEmail }), undefined);
  expect(outcome).toEqual({ action: 'skipped', reason: 'no_lead' });
  expect(peers.calls).toEqual([]);
});

it('skips an address that no lead has', async () => {
  peers.answer(find, () => ({ data: [] }));
  const outcome = await activityTarget.write(peers.context(all), record(), undefined);
  expect(outcome).toEqual({ action: 'skipped', reason: 'no_lead' });
});

it('finds only leads that the user may read', async () => {
  await activityTarget.write(peers.context(['leads:read:team', 'activities:write']), record(), undefined);
  expect(peers.calls[0]?.caller.narrow).toEqual({ userId: 3, teamIds: [5] });
});

it('checks what crm would refuse', () => {
  expect(activityTarget.check(record())).toEqual([]);
  const fields = { subject: 'x'.repeat(201), body: 'x\0', occurredAt: 'yesterday' };
  expect(activityTarget.check(record({ fields })).map(({ field }) => field)).toEqual(['subject', 'body', 'occurredAt']);
});
