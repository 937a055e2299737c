import { until } from '@tandem/testing';
import {
  type Api,
  anApprovedPartner,
  anonymous,
  aPartner,
  aPeer,
  missingId,
  type Peer,
  type Service,
  startPartner,
} from '../../partner.test-service.ts';

let service: Service;
let peer: Peer;
beforeAll(async () => {
  peer = await aPeer();
  service = await startPartner(peer);
});
afterAll(async () => {
  await service?.close();
  await peer?.close();
});

const password = 'a long phrase is best';
let people = 0;
const anAddress = () => `joan${++people}@example.com`;

/** Creates a portal user of an approved partner. */
async function aPortalUser(api: Api = service.as(), fields: object = {}) {
  const partner = await anApprovedPartner(api);
  const email = anAddress();
  const body = { email, password, role: 'owner', ...fields };
  const { status, data } = await api.createPortalUser({ params: { id: partner.id }, body });
  expect(status).toBe(201);
  const tenant = `${api.caller.tenantId}`;
  const login = (more: object = {}) => anonymous(service).loginToPortal({ body: { email, password, tenant, ...more } });
  const { tenantId, environment } = api.caller as { tenantId: number; environment: 'live' };
  const signedIn = service.as({
    type: 'portal',
    tenantId,
    environment,
    sessionId: 3,
    can: [],
    partnerId: Number(partner.id),
    portalUserId: Number(data.id),
  });
  return { api, partner, user: data, email, login, signedIn };
}

describe('createPortalUser', () => {
  it('stores the address in lower case and does not return the password', async () => {
    const { user, api, partner } = await aPortalUser(service.as(), { email: 'Joan@Example.com', role: 'marketer' });
    expect(user).toMatchObject({
      email: 'joan@example.com',
      role: 'marketer',
      lastLoginAt: null,
      partnerId: partner.id,
    });
    expect(JSON.stringify(user)).not.toMatch(/password|argon2/i);
    expect((await api.listPortalUsers({ params: { id: partner.id } })).data).toEqual([user]);
    const event = await until('the event arrives', () =>
      service.events.find(({ name, target }) => name === 'portal_user.created' && target.id === Number(user.id)),
    );
    expect(JSON.stringify(event)).not.toMatch(/password|argon2/i);
  });

  it('rejects a short password, an unknown role, a foreign partner and a duplicate address', async () => {
    const { api, partner, email } = await aPortalUser();
    const create = (fields: object, as = api) =>
      as.createPortalUser({ params: { id: partner.id }, body: { email, password, role: 'member', ...fields } });
    expect((await create({ email: anAddress(), password: '1234567' })).body.errors?.[0]?.field).toBe('password');
    expect((await create({ email: anAddress(), role: 'boss' })).body.errors?.[0]?.field).toBe('role');
    expect((await create({}, service.as())).status).toBe(404);
    const taken = await create({ email: email.toUpperCase() });
    expect([taken.status, taken.body.code]).toEqual([409, 'email_taken']);
    const other = service.as();
    const { id } = await anApprovedPartner(other);
    const elsewhere = await other.createPortalUser({ params: { id }, body: { email, password, role: 'owner' } });
    expect(elsewhere.status).toBe(201);
  });
});

