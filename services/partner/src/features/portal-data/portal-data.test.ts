import { createCallerSigner } from '@tandem/caller';
import { createServiceClient } from '@tandem/client/internal';
import { internalLeads } from '@tandem/crm-contract';
import { until } from '@tandem/testing';
import {
  type Api,
  anonymous,
  aPeer,
  dealWon,
  type Peer,
  publish,
  type Service,
  startPartner,
} from '../../partner.test-service.ts';
import { aPortalUser, aPortalUserOf } from '../../portal.test-service.ts';

let peer: Peer;
let service: Service;
beforeAll(async () => {
  peer = await aPeer();
  service = await startPartner(peer);
});
afterAll(async () => {
  await service?.close();
  await peer?.close();
});

let leads = 100;
const another = () => `${++leads}`;

/** A portal user whose partner has a won deal with a commission, and a bonus; and another partner with the same. */
async function twoPartners() {
  const own = await aPortalUser(service);
  const other = await aPortalUser(service, own.api);
  for (const { partner } of [own, other]) await earn(own.api, partner.id);
  return { ...own, other };
}

async function earn(api: Api, partnerId: string) {
  const leadId = another();
  await api.createReferral({ body: { partnerId, leadId } });
  await publish(service, api, dealWon({ opportunityId: another(), leadId, value: 1000 }));
  await until(
    'the deal earns',
    async () => (await api.listPartnerCommissions({ params: { id: partnerId } })).data.length,
  );
  const body = { amount: 25, currency: 'EUR', description: 'Event' };
  const { data } = await api.createCommission({ params: { id: partnerId }, body });
  await api.approveCommission({ params: { cid: data.id }, body: {} });
}

