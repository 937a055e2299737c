import { until } from '@tandem/testing';
import { aTenant, fleet, type Service, startIdentity } from '../../identity.test-service.ts';
import { catalogue, discontinuedAddons } from './catalogue.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

const addonId = (key: string) => `${catalogue.find((addon) => addon.key === key)?.id}`;
const put = (tenantId: number, plan: string) =>
  fleet(service).setTenantPlan({ body: { tenantId: `${tenantId}`, plan } });

describe('the addon catalogue', () => {
  it('has unique ids and keys, and a price of 0 for free addons only', () => {
    for (const { id } of catalogue) expect(discontinuedAddons.has(id)).toBe(false);
    for (const field of ['id', 'key', 'name'] as const)
      expect(new Set(catalogue.map((addon) => addon[field])).size).toBe(catalogue.length);
    for (const { pricing, version, versions } of catalogue) {
      expect(pricing.monthlyPrice === 0).toBe(pricing.type === 'free');
      expect(versions.at(-1)).toBe(version);
    }
  });

  it('filters by category and searches name and description case-insensitively', async () => {
    const { owner } = await aTenant(service);
    const keys = async (query: Record<string, string>) => {
      const { status, data } = await owner.listAddonCatalog({ query });
      expect(status).toBe(200);
      return data.map(({ key }: { key: string }) => key);
    };
    expect(await keys({})).toEqual(catalogue.map(({ key }) => key));
    expect(await keys({ category: 'ai' })).toEqual(['ai_generation', 'ai_agents']);
    expect(await keys({ search: 'pArTNer program' })).toEqual(['partner_program']);
    expect(await keys({ search: 'RECOMMEND THE NEXT' })).toEqual(['ai_agents']);
    expect(await keys({ search: 'partner', category: 'training' })).toEqual(['training_academy']);
    expect(await keys({ search: 'no such thing' })).toEqual([]);
  });

  it('is paginated by page number and by cursor', async () => {
    const { owner } = await aTenant(service);
    const seen: string[] = [];
    let cursor: string | null | undefined;
    do {
      const { data, body } = await owner.listAddonCatalog({ query: { limit: '4', ...(cursor && { cursor }) } });
      seen.push(...data.map(({ key }: { key: string }) => key));
      expect(body.pagination).toMatchObject({
        total: catalogue.length,
        limit: 4,
        hasNext: seen.length < catalogue.length,
      });
      cursor = body.pagination?.nextCursor;
    } while (cursor);
    expect(seen).toEqual(catalogue.map(({ key }) => key));
    const second = await owner.listAddonCatalog({ query: { limit: '4', page: '2' } });
    expect(second.data[0].key).toBe(catalogue[4]?.key);
    expect(second.body.pagination).toMatchObject({ page: 2, totalPages: 2, hasPrev: true });
    expect((await owner.listAddonCatalog({ query: { cursor: 'nothing' } })).status).toBe(400);
    expect((await owner.listAddonCatalog({ query: { limit: '101' } })).status).toBe(422);
  });

  it('returns the configuration schema of an addon', async () => {
    const { owner } = await aTenant(service);
    const { data } = await owner.getAddonCatalogItem({ params: { addonId: addonId('advanced_search') } });
    expect(data).toMatchObject({
      name: 'Advanced Search',
      category: 'data',
      pricing: { type: 'free', monthlyPrice: 0 },
      requiresPlan: null,
      features: ['search_settings'],
      configSchema: {
        type: 'object',
        additionalProperties: false,
        properties: { typoTolerance: { type: 'boolean', default: true, description: expect.any(String) } },
      },
    });
    const ofAi = await owner.getAddonCatalogItem({ params: { addonId: addonId('ai_generation') } });
    expect(ofAi.data.configSchema.properties.apiKey).toMatchObject({ type: 'string', writeOnly: true });
    const ofMarketing = await owner.getAddonCatalogItem({ params: { addonId: addonId('co_marketing_library') } });
    expect(ofMarketing.data.configSchema.required).toEqual(['brandName']);
  });
});

