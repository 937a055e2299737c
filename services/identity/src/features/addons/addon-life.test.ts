import { until } from '@tandem/testing';
import { aTenant, fleet, type Service, startIdentity } from '../../identity.test-service.ts';
import { catalogue } from './catalogue.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

const withId = (key: string) => ({ addonId: `${catalogue.find((addon) => addon.key === key)?.id}` });
const search = withId('advanced_search');
const generation = withId('ai_generation');
const marketing = withId('co_marketing_library');

async function onPlan(plan: string) {
  const tenant = await aTenant(service);
  await fleet(service).setTenantPlan({ body: { tenantId: `${tenant.tenantId}`, plan } });
  return tenant;
}

const eventsOf = (name: string, tenantId: number, count = 1) =>
  until(`${name} arrives`, () => {
    const found = service.events.filter((one) => one.name === name && one.tenantId === tenantId);
    return found.length >= count && found;
  });

/** Moves the time at which the addons of a tenant were uninstalled into the past. */
const age = ({ as, user }: Awaited<ReturnType<typeof aTenant>>, days: number) =>
  service.sqlWithin(
    as(user.id).caller,
    'UPDATE installed_addon SET uninstalled_at = now() - make_interval(days => $1)',
    [days],
  );

describe('the life of an installation', () => {
  it('goes from installed to active, suspended, active and uninstalled, with an event each', async () => {
    const { owner, tenantId } = await aTenant(service);
    await owner.installAddon({ params: search });
    const active = await owner.activateAddon({ params: search });
    expect([active.status, active.data]).toMatchObject([
      200,
      { status: 'active', activatedAt: expect.any(String), allowedTransitions: ['suspended', 'uninstalled'] },
    ]);
    const suspended = await owner.suspendAddon({ params: search, body: { reason: 'Too helpful' } });
    expect(suspended.data).toMatchObject({
      status: 'suspended',
      suspendedAt: expect.any(String),
      suspendReason: 'Too helpful',
      allowedTransitions: ['active', 'uninstalled'],
    });
    const again = await owner.activateAddon({ params: search });
    expect(again.data).toMatchObject({ status: 'active', suspendedAt: null, suspendReason: null });
    const gone = await owner.uninstallAddon({ params: search });
    expect(gone.data).toEqual({ id: search.addonId, deleted: true, configKeptUntil: expect.any(String) });
    expect((await owner.getAddon({ params: search })).data).toMatchObject({
      status: 'uninstalled',
      configKeptUntil: gone.data.configKeptUntil,
      allowedTransitions: ['installed'],
    });
    expect((await owner.getCurrentTenant()).data.installedAddons).toEqual([]);
    expect((await owner.listInstalledAddons()).data).toEqual([]);
    expect((await owner.listInstalledAddons({ query: { status: 'uninstalled' } })).data).toHaveLength(1);

    const [first, second] = await eventsOf('addon.activated', tenantId, 2);
    const data = { addonId: search.addonId, name: 'Advanced Search', version: '1.4.0' };
    expect([first?.data, first?.changes]).toEqual([data, { status: { from: 'installed', to: 'active' } }]);
    expect(second?.changes).toEqual({ status: { from: 'suspended', to: 'active' } });
    expect((await eventsOf('addon.suspended', tenantId))[0]?.data).toEqual({ ...data, reason: 'Too helpful' });
    expect((await eventsOf('addon.uninstalled', tenantId))[0]?.data).toEqual({ ...data, configDeleted: false });
  });

  it('refuses every other transition, naming the possible ones', async () => {
    const { owner } = await aTenant(service);
    const refused = async (operation: 'activateAddon' | 'suspendAddon' | 'uninstallAddon') => {
      const { status, body } = await owner[operation]({ params: search, body: {} });
      return [status, body.code, body.errors?.[0]?.message];
    };
    for (const operation of ['activateAddon', 'suspendAddon', 'uninstallAddon'] as const)
      expect((await refused(operation))[0]).toBe(404);
    await owner.installAddon({ params: search });
    expect(await refused('suspendAddon')).toEqual([
      409,
      'transition_refused',
      'The status is installed; it can change to active, uninstalled',
    ]);
    await owner.activateAddon({ params: search });
    expect((await refused('activateAddon'))[0]).toBe(409);
    await owner.suspendAddon({ params: search, body: {} });
    expect((await refused('suspendAddon'))[0]).toBe(409);
    await owner.uninstallAddon({ params: search });
    for (const operation of ['activateAddon', 'suspendAddon', 'uninstallAddon'] as const)
      expect((await refused(operation)).slice(0, 2)).toEqual([409, 'transition_refused']);
    expect((await owner.updateAddonConfig({ params: search, body: {} })).body.code).toBe('not_installed');
    expect((await owner.upgradeAddon({ params: search, body: { version: '1.4.0' } })).body.code).toBe('not_installed');
  });

  it('performs each transition once under concurrent requests', async () => {
    const { owner } = await aTenant(service);
    const statuses = async (call: () => Promise<{ status: number }>) =>
      (await Promise.all(Array.from({ length: 4 }, call))).map(({ status }) => status).sort();
    const once = [200, 409, 409, 409];
    await owner.installAddon({ params: search });
    expect(await statuses(() => owner.activateAddon({ params: search }))).toEqual(once);
    expect(await statuses(() => owner.suspendAddon({ params: search, body: {} }))).toEqual(once);
    expect(await statuses(() => owner.uninstallAddon({ params: search }))).toEqual(once);
    expect(await statuses(() => owner.installAddon({ params: search }))).toEqual([201, 409, 409, 409]);
  });

  it('becomes active only on the plan that the addon requires, and with its required settings', async () => {
    const { owner, tenantId } = await onPlan('starter');
    await owner.installAddon({ params: marketing });
    const missing = await owner.activateAddon({ params: marketing });
    expect([missing.status, missing.body.errors]).toEqual([
      422,
      [{ field: 'config.brandName', message: 'Is required' }],
    ]);
    await owner.updateAddonConfig({ params: marketing, body: { brandName: 'Engines' } });
    await owner.installAddon({ params: generation });
    await fleet(service).setTenantPlan({ body: { tenantId: `${tenantId}`, plan: 'free' } });
    const tooLow = await owner.activateAddon({ params: generation });
    expect([tooLow.status, tooLow.body.code]).toEqual([403, 'plan_too_low']);
    expect(tooLow.body.errors?.[0]?.message).toContain('Starter');
    expect((await owner.activateAddon({ params: marketing })).data.config).toEqual({
      publicSharing: true,
      brandName: 'Engines',
    });
    // An active addon keeps its required settings.
    const removed = await owner.updateAddonConfig({ params: marketing, body: {} });
    expect([removed.status, removed.body.errors]).toEqual([422, [{ field: 'brandName', message: 'Is required' }]]);
  });

  it('is invisible to other tenants', async () => {
    const [one, other] = [await aTenant(service), await aTenant(service)];
    await one.owner.installAddon({ params: search });
    for (const operation of ['getAddon', 'getAddonConfig', 'activateAddon', 'uninstallAddon'] as const)
      expect((await other.owner[operation]({ params: search })).status).toBe(404);
  });
});

