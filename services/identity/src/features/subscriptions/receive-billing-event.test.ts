import { createHmac } from 'node:crypto';
import { createIdCodec } from '@tandem/ids';
import { type TestReply, until } from '@tandem/testing';
import { anonymous, aTenant, fleet, type Service, secrets, startIdentity } from '../../identity.test-service.ts';

const secret = 'whsec_ThisIsOnlyTheSecretOfATest';
const ids = createIdCodec(secrets.IDS_ALPHABET);
const nowSeconds = () => Math.floor(Date.now() / 1_000);

let service: Service;
beforeAll(async () => {
  service = await startIdentity({ STRIPE_WEBHOOK_SECRET: secret });
});
afterAll(() => service?.close());

const sign = (content: string, time = nowSeconds(), key = secret) =>
  createHmac('sha256', key).update(`${time}.${content}`).digest('hex');

/** Sends a body as Stripe does. */
function send(content: string, header = `t=${nowSeconds()},v1=${sign(content)}`, to = service): Promise<TestReply> {
  const { tenantId: _, ...caller } = anonymous(to).caller;
  const raw = { content, type: 'application/json; charset=utf-8' };
  return to.send(to.operations.receiveBillingEvent, { raw, headers: { 'stripe-signature': header } }, caller);
}

let events = 0;
/** An event as Stripe sends it (https://docs.stripe.com/api/events/object). */
const anEvent = (type: string, object: unknown, fields: object = {}) => ({
  ...{ id: `evt_${++events}`, object: 'event', api_version: '2024-06-20', created: nowSeconds(), livemode: true },
  ...{ type, data: { object } },
  ...fields,
});
const deliver = async (event: object) => {
  const reply = await send(JSON.stringify(event));
  return reply.status === 200 ? (reply.data as { applied: boolean }).applied : [reply.status, reply.body.code];
};

/** A tenant on a paid plan, with what Stripe reports about its subscription. */
async function aSubscription(plan: 'free' | 'pro' = 'pro') {
  const tenant = await aTenant(service);
  if (plan !== 'free') await fleet(service).setTenantPlan({ body: { tenantId: `${tenant.tenantId}`, plan } });
  const { data } = await tenant.owner.listSubscriptions();
  const params = { id: data[0].id as string };
  const metadata = { tenantId: ids.encode('tenant', tenant.tenantId, tenant.tenantId) };
  const subscription = (status: string, fields: object = {}) => ({
    ...{ id: `sub_${tenant.tenantId}`, object: 'subscription', created: 1_790_000_000, status, metadata },
    ...fields,
  });
  const invoice = (fields: object = {}) => ({
    ...{ id: 'in_1', object: 'invoice', billing_reason: 'subscription_cycle' },
    ...{ subscription: `sub_${tenant.tenantId}`, subscription_details: { metadata } },
    ...fields,
  });
  return {
    ...tenant,
    metadata,
    now: async () => (await tenant.owner.getSubscription({ params })).data,
    plan: async () => (await tenant.owner.getCurrentTenant()).data.plan as string,
    updated: (status: string, fields: object = {}, event: object = {}) =>
      deliver(anEvent('customer.subscription.updated', subscription(status, fields), event)),
    created: (status: string, fields: object = {}, event: object = {}) =>
      deliver(anEvent('customer.subscription.created', subscription(status, fields), event)),
    deleted: (fields: object = {}, event: object = {}) =>
      deliver(anEvent('customer.subscription.deleted', subscription('canceled', fields), event)),
    failed: (fields: object = {}, event: object = {}) =>
      deliver(anEvent('invoice.payment_failed', invoice(fields), event)),
    paid: (fields: object = {}, event: object = {}) => deliver(anEvent('invoice.paid', invoice(fields), event)),
  };
}

