import { anybody, aTenant, password, type Service, startIdentity } from '../../identity.test-service.ts';

describe('an address in many tenants', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startIdentity();
  });
  afterAll(() => service?.close());

  it('costs a sign-in only a few passwords, and each tenant is reached by its id', async () => {
    const owner = { email: 'many@example.com', password: 'of the stranger', firstName: 'Ada', lastName: 'Lovelace' };
    for (let tenant = 0; tenant < 5; tenant++)
      await anybody(service).createTenant({ body: { name: 'Squatter', owner } });
    const { tenant } = await aTenant(service, owner.email);
    const login = (more: object) => anybody(service).login({ body: { email: owner.email, password, ...more } });
    expect((await login({})).status).toBe(401);
    expect((await login({ tenantId: tenant.id })).status).toBe(200);
  });
});