describe('installing an addon', () => {
  const params = { addonId: addonId('advanced_search') };

  it('returns 201, lists the addon on the tenant, and emits an event', async () => {
    const { owner, tenantId, user } = await aTenant(service);
    expect((await owner.getCurrentTenant()).data.installedAddons).toEqual([]);
    const { status, data } = await owner.installAddon({ params });
    expect([status, data]).toEqual([
      201,
      {
        addonId: params.addonId,
        name: 'Advanced Search',
        version: '1.4.0',
        status: 'installed',
        config: { typoTolerance: true },
        allowedTransitions: ['active', 'uninstalled'],
        discontinued: false,
        installedBy: user.id,
        installedAt: expect.any(String),
        activatedAt: null,
        suspendedAt: null,
        suspendReason: null,
        uninstalledAt: null,
        configKeptUntil: null,
      },
    ]);
    const shown = Object.fromEntries(
      ['addonId', 'name', 'version', 'status', 'installedAt'].map((field) => [field, data[field]]),
    );
    expect((await owner.listInstalledAddons()).data).toEqual([data]);
    expect((await owner.getAddon({ params })).data).toEqual(data);
    expect((await owner.getCurrentTenant()).data.installedAddons).toEqual([shown]);
    expect((await owner.getTenant({ params: { id: tenantId } })).data.installedAddons).toEqual([shown]);
    const event = await until('the event arrives', () =>
      service.events.find((one) => one.name === 'addon.installed' && one.tenantId === tenantId),
    );
    expect(event.data).toEqual({ addonId: params.addonId, name: 'Advanced Search', version: '1.4.0' });
  });

  it('accepts an older version and fills in the defaults of its settings', async () => {
    const { owner, tenantId } = await aTenant(service);
    await put(tenantId, 'starter');
    const install = async (version: string) => {
      const { data } = await owner.installAddon({
        params: { addonId: addonId('partner_program') },
        body: { version, config: {} },
      });
      await owner.uninstallAddon({
        params: { addonId: addonId('partner_program') },
        query: { purgeData: 'true' },
      });
      return [data.version, data.config];
    };
    expect(await install('1.0.0')).toEqual(['1.0.0', {}]);
    expect(await install('1.1.0')).toEqual(['1.1.0', { autoApprove: false }]);
  });

  it('rejects invalid settings and unknown versions', async () => {
    const { owner, tenantId } = await aTenant(service);
    await put(tenantId, 'pro');
    const refused = async (body: object) => {
      const reply = await owner.installAddon({ params: { addonId: addonId('ai_agents') }, body });
      return [reply.status, reply.body.errors];
    };
    expect(await refused({ config: { runsPerDay: 'often', colour: 'red' } })).toEqual([
      422,
      [
        { field: 'config.colour', message: 'Must not be sent: the addon has no such setting' },
        { field: 'config.runsPerDay', message: 'Must be a number' },
      ],
    ]);
    expect(await refused({ version: '9.9.9' })).toEqual([
      422,
      [{ field: 'version', message: 'Must be one of 1.0.0, 1.1.0' }],
    ]);
    expect((await owner.getCurrentTenant()).data.installedAddons).toEqual([]);
  });

  it('requires the plan of the addon', async () => {
    const { owner, tenantId } = await aTenant(service);
    const install = (key: string) => owner.installAddon({ params: { addonId: addonId(key) } });
    const refused = await install('ai_agents');
    expect([refused.status, refused.body.code, refused.body.errors]).toEqual([
      403,
      'plan_too_low',
      [{ field: 'addonId', message: 'Requires the plan Starter or higher; the tenant is on Free' }],
    ]);
    expect((await install('training_academy')).status).toBe(201);
    await put(tenantId, 'starter');
    expect((await install('ai_agents')).status).toBe(201);
    await put(tenantId, 'enterprise');
    expect((await install('ai_generation')).status).toBe(201);
  });

  it('succeeds once under concurrent requests', async () => {
    const { owner } = await aTenant(service);
    const replies = await Promise.all(Array.from({ length: 6 }, () => owner.installAddon({ params })));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    expect((await owner.installAddon({ params })).body.code).toBe('already_installed');
  });

  it('is isolated between tenants', async () => {
    const [one, other] = [await aTenant(service), await aTenant(service)];
    await one.owner.installAddon({ params });
    expect((await other.owner.getCurrentTenant()).data.installedAddons).toEqual([]);
    expect((await other.owner.installAddon({ params })).status).toBe(201);
  });
});
