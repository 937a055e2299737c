import { addonFeatures, featureKeys, type Plan, planFeatures } from '@tandem/contract';
import { credentialChannel, settingsOf } from '@tandem/identity-contract';
import { until } from '@tandem/testing';
import { Redis } from 'ioredis';
import { aTenant, fleet, type Service, startIdentity } from '../../identity.test-service.ts';
import { catalogue } from './catalogue.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

const withId = (key: string) => ({ addonId: `${catalogue.find((addon) => addon.key === key)?.id}` });
const generation = withId('ai_generation');

async function onPlan(plan: Plan) {
  const tenant = await aTenant(service);
  const setPlan = (next: Plan) =>
    fleet(service).setTenantPlan({ body: { tenantId: `${tenant.tenantId}`, plan: next } });
  await setPlan(plan);
  return { ...tenant, setPlan };
}

/** The features that the gateway gets for each request of the tenant. */
async function featuresOf({ tenantId, owner }: Awaited<ReturnType<typeof aTenant>>): Promise<string[]> {
  const [session] = await service.sqlWithin(owner.caller, 'SELECT id FROM session');
  const body = { tenantId: `${tenantId}`, sessionId: `${session?.id}` };
  return (await fleet(service).resolveSession({ body })).data.features;
}

const internally = (tenantId: number, name: string, query = {}) =>
  service
    .as({ type: 'system', name, tenantId, userId: undefined, keyId: undefined } as never)
    .readEntitlements({ query });

describe('the features of an addon', () => {
  it('are on while the addon is active, if the plan does not include them', async () => {
    const tenant = await onPlan('starter');
    const { owner } = tenant;
    const isOn = async () => (await featuresOf(tenant)).includes('ai_generation');
    expect(await isOn()).toBe(false);
    await owner.installAddon({ params: generation });
    expect(await isOn()).toBe(false);
    await owner.activateAddon({ params: generation });
    expect(await isOn()).toBe(true);
    await owner.suspendAddon({ params: generation, body: {} });
    expect(await isOn()).toBe(false);
    await owner.activateAddon({ params: generation });
    await owner.uninstallAddon({ params: generation });
    expect(await isOn()).toBe(false);
  });

  it('stay on without the addon, if the plan includes them', async () => {
    const tenant = await onPlan('pro');
    await tenant.owner.installAddon({ params: generation });
    await tenant.owner.activateAddon({ params: generation });
    await tenant.owner.suspendAddon({ params: generation, body: {} });
    expect(await featuresOf(tenant)).toEqual(planFeatures.pro);
  });

  it('are off while the plan is below the one that the addon requires', async () => {
    const tenant = await onPlan('starter');
    const { owner, setPlan } = tenant;
    await owner.installAddon({ params: generation });
    await owner.activateAddon({ params: generation });
    await setPlan('free');
    expect(await featuresOf(tenant)).toEqual(planFeatures.free);
    expect((await owner.getAddon({ params: generation })).data.status).toBe('active');
    expect((await owner.getEntitlement({ params: { featureKey: 'ai_generation' } })).data).toMatchObject({
      hasAccess: false,
      reason: expect.stringContaining('requires the plan Starter or higher'),
    });
    await setPlan('starter');
    expect(await featuresOf(tenant)).toContain('ai_generation');
  });

  it('change at once: every change of the status invalidates the cached credentials of the tenant', async () => {
    const { owner, tenantId } = await onPlan('starter');
    const subscriber = new Redis(process.env.TEST_REDIS_URL as string);
    const changes: unknown[] = [];
    subscriber.on('message', (_, message) => {
      const change = JSON.parse(message);
      if (change.tenantId === tenantId) changes.push(change);
    });
    await subscriber.subscribe(credentialChannel);
    await owner.installAddon({ params: generation });
    expect(changes).toEqual([]);
    await owner.activateAddon({ params: generation });
    await until('the activation arrives', () => changes.length === 1);
    await owner.suspendAddon({ params: generation, body: {} });
    await until('the suspension arrives', () => changes.length === 2);
    await owner.uninstallAddon({ params: generation });
    await until('the uninstallation arrives', () => changes.length === 3);
    expect(changes).toEqual(Array(3).fill({ tenantId }));
    subscriber.disconnect();
  });
});

