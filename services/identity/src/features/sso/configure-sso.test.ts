import { until } from '@tandem/testing';
import { aTenant } from '../../identity.test-service.ts';
import { startSso, unique } from './sso.test-service.ts';

let sso: Awaited<ReturnType<typeof startSso>>;
beforeAll(async () => {
  sso = await startSso();
});
afterAll(() => sso?.close());

describe('setting single sign-on up', () => {
  it('hides the secret, which is required again when issuer or client change', async () => {
    const { tenant, configured } = await sso.aCompany();
    expect(configured.data).toMatchObject({ clientSecret: '***', issuer: sso.provider.issuer, enforce: false });
    const stored = await sso.service.sqlWithin(tenant.owner.caller, 'SELECT * FROM sso_connection');
    expect(JSON.stringify(stored)).not.toContain(sso.provider.secret);
    const without = (fields: object) =>
      tenant.owner.configureSso({ body: sso.settings({ clientSecret: undefined, ...fields }) });
    expect((await without({})).data.version).toBe(2);
    for (const fields of [{ issuer: 'http://127.0.0.1:1' }, { clientId: 'another' }])
      expect((await without(fields)).body.errors).toMatchObject([{ field: 'clientSecret' }]);
    expect((await tenant.owner.getSso()).data.domains).toHaveLength(1);
    const entry = await until('the change is in the audit log', async () => {
      const { data } = await tenant.owner.listAuditLogs({ query: { action: 'sso.configure' } });
      return data[0];
    });
    expect(JSON.stringify(entry)).not.toContain(sso.provider.secret);
  });

  it('needs a provider that can be reached, and a role below the owner that the caller may assign', async () => {
    const tenant = await aTenant(sso.service);
    const fieldOf = async (fields: object, api = tenant.owner) =>
      (await api.configureSso({ body: sso.settings(fields) })).body.errors?.[0]?.field;
    expect(await fieldOf({ issuer: 'http://127.0.0.1:1' })).toBe('issuer');
    expect(await fieldOf({ issuer: 'http://169.254.169.254' })).toBe('issuer');
    expect(await fieldOf({ allowSignUp: true })).toBe('defaultRoleId');
    expect(await fieldOf({ defaultRoleId: tenant.roleId('owner') })).toBe('defaultRoleId');
    for (const directory of ['common', 'organizations', 'consumers', '{tenantid}']) {
      const issuer = `https://login.microsoftonline.com/${directory}/v2.0`;
      const refused = await tenant.owner.configureSso({ body: sso.settings({ issuer }) });
      expect(refused.body.errors).toMatchObject([
        { field: 'issuer', message: expect.stringMatching(/^Must (be|name)/) },
      ]);
    }
    const limited = tenant.as((await tenant.addUser('member')).id, ['tenant:manage']);
    const body = sso.settings({ defaultRoleId: tenant.roleId('admin') });
    expect((await limited.configureSso({ body })).status).toBe(403);
    expect((await tenant.owner.getSso()).status).toBe(404);
  });

  it('keeps the default role from being deleted', async () => {
    const { tenant } = await sso.aCompany();
    const { data: role } = await tenant.owner.createRole({ body: { name: 'Guests', permissions: ['leads:read'] } });
    await tenant.owner.configureSso({ body: sso.settings({ defaultRoleId: role.id }) });
    expect((await tenant.owner.deleteRole({ params: { id: role.id } })).body).toMatchObject({
      code: 'role_in_use',
      errors: [{ field: 'sso.defaultRoleId' }],
    });
  });
});

describe('a domain', () => {
  it('is proven by its DNS record, and then no other tenant can take it', async () => {
    const [tenant, rival] = [await aTenant(sso.service), await aTenant(sso.service)];
    const domain = `${unique()}.example.com`;
    const added = await tenant.owner.addSsoDomain({ body: { domain: `${domain.toUpperCase()}.` } });
    expect([added.status, added.data.domain, added.data.status]).toEqual([201, domain, 'pending']);
    const params = { id: added.data.id };
    expect((await tenant.owner.verifySsoDomain({ params })).body.code).toBe('proof_missing');
    sso.names.records.set(added.data.recordName, added.data.recordValue);
    expect((await tenant.owner.verifySsoDomain({ params })).data.status).toBe('verified');
    expect((await tenant.owner.addSsoDomain({ body: { domain } })).body.code).toBe('domain_exists');

    const theirs = (await rival.owner.addSsoDomain({ body: { domain } })).data;
    expect((await rival.owner.verifySsoDomain({ params: { id: theirs.id } })).body.code).toBe('proof_missing');
    sso.names.records.set(theirs.recordName, theirs.recordValue);
    expect((await rival.owner.verifySsoDomain({ params: { id: theirs.id } })).body.code).toBe('domain_taken');
    expect((await rival.owner.verifySsoDomain({ params })).status).toBe(404);
    expect((await tenant.owner.deleteSsoDomain({ params })).status).toBe(200);
    expect((await rival.owner.verifySsoDomain({ params: { id: theirs.id } })).data.status).toBe('verified');
    expect((await tenant.owner.listSsoDomains()).data).toEqual([]);
  });

  it.each(['localhost', '10.0.0.1', 'a b.example.com', '-a.example.com', 'example'])('cannot be %s', async (domain) => {
    const { owner } = await aTenant(sso.service);
    expect((await owner.addSsoDomain({ body: { domain } })).body.errors).toMatchObject([{ field: 'domain' }]);
  });
});
