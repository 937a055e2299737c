import { until } from '@tandem/testing';
import { aTenant, fleet, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

const month = new Date().toISOString().slice(0, 7);

async function aSubscription() {
  const tenant = await aTenant(service);
  const { tenantId, owner, as } = tenant;
  const { data } = await owner.listSubscriptions();
  const params = { id: data[0].id as string };
  const use = (calls: number, gateway = 'a') =>
    fleet(service).reportUsage({
      body: {
        gateway: `${gateway}-${tenantId}`,
        served: [{ tenantId: `${tenantId}`, month, calls }],
        parts: [
          {
            tenantId: `${tenantId}`,
            hour: Math.floor(Date.now() / 3_600_000),
            keyId: 1,
            operation: 'GET /v1/leads',
            userId: 1,
            calls,
          },
        ],
      },
    });
  const titles = async (userId: string | number = tenant.user.id) =>
    (await as(userId).listNotifications()).data.map(({ title }: { title: string }) => title);
  const alerts = (body: object) => owner.updateUsageAlerts({ params, body });
  const thresholds = () =>
    service.events
      .filter(({ name, tenantId: of }) => name === 'usage.threshold_reached' && of === tenantId)
      .map(({ data: event }) => (event as { threshold: number }).threshold);
  return { ...tenant, params, use, titles, alerts, thresholds };
}
const title = (threshold: number) => `${threshold} % of this month's API calls are used`;

it('each threshold notifies once, however often gateways report', async () => {
  const { use, titles, thresholds, params } = await aSubscription();
  expect((await use(799)).status).toBe(200);
  expect(await titles()).toEqual([]);
  await use(800);
  expect(await titles()).toEqual([title(80)]);
  await Promise.all([use(801), use(801), use(800), use(1, 'b'), use(1, 'b')]);
  expect(await titles()).toEqual([title(80)]);
  await use(1_000);
  expect(await titles()).toEqual([title(100), title(80)]);
  await until('the events arrive', () => thresholds().length === 3);
  expect(thresholds().sort((a, b) => a - b)).toEqual([80, 90, 100]);
  const [event] = service.events.filter(({ name }) => name === 'usage.threshold_reached');
  expect(event?.data).toEqual({ subscriptionId: params.id, threshold: 80, used: 800, limit: 1_000, month });
});

it('the levels follow a change of the plan', async () => {
  const { use, titles, tenantId } = await aSubscription();
  await use(850);
  await fleet(service).setTenantPlan({ body: { tenantId: `${tenantId}`, plan: 'starter' } });
  await use(7_999);
  expect(await titles()).toEqual([title(80)]);
  await use(8_000);
  expect(await titles()).toEqual([title(80), title(80)]);
  await fleet(service).setTenantPlan({ body: { tenantId: `${tenantId}`, plan: 'enterprise' } });
  await use(1_000_000);
  expect(await titles()).toHaveLength(2);
});

it('can be set: thresholds, channels and recipients', async () => {
  const { use, titles, alerts, addUser, owner, params, user } = await aSubscription();
  const member = await addUser('member');
  const before = await owner.getUsageAlerts({ params });
  expect(before.data).toEqual({
    thresholds: [80, 90, 100],
    channels: ['in_app', 'email'],
    userIds: null,
    version: 1,
    updatedAt: null,
  });
  const { status, data } = await alerts({ thresholds: [50, 10], channels: ['in_app'], userIds: [member.id] });
  expect([status, data]).toMatchObject([200, { thresholds: [10, 50], userIds: [member.id], version: 2 }]);
  await use(100);
  expect([await titles(), await titles(member.id)]).toEqual([[], [title(10)]]);
  const none = await alerts({ thresholds: [], channels: ['in_app'] });
  expect([none.status, none.body]).toMatchObject([200, { data: { userIds: null, version: 3 } }]);
  await use(1_000);
  expect([await titles(user.id), await titles(member.id)]).toEqual([[], [title(10)]]);
});

it('reach those who manage billing once none of the chosen recipients is active', async () => {
  const { use, titles, alerts, addUser, owner } = await aSubscription();
  const [left, stays] = [await addUser('member'), await addUser('member')];
  await alerts({ thresholds: [10, 20, 30], channels: ['in_app'], userIds: [left.id, stays.id] });
  await owner.deactivateUser({ params: { id: left.id }, body: {} });
  await use(100);
  expect([await titles(left.id), await titles(stays.id)]).toEqual([[], [title(10)]]);
  await owner.suspendUser({ params: { id: stays.id }, body: {} });
  await use(200);
  expect([await titles(stays.id), await titles()]).toEqual([[title(10)], [title(20)]]);
});

it('are refused when invalid, stale or foreign, and need billing:manage', async () => {
  const { alerts, owner, params, as, user } = await aSubscription();
  const valid = { thresholds: [50], channels: ['in_app'] };
  for (const [body, field] of [
    [{ ...valid, thresholds: [0] }, 'thresholds.0'],
    [{ ...valid, thresholds: [101] }, 'thresholds.0'],
    [{ ...valid, thresholds: [50, 50] }, 'thresholds'],
    [{ ...valid, channels: ['fax'] }, 'channels.0'],
    [{ ...valid, userIds: ['999999'] }, 'userIds.0'],
    [{ channels: ['in_app'] }, 'thresholds'],
  ] as const) {
    const { status, body: answer } = await alerts(body);
    expect([status, answer.errors?.[0]?.field]).toEqual([422, field]);
  }
  const stale = await owner.updateUsageAlerts({ params, body: valid, headers: { 'if-match': '"7"' } });
  expect(stale.status).toBe(412);
  expect((await as(user.id, ['billing:read']).updateUsageAlerts({ params, body: valid })).status).toBe(403);
  const other = await aSubscription();
  expect((await other.owner.getUsageAlerts({ params })).status).toBe(404);
  expect((await other.owner.updateUsageAlerts({ params, body: valid })).status).toBe(404);
});