describe('the signature', () => {
  const content = JSON.stringify(anEvent('customer.created', {}));

  it.each<[string, () => string]>([
    ['of another secret', () => `t=${nowSeconds()},v1=${sign(content, nowSeconds(), 'whsec_another')}`],
    ['of another body', () => `t=${nowSeconds()},v1=${sign(`${content} `)}`],
    ['of another time', () => `t=${nowSeconds() - 1},v1=${sign(content)}`],
    ['that is too old', () => `t=${nowSeconds() - 301},v1=${sign(content, nowSeconds() - 301)}`],
    ['of the future', () => `t=${nowSeconds() + 310},v1=${sign(content, nowSeconds() + 310)}`],
    ['of another scheme', () => `t=${nowSeconds()},v0=${sign(content)}`],
    ['without a time', () => `v1=${sign(content)}`],
    ['in another form', () => `t=${nowSeconds()},v1=${sign(content).slice(1)}`],
    ['that is missing', () => ''],
  ])('%s is refused', async (_, header) => {
    const { status, body } = await send(content, header());
    expect([status, body.code]).toEqual([401, 'invalid_signature']);
  });

  it('may be one of several, while the secret is replaced', async () => {
    const others = [sign(content, nowSeconds(), 'whsec_another'), 'x'].map((one) => `v1=${one}`).join(',');
    const { status, data } = await send(content, `t=${nowSeconds()},${others},v1=${sign(content)},v0=x`);
    expect([status, data]).toEqual([200, { applied: false }]);
  });

  it('needs the setting', async () => {
    const other = await startIdentity();
    const { status, body } = await send(content, undefined, other);
    await other.close();
    expect([status, body.code]).toEqual([404, 'not_found']);
  });

  it('does not make a body valid that is not JSON', async () => {
    const { status, body } = await send('no JSON');
    expect([status, body.errors?.[0]?.field]).toEqual([422, 'body']);
  });
});

