import { until } from '@tandem/testing';
import { aTenant, fleet, type Service, startIdentity } from '../../identity.test-service.ts';
import { catalogue } from './catalogue.ts';

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
    expect(catalogue.length).toBeGreaterThanOrEqual(10);
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
    expect(await keys({ search: 'SUBMISSIONS BECOME' })).toEqual(['landing_pages']);
    expect(await keys({ search: 'partner', category: 'training' })).toEqual(['training_academy']);
    expect(await keys({ search: 'no such thing' })).toEqual([]);
  });

  it('is paginated by page number and by cursor', async () => {
    const { owner } = await aTenant(service);
    const seen: string[] = [];
    let cursor: string | null | undefined;
    do {
      const { data, body } = await owner.listAddonCatalog({ query: { limit: '5', ...(cursor && { cursor }) } });
      seen.push(...data.map(({ key }: { key: string }) => key));
      expect(body.pagination).toMatchObject({
        total: catalogue.length,
        limit: 5,
        hasNext: seen.length < catalogue.length,
      });
      cursor = body.pagination?.nextCursor;
    } while (cursor);
    expect(seen).toEqual(catalogue.map(({ key }) => key));
    const second = await owner.listAddonCatalog({ query: { limit: '5', page: '2' } });
    expect(second.data[0].key).toBe(catalogue[5]?.key);
    expect(second.body.pagination).toMatchObject({ page: 2, totalPages: 3, hasPrev: true });
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
      features: expect.arrayContaining(['search']),
      configSchema: { type: 'object' },
    });
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
        installedBy: user.id,
        installedAt: expect.any(String),
      },
    ]);
    const { config, installedBy, ...shown } = data;
    expect((await owner.getCurrentTenant()).data.installedAddons).toEqual([shown]);
    expect((await owner.getTenant({ params: { id: tenantId } })).data.installedAddons).toEqual([shown]);
    const event = await until('the event arrives', () =>
      service.events.find((one) => one.name === 'addon.installed' && one.tenantId === tenantId),
    );
    expect(event.data).toEqual({ addonId: params.addonId, name: 'Advanced Search', version: '1.4.0' });
  });

  it('accepts an older version and fills in configuration defaults', async () => {
    const { owner } = await aTenant(service);
    const body = { version: '1.2.0', config: {} };
    const { data } = await owner.installAddon({ params: { addonId: addonId('webhook_integrations') }, body });
    expect(data).toMatchObject({ version: '1.2.0', config: { warnAfterFailures: 5 } });
  });

  it('rejects invalid settings and unknown versions', async () => {
    const { owner } = await aTenant(service);
    const refused = async (body: object) => {
      const reply = await owner.installAddon({ params: { addonId: addonId('webhook_integrations') }, body });
      return [reply.status, reply.body.errors];
    };
    expect(await refused({ config: { warnAfterFailures: 'often', colour: 'red' } })).toEqual([
      422,
      [
        { field: 'config.colour', message: 'Must not be sent: the addon has no such setting' },
        { field: 'config.warnAfterFailures', message: 'Must be integer' },
      ],
    ]);
    expect(await refused({ version: '9.9.9' })).toEqual([
      422,
      [{ field: 'version', message: 'Must be one of 1.2.0, 1.2.1' }],
    ]);
    expect((await owner.getCurrentTenant()).data.installedAddons).toEqual([]);
  });

  it('requires the plan of the addon', async () => {
    const { owner, tenantId } = await aTenant(service);
    const install = (key: string) => owner.installAddon({ params: { addonId: addonId(key) } });
    const refused = await install('ai_agents');
    expect([refused.status, refused.body.code]).toEqual([403, 'plan_too_low']);
    await put(tenantId, 'starter');
    expect([(await install('ai_agents')).status, (await install('partner_program')).status]).toEqual([403, 201]);
    await put(tenantId, 'enterprise');
    expect((await install('ai_agents')).status).toBe(201);
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
