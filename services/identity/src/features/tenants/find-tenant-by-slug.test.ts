import { aTenant, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

it('finds the tenant of a slug without a tenant in the request, and answers 404 for others', async () => {
  const tenant = await aTenant(service);
  const { data } = await tenant.owner.getCurrentTenant();
  const { tenantId: _, ...caller } = service.as({ type: 'system' }).caller;
  const find = (slug: string) => service.send(service.operations.findTenantBySlug, { params: { slug } }, caller);
  expect((await find(data.slug)).data).toEqual({ tenantId: String(tenant.tenantId) });
  expect((await find('unknown')).status).toBe(404);
});
