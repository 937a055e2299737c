import { randomUUID } from 'node:crypto';
import { until } from '@tandem/testing';
import { aTenant, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

type Tenant = Awaited<ReturnType<typeof aTenant>>;

function lost({ tenantId }: Tenant, createdBy: string, id: string = randomUUID(), failed?: { reason: string }) {
  const now = '2026-11-21T10:00:00.000Z';
  const reason = failed?.reason ?? 'invalid_grant';
  const record = {
    id: '7',
    environment: 'live',
    connectorKey: 'slack',
    name: 'Sales team',
    status: failed ? 'error' : 'needs_reauth',
    allowedTransitions: [],
    scopes: [],
    account: null,
    expiresAt: null,
    lastRefreshedAt: null,
    lastError: reason,
    createdBy,
    version: 2,
    createdAt: now,
    updatedAt: now,
  };
  const event = {
    id,
    name: failed ? 'integration.failed' : 'integration.needs_reauth',
    tenantId,
    environment: 'live',
    occurredAt: now,
    action: failed ? 'integration.fail' : 'integration.require_reauthorization',
    caller: { type: 'system', name: 'integrations', requestId: 'job_1' },
    target: { type: 'connection', id: 7 },
    data: { connectionId: '7', connectorKey: 'slack', reason },
    record,
  };
  return service.publish(event.name, event, id);
}

it('notifies administrators and the creator once that a connection has to be authorized again', async () => {
  const tenant = await aTenant(service);
  const [creator, other] = [await tenant.addUser('manager'), await tenant.addUser('manager')];
  const inboxOf = async (userId: string) =>
    (await tenant.as(userId, ['notifications:read']).listNotifications()).data as { category: string }[];
  const id = randomUUID();
  await lost(tenant, creator.id, id);
  await lost(tenant, creator.id, id);
  const found = await until('the creator is notified', async () => {
    const list = await inboxOf(creator.id);
    return list.length > 0 && list;
  });
  expect(found).toMatchObject([
    {
      category: 'connections',
      priority: 'high',
      groupCount: 1,
      actions: [{ url: expect.stringMatching(/^\/integrations\/connections\/\w{16,17}$/) }],
    },
  ]);
  expect(await inboxOf(other.id)).toEqual([]);
});

it('notifies them that the credentials of a connection are rejected, and not of what only the operator can repair', async () => {
  const tenant = await aTenant(service);
  const creator = await tenant.addUser('manager');
  await lost(tenant, creator.id, undefined, { reason: 'provider_refused' });
  const id = randomUUID();
  await lost(tenant, creator.id, id, { reason: 'credentials_rejected' });
  await lost(tenant, creator.id, id, { reason: 'credentials_rejected' });
  const found = await until('the creator is notified', async () => {
    const { data } = await tenant.as(creator.id, ['notifications:read']).listNotifications();
    return data.length > 0 && data;
  });
  expect(found).toMatchObject([
    {
      title: 'A connection has to be checked',
      body: expect.stringContaining('Check them'),
      category: 'connections',
      priority: 'high',
      groupCount: 1,
      actions: [{ url: expect.stringMatching(/^\/integrations\/connections\/\w{16,17}$/) }],
    },
  ]);
});

it.each([
  ['schedule', 1, 1],
  ['schedule', 2, 0],
  ['event', 0, 0],
])('notifies the user who set it up of %s runs that fail, the first time: %i', async (trigger, failures, count) => {
  const tenant = await aTenant(service);
  const user = await tenant.addUser('manager');
  const as = tenant.as(user.id, ['notifications:read']);
  const now = '2026-11-21T10:00:00.000Z';
  const counts = { created: 0, updated: 0, deleted: 0, sent: 0, unchanged: 0, skipped: 0, failed: 0 };
  const about = { configId: '5', runId: '9', connectorKey: 'hubspot' };
  const event = {
    id: randomUUID(),
    name: 'integration.run_failed',
    tenantId: tenant.tenantId,
    environment: 'live',
    occurredAt: now,
    action: 'integration.fail_run',
    caller: { type: 'system', name: 'integrations', requestId: 'job_1' },
    target: { type: 'connector_run', id: 9 },
    data: { ...about, trigger, reason: 'not_permitted', failures, authorizedBy: user.id },
    record: {
      ...{
        id: '9',
        configId: '5',
        connectorKey: 'hubspot',
        trigger,
        eventId: null,
        calendarEventId: null,
        full: false,
      },
      ...{ status: 'failed', allowedTransitions: [], counts, attempts: 1, error: 'not_permitted', createdBy: null },
      ...{ nextAttemptAt: null, startedAt: now, completedAt: now, createdAt: now, updatedAt: now },
    },
  };
  await service.publish(event.name, event, event.id);
  // Events are handled in their order.
  await lost(tenant, user.id);
  const found = await until('the lost connection is notified', async () => {
    const { data } = await as.listNotifications();
    return data.some(({ title }: { title: string }) => title.startsWith('A connection')) && data;
  });
  const ofRuns = found.filter(({ title }: { title: string }) => title === 'A sync failed');
  expect(ofRuns).toHaveLength(count);
  if (count) expect(ofRuns[0].actions[0].url).toMatch(/^\/integrations\/configs\/\w{16,17}$/);
});

it('puts an event that cannot be read aside', async () => {
  await service.publish('integration.needs_reauth', { name: 'integration.needs_reauth' }, randomUUID());
  await until('it is a dead letter', async () => (await service.deadLetters('notify-of-connections')).length > 0);
});