describe('entitlements', () => {
  it('name what includes a feature, and what to do about a missing one', async () => {
    const { owner } = await onPlan('starter');
    const get = async (featureKey: string) => (await owner.getEntitlement({ params: { featureKey } })).data;
    expect(await get('workflows')).toEqual({
      featureKey: 'workflows',
      type: 'boolean',
      hasAccess: true,
      source: 'plan',
      addonId: null,
      reason: 'Included in the plan Starter',
    });
    expect(await get('ai_generation')).toMatchObject({
      hasAccess: false,
      source: null,
      reason:
        'AI generation is not included: change to the plan Pro or higher, or install the addon AI Generation, which requires the plan Starter or higher',
    });
    expect(await get('search_settings')).toMatchObject({
      hasAccess: false,
      reason: 'Search settings is not included: install the addon Advanced Search',
    });
    expect((await get('sso')).reason).toBe('Single sign-on is not included: change to the plan Team or higher');

    await owner.installAddon({ params: generation, body: { config: { apiKey: 'sk-own-secret', tone: 'formal' } } });
    expect((await get('ai_generation')).reason).toBe(
      'The addon AI Generation is installed: activate it, or change to the plan Pro or higher',
    );
    await owner.activateAddon({ params: generation });
    expect(await get('ai_generation')).toEqual({
      featureKey: 'ai_generation',
      type: 'boolean',
      hasAccess: true,
      source: 'addon',
      addonId: generation.addonId,
      config: { tone: 'formal', apiKey: '***' },
      reason: 'Enabled by the addon AI Generation',
    });
    await owner.suspendAddon({ params: generation, body: {} });
    expect(await get('ai_generation')).toMatchObject({
      hasAccess: false,
      reason: expect.stringContaining('is suspended: activate it'),
    });
  });

  it('of an unknown key are 200 without access', async () => {
    const { owner } = await aTenant(service);
    const { status, data } = await owner.getEntitlement({ params: { featureKey: 'time_travel' } });
    expect([status, data]).toEqual([
      200,
      {
        featureKey: 'time_travel',
        type: 'boolean',
        hasAccess: false,
        source: null,
        addonId: null,
        reason: 'There is no feature or limit with this key',
      },
    ]);
  });

  it('meter the calls of the month', async () => {
    const { tenantId, owner } = await aTenant(service);
    const keyAt = async (usage: number) => {
      const key = service.as({ tenantId, usage, can: ['addons:read'] });
      return (await key.getEntitlement({ params: { featureKey: 'api_calls_per_month' } })).data;
    };
    expect(await keyAt(400)).toMatchObject({
      type: 'metered',
      hasAccess: true,
      usage: 400,
      limit: 1_000,
      balance: 600,
    });
    expect(await keyAt(1_000)).toMatchObject({
      hasAccess: false,
      balance: 0,
      reason: expect.stringContaining('upgrade'),
    });
    const { data } = await owner.listEntitlements();
    const byKey = Object.fromEntries(data.map((one: { featureKey: string }) => [one.featureKey, one]));
    expect(byKey.api_calls_per_month).toMatchObject({ usage: 0, limit: 1_000, balance: 1_000 });
    expect(byKey.api_calls_per_minute).toMatchObject({ type: 'static', hasAccess: true, limit: 60 });
    expect(Object.keys(byKey)).toEqual(expect.arrayContaining([...featureKeys]));
  });

  it('have no limit where the plan has none', async () => {
    const { owner } = await onPlan('enterprise');
    const { data } = await owner.getEntitlement({ params: { featureKey: 'api_calls_per_month' } });
    expect(data).toMatchObject({ hasAccess: true, limit: null, balance: null });
  });
});

describe('the entitlements that services read', () => {
  it('have the active addons with their settings, and a secret only for a service that uses it', async () => {
    const { owner, tenantId } = await onPlan('starter');
    await owner.installAddon({ params: generation, body: { config: { apiKey: 'sk-own-secret' } } });
    const read = async (name: string, query = {}) => (await internally(tenantId, name, query)).data;
    expect((await read('campaign')).addons).toEqual([]);
    await owner.activateAddon({ params: generation });
    const addon = { addonId: generation.addonId, key: 'ai_generation', version: '2.0.0' };
    expect(await read('campaign')).toEqual({
      plan: 'starter',
      features: [...planFeatures.starter, 'ai_generation'],
      addons: [{ ...addon, config: { tone: 'neutral' } }],
    });
    const asking = { secretsOf: 'ai_generation' };
    expect((await read('campaign', asking)).addons[0].config).toEqual({ tone: 'neutral', apiKey: 'sk-own-secret' });
    expect((await read('partner', asking)).addons[0].config).toEqual({ tone: 'neutral' });
    await owner.suspendAddon({ params: generation, body: {} });
    expect((await read('campaign', asking)).addons).toEqual([]);
  });

  it('are refused to people and keys, and 404 without a tenant', async () => {
    const { owner } = await aTenant(service);
    expect((await owner.readEntitlements()).status).toBe(403);
    expect((await fleet(service).readEntitlements()).status).toBe(404);
  });

  it('are read with the defaults of settings that are missing or invalid', () => {
    const of = (config: Record<string, unknown>) =>
      settingsOf({ addons: [{ addonId: 5, key: 'ai_agents', version: '1.0.0', config }] }, 'ai_agents');
    expect(of({ runsPerDay: 7 })).toEqual({ runsPerDay: 7 });
    expect(of({})).toEqual({ runsPerDay: 500 });
    expect(of({ runsPerDay: 'many' })).toEqual({ runsPerDay: 500 });
    expect(settingsOf({ addons: [] }, 'ai_agents')).toBeUndefined();
  });
});

describe('the catalogue', () => {
  it('sells every feature that no plan includes, and only features that not every plan includes', () => {
    const sold = catalogue.flatMap(({ features }) => features);
    for (const feature of addonFeatures) expect(sold).toContain(feature);
    for (const { features, requiresPlan } of catalogue)
      for (const feature of features) expect(planFeatures[requiresPlan ?? 'free']).not.toContain(feature);
  });
});
