import { aTenant, fleet, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

const month = new Date().toISOString().slice(0, 7);
const hour = Math.floor(Date.now() / 3_600_000);

it('are sent at the next report of any tenant, if a process ended before it sent them', async () => {
  const tenants = await Promise.all([aTenant(service), aTenant(service)]);
  const titles = ({ owner }: (typeof tenants)[number]) =>
    owner.listNotifications().then(({ data }) => data.map(({ title }: { title: string }) => title));
  // The rows of reports whose process ended right after the commit.
  for (const { tenantId } of tenants)
    await service.sql(
      'INSERT INTO usage_gateway (owner_tenant_id, month, gateway, calls, added) VALUES ($1, $2, $3, 1000, 0)',
      [tenantId, month, 'gone'],
    );
  const other = await aTenant(service);
  const tenantId = `${other.tenantId}`;
  const parts = [{ tenantId, hour, keyId: 1, operation: 'GET /v1/leads', userId: 1, calls: 1 }];
  const body = { gateway: 'other', served: [{ tenantId, month, calls: 1 }], parts };
  expect((await fleet(service).reportUsage({ body })).status).toBe(200);
  for (const tenant of tenants) expect(await titles(tenant)).toEqual([`100 % of this month's API calls are used`]);
  expect((await fleet(service).reportUsage({ body })).status).toBe(200);
  for (const tenant of tenants) expect(await titles(tenant)).toHaveLength(1);
  expect(await titles(other)).toEqual([]);
});
