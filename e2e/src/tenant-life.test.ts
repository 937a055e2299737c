import { randomBytes } from 'node:crypto';
import { createCallerSigner } from '@tandem/caller';
import { createServiceClient } from '@tandem/client/internal';
import type { Operations } from '@tandem/contract';
import { internalAccess, internalTenantLife } from '@tandem/identity-contract';
import { createIdCodec } from '@tandem/ids';
import { startFleet, type TestFleet } from '@tandem/test-fleet';
import { until } from '@tandem/testing';
import { startNameServer, startProvider } from '@tandem/testing/sso-peers';
import { Secret, TOTP } from 'otpauth';
import { Browser } from './browser.ts';

// The life of one tenant on the running fleet, through the gateway, with every message read from the mailbox. The tests
// are chapters: each begins where the one before ended.

const password = 'a long phrase is best';
const unique = randomBytes(6).toString('hex');
const ownerEmail = `ada-${unique}@example.com`;
const sellerEmail = `grace-${unique}@example.com`;
const colleagueEmail = `mary-${unique}@example.com`;

type Api = ReturnType<TestFleet['api']>;
type Person = { api: Api; id: string; email: string };

let fleet: TestFleet;
let tenantId: string;
let owner: Person;
let seller: Person;
let colleague: Person;
let teamId: string;
let key: string;
let names: Awaited<ReturnType<typeof startNameServer>>;
let provider: Awaited<ReturnType<typeof startProvider>>;
beforeAll(async () => {
  names = await startNameServer();
  fleet = await startFleet({ env: { SSO_DNS_SERVERS: names.address } });
  provider = await startProvider(`${fleet.baseUrl}/v1/auth/sso/callback`);
}, 240_000);
afterAll(async () => {
  await provider?.close();
  names?.close();
  await fleet?.stop();
}, 90_000);

/** Waits for the newest message to an address with a subject. */
async function mailTo(address: string, subject: RegExp): Promise<string> {
  const found = () => fleet.mailbox.to(address).filter((mail) => subject.test(mail.subject));
  await until(`a message to ${address} with the subject ${subject}`, () => found().length > 0);
  return found().at(-1)?.text ?? '';
}

/** The link in a message, and the token in it. */
function linkIn(text: string): { url: string; token: string } {
  const url = /https?:\/\/\S+/.exec(text)?.[0] ?? '';
  const token = new URL(url).searchParams.get('token') ?? url.split('/').at(-1) ?? '';
  return { url, token };
}

const asPerson = (data: { accessToken: string; user: { id: string; email: string } }): Person => ({
  api: fleet.api({ accessToken: data.accessToken, tenantId }),
  id: data.user.id,
  email: data.user.email,
});

async function invite(email: string, roleId: string): Promise<Person> {
  await owner.api.inviteUser({ body: { email, roleId, teamIds: [teamId] } });
  const { url, token } = linkIn(await mailTo(email, /invite/i));
  expect((await fetch(url)).status).toBe(200);
  const { data } = await fleet.api().acceptInvitation({
    params: { token },
    body: { password, firstName: 'Grace', lastName: 'Hopper' },
  });
  if (!('accessToken' in data)) throw new Error('The invitation asked for a second factor');
  return asPerson(data);
}

it('begins with a sign-up, and the owner proves the address', async () => {
  const { data } = await fleet.api().createTenant({
    body: {
      name: 'Analytical Engines',
      owner: { email: ownerEmail, password, firstName: 'Ada', lastName: 'Lovelace' },
    },
  });
  tenantId = data.tenant.id;
  owner = asPerson(data);
  expect(data).toMatchObject({ tenant: { plan: 'free', status: 'active' }, user: { emailVerified: false } });
  const { url, token } = linkIn(await mailTo(ownerEmail, /address/i));
  const page = await fetch(url);
  expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
  expect((await owner.api.getOwnUser()).data.emailVerified).toBe(false);
  await fleet.api().verifyEmail({ body: { token } });
  expect((await owner.api.getOwnUser()).data.emailVerified).toBe(true);
});

it('changes to a plan with roles of its own, and the response explains the amount', async () => {
  const role = { body: { name: 'Seller', permissions: ['leads:read:team', 'leads:write:team', 'tasks:write'] } };
  await expect(owner.api.createRole(role)).rejects.toMatchObject({ status: 403, code: 'feature_not_available' });
  const { data: subscriptions } = await owner.api.listSubscriptions();
  const { data } = await owner.api.changeSubscription({
    params: { id: subscriptions[0]?.id as string },
    body: { planCode: 'starter' },
  });
  expect(data).toMatchObject({ planCode: 'starter', change: { from: 'free', to: 'starter' } });
  await until('the gateway knows the new plan', () =>
    owner.api.createRole(role).then(
      () => true,
      () => false,
    ),
  );
});

