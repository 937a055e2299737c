import { until } from '@tandem/testing';
import { anonymous, password } from '../../identity.test-service.ts';
import { startSso, unique } from './sso.test-service.ts';

let sso: Awaited<ReturnType<typeof startSso>>;
beforeAll(async () => {
  sso = await startSso();
});
afterAll(() => sso?.close());

describe('the audit log', () => {
  const failures = (tenant: { tenantId: number }) =>
    until('the failures are events', () => {
      const found = sso.service.events.filter(
        ({ name, tenantId }) => name === 'user.login_failed' && tenantId === tenant.tenantId,
      );
      return found.length > 0 && found.map(({ data }) => data);
    });

  it('has the sign-ins through the provider that are refused for a known user', async () => {
    const { tenant, domain } = await sso.aCompany();
    const { subject } = await sso.signIn(`grace@${domain}`);
    const [user] = (await tenant.owner.listUsers({ query: { search: `grace@${domain}` } })).data;
    await sso.within(tenant, `UPDATE "user" SET status = 'deactivated' WHERE email = 'grace@${domain}'`);
    expect(await sso.codeOf(sso.signIn(`grace@${domain}`, {}, subject))).toBe('sso_not_allowed');
    expect(await failures(tenant)).toEqual([{ userId: user.id }]);
  });

  it('has the right passwords that are refused because single sign-on is required', async () => {
    const { tenant, domain } = await sso.aCompany({ enforce: true });
    const ada = await tenant.addUser('member', { email: `ada@${domain}` });
    const refused = await anonymous(sso.service).login({ body: { email: ada.email, password } });
    expect([refused.status, refused.body.code]).toEqual([403, 'sso_required']);
    expect(await failures(tenant)).toEqual([{ userId: ada.id }]);
  });

  it('has the domains that are added', async () => {
    const { tenant } = await sso.aCompany();
    const { data } = await tenant.owner.addSsoDomain({ body: { domain: `${unique()}.example.com` } });
    const events = await until('the domains are events', () => {
      const found = sso.service.events.filter(
        ({ name, tenantId }) => name === 'sso.domain_added' && tenantId === tenant.tenantId,
      );
      return found.length > 1 && found;
    });
    expect(events.map((event) => event.data)).toContainEqual({ domainId: data.id });
  });
});