describe('the configuration', () => {
  it('is replaced as a whole, gets defaults, and names what is invalid', async () => {
    const { owner, tenantId } = await aTenant(service);
    await owner.installAddon({ params: search });
    const put = (body: object) => owner.updateAddonConfig({ params: search, body });
    expect((await put({ typoTolerance: false })).data).toEqual({ typoTolerance: false });
    expect((await owner.getAddonConfig({ params: search })).data).toEqual({ typoTolerance: false });
    expect((await put({})).data).toEqual({ typoTolerance: true });
    expect((await put({})).status).toBe(200);
    const refused = await put({ typoTolerance: 'much', colour: 'red' });
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      [
        { field: 'colour', message: 'Must not be sent: the addon has no such setting' },
        { field: 'typoTolerance', message: 'Must be true or false' },
      ],
    ]);
    // Repeating the configuration changes nothing, so it emits nothing.
    const configured = await eventsOf('addon.configured', tenantId, 2);
    expect(configured.map(({ changes }) => changes)).toEqual([
      { typoTolerance: { from: true, to: false } },
      { typoTolerance: { from: false, to: true } },
    ]);
    expect(configured[0]?.data).toMatchObject({ fields: ['typoTolerance'] });
  });

  it('keeps a secret that is sent as ***, replaces one that is sent, and removes one that is missing', async () => {
    const { owner } = await onPlan('pro');
    const { data } = await owner.installAddon({ params: generation, body: { config: { apiKey: 'sk-first-secret' } } });
    expect(data.config).toEqual({ tone: 'neutral', apiKey: '***' });
    const put = async (body: object) => (await owner.updateAddonConfig({ params: generation, body })).data;
    expect(await put({ tone: 'formal', apiKey: '***' })).toEqual({ tone: 'formal', apiKey: '***' });
    expect(await put({ apiKey: 'sk-second-secret' })).toEqual({ tone: 'neutral', apiKey: '***' });
    expect(await put({})).toEqual({ tone: 'neutral' });
    const refused = await owner.updateAddonConfig({ params: generation, body: { apiKey: '***' } });
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      [{ field: 'apiKey', message: 'Must be the value itself; no value is stored' }],
    ]);
  });

  it('keeps its secrets out of tables, events, audit entries and replies', async () => {
    const { owner, tenantId } = await onPlan('pro');
    const secret = 'sk-to-be-found-nowhere';
    await owner.installAddon({
      params: generation,
      body: { config: { apiKey: secret } },
      headers: { 'idempotency-key': 'install-with-a-secret' },
    });
    await owner.updateAddonConfig({ params: generation, body: { apiKey: `${secret}-2` } });
    await owner.activateAddon({ params: generation });
    await owner.upgradeAddon({ params: generation, body: { version: '2.0.0' } });
    const entries = await until('the audit log has the entries', async () => {
      const { data } = await owner.listAuditLogs();
      return data.filter(({ action }: { action: string }) => action.startsWith('addon.')).length >= 3 && data;
    });
    expect(JSON.stringify(entries)).not.toContain(secret);
    const configured = await eventsOf('addon.configured', tenantId);
    expect(configured[0]?.changes).toEqual({ apiKey: { from: '***', to: '***' } });
    expect(JSON.stringify(service.events)).not.toContain(secret);
    for (const call of [owner.getAddon, owner.getAddonConfig])
      expect(JSON.stringify((await call({ params: generation })).body)).not.toContain(secret);
    expect(await tablesWith(secret)).toEqual([]);
  });

  it('has its secrets in a column that is re-encrypted when the encryption key changes', async () => {
    const { owner } = await onPlan('pro');
    await owner.installAddon({ params: generation, body: { config: { apiKey: 'sk-sealed-secret' } } });
    await service.reencrypt();
    expect(await service.metrics()).toMatch(
      /tandem_sealed_values\{table="installed_addon",column="secrets",[^}]*\} [1-9]/,
    );
  });
});