describe('a failed payment', () => {
  it('gives the tenant two weeks from the first attempt on, and a payment ends them', async () => {
    const { failed, paid, now, plan } = await aSubscription();
    expect(await failed()).toBe(true);
    const { status, endsAt } = await now();
    expect([status, await plan()]).toEqual(['past_due', 'pro']);
    const days = (Date.parse(endsAt) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(14);
    expect(await failed()).toBe(false);
    expect((await now()).endsAt).toBe(endsAt);
    expect(await paid()).toBe(true);
    expect(await now()).toMatchObject({ status: 'active', endsAt: null });
  });

  it('warns those who manage billing, and the audit log names Stripe', async () => {
    const { failed, owner } = await aSubscription();
    await failed();
    expect((await owner.listNotifications()).data).toMatchObject([{ title: 'A payment is due' }]);
    const actor = await until('the change is in the audit log', async () => {
      const { data } = await owner.listAuditLogs({ query: { action: 'subscription.update' } });
      return data
        .map((entry: { actor: object }) => entry.actor)
        .find((one: { name?: string }) => one.name === 'Stripe');
    });
    expect(actor).toMatchObject({ type: 'system' });
  });

  it('of the first invoice says nothing, and neither does one that belongs to no subscription', async () => {
    const { failed, now } = await aSubscription();
    expect(await failed({ billing_reason: 'subscription_create' })).toBe(false);
    expect(await failed({ subscription: null })).toBe(false);
    expect((await now()).status).toBe('active');
  });

  it('is read in the form of newer versions of the API', async () => {
    const { failed, now, metadata, tenantId } = await aSubscription();
    const parent = {
      subscription_details: { metadata, subscription: { id: `sub_${tenantId}`, object: 'subscription' } },
    };
    expect(await failed({ parent, subscription: undefined, subscription_details: undefined })).toBe(true);
    expect((await now()).status).toBe('past_due');
  });
});

it.each([
  ['past_due', 'past_due'],
  ['unpaid', 'past_due'],
  ['canceled', 'canceled'],
  ['active', 'active'],
  ['incomplete', 'active'],
  ['incomplete_expired', 'active'],
  ['paused', 'active'],
  ['a new one', 'active'],
  ['constructor', 'active'],
])('the status %s at Stripe makes a paid subscription %s', async (theirs, ours) => {
  const { updated, now } = await aSubscription();
  expect(await updated(theirs)).toBe(ours !== 'active');
  expect((await now()).status).toBe(ours);
});

describe('a subscription', () => {
  it('that has ended puts the tenant on Free', async () => {
    const { deleted, now, plan } = await aSubscription();
    expect(await deleted()).toBe(true);
    expect([(await now()).status, await plan()]).toEqual(['canceled', 'free']);
    expect(await deleted()).toBe(false);
  });

  it('that becomes active again withdraws the time to pay', async () => {
    const { updated, now } = await aSubscription();
    expect([await updated('past_due'), await updated('active')]).toEqual([true, true]);
    expect(await now()).toMatchObject({ status: 'active', endsAt: null });
  });

  it('on trial has the plan that its metadata names, until the end of the trial', async () => {
    const { updated, now, plan, metadata } = await aSubscription('free');
    const trial_end = nowSeconds() + 10 * 86_400;
    const fields = { trial_end, metadata: { ...metadata, plan: 'team' } };
    expect(await updated('trialing', { trial_end })).toBe(false);
    expect(await updated('trialing', { ...fields, trial_end: nowSeconds() - 1 })).toBe(false);
    expect(await updated('trialing', { ...fields, metadata: { ...metadata, plan: 'enterprise' } })).toBe(false);
    expect(await updated('trialing', fields)).toBe(true);
    expect(await now()).toMatchObject({ status: 'trialing', endsAt: new Date(trial_end * 1_000).toISOString() });
    expect(await plan()).toBe('team');
    expect(await updated('trialing', fields)).toBe(false);
    expect(await updated('active', fields)).toBe(true);
    expect(await now()).toMatchObject({ status: 'active', planCode: 'team', endsAt: null });
  });

  it('that is created with a trial begins it', async () => {
    const { created, updated, now, plan, metadata } = await aSubscription('free');
    const trial_end = nowSeconds() + 10 * 86_400;
    const fields = { trial_end, metadata: { ...metadata, plan: 'pro' } };
    expect(await created('incomplete', fields)).toBe(false);
    expect(await created('trialing', fields)).toBe(true);
    expect(await now()).toMatchObject({ status: 'trialing', endsAt: new Date(trial_end * 1_000).toISOString() });
    expect(await plan()).toBe('pro');
    expect(await updated('active', fields)).toBe(true);
    // Stripe does not promise the order of its events.
    expect(await created('trialing', fields, { created: nowSeconds() - 60 })).toBe(false);
    expect(await now()).toMatchObject({ status: 'active', planCode: 'pro' });
  });

  it('of a tenant on Free has no effect, because its plan is not known', async () => {
    const { updated, deleted, failed, paid, now } = await aSubscription('free');
    expect([await updated('active'), await failed(), await paid(), await deleted()]).toEqual(Array(4).fill(false));
    expect(await now()).toMatchObject({ status: 'active', planCode: 'free' });
  });
});

describe('the order of events', () => {
  it('is that of Stripe: an older event has no effect', async () => {
    const { updated, failed, now } = await aSubscription();
    expect(await updated('active')).toBe(false);
    expect(await failed({}, { created: nowSeconds() - 60 })).toBe(false);
    expect((await now()).status).toBe('active');
    expect(await failed()).toBe(true);
  });

  it('a repeated event has its effect once', async () => {
    const { failed, paid, now } = await aSubscription();
    const once = { id: 'evt_once', created: nowSeconds() };
    expect([await failed({}, once), await paid(), await failed({}, once)]).toEqual([true, true, false]);
    expect((await now()).status).toBe('active');
  });

  it('the end of a former subscription does not end a later one', async () => {
    const { updated, deleted, failed, now } = await aSubscription();
    await updated('active', { id: 'sub_former', created: 1_790_000_000 });
    await updated('active', { id: 'sub_later', created: 1_790_000_100 });
    expect(await deleted({ id: 'sub_former', created: 1_790_000_000 })).toBe(false);
    expect(await failed({ subscription: 'sub_former' })).toBe(false);
    expect((await now()).status).toBe('active');
    expect(await deleted({ id: 'sub_later', created: 1_790_000_100 })).toBe(true);
  });

  it('two events at once make one change', async () => {
    const { failed, now } = await aSubscription();
    const { version } = await now();
    const both = await Promise.all([failed(), failed()]);
    expect(both.toSorted()).toEqual([false, true]);
    expect((await now()).version).toBe(version + 1);
  });
});

it.each<[string, (metadata: object) => unknown]>([
  ['an unknown type', () => anEvent('charge.refunded', {})],
  ['no tenant', () => anEvent('customer.subscription.deleted', { id: 'sub_1', status: 'canceled', metadata: {} })],
  [
    'a tenant that does not exist',
    () =>
      anEvent('customer.subscription.deleted', {
        ...{ id: 'sub_1', status: 'canceled', created: 1 },
        metadata: { tenantId: ids.encode('tenant', 8_000_000, 8_000_000) },
      }),
  ],
  [
    'another id',
    () => anEvent('customer.subscription.deleted', { id: 'sub_1', status: 'x', metadata: { tenantId: '7' } }),
  ],
  ['fields of another type', (metadata) => anEvent('customer.subscription.deleted', { id: 7, status: [], metadata })],
  ['no object', () => anEvent('invoice.paid', null)],
  ['a time of another form', (metadata) => anEvent('invoice.paid', { metadata }, { created: 'now' })],
  ['a list', () => []],
])('acknowledges an event with %s', async (_, event) => {
  const { metadata, now } = await aSubscription();
  expect(await deliver(event(metadata) as object)).toBe(false);
  expect((await now()).status).toBe('active');
});

it('counts the payment of a suspended tenant', async () => {
  const { failed, paid, tenantId, now } = await aSubscription();
  await failed();
  await fleet(service).suspendTenant({ body: { tenantId: `${tenantId}`, reason: 'Unpaid' } });
  expect(await paid()).toBe(true);
  await fleet(service).resumeTenant({ body: { tenantId: `${tenantId}` } });
  expect((await now()).status).toBe('active');
});

it('logs why an event changes nothing', async () => {
  const written: string[] = [];
  const level = process.env['LOG_LEVEL'];
  process.env['LOG_LEVEL'] = 'info';
  const output = jest.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  const logging = await startIdentity({ STRIPE_WEBHOOK_SECRET: secret });
  if (level === undefined) delete process.env['LOG_LEVEL'];
  else process.env['LOG_LEVEL'] = level;
  try {
    const tenant = await aTenant(logging);
    const metadata = { tenantId: ids.encode('tenant', tenant.tenantId, tenant.tenantId) };
    const reasonOf = async (object: object, fields: object = {}, type = 'customer.subscription.updated') => {
      const event = anEvent(type, { id: 'sub_logged', created: 1_790_000_000, metadata, ...object }, fields);
      const content = JSON.stringify(event);
      const { data } = await send(content, undefined, logging);
      expect(data).toEqual({ applied: false });
      const line = await until('the reason is logged', () =>
        written.find((text) => text.includes('billing event without effect') && text.includes(`"${event.id}"`)),
      );
      return JSON.parse(line).reason as string;
    };
    const trial_end = nowSeconds() + 86_400;
    const unknown = { tenantId: ids.encode('tenant', 8_000_000, 8_000_000) };
    expect(await reasonOf({ status: 'active', metadata: unknown })).toBe('unknown tenant');
    expect(await reasonOf({ status: 'active', metadata: {} })).toBe('no tenant');
    expect(await reasonOf({ status: 'trialing', trial_end })).toBe('no plan');
    expect(await reasonOf({ status: 'trialing' }, { created: nowSeconds() - 60 })).toBe('older than the last one');
    expect(await reasonOf({ status: 'paused' })).toBe('status without effect');
    expect(await reasonOf({ status: 7 })).toBe('another form');
    expect(await reasonOf({}, {}, 'charge.refunded')).toBe('another type');
  } finally {
    output.mockRestore();
    await logging.close();
  }
});
