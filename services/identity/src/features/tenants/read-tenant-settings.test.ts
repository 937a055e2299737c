import { aTenant, fleet, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

describe('readTenantSettings', () => {
  it('returns the tenant settings to internal services', async () => {
    const { tenantId, owner } = await aTenant(service);
    await owner.updateCurrentTenant({
      body: { settings: { currency: 'CHF', timezone: 'Europe/Zurich' } },
    });
    const { status, data } = await fleet(service, tenantId).readTenantSettings();
    expect([status, data]).toEqual([
      200,
      {
        currency: 'CHF',
        name: 'Analytical Engines',
        timezone: 'Europe/Zurich',
        locale: 'en',
        version: 2,
      },
    ]);
  });

  it('returns 404 without a tenant', async () => {
    expect((await fleet(service).readTenantSettings()).status).toBe(404);
  });

  it('is accessible to internal services only', async () => {
    const { owner } = await aTenant(service);
    expect((await owner.readTenantSettings()).status).toBe(403);
  });
});

it('rejects an unknown currency', async () => {
  const { owner } = await aTenant(service);
  const { status, body } = await owner.updateCurrentTenant({ body: { settings: { currency: 'ABC' } } });
  expect([status, body.errors?.[0]?.field]).toEqual([422, 'settings.currency']);
});