describe('upgrading', () => {
  it('changes to a later version only, and fills in the settings that are new in it', async () => {
    const { owner, tenantId } = await onPlan('starter');
    const params = withId('partner_program');
    await owner.installAddon({ params, body: { version: '1.0.0' } });
    await owner.activateAddon({ params });
    const upgrade = (version: string, more = {}) => owner.upgradeAddon({ params, body: { version, ...more } });
    expect((await upgrade('9.0.0')).status).toBe(422);
    const { status, data } = await upgrade('1.1.0');
    expect([status, data]).toMatchObject([200, { version: '1.1.0', status: 'active', config: { autoApprove: false } }]);
    for (const version of ['1.0.0', '1.1.0']) {
      const refused = await upgrade(version);
      expect([refused.status, refused.body.code, refused.body.errors]).toEqual([
        409,
        'not_later',
        [{ field: 'version', message: 'The installed version is 1.1.0; it can be upgraded to 1.2.0, 1.3.0' }],
      ]);
    }
    expect((await upgrade('1.2.0', { config: { autoApprove: true } })).data.config).toEqual({ autoApprove: true });
    const [event] = await eventsOf('addon.upgraded', tenantId);
    expect(event?.data).toMatchObject({ version: '1.1.0', previousVersion: '1.0.0' });
    expect(event?.changes).toMatchObject({ version: { from: '1.0.0', to: '1.1.0' } });
  });

  it('needs the required settings of the new version while the addon is active', async () => {
    const { owner } = await onPlan('starter');
    await owner.installAddon({ params: marketing, body: { version: '1.0.0' } });
    await owner.activateAddon({ params: marketing });
    const upgrade = (config?: object) =>
      owner.upgradeAddon({ params: marketing, body: { version: '1.1.0', ...(config && { config }) } });
    const refused = await upgrade();
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      [{ field: 'config.brandName', message: 'Is required' }],
    ]);
    expect((await upgrade({ brandName: 'Engines' })).status).toBe(200);
  });
});