describe('loginToPortal', () => {
  it('opens a session in identity and emits an event', async () => {
    const { login, user, partner, api, email } = await aPortalUser();
    const { status, data } = await login({ email: email.toUpperCase() });
    expect([status, data]).toEqual([
      200,
      {
        token: 'access',
        refreshToken: 'refresh',
        expiresAt: expect.any(String),
        partner: expect.objectContaining({ id: partner.id, status: 'approved', tier: 'bronze' }),
      },
    ]);
    expect(data.partner).not.toHaveProperty('customFields');
    const opened = peer.requests.findLast(({ path }) => path === '/internal/portal-sessions');
    expect(opened?.body).toEqual({ partnerId: partner.id, portalUserId: user.id, name: email });
    expect(opened?.caller).toMatchObject({ name: 'partner', tenantId: api.caller.tenantId, environment: 'live' });
    const event = await until('the event arrives', () =>
      service.events.find(({ name, target }) => name === 'portal_user.logged_in' && target.id === Number(user.id)),
    );
    expect(event).toMatchObject({ caller: { type: 'portal', portalUserId: Number(user.id) } });
    const [seen] = (await api.listPortalUsers({ params: { id: partner.id } })).data;
    expect(seen).toMatchObject({ lastLoginAt: expect.any(String), version: 1 });
  });

  it('returns the same error for every failure', async () => {
    const { login } = await aPortalUser();
    const other = service.as();
    const wrong = [{ password: 'wrong' }, { email: anAddress() }, { tenant: `${other.caller.tenantId}` }];
    for (const fields of [...wrong, { tenant: missingId }]) {
      const { status, body } = await login(fields);
      expect([status, body.code, body.message]).toEqual([401, 'bad_credentials', 'Invalid e-mail address or password']);
    }
    expect((await login()).status).toBe(200);
  });

  it('reveals that the partner is not approved only after a correct password', async () => {
    const api = service.as();
    const { data } = await api.createPartner({ body: aPartner() });
    const body = { email: anAddress(), password, role: 'owner' };
    await api.createPortalUser({ params: { id: data.id }, body });
    const login = (attempt: string) =>
      anonymous(service).loginToPortal({
        body: { email: body.email, password: attempt, tenant: `${api.caller.tenantId}` },
      });
    const refused = await login(password);
    expect([refused.status, refused.body.code]).toEqual([403, 'partner_not_approved']);
    expect((await login('wrong')).status).toBe(401);
  });

  it('is throttled after five failures per address and tenant', async () => {
    const { login, email } = await aPortalUser();
    for (let failure = 0; failure < 5; failure++) expect((await login({ password: 'wrong' })).status).toBe(401);
    const { status, body, headers } = await login();
    expect([status, body.code]).toEqual([429, 'too_many_failures']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    const elsewhere = await aPortalUser(service.as(), { email });
    expect((await elsewhere.login({ email })).status).toBe(200);
  });
});

describe('a portal session', () => {
  it('can be refreshed while the partner is approved, and is ended otherwise', async () => {
    const { api, partner, user } = await aPortalUser();
    const refreshToken = `${api.caller.tenantId}.${partner.id}.${user.id}`;
    const refresh = (token: string) => anonymous(service).refreshPortal({ body: { refreshToken: token } });
    const { status, data } = await refresh(refreshToken);
    expect([status, data]).toMatchObject([
      200,
      { token: 'access', refreshToken: 'refresh', partner: { id: partner.id } },
    ]);
    expect((await refresh('made-up')).body.code).toBe('bad_refresh_token');
    await service.sqlWithin(api.caller, `UPDATE partner SET status = 'suspended' WHERE id = $1`, [partner.id]);
    expect((await refresh(refreshToken)).status).toBe(403);
    expect(peer.requests.at(-1)).toMatchObject({
      path: '/internal/portal-sessions/end',
      body: { partnerId: partner.id },
    });
  });

  it('can be ended by its user', async () => {
    const { signedIn } = await aPortalUser();
    expect((await signedIn.logoutFromPortal()).data).toEqual({ signedOut: true });
    expect(peer.requests.at(-1)).toMatchObject({ path: '/internal/portal-sessions/end', body: { sessionId: '3' } });
  });

  it('does not replay the logout of another portal user with the same Idempotency-Key', async () => {
    const api = service.as();
    const [one, other] = [await aPortalUser(api), await aPortalUser(api)];
    const signOut = ({ signedIn }: typeof one) =>
      signedIn.logoutFromPortal({ headers: { 'idempotency-key': 'sign-out' } });
    expect((await signOut(one)).status).toBe(200);
    const { status, headers } = await signOut(other);
    expect([status, headers['idempotent-replayed']]).toEqual([200, undefined]);
    expect((await signOut(one)).headers['idempotent-replayed']).toBe('true');
  });

  it('returns the signed-in user', async () => {
    const { api, signedIn, user, partner } = await aPortalUser();
    const me = async () => (await signedIn.getPortalMe()).data;
    expect(await me()).toMatchObject({ user: { id: user.id }, partner: { id: partner.id }, tierBenefits: [] });
    const tiers = ['bronze', 'silver', 'gold', 'platinum'].map((tier) => ({ tier, benefits: [`As ${tier}`] }));
    expect((await api.setPartnerTiers({ body: { tiers } })).status).toBe(200);
    expect((await me()).tierBenefits).toEqual(['As bronze']);
    expect((await service.as().getPortalMe()).status).toBe(401);
  });
});

describe('the portal library', () => {
  it('lists active resources, links to them, and counts usage', async () => {
    const { api, signedIn } = await aPortalUser();
    const body = { name: 'A', category: 'print', sourceType: 'file', fileUrl: 'https://cdn.example.com/a.pdf' };
    const { data: active } = await api.createCoMarketingResource({ body });
    const { data: archived } = await api.createCoMarketingResource({ body });
    await api.archiveCoMarketingResource({ params: { id: archived.id } });
    expect((await signedIn.listPortalCoMarketing({ query: { status: 'archived' } })).data).toEqual([active]);
    const grouped = (await signedIn.listPortalCoMarketing({ query: { grouped: 'true' } })).data;
    expect([Object.keys(grouped).length, grouped.print]).toEqual([8, [active]]);
    const params = { id: active.id };
    expect((await signedIn.getPortalCoMarketing({ params })).data).toEqual(active);
    expect((await signedIn.getPortalCoMarketingDownloadUrl({ params })).data.url).toBe(body.fileUrl);
    const counted = await signedIn.recordPortalCoMarketingUsage({ params, body: { action: 'share' } });
    expect(counted.data).toEqual({ downloads: 0, shares: 1 });
    const gone = { params: { id: archived.id } };
    const replies = [
      await signedIn.getPortalCoMarketing(gone),
      await signedIn.getPortalCoMarketingDownloadUrl(gone),
      await signedIn.recordPortalCoMarketingUsage({ ...gone, body: { action: 'share' } }),
      await (await aPortalUser()).signedIn.getPortalCoMarketing({ params }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  });

  it('shows material for a tier to partners who have reached it', async () => {
    const { api, partner, signedIn } = await aPortalUser();
    const body = { name: 'A', category: 'print', sourceType: 'file', fileUrl: 'https://cdn.example.com/a.pdf' };
    const { data: forGold } = await api.createCoMarketingResource({ body: { ...body, minTier: 'gold' } });
    const { data: forAll } = await api.createCoMarketingResource({ body });
    expect([forGold.minTier, forAll.minTier]).toEqual(['gold', null]);
    const params = { id: forGold.id };
    const seen = async () => (await signedIn.listPortalCoMarketing({ query: { sort: 'createdAt' } })).data;
    const replies = async () => [
      (await signedIn.getPortalCoMarketing({ params })).status,
      (await signedIn.getPortalCoMarketingDownloadUrl({ params })).status,
      (await signedIn.recordPortalCoMarketingUsage({ params, body: { action: 'share' } })).status,
    ];
    const setTier = (tier: string) => api.updatePartner({ params: { id: partner.id }, body: { tier } });
    await setTier('silver');
    expect([await seen(), await replies()]).toEqual([[forAll], [404, 404, 404]]);
    await setTier('platinum');
    expect([(await seen()).length, await replies()]).toEqual([2, [200, 200, 200]]);
    await setTier('bronze');
    await api.updateCoMarketingResource({ params, body: { minTier: null } });
    expect(await replies()).toEqual([200, 200, 200]);
    const unknown = await api.updateCoMarketingResource({ params, body: { minTier: 'tin' } });
    expect([unknown.status, unknown.body.errors?.[0]?.field]).toEqual([422, 'minTier']);
  });
});
