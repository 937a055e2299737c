import { createCallerSigner } from '@tandem/caller';
import { createServiceClient } from '@tandem/client/internal';
import { internalLeads } from '@tandem/crm-contract';
import { until } from '@tandem/testing';
import {
  anApprovedPartner,
  aPeer,
  dealWon,
  formWith,
  leadCreatedWith,
  type Peer,
  publish,
  type Service,
  startPartner,
} from '../../partner.test-service.ts';
import { aPayee, aPayout, ibans } from '../payouts/payouts.test-service.ts';

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

it('flags a referral of another registration of the same person, which is paid to the same account', async () => {
  const api = service.as();
  const payee = await aPayee(service, api, ibans[0]);
  const same = await aPayee(service, api, ibans[0]);
  const other = await aPayee(service, api, ibans[1]);
  const without = await anApprovedPartner(api);
  const { data: detail } = await api.getPartner({ params: { id: payee.id } });
  const code = detail.referralCodes[0].code as string;
  const emails = [same.email, same.user.email, other.email, without.email];
  for (const [index, email] of emails.entries())
    await publish(
      service,
      api,
      leadCreatedWith(code, `${700 + index}`, { email, firstName: 'Joan', lastName: 'Clarke' }),
    );
  const statuses = await until('all are handled', async () => {
    const { data } = await api.listPartnerReferrals({ params: { id: payee.id } });
    return data.length === 4 && data.map(({ leadId, status }: Record<string, string>) => `${leadId} ${status}`).sort();
  });
  expect(statuses).toEqual(['700 flagged', '701 flagged', '702 attributed', '703 attributed']);
});

it('holds back what is being paid once the payment fails, and what a person cleared of another reason', async () => {
  const api = service.as();
  const payee = await aPayee(service, api, ibans[0]);
  const same = await aPayee(service, api);
  const leadId = await aLead(same.email);
  await publish(service, api, formWith(payee.code, leadId));
  const [flagged] = await until('the form is flagged', async () => {
    const { data } = await api.listPartnerReferrals({ params: { id: payee.id } });
    return data.length > 0 && data;
  });
  await api.clearReferral({ params: { id: flagged.id }, body: {} });
  await publish(service, api, dealWon({ opportunityId: leadId, leadId, value: 100 }));
  const [{ id: cid }] = await until('the deal earns', async () => {
    const { data } = await api.listPartnerCommissions({ params: { id: payee.id } });
    return data.length > 0 && data;
  });
  await api.approveCommission({ params: { cid }, body: {} });
  const { id } = await aPayout(api);
  await api.approvePayout({ params: { id } });
  await api.processPayout({ params: { id }, body: { method: 'file' } });
  await same.setAccount(ibans[0]);
  await until('the referral is flagged', async () => {
    const { data } = await api.listPartnerReferrals({ params: { id: payee.id }, query: { status: 'flagged' } });
    return data.length === 1 && data[0].flagReason === 'same_account';
  });
  const [item] = (await api.listPayoutItems({ params: { id } })).data;
  await api.markPayoutPaid({ params: { id }, body: { failed: [{ itemId: item.id, reason: 'Account closed' }] } });
  await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'hold-flagged-commissions'`);
  await until('the commission is on hold', async () => {
    return (await api.getCommission({ params: { cid } })).data.status === 'on_hold';
  });
});

const tagged = (email: string) => email.replace('@', '+lead@');

/** The number of a new lead in crm. */
async function aLead(email: string): Promise<string> {
  const signer = createCallerSigner(process.env.INTERNAL_SECRETS as string);
  const crm = createServiceClient({ service: 'partner', signer, operations: internalLeads, baseUrl: peer.url });
  const as = { tenantId: 1, environment: 'live' as const, requestId: 'a_lead' };
  return `${(await crm.upsertLeadByEmail({ body: { email, firstName: 'Joan', lastName: 'Clarke' }, as })).leadId}`;
}

it('flags a referral when the lead sets the account of the partner later, and its deals earn once it is cleared', async () => {
  const api = service.as();
  const payee = await aPayee(service, api, ibans[0]);
  const [same, other] = [await aPayee(service, api), await aPayee(service, api)];
  const [sameLead, otherLead] = [await aLead(tagged(same.email)), await aLead(other.email)];
  for (const leadId of [sameLead, otherLead]) {
    expect((await api.createReferral({ body: { partnerId: payee.id, leadId } })).status).toBe(201);
    await publish(service, api, dealWon({ opportunityId: leadId, leadId, value: 100 }));
  }
  const commissions = async () => {
    const { data } = await api.listPartnerCommissions({ params: { id: payee.id } });
    return Object.fromEntries(data.map((one: Record<string, string>) => [one['opportunityId'], one['status']]));
  };
  await until('both deals earn', async () => Object.keys(await commissions()).length === 2);
  await same.setAccount(ibans[0]);
  await other.setAccount(ibans[1]);
  const flagged = await until('the referral is flagged', async () => {
    const { data } = await api.listPartnerReferrals({ params: { id: payee.id }, query: { status: 'flagged' } });
    return data.length > 0 && data;
  });
  expect(flagged).toMatchObject([{ leadId: sameLead, flagReason: 'same_account', version: 2 }]);
  expect(await commissions()).toEqual({ [sameLead]: 'on_hold', [otherLead]: 'pending' });
  const event = await until('referral.flagged arrives', () =>
    service.events.find(({ name, tenantId }) => name === 'referral.flagged' && tenantId === api.caller.tenantId),
  );
  expect(event.changes).toEqual({ status: { from: 'attributed', to: 'flagged' } });
  await api.clearReferral({ params: { id: flagged[0].id }, body: {} });
  expect(await commissions()).toEqual({ [sameLead]: 'pending', [otherLead]: 'pending' });
  // The person who cleared the referral knows about the account.
  await same.setAccount(ibans[1]);
  await same.setAccount(ibans[0]);
  await until('the accounts are compared', async () => {
    const jobs = await service.sqlWithin(api.caller, `SELECT FROM platform.job WHERE name = 'flag-referrals'`);
    return jobs.length === 0;
  });
  const { data: again } = await api.listPartnerReferrals({ params: { id: payee.id }, query: { status: 'attributed' } });
  expect(again).toHaveLength(2);
});
