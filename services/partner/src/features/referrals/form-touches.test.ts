import { until } from '@tandem/testing';
import {
  type Api,
  anApprovedPartner,
  aPeer,
  formWith,
  leadCreatedWith,
  leadUpdatedWith,
  type Peer,
  publish,
  type Service,
  startPartner,
} from '../../partner.test-service.ts';
import { aPortalUserOf } from '../../portal.test-service.ts';

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

let numbers = 100;

/** Two approved partners and a lead. */
async function twoPartners(api: Api = service.as()) {
  const [holder, claimant] = [await anApprovedPartner(api), await anApprovedPartner(api)];
  const referralsOf = async ({ id }: { id: string }) => (await api.listPartnerReferrals({ params: { id } })).data;
  const conflictsOf = async ({ id }: { id: string }) => (await api.listReferralConflicts({ params: { id } })).data;
  return { api, holder, claimant, leadId: `${++numbers}`, referralsOf, conflictsOf };
}

describe('a referral code that is sent with a form', () => {
  it('takes no lead of another partner if nobody confirmed the address: the attempt becomes a conflict', async () => {
    const { api, holder, claimant, leadId, referralsOf, conflictsOf } = await twoPartners();
    await api.createReferral({ body: { partnerId: holder.id, leadId } });
    await publish(service, api, formWith(claimant.code, leadId));
    const conflicts = await until('the conflict is listed', async () => {
      const found = await conflictsOf(claimant);
      return found.length > 0 && found;
    });
    expect(conflicts).toMatchObject([{ winnerPartnerId: holder.id, source: 'form', cause: 'unconfirmed_form' }]);
    expect(await referralsOf(holder)).toMatchObject([{ leadId, status: 'attributed' }]);
  });

  it('takes the lead of another partner by the last touch if the person confirmed the address', async () => {
    const { api, holder, claimant, leadId, referralsOf, conflictsOf } = await twoPartners();
    await api.createReferral({ body: { partnerId: holder.id, leadId } });
    await publish(service, api, formWith(claimant.code.toLowerCase(), leadId, { isConfirmed: true }));
    await until('the lead moves', async () => (await referralsOf(claimant)).length === 1);
    expect(await referralsOf(claimant)).toMatchObject([{ leadId, source: 'form', status: 'attributed' }]);
    expect(await conflictsOf(holder)).toMatchObject([{ cause: 'later_touch' }]);
  });

  it('flags a lead that existed without a partner, until a manager clears it or a proven touch comes', async () => {
    const { api, holder, claimant, leadId, referralsOf } = await twoPartners();
    await publish(service, api, formWith(claimant.code, leadId));
    await until('the lead is flagged', async () => (await referralsOf(claimant)).length === 1);
    const [flagged] = await referralsOf(claimant);
    expect(flagged).toMatchObject({ status: 'flagged', flagReason: 'unconfirmed_form' });
    const { data: cleared } = await api.clearReferral({ params: { id: flagged.id }, body: {} });
    expect(cleared).toMatchObject({ status: 'attributed', flagReason: 'unconfirmed_form' });
    await publish(service, api, leadUpdatedWith(holder.code, leadId));
    await until('the lead moves', async () => (await referralsOf(holder)).length === 1);
  });

  it('gives way to every touch that is proven, also to an earlier one, and shows the partner nothing', async () => {
    const { api, holder, claimant, leadId, referralsOf, conflictsOf } = await twoPartners();
    const occurredAt = new Date(Date.now() - 86_400_000).toISOString();
    await publish(service, api, formWith(claimant.code, leadId));
    await until('the lead is flagged', async () => (await referralsOf(claimant)).length === 1);
    const { signedIn } = await aPortalUserOf(service, api, claimant);
    expect((await signedIn.listPortalLeads({})).data).toEqual([]);
    expect((await api.createReferral({ body: { partnerId: holder.id, leadId, occurredAt } })).status).toBe(201);
    expect(await referralsOf(holder)).toMatchObject([{ leadId, status: 'attributed', flagReason: null }]);
    expect(await conflictsOf(claimant)).toMatchObject([{ winnerPartnerId: holder.id, cause: 'unconfirmed_form' }]);
  });

  it('is attributed once the same partner has a proven touch', async () => {
    const { api, claimant, leadId, referralsOf, conflictsOf } = await twoPartners();
    await publish(service, api, formWith(claimant.code, leadId));
    await until('the lead is flagged', async () => (await referralsOf(claimant)).length === 1);
    await publish(service, api, formWith(claimant.code, leadId, { isConfirmed: true }));
    await until('the lead is attributed', async () => (await referralsOf(claimant))[0]?.status === 'attributed');
    expect(await conflictsOf(claimant)).toEqual([]);
  });

  it('uses up no code while it is unproven, and can still be proven after it was voided', async () => {
    const { api, claimant, leadId, referralsOf } = await twoPartners();
    const { data: code } = await api.createReferralCode({ params: { id: claimant.id }, body: { maxUses: 1 } });
    await publish(service, api, formWith(code.code, leadId));
    await until('the lead is flagged', async () => (await referralsOf(claimant)).length === 1);
    expect((await api.listReferralCodes({ params: { id: claimant.id } })).data[0]).toMatchObject({ uses: 0 });
    const [{ id }] = await referralsOf(claimant);
    await api.voidReferral({ params: { id }, body: { reason: 'Not proven' } });
    await publish(service, api, formWith(code.code, leadId, { isConfirmed: true }));
    await until('the lead is attributed', async () => (await referralsOf(claimant))[0]?.status === 'attributed');
    const used = await api.createReferral({ body: { code: code.code, leadId: `${++numbers}` } });
    expect(used.body.code).toBe('code_not_usable');
  });

  it('takes no void referral of another partner', async () => {
    const { api, holder, claimant, leadId, referralsOf } = await twoPartners();
    const { data } = await api.createReferral({ body: { partnerId: holder.id, leadId } });
    await api.voidReferral({ params: { id: data.id }, body: { reason: 'Fraud' } });
    await publish(service, api, formWith(claimant.code, leadId));
    await publish(service, api, formWith(claimant.code, `${++numbers}`));
    await until('both forms are handled', async () => (await referralsOf(claimant)).length === 1);
    expect(await referralsOf(holder)).toMatchObject([{ leadId, status: 'void', voidReason: 'Fraud' }]);
  });

  it('does not renew the claim of the own partner without a confirmation', async () => {
    const { api, holder, claimant, leadId, referralsOf } = await twoPartners();
    const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
    await api.createReferral({ body: { partnerId: holder.id, leadId, occurredAt: ago(3) } });
    await publish(service, api, formWith(holder.code, leadId, { occurredAt: ago(1) }));
    await publish(service, api, formWith(holder.code, `${++numbers}`));
    await until('both forms are handled', async () => (await referralsOf(holder)).length === 2);
    const taken = await api.createReferral({ body: { partnerId: claimant.id, leadId, occurredAt: ago(2) } });
    expect(taken.status).toBe(201);
  });

  it('attributes a new lead once, in whichever order the events arrive', async () => {
    const { api, claimant, leadId, referralsOf, conflictsOf } = await twoPartners();
    const created = leadCreatedWith(claimant.code, leadId, { source: 'web' });
    await publish(service, api, formWith(claimant.code, leadId, { isNew: true }));
    await until('the lead is attributed', async () => (await referralsOf(claimant)).length === 1);
    await publish(service, api, created);
    await publish(service, api, leadCreatedWith(claimant.code, `${++numbers}`));
    await until('the later event is handled', async () => (await referralsOf(claimant)).length === 2);
    const found = (await referralsOf(claimant)).find((one: { leadId: string }) => one.leadId === leadId);
    expect(found).toMatchObject({ source: 'form', status: 'attributed', version: 1 });
    expect(await conflictsOf(claimant)).toEqual([]);
  });
});
