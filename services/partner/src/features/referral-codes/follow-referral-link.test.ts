import { createIdCodec } from '@tandem/ids';
import { testSettings, until } from '@tandem/testing';
import {
  type Api,
  anApprovedPartner,
  anonymous,
  aPeer,
  existing,
  type Peer,
  type Service,
  startPartner,
} from '../../partner.test-service.ts';

let settings: Awaited<ReturnType<typeof testSettings>>;
let service: Service;
let peer: Peer;
beforeAll(async () => {
  peer = await aPeer();
  settings = await testSettings('partner');
  service = await startPartner(peer, {}, { shared: settings });
});
afterAll(async () => {
  await service?.close();
  await settings?.drop();
  await peer?.close();
});

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0';
const crawler = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const defaultLandingUrl = 'https://shop.example.com/welcome?lang=en';
const landingUrl = 'https://www.example.com/offer#top';

interface Visitor {
  on?: Service;
  userAgent?: string;
  ip?: string;
  environment?: string;
  isHead?: boolean;
}

async function aLink(body: object = {}, api: Api = service.as()) {
  const tenantId = api.caller.tenantId as number;
  peer.setAddons(tenantId, { partner_program: { allowedHosts: ['www.example.com'], defaultLandingUrl } });
  const { id } = await anApprovedPartner(api);
  const { data, status } = await api.createReferralCode({ params: { id }, body });
  expect(status).toBe(201);
  const params = { id, codeId: data.id as string };
  const follow = async (
    code: string = data.code,
    { on = service, environment, isHead = false, ...caller }: Visitor = {},
  ) => {
    const row = service.operations.followReferralLink;
    const visitor = { ...anonymous(service).caller, userAgent: browser, ip: '192.0.2.1', ...caller };
    const request = { params: { tenant: String(tenantId), code }, query: environment ? { environment } : {}, isHead };
    const { status, headers } = await on.send(row, request, visitor);
    const { location, 'set-cookie': cookies } = headers as { location?: string; 'set-cookie'?: string[] };
    const url = location === undefined ? undefined : new URL(location);
    return { status, location, clickId: url?.searchParams.get('clickId') ?? undefined, url, cookie: cookies?.[0] };
  };
  const counts = async () => {
    const { data: codes } = await api.listReferralCodes({ params: { id } });
    const { clicks, uniqueClicks, botClicks } = codes.find(({ id: codeId }: { id: string }) => codeId === data.id);
    return { clicks, uniqueClicks, botClicks };
  };
  const counted = (clicks: number) =>
    until('the clicks are stored', async () => {
      const now = await counts();
      return now.clicks === clicks && now;
    });
  return { api, tenantId, code: data.code as string, params, follow, counts, counted };
}

it('redirects to the landing page with the click and the code, and sets a cookie', async () => {
  const { code, follow, counted } = await aLink({ landingUrl });
  const { status, url, clickId, cookie } = await follow(code.toLowerCase());
  expect([status, url?.origin, url?.pathname, url?.hash]).toEqual([302, 'https://www.example.com', '/offer', '#top']);
  expect([url?.searchParams.get('ref'), clickId]).toEqual([code, expect.stringMatching(/^[\w-]{22}$/)]);
  expect(cookie).toBe(`tandem_click=${clickId}; Path=/; Max-Age=7776000; HttpOnly; SameSite=Lax; Secure`);
  expect(url?.searchParams.has('utm_campaign')).toBe(false);
  expect(await counted(1)).toEqual({ clicks: 1, uniqueClicks: 1, botClicks: 0 });
});

it('tells the page the campaign of the code', async () => {
  const { follow, tenantId } = await aLink({ landingUrl, campaignId: existing.campaign });
  const { url } = await follow();
  const ids = createIdCodec(process.env.IDS_ALPHABET as string);
  const campaign = url?.searchParams.get('utm_campaign') as string;
  expect(ids.decode('campaign', tenantId, campaign)).toBe(Number(existing.campaign));
});

it('redirects a HEAD request to the same page, and counts nothing', async () => {
  const { code, follow, counted, api } = await aLink({ landingUrl });
  const { status, location, cookie } = await follow(code, { isHead: true });
  expect([status, location, cookie]).toEqual([302, `https://www.example.com/offer?ref=${code}#top`, undefined]);
  await follow();
  expect(await counted(1)).toEqual({ clicks: 1, uniqueClicks: 1, botClicks: 0 });
  expect(await service.sqlWithin(api.caller, 'SELECT 1 FROM referral_click')).toHaveLength(1);
});

it('redirects to the default page without a landing page, and keeps its query', async () => {
  const { follow, counted } = await aLink();
  const { url } = await follow();
  expect([url?.hostname, url?.searchParams.get('lang'), url?.searchParams.has('clickId')]).toEqual([
    'shop.example.com',
    'en',
    true,
  ]);
  await counted(1);
});

