import { identityPeer, until } from '@tandem/testing';
import { type Analytics, startAnalytics } from '../../analytics.test-service.ts';

let service: Analytics;
let identity: Awaited<ReturnType<typeof identityPeer>>;
beforeAll(async () => {
  identity = await identityPeer();
  service = await startAnalytics({ IDENTITY_URL: identity.url });
});
afterAll(async () => {
  await service?.close();
  await identity?.close();
});

type Api = ReturnType<Analytics['as']>;

const dayMs = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString();
const opened = (days: number) => ({ eventType: 'email_open' as const, timestamp: daysAgo(days) });

/** Runs the job of the tenant as if it were night, and waits until it is scheduled for the next one. */
async function night(api: Api): Promise<void> {
  const due = (condition: string) =>
    service.sqlWithin(api.caller, `SELECT 1 FROM platform.job WHERE name = 'remove-old-events' AND ${condition}`);
  await service.sqlWithin(api.caller, "UPDATE platform.job SET due_at = now() WHERE name = 'remove-old-events'");
  await until('the night is over', async () => (await due('due_at > now()')).length === 1);
}

const stored = async (api: Api) => {
  const { data } = await api.listRecordedEvents({ query: { sort: 'timestamp' } });
  return data.map(({ timestamp }: { timestamp: string }) => timestamp);
};
const opens = async (api: Api, query: object = {}) => {
  const { data } = await api.getDashboard({ query: { dateFrom: daysAgo(130), ...query } as never });
  return data.engagement.opens;
};

it('events that the plan does not keep are removed at night, and their sums stay', async () => {
  const api = service.as();
  const old = { ...opened(125), insertId: 'old' };
  for (const body of [old, opened(95), opened(10)]) expect((await api.recordEvent({ body })).status).toBe(201);
  const before = await stored(api);
  // The plan free keeps 90 days. Nothing is removed within 30 days after the service learns of fewer days.
  identity.entitlements.plan = 'free';
  await night(api);
  expect(await stored(api)).toEqual(before);
  await service.sqlWithin(api.caller, "UPDATE retention SET shorter_since = now() - interval '31 days'");
  await night(api);
  expect(await stored(api)).toEqual(before.slice(2));
  expect(await opens(api)).toBe(3);
  const { data: dashboard } = await api.getDashboard({ query: { dateFrom: daysAgo(130) } });
  expect(dashboard.lists.filter(({ number }: { number: string }) => number.startsWith('engagement'))).toEqual([]);
  // The insertId of a removed event is free again.
  expect((await api.recordEvent({ body: { ...old, timestamp: daysAgo(1) } })).status).toBe(201);
});

it('numbers that need removed events say so', async () => {
  const api = service.as();
  identity.entitlements.plan = 'free';
  for (const days of [125, 10]) await api.recordEvent({ body: opened(days) });
  await night(api);
  await service.sqlWithin(api.caller, "UPDATE retention SET shorter_since = now() - interval '31 days'");
  await night(api);
  const steps = [{ event: 'email_open' as const }, { event: 'link_click' as const }];
  const dateFrom = daysAgo(130);
  const warnings = async (reply: Promise<{ body: { meta: { warnings?: { field?: string }[] } } }>) =>
    (await reply).body.meta.warnings?.length ?? 0;
  const needing = [
    api.queryFunnel({ body: { steps, dateFrom } }),
    api.getCohorts({ query: { dateFrom } }),
    api.listRecordedEvents({ query: { from: dateFrom as never } }),
    api.getDashboard({ query: { dateFrom, timezone: 'Asia/Tokyo' } }),
  ];
  for (const reply of needing) expect(await warnings(reply as never)).toBe(1);
  const others = [
    api.queryFunnel({ body: { steps } }),
    api.getDashboard({ query: { dateFrom } }),
    api.getCohorts({ query: { dateFrom, metric: 'converted' } }),
  ];
  for (const reply of others) expect(await warnings(reply as never)).toBe(0);
});

it('a plan that keeps more days, or all events, removes nothing, and a downgrade waits', async () => {
  const api = service.as();
  identity.entitlements.plan = 'enterprise';
  await api.recordEvent({ body: opened(1_500) });
  await night(api);
  identity.entitlements.plan = 'free';
  await night(api);
  await service.sqlWithin(api.caller, "UPDATE retention SET shorter_since = now() - interval '31 days'");
  // The tenant changes back before the 30 days are over.
  identity.entitlements.plan = 'enterprise';
  await night(api);
  identity.entitlements.plan = 'starter';
  await night(api);
  expect(await stored(api)).toHaveLength(1);
});

it('if identity does not answer, nothing is removed, and the next night tries again', async () => {
  const api = service.as();
  await api.recordEvent({ body: opened(1_500) });
  const jobs = "SELECT attempts FROM platform.job WHERE name = 'remove-old-events' AND attempts > 0";
  identity.failing.add('/internal/entitlements');
  await service.sqlWithin(api.caller, "UPDATE platform.job SET due_at = now() WHERE name = 'remove-old-events'");
  await until('an attempt failed', async () => (await service.sqlWithin(api.caller, jobs)).length === 1);
  expect(await stored(api)).toHaveLength(1);
});
