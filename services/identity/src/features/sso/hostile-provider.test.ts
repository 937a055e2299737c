import { startSso } from './sso.test-service.ts';

describe('an identity provider that is not what it seems', () => {
  let sso: Awaited<ReturnType<typeof startSso>>;
  beforeAll(async () => {
    sso = await startSso();
  });
  afterAll(() => sso?.close());
  afterEach(() => sso.provider.sign('valid'));

  it('signs nobody in with an ID token whose signature is wrong', async () => {
    const { domain } = await sso.aCompany();
    sso.provider.sign('forged');
    const { reply } = await sso.signIn(`grace@${domain}`);
    expect([reply.status, reply.body.code]).toEqual([502, 'sso_failed']);
    sso.provider.sign('valid');
    expect((await sso.signIn(`grace@${domain}`)).reply.status).toBe(302);
  });
});