describe('the portal of a partner', () => {
  it('shows the figures of the own business', async () => {
    const { signedIn, api, other } = await twoPartners();
    await service.sqlWithin(api.caller, 'UPDATE referral_code SET clicks = 7, unique_clicks = 5');
    await service.sqlWithin(api.caller, 'UPDATE partner SET parent_partner_id = $1 WHERE id = $2', [
      signedIn.caller.partnerId,
      other.partner.id,
    ]);
    const { status, data } = await signedIn.getPortalDashboard();
    expect([status, data]).toEqual([
      200,
      {
        tier: 'bronze',
        referrals: { total: 1, last30Days: 1 },
        links: { activeCodes: 1, clicks: 7, uniqueClicks: 5 },
        recruits: 1,
        pendingDealRegistrations: 0,
        deals: [{ currency: 'EUR', won: 1, wonValue: 1000 }],
        commissions: [
          { currency: 'EUR', status: 'approved', count: 1, amount: 25 },
          { currency: 'EUR', status: 'pending', count: 1, amount: 50 },
        ],
        balances: [{ currency: 'EUR', balance: 75, paid: 0 }],
      },
    ]);
  });

  it('lists own commissions, statements, codes and recruits only', async () => {
    const { signedIn, api, partner, other } = await twoPartners();
    await api.setPartnerParent({ params: { id: other.partner.id }, body: { parentPartnerId: partner.id } });
    const listed = (await signedIn.listPortalCommissions()).data as { id: string; amount: number }[];
    const commissions = listed.toSorted((one, other) => other.amount - one.amount);
    expect(commissions).toMatchObject([
      { partnerId: partner.id, amount: 50, rate: 5, status: 'pending', basisAmount: 1000 },
      { partnerId: partner.id, amount: 25, type: 'bonus', status: 'approved' },
    ]);
    expect(Object.keys(commissions[0] as object)).not.toContain('planId');
    const params = { cid: commissions[1]?.id as string };
    await api.holdCommission({ params, body: { reason: 'Looks like fraud' } });
    const { data: held } = await signedIn.listPortalCommissions({ query: { status: 'on_hold' } });
    expect(held).toMatchObject([{ id: params.cid, reason: null }]);
    await api.releaseCommission({ params });
    await api.approveCommission({ params, body: {} });
    expect((await signedIn.listPortalCommissions({ query: { status: 'approved' } })).data).toHaveLength(1);
    const { data: statements } = await signedIn.listPortalStatements({});
    expect(statements).toMatchObject([{ partnerId: partner.id, earned: 75, closingBalance: 75, status: 'open' }]);
    const { data: codes } = await signedIn.listPortalReferralCodes({ query: { isActive: 'true' } });
    expect(codes).toMatchObject([{ partnerId: partner.id, uses: 0, link: expect.stringContaining('/v1/public/r/') }]);
    const { data: downline } = await signedIn.listPortalDownline({});
    expect(downline).toMatchObject([{ id: other.partner.id, depth: 1, status: 'approved' }]);
    expect(JSON.stringify(downline)).not.toContain('@');
    expect((await other.signedIn.listPortalDownline({})).data).toEqual([]);
  });

  it('shows of leads and deals what the setting discloses', async () => {
    const { signedIn, api, partner } = await twoPartners();
    const read = async () => {
      const { data: people } = await signedIn.listPortalLeads({});
      const { data: deals } = await signedIn.listPortalOpportunities({});
      return [people.length, people[0].firstName, people[0].lastName, people[0].email, deals[1].name, deals[1].value];
    };
    const [name, value] = [`Engines of ${partner.id}`, 1000];
    expect(await read()).toEqual([1, 'Ada', null, null, name, value]);
    const tenantId = api.caller.tenantId as number;
    for (const [disclosure, expected] of [
      ['none', [1, null, null, null, null, null]],
      ['contacts', [1, 'Ada', 'Lovelace', 'ada@example.com', name, value]],
    ] as const) {
      peer.setAddons(tenantId, { partner_program: { disclosure } });
      await until(`the setting ${disclosure} has arrived`, async () => `${await read()}` === `${expected}`);
    }
    const { data: won, body } = await signedIn.listPortalOpportunities({ query: { status: 'won' } });
    expect([won.length, body.pagination?.total]).toEqual([1, 1]);
  });

  it('hides the values of deals with the setting none, also in sums, commissions and files', async () => {
    const { signedIn, api } = await twoPartners();
    const read = async () => {
      const { data: dashboard } = await signedIn.getPortalDashboard();
      const { data: commissions } = await signedIn.listPortalCommissions({ query: { type: 'earned' } });
      const { data: statements } = await signedIn.listPortalStatements({});
      const token = statements[0].downloadUrl.split('/').at(-1);
      const { text } = await anonymous(service).serveStatement({ params: { token } });
      const [header, earned] = text.split('\r\n').map((line: string) => line.split(','));
      // A response without its deals names them as missing: crm took too long.
      return [dashboard.deals[0]?.wonValue, commissions[0].basisAmount, earned?.[header?.indexOf('basisAmount') ?? -1]];
    };
    expect(await read()).toEqual([1000, 1000, '1000']);
    peer.setAddons(api.caller.tenantId as number, { partner_program: { disclosure: 'none' } });
    await until('the setting has arrived', async () => (await read())[0] === null);
    expect(await read()).toEqual([null, null, '']);
  });

  it('does not name a lead of whom only the address is known, because the name is a part of it', async () => {
    const { signedIn, other } = await twoPartners();
    const unnamed = { email: 'secret.person@example.com', firstName: 'secret.person', lastName: '-' };
    expect((await signedIn.createPortalLead({ body: unnamed })).status).toBe(201);
    const { data } = await signedIn.listPortalLeads({});
    expect(data.map(({ firstName }: { firstName: string }) => firstName)).toEqual([null, 'Ada']);
    expect(JSON.stringify((await other.signedIn.listPortalLeads({})).data)).not.toContain('secret');
  });

  it('takes a lead, and tells nothing about one of another partner', async () => {
    const { signedIn, other } = await twoPartners();
    const person = { email: 'grace@example.com', firstName: 'Grace', lastName: 'Hopper' };
    const { status, data } = await signedIn.createPortalLead({ body: person });
    expect([status, data]).toMatchObject([201, { referralStatus: 'attributed', source: 'manual', ...person }]);
    expect(peer.requests.findLast(({ body }) => body.email === person.email)?.body).toMatchObject({ onlyNew: true });
    expect((await signedIn.listPortalLeads({})).data).toHaveLength(2);
    const late = await other.signedIn.createPortalLead({ body: person });
    const again = await signedIn.createPortalLead({ body: person });
    for (const { status, body } of [late, again])
      expect([status, body.code, body.errors ?? []]).toEqual([409, 'already_referred', []]);
    expect(late.body.message).toBe(again.body.message);
    expect((await signedIn.listPortalLeads({})).data).toHaveLength(2);
    const wrong = await signedIn.createPortalLead({ body: { ...person, email: 'none' } });
    expect([wrong.status, wrong.body.errors?.[0]?.field]).toEqual([422, 'email']);
  });

  it('finishes an interrupted submission of the own partner, and takes over none of another', async () => {
    const { signedIn, other } = await twoPartners();
    const person = { email: 'interrupted@example.com', firstName: 'Grace', lastName: 'Hopper' };
    const { tenantId, environment, partnerId } = signedIn.caller;
    const signer = createCallerSigner(process.env.INTERNAL_SECRETS as string);
    const crm = createServiceClient({ service: 'partner', signer, operations: internalLeads, baseUrl: peer.url });
    // The process ended after crm had created the lead.
    await crm.upsertLeadByEmail({
      body: { ...person, source: 'referral', partnerId: partnerId as number, onlyNew: true },
      as: { tenantId: tenantId as number, environment, requestId: 'interrupted' },
    });
    expect((await other.signedIn.createPortalLead({ body: person })).status).toBe(409);
    expect((await signedIn.createPortalLead({ body: person })).status).toBe(201);
  });

  it('keeps the idempotency keys of its users apart', async () => {
    const { signedIn, other } = await twoPartners();
    const send = (portal: Api, email: string) =>
      portal.createPortalLead({
        body: { email, firstName: 'Grace', lastName: 'Hopper' },
        headers: { 'idempotency-key': 'lead-1' },
      });
    const first = await send(signedIn, 'first@example.com');
    expect([first.status, (await send(other.signedIn, 'second@example.com')).status]).toEqual([201, 201]);
    expect((await send(signedIn, 'first@example.com')).data).toEqual(first.data);
    expect((await send(signedIn, 'second@example.com')).body.code).toBe('idempotency_mismatch');
  });

  it('is closed to marketers, and to nobody else’s data', async () => {
    const { api, partner } = await twoPartners();
    const marketer = await aPortalUserOf(service, api, partner, { role: 'marketer' });
    const replies = await Promise.all([
      marketer.signedIn.getPortalDashboard(),
      marketer.signedIn.listPortalLeads(),
      marketer.signedIn.listPortalOpportunities(),
      marketer.signedIn.listPortalCommissions(),
      marketer.signedIn.listPortalStatements(),
      marketer.signedIn.listPortalReferralCodes(),
      marketer.signedIn.listPortalDownline(),
      marketer.signedIn.createPortalLead({ body: {} }),
    ]);
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(403));
  });
});
