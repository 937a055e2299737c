import { until } from '@tandem/testing';
import { aTenant, fleet, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

async function aSubscription() {
  const tenant = await aTenant(service);
  const { data } = await tenant.owner.listSubscriptions();
  expect(data).toHaveLength(1);
  return { ...tenant, params: { id: data[0].id as string }, subscription: data[0] };
}
const eventOf = (name: string, tenantId: number) =>
  until(`${name} arrives`, () => service.events.find((one) => one.name === name && one.tenantId === tenantId));

/** Makes the job at the end of the period due now. */
async function endPeriod(tenantId: number): Promise<void> {
  await service.sql('ALTER TABLE platform.job NO FORCE ROW LEVEL SECURITY');
  const moved = await service.sql('UPDATE platform.job SET due_at = now() WHERE tenant_id = $1 RETURNING due_at', [
    tenantId,
  ]);
  await service.sql('ALTER TABLE platform.job FORCE ROW LEVEL SECURITY');
  expect(moved).toHaveLength(1);
}

describe('a subscription', () => {
  it('is created once per tenant under concurrent first requests in both environments', async () => {
    const { tenantId, as, user, tenant } = await aTenant(service);
    const ask = (environment: 'live' | 'sandbox') => as(user.id, ['billing:read'], { environment }).listSubscriptions();
    const replies = await Promise.all(['live', 'sandbox', 'live', 'sandbox'].map((one) => ask(one as 'live')));
    expect(new Set(replies.map(({ data }) => data.map(({ id }: { id: string }) => id).join())).size).toBe(1);
    const [month, now] = [new Date(), new Date()];
    month.setUTCDate(1);
    month.setUTCHours(0, 0, 0, 0);
    const [subscription] = replies[0]?.data ?? [];
    expect(subscription).toMatchObject({
      tenantId: `${tenantId}`,
      planCode: 'free',
      status: 'active',
      allowedTransitions: ['canceled'],
      cancelAtPeriodEnd: false,
      canceledAt: null,
      cancelReason: null,
      addons: [],
      currentPeriodStart: month.toISOString(),
      createdAt: (tenant as unknown as { createdAt: string }).createdAt,
    });
    expect(Date.parse(subscription.currentPeriodEnd)).toBeGreaterThan(now.getTime());
    expect(subscription.currentPeriodEnd).toMatch(/-01T00:00:00.000Z$/);
  });

  it('follows the plan, lists addons, and is visible to its own tenant only', async () => {
    const [{ owner, params, tenantId }, other] = [await aSubscription(), await aSubscription()];
    await fleet(service).setTenantPlan({ body: { tenantId: `${tenantId}`, plan: 'pro' } });
    await owner.installAddon({ params: { addonId: '8' } });
    const { data } = await owner.getSubscription({ params });
    expect(data).toMatchObject({ planCode: 'pro', version: 2, addons: [{ addonId: '8', status: 'installed' }] });
    const event = await eventOf('subscription.updated', tenantId);
    expect([event.data, event.changes]).toEqual([
      { subscriptionId: params.id, planCode: 'pro', status: 'active' },
      { planCode: { from: 'free', to: 'pro' } },
    ]);
    for (const operation of ['getSubscription', 'getSubscriptionUsage', 'cancelSubscription'] as const)
      expect((await other.owner[operation]({ params, body: {} })).status).toBe(404);
  });

  it('starts on the current plan when the tenant is first used after a plan change', async () => {
    const { tenantId, as, user } = await aTenant(service);
    await fleet(service).setTenantPlan({ body: { tenantId: `${tenantId}`, plan: 'team' } });
    const { data } = await as(user.id).listSubscriptions({ query: { status: 'active' } });
    expect(data.map(({ planCode }: { planCode: string }) => planCode)).toEqual(['team']);
  });
});

describe('canceling', () => {
  it('ends when an operator sets a plan', async () => {
    const { owner, params, tenantId } = await aSubscription();
    const canceled = await owner.cancelSubscription({ params, body: { atPeriodEnd: false } });
    expect(canceled.data).toMatchObject({ status: 'canceled', planCode: 'free', allowedTransitions: ['active'] });
    await fleet(service).setTenantPlan({ body: { tenantId: `${tenantId}`, plan: 'pro' } });
    const { data } = await owner.getSubscription({ params });
    expect([data.status, data.planCode, data.canceledAt]).toEqual(['active', 'pro', null]);
    expect((await owner.getCurrentTenant()).data.plan).toBe('pro');
  });

  it('takes effect at the end of the period by default', async () => {
    const { owner, params, tenantId, subscription } = await aSubscription();
    const { status, data } = await owner.cancelSubscription({ params, body: { reason: 'Too quiet' } });
    expect([status, data]).toEqual([
      200,
      expect.objectContaining({
        status: 'active',
        cancelAtPeriodEnd: true,
        canceledAt: null,
        cancelReason: 'Too quiet',
        version: 2,
        allowedTransitions: [],
      }),
    ]);
    expect((await eventOf('subscription.updated', tenantId)).changes).toEqual({
      cancelAtPeriodEnd: { from: false, to: true },
    });
    await endPeriod(tenantId);
    const ended = await until('the subscription ends', async () => {
      const { data: now } = await owner.getSubscription({ params });
      return now.status === 'canceled' && now;
    });
    expect(ended).toMatchObject({
      canceledAt: subscription.currentPeriodEnd,
      currentPeriodEnd: subscription.currentPeriodEnd,
      version: 3,
    });
    const { data: eventData } = await eventOf('subscription.canceled', tenantId);
    expect(eventData).toEqual({ subscriptionId: params.id, planCode: 'free', status: 'canceled' });
    expect((await owner.listSubscriptions({ query: { status: 'canceled' } })).data).toHaveLength(1);
    expect((await owner.listSubscriptions({ query: { status: 'active' } })).data).toEqual([]);
  });

  it('can take effect immediately, and succeeds once', async () => {
    const { owner, params, tenantId } = await aSubscription();
    const cancel = () => owner.cancelSubscription({ params, body: { atPeriodEnd: false } });
    const replies = await Promise.all(Array.from({ length: 4 }, cancel));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    const { data } = await owner.getSubscription({ params });
    expect(data).toMatchObject({ status: 'canceled', cancelAtPeriodEnd: false, canceledAt: expect.any(String) });
    expect((await eventOf('subscription.canceled', tenantId)).changes).toEqual({
      status: { from: 'active', to: 'canceled' },
    });
    expect((await cancel()).body.code).toBe('already_canceled');
  });

  it('is rejected when already scheduled, for a stale version, and without billing:manage', async () => {
    const { owner, params, as, user } = await aSubscription();
    const late = await owner.cancelSubscription({ params, body: {}, headers: { 'if-match': '"9"' } });
    expect(late.status).toBe(412);
    expect((await as(user.id, ['billing:read']).cancelSubscription({ params, body: {} })).status).toBe(403);
    await owner.cancelSubscription({ params });
    const again = await owner.cancelSubscription({ params, body: { atPeriodEnd: false } });
    expect([again.status, again.body.code]).toEqual([409, 'already_canceled']);
  });
});