it('counts all clicks, each person once a day, and software', async () => {
  const { code, follow, counted, api } = await aLink();
  for (const ip of ['192.0.2.1', '192.0.2.1', '192.0.2.2']) await follow(code, { ip });
  await follow(code, { userAgent: `${browser} Other` });
  await follow(code, { userAgent: crawler });
  await follow(code, { userAgent: '' });
  expect(await counted(6)).toEqual({ clicks: 6, uniqueClicks: 3, botClicks: 2 });
  await service.sqlWithin(api.caller, `UPDATE referral_click SET visitor = 'yesterday ' || visitor`);
  await follow(code);
  expect(await counted(7)).toEqual({ clicks: 7, uniqueClicks: 4, botClicks: 2 });
  const stored = await service.sqlWithin(api.caller, 'SELECT * FROM referral_click');
  expect(JSON.stringify(stored)).not.toMatch(/192\.0\.2|Firefox/);
});

it('counts each person once with clicks on two instances at once', async () => {
  const { code, follow, counted } = await aLink();
  const second = await startPartner(peer, {}, { shared: settings });
  try {
    const clicks = Array.from({ length: 40 }, (_, index) =>
      follow(code, { on: index % 2 ? service : second, ip: `192.0.2.${index % 5}` }),
    );
    await Promise.all(clicks);
    expect(await counted(40)).toEqual({ clicks: 40, uniqueClicks: 5, botClicks: 0 });
  } finally {
    await second.close();
  }
});

it('stores the clicks that wait when the instance ends', async () => {
  const { code, follow, counts } = await aLink();
  const second = await startPartner(peer, {}, { shared: settings });
  await Promise.all(Array.from({ length: 5 }, () => follow(code, { on: second })));
  await second.close();
  expect(await counts()).toEqual({ clicks: 5, uniqueClicks: 1, botClicks: 0 });
});

it('codes that attribute nothing lead to the default page, and count nothing', async () => {
  const { api, params, code, follow, counted } = await aLink({ landingUrl, maxUses: 1 });
  let followed = 0;
  const isDefault = async (name = code) => {
    const { status, location, cookie, clickId } = await follow(name);
    if (clickId) followed++;
    return location === defaultLandingUrl && [status, cookie].join() === '302,';
  };
  expect(await isDefault('NOBODYS')).toBe(true);
  expect(await isDefault('no')).toBe(true);
  await api.createReferral({ body: { code, leadId: existing.lead } });
  await until('the code is used up', isDefault);
  await api.updateReferralCode({ params, body: { maxUses: null } });
  await until('the code works', async () => !(await isDefault()));
  await api.deactivateReferralCode({ params });
  await until('the code is inactive', isDefault);
  await api.activateReferralCode({ params });
  await until('the code works again', async () => !(await isDefault()));
  await service.sqlWithin(api.caller, `UPDATE partner SET status = 'suspended'`);
  await until('the partner is not approved', isDefault);
  await isDefault();
  await isDefault('NOBODYS');
  await service.sqlWithin(api.caller, `UPDATE partner SET status = 'approved'`);
  await until('the code works at last', async () => !(await isDefault()));
  // The last click is stored after all others.
  expect(await counted(followed)).toMatchObject({ clicks: followed });
}, 60_000);

it('does not follow a landing page whose host is not allowed any more', async () => {
  const { tenantId, follow } = await aLink({ landingUrl });
  peer.setAddons(tenantId, { partner_program: { allowedHosts: [], defaultLandingUrl } });
  const { clickId, url } = await until('the setting has arrived', async () => {
    const answer = await follow();
    return answer.url?.hostname === 'shop.example.com' && answer;
  });
  expect([url?.searchParams.has('ref'), clickId]).toEqual([true, expect.any(String)]);
});

it('answers 404 without a page, and for a tenant that does not exist', async () => {
  const { tenantId, follow, code } = await aLink();
  peer.setAddons(tenantId, { partner_program: { allowedHosts: ['www.example.com'] } });
  await until('the setting has arrived', async () => (await follow()).status === 404);
  expect((await follow(code, { environment: 'sandbox' })).status).toBe(404);
  const params = { tenant: '9999999', code };
  expect((await anonymous(service).followReferralLink({ params })).status).toBe(404);
});

it('finds the codes of the sandbox by the address', async () => {
  const { code, follow, counted } = await aLink({ landingUrl }, service.as({ environment: 'sandbox' }));
  expect((await follow(code)).status).toBe(404);
  expect((await follow(code, { environment: 'sandbox' })).url?.hostname).toBe('www.example.com');
  await counted(1);
});

it('old clicks are removed, and stay counted', async () => {
  const { api, follow, counted, counts } = await aLink();
  await follow();
  await counted(1);
  await service.sqlWithin(api.caller, `UPDATE referral_click SET at = now() - interval '401 days'`);
  expect(await service.housekeep()).toEqual([]);
  expect(await service.sqlWithin(api.caller, 'SELECT FROM referral_click')).toEqual([]);
  expect((await counts()).clicks).toBe(1);
});
