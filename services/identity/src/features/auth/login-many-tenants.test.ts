import { anonymous, aTenant, password, type Service, startIdentity } from '../../identity.test-service.ts';

describe('an e-mail address in many tenants', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startIdentity();
  });
  afterAll(() => service?.close());

  it('limits the password checks per login, and each tenant is reachable by its id', async () => {
    const owner = { email: 'many@example.com', password: 'of the stranger', firstName: 'Ada', lastName: 'Lovelace' };
    for (let tenant = 0; tenant < 5; tenant++)
      await anonymous(service).createTenant({ body: { name: 'Squatter', owner } });
    const { tenant } = await aTenant(service, owner.email);
    const login = (more: object) => anonymous(service).login({ body: { email: owner.email, password, ...more } });
    expect((await login({})).status).toBe(401);
    expect((await login({ tenantId: tenant.id })).status).toBe(200);
  });
});