describe('uninstalling', () => {
  it('keeps the configuration for 30 days, in case the addon is installed again', async () => {
    const tenant = await onPlan('pro');
    const { owner } = tenant;
    const install = async (body: object = {}) => (await owner.installAddon({ params: generation, body })).data;
    await install({ config: { tone: 'formal', apiKey: 'sk-kept-secret' } });
    await owner.uninstallAddon({ params: generation });
    expect(await install()).toMatchObject({
      status: 'installed',
      config: { tone: 'formal', apiKey: '***' },
      uninstalledAt: null,
    });
    await owner.uninstallAddon({ params: generation });
    // An explicit configuration replaces the kept one; *** names its secret.
    expect((await install({ config: { apiKey: '***' } })).config).toEqual({ tone: 'neutral', apiKey: '***' });
    await owner.uninstallAddon({ params: generation });
    await age(tenant, 31);
    expect((await owner.getAddon({ params: generation })).status).toBe(404);
    expect((await owner.listInstalledAddons({ query: { status: 'uninstalled' } })).data).toEqual([]);
    expect((await install()).config).toEqual({ tone: 'neutral' });
  });

  it('deletes the configuration at once with purgeData, also that of an uninstalled addon', async () => {
    const { owner, tenantId } = await aTenant(service);
    await owner.installAddon({ params: search, body: { config: { typoTolerance: false } } });
    const purge = () => owner.uninstallAddon({ params: search, query: { purgeData: 'true' } });
    expect((await purge()).data).toEqual({ id: search.addonId, deleted: true, configKeptUntil: null });
    expect((await owner.getAddon({ params: search })).status).toBe(404);
    expect((await purge()).status).toBe(404);
    await owner.installAddon({ params: search, body: { config: { typoTolerance: false } } });
    await owner.uninstallAddon({ params: search });
    expect((await purge()).status).toBe(200);
    expect((await owner.installAddon({ params: search })).data.config).toEqual({ typoTolerance: true });
    const events = await eventsOf('addon.uninstalled', tenantId, 3);
    expect(events.map(({ data }) => (data as { configDeleted: boolean }).configDeleted)).toEqual([true, false, true]);
  });

  it('deletes expired configurations by housekeeping, and no others', async () => {
    const [old, recent] = [await aTenant(service), await aTenant(service)];
    for (const { owner } of [old, recent]) {
      await owner.installAddon({ params: search });
      await owner.uninstallAddon({ params: search });
    }
    await age(old, 31);
    await age(recent, 29);
    expect(await service.housekeep()).toEqual([]);
    const rows = async ({ tenantId, as, user }: typeof old) =>
      service.sqlWithin(as(user.id).caller, 'SELECT addon_id FROM installed_addon WHERE tenant_id = $1', [tenantId]);
    expect([(await rows(old)).length, (await rows(recent)).length]).toEqual([0, 1]);
  });
});

describe('a discontinued addon', () => {
  it('stays visible with its name, and can only be uninstalled', async () => {
    const { owner, tenantId, as, user } = await aTenant(service);
    const params = { addonId: '10' };
    await service.sqlWithin(
      as(user.id).caller,
      `INSERT INTO installed_addon (addon_id, version, config) VALUES (10, '1.2.1', '{"warnAfterFailures": 5}')`,
    );
    const shown = { addonId: '10', name: 'Webhook Integrations', version: '1.2.1', status: 'installed' };
    expect((await owner.getCurrentTenant()).data.installedAddons).toMatchObject([shown]);
    expect((await owner.getAddon({ params })).data).toMatchObject({
      ...shown,
      discontinued: true,
      config: { warnAfterFailures: 5 },
      allowedTransitions: ['uninstalled'],
    });
    expect((await owner.getAddonCatalogItem({ params })).status).toBe(404);
    expect((await owner.activateAddon({ params })).body.code).toBe('addon_discontinued');
    expect((await owner.updateAddonConfig({ params, body: {} })).body.code).toBe('addon_discontinued');
    expect((await owner.uninstallAddon({ params })).status).toBe(200);
    expect((await owner.installAddon({ params })).status).toBe(404);
    expect((await owner.getAddon({ params })).data.allowedTransitions).toEqual([]);
    await eventsOf('addon.uninstalled', tenantId);
  });
});

/** The columns of all tables that contain a text, read as the owner without row-level security. */
async function tablesWith(text: string): Promise<unknown[]> {
  const columns = await service.sql(
    `SELECT table_schema AS schema, table_name AS name FROM information_schema.tables
      WHERE table_schema IN ('public', 'platform') AND table_type = 'BASE TABLE'`,
  );
  const found: unknown[] = [];
  for (const { schema, name } of columns) {
    const table = `"${String(schema)}"."${String(name)}"`;
    await service.sql(`ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`);
    const rows = await service.sql(`SELECT 1 FROM ${table} AS one WHERE one::text LIKE $1 LIMIT 1`, [`%${text}%`]);
    await service.sql(`ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`);
    if (rows.length) found.push(table);
  }
  return found;
}