it('invites colleagues to a team, with a role that is narrowed to it', async () => {
  teamId = (await owner.api.createTeam({ body: { name: 'North' } })).data.id;
  const roles = (await owner.api.listRoles({ query: { search: 'Seller' } })).data;
  seller = await invite(sellerEmail, roles[0]?.id as string);
  colleague = await invite(colleagueEmail, roles[0]?.id as string);
  const ofTeam = { email: 'a@example.com', firstName: 'A', lastName: 'B', assignedTo: seller.id };
  const { data: theirs } = await owner.api.createLead({ body: ofTeam });
  const { data: others } = await owner.api.createLead({
    body: { ...ofTeam, email: 'b@example.com', assignedTo: owner.id },
  });
  expect(theirs.teamId).toBe(teamId);
  const seen = (await colleague.api.listLeads()).data.map(({ id }) => id);
  expect(seen).toEqual([theirs.id]);
  await expect(colleague.api.getLead({ params: { id: others.id } })).rejects.toMatchObject({ status: 404 });
  const { data: rights } = await owner.api.listUserPermissions({ params: { id: colleague.id } });
  expect(rights).toMatchObject({
    permissions: expect.arrayContaining([expect.objectContaining({ permission: 'leads:read', reach: 'team' })]),
  });
  await expect(colleague.api.listAuditLogs()).rejects.toMatchObject({ status: 403 });
});

it('protects the sign-in of the owner by a second factor', async () => {
  const { data: enrolment } = await owner.api.startTotp({ body: {} });
  const app = new TOTP({ secret: Secret.fromBase32(enrolment.secret) });
  await owner.api.confirmTotp({ body: { code: app.generate() } });
  const { data: challenge } = await fleet.api().login({ body: { email: ownerEmail, password } });
  if (!('challengeToken' in challenge)) throw new Error('The sign-in did not ask for the second factor');
  const { data } = await fleet.api().loginTotp({
    body: { challengeToken: challenge.challengeToken, code: enrolment.recoveryCodes[0] as string },
  });
  owner = asPerson(data);
  expect((await owner.api.getTotp()).data).toMatchObject({ enabled: true, recoveryCodesLeft: 9 });
});

it('calls with keys until the quota is reached, which the mailbox announces, and goes on after an upgrade', async () => {
  key = (await owner.api.createApiKey({ body: { name: 'Integration', permissions: ['leads:*'] } })).data
    .fullKey as string;
  await useCalls(9_998);
  const api = fleet.api({ apiKey: key });
  await api.listLeads();
  await api.listLeads();
  await expect(api.listLeads()).rejects.toMatchObject({ status: 429, code: 'quota_exceeded' });
  expect((await owner.api.listLeads()).status).toBe(200);
  await mailTo(ownerEmail, /100/);
  const { data: subscriptions } = await owner.api.listSubscriptions();
  const params = { id: subscriptions[0]?.id as string };
  await owner.api.changeSubscription({ params, body: { planCode: 'team' } });
  await until('the gateway applies the new limits', () =>
    api.listLeads().then(
      () => true,
      () => false,
    ),
  );
});

it('deactivates a colleague only with a successor for the open work, who gets it', async () => {
  await expect(owner.api.deactivateUser({ params: { id: seller.id }, body: {} })).rejects.toMatchObject({
    status: 409,
  });
  const body = { reassignTo: colleague.id };
  await owner.api.deactivateUser({ params: { id: seller.id }, body });
  await until('the lead has moved', async () => {
    const { data } = await owner.api.listLeads({ query: { search: 'a@example.com' } });
    return data[0]?.assignedTo === colleague.id;
  });
  await expect(seller.api.listLeads()).rejects.toMatchObject({ status: 401 });
  await expect(fleet.api().login({ body: { email: sellerEmail, password } })).rejects.toMatchObject({ status: 401 });
});

it('uses an addon: its setting is obeyed by another service', async () => {
  const { data: catalogue } = await owner.api.listAddonCatalog();
  const params = { addonId: catalogue.find((addon) => addon.key === 'partner_program')?.id as string };
  await owner.api.installAddon({ params, body: { config: { autoApprove: true } } });
  await owner.api.activateAddon({ params });
  let count = 0;
  await until('partners are approved when they register', async () => {
    const body = { email: `partner${++count}@example.com`, firstName: 'Joan', lastName: 'Clarke' };
    return (await owner.api.createPartner({ body })).data.status === 'approved';
  });
});

