import { credentialChannel } from '@tandem/identity-contract';
import { until } from '@tandem/testing';
import { Redis } from 'ioredis';
import { aTenant, fleet, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
const invalidations: unknown[] = [];
const listener = new Redis(process.env.TEST_REDIS_URL as string);
beforeAll(async () => {
  service = await startIdentity();
  await listener.subscribe(credentialChannel);
  listener.on('message', (_, message) => invalidations.push(JSON.parse(message)));
});
afterAll(async () => {
  listener.disconnect();
  await service?.close();
});

async function aSubscription(plan: 'free' | 'starter' | 'pro' | 'team' | 'enterprise' = 'free') {
  const tenant = await aTenant(service);
  if (plan !== 'free') await fleet(service).setTenantPlan({ body: { tenantId: `${tenant.tenantId}`, plan } });
  const { data } = await tenant.owner.listSubscriptions();
  const params = { id: data[0].id as string };
  const change = (planCode: string, when?: string) =>
    tenant.owner.changeSubscription({ params, body: { planCode, ...(when && { when }) } });
  const now = async () => (await tenant.owner.getSubscription({ params })).data;
  const plan_ = async () => (await tenant.owner.getCurrentTenant()).data.plan as string;
  const operate = (body: object) =>
    fleet(service).setSubscriptionStatus({ body: { tenantId: `${tenant.tenantId}`, ...body } });
  const resume = () => tenant.owner.resumeSubscription({ params });
  return { ...tenant, params, change, resume, now, plan: plan_, operate };
}

/** Makes every waiting job of the tenant due now. */
async function endPeriod(tenantId: number): Promise<void> {
  await service.sql('ALTER TABLE platform.job NO FORCE ROW LEVEL SECURITY');
  await service.sql('UPDATE platform.job SET due_at = now() WHERE tenant_id = $1', [tenantId]);
  await service.sql('ALTER TABLE platform.job FORCE ROW LEVEL SECURITY');
}
const jobsOf = async (tenantId: number) => {
  await service.sql('ALTER TABLE platform.job NO FORCE ROW LEVEL SECURITY');
  const rows = await service.sql(`SELECT 1 FROM platform.job WHERE tenant_id = $1 AND state <> 'dead'`, [tenantId]);
  await service.sql('ALTER TABLE platform.job FORCE ROW LEVEL SECURITY');
  return rows.length;
};
const noJobs = (tenantId: number) => until('the jobs have run', async () => (await jobsOf(tenantId)) === 0);
const use = (tenantId: number, calls: number) =>
  fleet(service).reportUsage({
    body: {
      gateway: `change-${tenantId}`,
      served: [{ tenantId: `${tenantId}`, month: new Date().toISOString().slice(0, 7), calls }],
    },
  });

describe('changing the plan now', () => {
  it('changes the plan of the tenant, notifies the gateways, and explains the cost', async () => {
    const { change, plan, tenantId } = await aSubscription('starter');
    const { status, data } = await change('pro');
    expect([status, data.planCode, data.status, await plan()]).toEqual([200, 'pro', 'active', 'pro']);
    const { change: cost } = data;
    expect(cost).toMatchObject({ from: 'starter', to: 'pro', currency: 'USD', periodEnd: data.currentPeriodEnd });
    const share = (price: number) => Math.floor((price * 100 * cost.daysLeft) / cost.daysInPeriod + 0.5) / 100;
    expect([cost.credit, cost.charge]).toEqual([share(29), share(99)]);
    expect(cost.due).toBeCloseTo(cost.charge - cost.credit, 5);
    await until('the gateways are told', () =>
      invalidations.some((one) => JSON.stringify(one) === JSON.stringify({ tenantId })),
    );
    const names = () => service.events.filter((one) => one.tenantId === tenantId).map(({ name }) => name);
    await until('the events arrive', () => names().filter((name) => name === 'subscription.updated').length === 2);
    expect(names()).toContain('tenant.plan_changed');
  });

  it('is rejected for the same plan, for Enterprise, without billing:manage, and for a stale version', async () => {
    const { change, owner, params, as, user } = await aSubscription('pro');
    expect((await change('pro')).body.code).toBe('same_plan');
    expect((await change('enterprise')).body.code).toBe('plan_by_agreement');
    expect((await change('nothing')).status).toBe(422);
    const body = { planCode: 'team' };
    expect((await as(user.id, ['billing:read']).changeSubscription({ params, body })).status).toBe(403);
    const stale = await owner.changeSubscription({ params, body, headers: { 'if-match': '"1"' } });
    expect(stale.status).toBe(412);
    const enterprise = await aSubscription('enterprise');
    expect((await enterprise.change('pro')).body.code).toBe('plan_by_agreement');
  });

  it('below what is used is refused, and names each excess', async () => {
    const { change, owner, tenantId, plan } = await aSubscription('pro');
    await owner.installAddon({ params: { addonId: '1' } });
    await use(tenantId, 1_001);
    const { status, body } = await change('free');
    expect([status, body.code]).toEqual([422, 'validation_failed']);
    expect(body.errors?.map(({ message }) => message)).toEqual([
      expect.stringContaining('Partner Program requires the plan Starter'),
      expect.stringContaining('1001 calls'),
    ]);
    expect((await change('free', 'period_end')).body.errors).toHaveLength(1);
    expect((await change('starter')).status).toBe(200);
    expect(await plan()).toBe('starter');
  });
});

describe('changing the plan at the end of the period', () => {
  it('is shown, and happens once at the end', async () => {
    const { change, now, plan, tenantId } = await aSubscription('pro');
    const { data } = await change('starter', 'period_end');
    expect(data).toMatchObject({
      planCode: 'pro',
      pendingPlanCode: 'starter',
      pendingChangeAt: data.currentPeriodEnd,
      change: { from: 'pro', to: 'starter', effectiveAt: data.currentPeriodEnd, daysLeft: 0, credit: 0, due: 0 },
    });
    expect(await plan()).toBe('pro');
    await endPeriod(tenantId);
    await until('the plan changes', async () => (await plan()) === 'starter');
    expect(await now()).toMatchObject({ planCode: 'starter', pendingPlanCode: null, pendingChangeAt: null });
  });

  it('is replaced by another change, and withdrawn by resume', async () => {
    const { change, now, plan, owner, params, tenantId } = await aSubscription('team');
    await change('starter', 'period_end');
    await change('pro', 'period_end');
    await endPeriod(tenantId);
    await until('the plan changes', async () => (await plan()) === 'pro');
    await change('starter', 'period_end');
    const resumed = await owner.resumeSubscription({ params });
    expect(resumed.data).toMatchObject({ pendingPlanCode: null, change: null });
    await endPeriod(tenantId);
    await noJobs(tenantId);
    expect(await now()).toMatchObject({ planCode: 'pro', status: 'active' });
    expect((await owner.resumeSubscription({ params })).body.code).toBe('nothing_to_resume');
  });
});

describe('a canceled subscription', () => {
  it('puts the tenant on Free at its end, and starts again with resume', async () => {
    const { owner, params, now, plan, tenantId } = await aSubscription('pro');
    const { data: scheduled } = await owner.cancelSubscription({ params });
    expect([scheduled.endsAt, await plan()]).toEqual([scheduled.currentPeriodEnd, 'pro']);
    await endPeriod(tenantId);
    await until('the plan is Free', async () => (await plan()) === 'free');
    expect(await now()).toMatchObject({ status: 'canceled', planCode: 'pro', endsAt: null });
    const resumed = await owner.resumeSubscription({ params });
    expect(resumed.data).toMatchObject({ status: 'active', planCode: 'pro', canceledAt: null });
    expect(resumed.data.change).toMatchObject({ from: 'free', to: 'pro', credit: 0 });
    expect(await plan()).toBe('pro');
  });

  it('starts again on another plan with change, now only', async () => {
    const { owner, params, change, plan } = await aSubscription('pro');
    await owner.deleteSubscription({ params });
    expect(await plan()).toBe('free');
    expect((await change('starter', 'period_end')).body.errors?.[0]?.field).toBe('when');
    expect((await change('starter')).data).toMatchObject({ status: 'active', planCode: 'starter' });
    expect(await plan()).toBe('starter');
  });

  it('is not ended by a cancellation that was withdrawn and scheduled again for later', async () => {
    const { owner, params, now, tenantId } = await aSubscription('pro');
    await owner.cancelSubscription({ params });
    await service.sqlWithin(owner.caller, `UPDATE subscription SET ends_at = ends_at + interval '1 month'`);
    await endPeriod(tenantId);
    await noJobs(tenantId);
    expect(await now()).toMatchObject({ status: 'active', cancelAtPeriodEnd: true });
    expect((await owner.resumeSubscription({ params })).data).toMatchObject({ cancelAtPeriodEnd: false, endsAt: null });
  });

  it('can be deleted once, also while its cancellation is scheduled', async () => {
    const { owner, params, plan } = await aSubscription('pro');
    await owner.cancelSubscription({ params });
    const replies = await Promise.all([1, 2, 3].map(() => owner.deleteSubscription({ params })));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(await plan()).toBe('free');
  });
});

describe('trials and payments, which operators record', () => {
  it('a trial gives a plan until its end, and becomes active by a change', async () => {
    const { operate, now, plan, change, tenantId, owner } = await aSubscription();
    expect((await operate({ status: 'trialing' })).status).toBe(422);
    const trial = await operate({ status: 'trialing', plan: 'pro', days: 7 });
    expect([trial.status, trial.data.status, await plan()]).toEqual([200, 'trialing', 'pro']);
    expect((await now()).allowedTransitions).toEqual(['active', 'canceled']);
    const { data } = await change('pro');
    expect(data).toMatchObject({ status: 'active', endsAt: null, change: { credit: 0 } });
    await endPeriod(tenantId);
    await noJobs(tenantId);
    expect(await plan()).toBe('pro');
    expect((await owner.listNotifications()).data).toEqual([]);
  });

  it('a trial without a change ends on Free, with a notification', async () => {
    const { operate, now, plan, tenantId, owner } = await aSubscription();
    await operate({ status: 'trialing', plan: 'team' });
    await endPeriod(tenantId);
    await until('the trial ends', async () => (await plan()) === 'free');
    expect((await now()).status).toBe('canceled');
    const { data } = await owner.listNotifications();
    expect(data[0]).toMatchObject({ title: 'The trial has ended', category: 'billing' });
  });

  it('an unpaid subscription keeps its plan until the time to pay ends, or is paid', async () => {
    const { operate, now, plan, tenantId, change, resume, owner } = await aSubscription('pro');
    expect((await operate({ status: 'trialing', plan: 'pro' })).body.code).toBe('transition_refused');
    await operate({ status: 'past_due' });
    expect(await now()).toMatchObject({ status: 'past_due', allowedTransitions: ['canceled'] });
    expect([await plan(), (await change('team')).body.code]).toEqual(['pro', 'payment_due']);
    expect((await operate({ status: 'active' })).data).toEqual({ planCode: 'pro', status: 'active', endsAt: null });
    await operate({ status: 'past_due', days: 3 });
    await endPeriod(tenantId);
    await until('the subscription ends', async () => (await plan()) === 'free');
    expect(await now()).toMatchObject({ status: 'canceled', allowedTransitions: [] });
    expect([(await change('pro')).body.code, (await resume()).body.code]).toEqual(['payment_due', 'payment_due']);
    expect((await operate({ status: 'active' })).data.planCode).toBe('pro');
    expect(await plan()).toBe('pro');
    const titles = (await owner.listNotifications()).data.map(({ title }: { title: string }) => title);
    expect(titles).toEqual(['The subscription has ended unpaid', 'A payment is due', 'A payment is due']);
  });

  it('keep a cancellation that the customer has scheduled', async () => {
    const { operate, now, plan, owner, params, tenantId } = await aSubscription('pro');
    const { data: canceled } = await owner.cancelSubscription({ params, body: { reason: 'Too expensive' } });
    const periodEnd = canceled.currentPeriodEnd as string;
    const scheduled = { cancelAtPeriodEnd: true, cancelReason: 'Too expensive' };
    await operate({ status: 'past_due', days: 60 });
    expect(await now()).toMatchObject({ ...scheduled, status: 'past_due', endsAt: periodEnd });
    await operate({ status: 'active' });
    expect(await now()).toMatchObject({ ...scheduled, status: 'active', endsAt: periodEnd });
    await endPeriod(tenantId);
    await until('the subscription ends', async () => (await plan()) === 'free');
    expect(await now()).toMatchObject({ status: 'canceled', cancelReason: 'Too expensive', canceledAt: periodEnd });
  });

  it('a plan that an operator sets settles what was due', async () => {
    const unpaid = await aSubscription('pro');
    const ended = await aSubscription('pro');
    const set = ({ tenantId }: { tenantId: number }, plan: string) =>
      fleet(service).setTenantPlan({ body: { tenantId: `${tenantId}`, plan } });
    for (const { operate } of [unpaid, ended]) await operate({ status: 'past_due' });
    await ended.owner.cancelSubscription({ params: ended.params, body: { atPeriodEnd: false } });
    expect((await ended.resume()).body.code).toBe('payment_due');
    await set(unpaid, 'free');
    await set(ended, 'pro');
    expect((await unpaid.change('starter')).data).toMatchObject({ status: 'active', planCode: 'starter' });
    expect((await ended.change('team')).data).toMatchObject({ status: 'active', planCode: 'team' });
  });

  it('is for services only, and refuses a payment that is due for Free', async () => {
    const { operate, owner, tenantId } = await aSubscription();
    const body = { tenantId: `${tenantId}`, status: 'past_due' };
    expect((await owner.setSubscriptionStatus({ body })).status).toBe(403);
    expect((await operate({ status: 'past_due' })).body.errors?.[0]?.message).toContain('trialing, canceled');
  });
});
