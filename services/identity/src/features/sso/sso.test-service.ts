import { randomBytes } from 'node:crypto';
import { startMailbox } from '@tandem/mailbox';
import { type ProviderPerson, startNameServer, startProvider } from '@tandem/testing/sso-peers';
import { anonymous, aTenant, ownSettings, startIdentity } from '../../identity.test-service.ts';

type Tenant = Awaited<ReturnType<typeof aTenant>>;

export const unique = () => randomBytes(6).toString('hex');
export const cookiesOf = ({ headers }: { headers: Record<string, string> }) => [headers['set-cookie'] ?? []].flat();
export const valueIn = (cookies: string[], name: string) =>
  cookies
    .find((one) => one.startsWith(`${name}=`))
    ?.slice(name.length + 1)
    .split(';')[0];

/** Identity with an identity provider, a name server and a mailbox, and what a browser does with them. */
export async function startSso() {
  const names = await startNameServer();
  const provider = await startProvider(`${ownSettings.PUBLIC_URL}/v1/auth/sso/callback`);
  const mailbox = await startMailbox();
  const service = await startIdentity({ SSO_DNS_SERVERS: [names.address], SMTP_URL: mailbox.smtpUrl });

  const within = (tenant: Tenant, text: string) =>
    service.sql(`SELECT set_config('app.tenant_id', '${tenant.tenantId}', false); ${text}`);

  async function proveDomain(tenant: Tenant, domain: string) {
    const { data } = await tenant.owner.addSsoDomain({ body: { domain } });
    names.records.set(data.recordName, data.recordValue);
    const verified = await tenant.owner.verifySsoDomain({ params: { id: data.id } });
    expect([verified.status, verified.data?.status]).toEqual([200, 'verified']);
    return data as { id: string };
  }

  const settings = (fields: object = {}) => ({
    issuer: provider.issuer,
    clientId: provider.clientId,
    clientSecret: provider.secret,
    ...fields,
  });

  /** A tenant on the plan with single sign-on, with a proven domain. */
  async function aCompany(fields: { enforce?: boolean; allowSignUp?: boolean } = {}) {
    const tenant = await aTenant(service);
    await within(tenant, `UPDATE tenant SET plan = 'team'`);
    const domain = `${unique()}.example.com`;
    await proveDomain(tenant, domain);
    const body = settings({ allowSignUp: true, defaultRoleId: tenant.roleId('member'), ...fields });
    const configured = await tenant.owner.configureSso({ body });
    expect(configured.status).toBe(200);
    return { tenant, domain, configured };
  }

  /** Begins a sign-in; returns the redirect to the provider and the cookie of the browser. */
  async function begin(query: Record<string, string>) {
    const started = await anonymous(service).startSso({ query });
    expect(started.status).toBe(302);
    const [cookie = ''] = cookiesOf(started);
    return { location: started.headers['location'] as string, cookie, jar: cookie.split(';')[0] as string };
  }

  const finish = (callback: URL, jar: string) =>
    anonymous(service).finishSso({ query: Object.fromEntries(callback.searchParams), headers: { cookie: jar } });

  /** A complete sign-in, from the start to the callback. */
  async function signIn(email: string, person: ProviderPerson = {}, subject = unique()) {
    provider.people.set(subject, { email, email_verified: true, name: 'Grace Brewster Hopper', ...person });
    const { location, jar } = await begin({ email });
    return { subject, reply: await finish(await provider.signIn(subject, location), jar) };
  }

  const codeOf = async (signedIn: ReturnType<typeof signIn>) => (await signedIn).reply.body.code;

  return {
    service,
    mailbox,
    provider,
    names,
    within,
    proveDomain,
    settings,
    aCompany,
    begin,
    finish,
    signIn,
    codeOf,
    async close() {
      await service.close();
      await mailbox.close();
      await provider.close();
      names.close();
    },
  };
}