it('requires single sign-on of a proven domain, and a colleague signs in with a browser', async () => {
  const domain = `${unique}.example.com`;
  const email = `joan@${domain}`;
  const roles = (await owner.api.listRoles({ query: { search: 'Seller' } })).data;
  const person = { email, password, firstName: 'Joan', lastName: 'Clarke', roleId: roles[0]?.id as string };
  const { data: user } = await owner.api.createUser({ body: person });
  const { data: added } = await owner.api.addSsoDomain({ body: { domain } });
  names.records.set(added.recordName, added.recordValue);
  expect((await owner.api.verifySsoDomain({ params: { id: added.id } })).data.status).toBe('verified');
  const { issuer, clientId, secret: clientSecret } = provider;
  const { data: sso } = await owner.api.configureSso({ body: { issuer, clientId, clientSecret, enforce: true } });
  expect(sso.redirectUri).toBe(`${fleet.baseUrl}/v1/auth/sso/callback`);
  const login = () => fleet.api().login({ body: { email, password } });
  await expect(login()).rejects.toMatchObject({ status: 403, code: 'sso_required' });

  const browser = new Browser();
  const start = `${fleet.baseUrl}/v1/auth/sso/start?email=${email}&returnTo=/leads`;
  const began = await browser.open(start);
  expect([began.status, new URL(began.headers.get('location') as string).origin]).toEqual([302, issuer]);
  provider.people.set('joan', { email, name: 'Joan Clarke' });
  const callback = await provider.signIn('joan', began.headers.get('location') as string);
  const returned = await browser.open(callback);
  expect([returned.status, returned.headers.get('location')]).toEqual([302, `${fleet.baseUrl}/leads`]);
  const refresh = (origin: string) => browser.open(`${fleet.baseUrl}/v1/auth/refresh`, { method: 'POST', origin });
  expect((await refresh('https://evil.example.com')).status).toBe(403);
  const { data } = (await (await refresh(fleet.baseUrl)).json()) as { data: { accessToken: string } };
  const me = fleet.api({ accessToken: data.accessToken, tenantId });
  expect((await me.getOwnUser()).data).toMatchObject({ id: user.id, email });
  expect((await me.listSessions()).data).toMatchObject([{ method: 'sso', current: true }]);

  await owner.api.deleteSso();
  const off = await browser.open(start);
  expect([off.status, off.headers.get('content-type')]).toEqual([404, expect.stringContaining('text/html')]);
  expect((await login()).data).toMatchObject({ user: { id: user.id } });
});

it('exports the audit log, whose chain is verified', async () => {
  const { data: started } = await owner.api.createAuditExport({ body: { format: 'json' } });
  const job = async () => (await owner.api.getJob({ params: { id: started.jobId } })).data;
  await until('the export is ready', async () => (await job()).status === 'completed');
  const { result, download } = await job();
  expect(result).toMatchObject({ verification: { verified: true } });
  const response = await fetch(download?.url as string);
  const { entries } = (await response.json()) as { entries: { action: string }[] };
  const actions = new Set(entries.map(({ action }) => action));
  for (const action of [
    'tenant.create',
    'invitation.accept',
    'user.enable_totp',
    'user.deactivate',
    'addon.activate',
    'user.link_sso',
  ])
    expect(actions).toContain(action);
});

it('ends with its deletion: credentials stop at once, and every service removes its part', async () => {
  const admin = internalClient(internalTenantLife);
  const as = { environment: 'live', requestId: 'e2e' } as const;
  await admin.deleteTenant({ body: { tenantId: tenantNumber(), graceDays: 0 }, as });
  await until('the credentials are refused', () =>
    owner.api.listLeads().then(
      () => false,
      () => true,
    ),
  );
  await until(
    'every service has removed its part',
    async () => (await admin.showTenant({ body: { tenantId: tenantNumber() }, as })).deletion?.state === 'completed',
  );
  await expect(fleet.api().login({ body: { email: ownerEmail, password } })).rejects.toMatchObject({ status: 401 });
});

const tenantNumber = () =>
  createIdCodec(fleet.environment.gateway?.IDS_ALPHABET as string).decode('tenant', undefined, tenantId) as number;

/** A client of operations that only services and operators call. */
function internalClient<Ops extends Operations>(operations: Ops) {
  const { INTERNAL_SECRETS, IDENTITY_URL } = fleet.environment.gateway as Record<string, string>;
  const signer = createCallerSigner(INTERNAL_SECRETS as string);
  return createServiceClient({ operations, baseUrl: IDENTITY_URL as string, service: 'e2e', signer });
}

/** Reports calls of the month as another gateway would. */
async function useCalls(calls: number): Promise<void> {
  const month = new Date().toISOString().slice(0, 7);
  await internalClient(internalAccess).recordUsage({
    body: { gateway: `life-${unique}`, batch: 1, calls: [{ tenantId: tenantNumber(), month, calls }] },
    as: { environment: 'live', requestId: 'e2e' },
  });
}
