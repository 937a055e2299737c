import { aTenant, startFleet, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { until } from '@tandem/testing';

let fleet: TestFleet;
let tenant: TestTenant;
beforeAll(async () => {
  fleet = await startFleet({ services: ['identity', 'crm', 'files', 'partner', 'campaign'] });
  tenant = await aTenant(fleet);
}, 240_000);
afterAll(() => fleet?.stop(), 60_000);

const publicId = /^[A-Za-z0-9]{16,17}$/;

async function anApprovedPartner() {
  const email = `joan${Date.now()}@example.com`;
  const { data } = await tenant.api.createPartner({ body: { email, firstName: 'Joan', lastName: 'Clarke' } });
  await tenant.api.approvePartner({ params: { id: data.id }, body: { tier: 'gold' } });
  return (await tenant.api.getPartner({ params: { id: data.id } })).data;
}

/** Uploads a file and returns its id. */
async function aFile(content: string): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([content], { type: 'application/pdf' }), 'Offer.pdf');
  const headers = { 'x-api-key': tenant.live };
  const response = await fetch(`${fleet.baseUrl}/v1/files/upload`, { method: 'POST', headers, body: form });
  return ((await response.json()) as { data: { id: string } }).data.id;
}

it('a deal with a partner’s referral code earns a commission, which the statement and its CSV list', async () => {
  const { id, referralCodes } = await anApprovedPartner();
  const { data: lead } = await tenant.api.createLead({
    body: { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace', referralCode: referralCodes[0]?.code },
  });
  const { data: deal } = await tenant.api.convertLead({ body: { leadId: lead.id, value: 99.99, currency: 'EUR' } });
  await tenant.api.winOpportunity({ params: { id: deal.id }, body: {} });
  const [commission] = await until('the commission exists', async () => {
    const { data } = await tenant.api.listPartnerCommissions({ params: { id } });
    return data.length > 0 && data;
  });
  expect(commission).toMatchObject({ amount: 10, rate: 10, opportunityId: deal.id, status: 'pending' });
  const again = tenant.api.createReferral({ body: { partnerId: id, leadId: lead.id } });
  await expect(again).rejects.toMatchObject({ status: 409, code: 'already_referred' });

  const { data: statements } = await tenant.api.listCommissionStatements({ params: { id } });
  expect(statements).toMatchObject([{ earned: 10, closingBalance: 10, status: 'open', partnerId: id }]);
  expect(statements[0]?.id).toMatch(publicId);
  const url = statements[0]?.downloadUrl as string;
  expect(url.startsWith(`${fleet.baseUrl}/v1/public/statements/`)).toBe(true);
  const csv = await fetch(url);
  expect([csv.status, csv.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(await csv.text()).toContain(`${commission?.id},earned,unpaid,${deal.id},99.99,10,10,EUR,`);
});

it('a shared resource has a public page with a working download', async () => {
  const fileId = await aFile('%PDF-1.4 offer');
  const body = { name: 'Offer', category: 'print', sourceType: 'file', fileId, shareEnabled: true } as const;
  const { data } = await tenant.api.createCoMarketingResource({ body });
  expect(data).toMatchObject({ fileId, fileType: 'pdf', fileSize: '14 B' });
  const grouped = await tenant.api.listCoMarketingResources({ query: { grouped: true } });
  const groups = grouped.data as unknown as Record<string, { id: string }[]>;
  expect([groups.print?.map(({ id }) => id), grouped.pagination]).toEqual([[data.id], undefined]);
  expect((await tenant.api.listCoMarketingResources()).data).toMatchObject([{ id: data.id }]);

  const token = data.shareToken as string;
  const page = await fetch(`${fleet.baseUrl}/s/${token}`);
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; style-src 'sha256-");
  const [, href] = /<a href="([^"]+)"/.exec(await page.text()) ?? [];
  expect(href).toBe(`${fleet.baseUrl}/s/${token}/download`);
  const file = await fetch(href as string);
  expect([file.status, await file.text()]).toEqual([200, '%PDF-1.4 offer']);
  const { data: link } = await fleet.api().downloadSharedResource({ params: { token } });
  expect(await (await fetch(link.url)).text()).toBe('%PDF-1.4 offer');
  expect((await tenant.api.getCoMarketingResource({ params: { id: data.id } })).data.downloads).toBe(2);
  await tenant.api.archiveCoMarketingResource({ params: { id: data.id } });
  expect((await fetch(`${fleet.baseUrl}/s/${token}`)).status).toBe(404);
});

it('a portal user logs in, reads the library, and has no access after logging out', async () => {
  const { id } = await anApprovedPartner();
  const person = { email: 'marketer@example.com', password: 'a long phrase is best' };
  await tenant.api.createPortalUser({ params: { id }, body: { ...person, role: 'marketer' } });
  const { data: session } = await fleet.api().loginToPortal({ body: { ...person, tenant: tenant.id } });
  expect(session.partner).toMatchObject({ id, tenantId: tenant.id });
  const portal = async (path: string, token: string, method = 'GET') => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${fleet.baseUrl}/v1/partners/portal${path}`, { method, headers });
    return { status: response.status, data: ((await response.json()) as { data: Record<string, unknown> }).data };
  };
  const me = await portal('/me', session.token);
  expect([me.status, me.data]).toMatchObject([
    200,
    { user: { email: person.email, role: 'marketer' }, partner: { id } },
  ]);
  expect((await portal('/co-marketing', session.token)).status).toBe(200);
  const { data: next } = await fleet.api().refreshPortal({ body: { refreshToken: session.refreshToken } });
  expect((await portal('/me', next.token)).status).toBe(200);
  expect((await portal('/logout', next.token, 'POST')).status).toBe(200);
  expect((await portal('/me', next.token)).status).toBe(401);
  await expect(fleet.api().refreshPortal({ body: { refreshToken: next.refreshToken } })).rejects.toMatchObject({
    status: 401,
  });
});

describe('the users of a suspended partner', () => {
  const password = 'a long phrase is best';

  it('lose their sessions at once, and sign in again after the partner is reactivated, with a link too', async () => {
    const { id } = await anApprovedPartner();
    const email = 'suspended@example.com';
    await tenant.api.createPortalUser({ params: { id }, body: { email, password, role: 'owner' } });
    const login = () => fleet.api().loginToPortal({ body: { email, password, tenant: tenant.id } });
    const { data: session } = await login();
    const portal = fleet.api({ accessToken: session.token, tenantId: tenant.id });
    expect((await portal.getPortalMe()).data.partner.id).toBe(id);
    await tenant.api.suspendPartner({ params: { id }, body: { reason: 'Misleading advertising' } });
    await until('the session is refused', () =>
      portal.getPortalMe().then(
        () => false,
        ({ status }) => status === 401,
      ),
    );
    await expect(login()).rejects.toMatchObject({ status: 403, code: 'partner_not_approved' });
    const { refreshToken } = session;
    await expect(fleet.api().refreshPortal({ body: { refreshToken } })).rejects.toMatchObject({ status: 401 });
    await tenant.api.reactivatePartner({ params: { id } });
    expect((await login()).data.partner).toMatchObject({ id, status: 'approved' });
    await fleet.api().requestMagicLink({ body: { email, tenant: tenant.id } });
    const mail = await until('the link arrives', () => fleet.mailbox.to(email)[0]);
    const [, token = ''] = /\?token=(\S+)/.exec(mail.text) ?? [];
    const { data: signedIn } = await fleet.api().verifyMagicLink({ body: { token } });
    const again = fleet.api({ accessToken: signedIn.token, tenantId: tenant.id });
    expect((await again.updatePortalMe({ body: { company: 'Hut 8' } })).data.partner.company).toBe('Hut 8');
    await again.updatePortalMe({ body: { password: 'another long phrase', currentPassword: password } });
    // The session that changes the password stays.
    expect((await again.getPortalMe()).data.user.email).toBe(email);
  });
});
