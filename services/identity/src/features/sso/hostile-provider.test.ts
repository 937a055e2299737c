import { startSso } from './sso.test-service.ts';

describe('an identity provider that is not what it seems', () => {
  let sso: Awaited<ReturnType<typeof startSso>>;
  beforeAll(async () => {
    sso = await startSso();
  });
  afterAll(() => sso?.close());
  afterEach(() => sso.provider.sign('valid'));

  it('cannot store a text as a proven address that is none', async () => {
    const { tenant, domain } = await sso.aCompany();
    for (const email of [`@${domain}`, domain, `a\r\nbcc: z@${domain}`, `a\0@${domain}`])
      expect([email, await sso.codeOf(sso.signIn(`grace@${domain}`, { email }))]).toEqual([
        email,
        'sso_email_unverified',
      ]);
    expect((await tenant.owner.listUsers({ query: { search: domain } })).data).toEqual([]);
  });

  it('cannot store a subject that OpenID Connect does not allow', async () => {
    const { domain } = await sso.aCompany();
    for (const subject of ['s'.repeat(5_000), 's'.repeat(256), 'a\0b']) {
      const { reply } = await sso.signIn(`grace@${domain}`, {}, subject);
      expect([reply.status, reply.body.code]).toEqual([502, 'sso_failed']);
    }
    expect((await sso.signIn(`grace@${domain}`, {}, 's'.repeat(255))).reply.status).toBe(302);
  });

  it('cannot put control characters into names', async () => {
    const { tenant, domain } = await sso.aCompany();
    const name = `Gra\u0007ce ${'\u{1F600}'.repeat(200)}`;
    expect((await sso.signIn(`grace@${domain}`, { name })).reply.status).toBe(302);
    const [user] = (await tenant.owner.listUsers({ query: { search: domain } })).data;
    expect(user).toMatchObject({ firstName: 'Gra ce', lastName: '\u{1F600}'.repeat(50) });
  });

  it('signs nobody in with an ID token whose signature is wrong', async () => {
    const { domain } = await sso.aCompany();
    sso.provider.sign('forged');
    const { reply } = await sso.signIn(`grace@${domain}`);
    expect([reply.status, reply.body.code]).toEqual([502, 'sso_failed']);
    sso.provider.sign('valid');
    expect((await sso.signIn(`grace@${domain}`)).reply.status).toBe(302);
  });
});
