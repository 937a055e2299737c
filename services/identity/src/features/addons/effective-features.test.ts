import { createPepper } from '@tandem/api-keys';
import { planFeatures } from '@tandem/contract';
import { aTenant, fleet, type Service, secrets, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

it('a key and a session resolve to the features of the plan, and a change of the plan changes them', async () => {
  const { owner, tenantId } = await aTenant(service);
  const { data } = await owner.createApiKey({ body: { name: 'A key', environment: 'live' } });
  const [session] = await service.sqlWithin(owner.caller, 'SELECT id FROM session');
  const hash = createPepper(secrets.KEY_PEPPER).hash(data.fullKey);
  const resolved = async () => [
    (await fleet(service).resolveKey({ body: { hash } })).data.features,
    (await fleet(service).resolveSession({ body: { tenantId: `${tenantId}`, sessionId: `${session?.id}` } })).data
      .features,
  ];
  expect(await resolved()).toEqual([planFeatures.free, planFeatures.free]);
  await fleet(service).setTenantPlan({ body: { tenantId: `${tenantId}`, plan: 'pro' } });
  expect(await resolved()).toEqual([planFeatures.pro, planFeatures.pro]);
});

it('the service itself refuses a write without the feature, and lets the tenant read and remove', async () => {
  const { user, as } = await aTenant(service);
  const body = { name: 'Seller', permissions: ['leads:read'] };
  const role = (await as(user.id, ['*'], { features: planFeatures.starter }).createRole({ body })).data;
  const free = as(user.id, ['*'], { features: planFeatures.free });
  const refused = await free.createRole({ body: { ...body, name: 'Other' } });
  expect([refused.status, refused.body.code]).toEqual([403, 'feature_not_available']);
  expect(refused.body.message).toContain('Custom roles');
  expect((await free.getRole({ params: { id: role.id } })).status).toBe(200);
  expect((await free.deleteRole({ params: { id: role.id } })).status).toBe(200);
});
