import { publishLeadMerge, until } from '@tandem/testing';
import {
  type Api,
  anApprovedPartner,
  aPeer,
  dealWon,
  formWith,
  leadCreatedWith,
  leadUpdatedWith,
  type Peer,
  publish,
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

const referralsOf = async (api: Api) =>
  (await service.sqlWithin(api.caller, 'SELECT lead_id::int AS lead FROM referral ORDER BY id')).map(
    ({ lead }) => lead,
  );
const refer = async (api: Api, partnerId: string, leadId: string) =>
  expect((await api.createReferral({ body: { partnerId, leadId } })).status).toBe(201);
const commissions = async (api: Api, id: string) => (await api.listPartnerCommissions({ params: { id } })).data.length;

it('referral and waiting deals move to the survivor, where they meet, and the referral goes back', async () => {
  const api = service.as();
  const told = { service, tenantId: api.caller.tenantId as number };
  const { id } = await anApprovedPartner(api);
  await refer(api, id, '301');
  await publish(service, api, dealWon({ opportunityId: '9301', leadId: '302', value: 100 }));
  await until('the deal waits', async () => {
    return (await service.sqlWithin(api.caller, 'SELECT FROM uncredited_deal')).length === 1;
  });
  await publishLeadMerge(told, { leadId: '301', into: '302', version: 2 });
  await until('the waiting deal earns', async () => (await commissions(api, id)) === 1);
  expect(await referralsOf(api)).toEqual([302]);
  // A deal of the merged lead whose event arrives late.
  await publish(service, api, dealWon({ opportunityId: '9302', leadId: '301', value: 100 }));
  await until('the late deal earns', async () => (await commissions(api, id)) === 2);
  await publishLeadMerge(told, { leadId: '301', from: '302', version: 3 });
  await until('the referral is back', async () => (await referralsOf(api))[0] === 301);
  expect(await commissions(api, id)).toBe(2);
});

it('a survivor with a referral keeps it, and without one gets the oldest', async () => {
  const api = service.as();
  const told = { service, tenantId: api.caller.tenantId as number };
  const partners = [await anApprovedPartner(api), await anApprovedPartner(api)] as const;
  await refer(api, partners[0].id, '311');
  await refer(api, partners[1].id, '312');
  await publishLeadMerge(told, { leadId: '312', into: '311', version: 2 });
  await publish(service, api, dealWon({ opportunityId: '9311', leadId: '312', value: 100 }));
  await until('the deal of the survivor earns', async () => (await commissions(api, partners[0].id)) === 1);
  expect([await referralsOf(api), await commissions(api, partners[1].id)]).toEqual([[311, 312], 0]);
  await publishLeadMerge(told, { leadId: '311', into: '313', version: 2 });
  await until('the oldest moved', async () => (await referralsOf(api))[0] === 313);
  await publishLeadMerge(told, { leadId: '311', from: '313', version: 3 });
  await until('it is back', async () => (await referralsOf(api))[0] === 311);
  expect(await referralsOf(api)).toEqual([311, 312]);
});

it('an unproven referral of the survivor gives way to that of the merged lead', async () => {
  const api = service.as();
  const told = { service, tenantId: api.caller.tenantId as number };
  const [proven, unproven] = [await anApprovedPartner(api), await anApprovedPartner(api)];
  await refer(api, proven.id, '331');
  await publish(service, api, formWith(unproven.code, '332'));
  await until('the form is flagged', async () => (await referralsOf(api)).length === 2);
  await publishLeadMerge(told, { leadId: '331', into: '332', version: 2 });
  await until('the proven one moved', async () => (await referralsOf(api)).join() === '332');
  await publish(service, api, dealWon({ opportunityId: '9331', leadId: '332', value: 100 }));
  await until('the deal earns', async () => (await commissions(api, proven.id)) === 1);
  const { data } = await api.listReferralConflicts({ params: { id: unproven.id } });
  expect(data).toMatchObject([{ winnerPartnerId: proven.id, cause: 'unconfirmed_form' }]);
});

it('a void referral of the survivor gives way too', async () => {
  const api = service.as();
  const told = { service, tenantId: api.caller.tenantId as number };
  const [holder, former] = [await anApprovedPartner(api), await anApprovedPartner(api)];
  await refer(api, holder.id, '341');
  const { data } = await api.createReferral({ body: { partnerId: former.id, leadId: '342' } });
  await api.voidReferral({ params: { id: data.id }, body: { reason: 'Fraud' } });
  await publishLeadMerge(told, { leadId: '341', into: '342', version: 2 });
  await until('the referral moved', async () => (await referralsOf(api)).join() === '342');
  await publish(service, api, dealWon({ opportunityId: '9341', leadId: '342', value: 100 }));
  await until('the deal earns', async () => (await commissions(api, holder.id)) === 1);
});

it('a lead that an unconfirmed form created takes nothing of the lead that it is merged with', async () => {
  const api = service.as();
  const told = { service, tenantId: api.caller.tenantId as number };
  const [partner, stranger] = [await anApprovedPartner(api), await anApprovedPartner(api)];
  const created = async (leadId: string) => {
    const web = { source: 'web', email: `person+${leadId}@example.com` };
    await publish(service, api, leadCreatedWith(stranger.code, leadId, web));
    await publish(service, api, formWith(stranger.code, leadId, { isNew: true }));
    const text = `SELECT FROM referral WHERE lead_id = ${leadId} AND is_unproven`;
    await until('it is attributed', async () => (await service.sqlWithin(api.caller, text)).length === 1);
  };
  // Into a lead of the team.
  await created('351');
  await publishLeadMerge(told, { leadId: '351', into: '352', version: 2 });
  const statusOf = async () =>
    (await api.listPartnerReferrals({ params: { id: stranger.id } })).data.map(
      ({ leadId, status }: Record<string, string>) => `${leadId} ${status}`,
    );
  await until('it is flagged', async () => (await statusOf()).join() === '352 flagged');
  await publish(service, api, {
    ...leadUpdatedWith(stranger.code, '352'),
    data: { leadId: '352', changes: { referralCode: stranger.code }, isMerge: true },
  });
  // As the survivor of a lead that another partner has.
  await created('353');
  await refer(api, partner.id, '354');
  await publishLeadMerge(told, { leadId: '354', into: '353', version: 2 });
  await until('the attempt is listed', async () => {
    return (await api.listReferralConflicts({ params: { id: stranger.id } })).data.length === 1;
  });
  await publish(service, api, dealWon({ opportunityId: '9353', leadId: '353', value: 100 }));
  await until('the deal earns', async () => (await commissions(api, partner.id)) === 1);
  expect(await statusOf()).toEqual(['352 flagged']);
});

it('the code that a survivor gets by the merge adds no second referral, in either order of the events', async () => {
  const api = service.as();
  const told = { service, tenantId: api.caller.tenantId as number };
  const { id, code } = await anApprovedPartner(api);
  const referred = async (lead: string) => {
    await publish(service, api, leadCreatedWith(code, lead));
    await until('it is attributed', async () => (await referralsOf(api)).includes(Number(lead)));
  };
  await referred('321');
  await publishLeadMerge(told, { leadId: '321', into: '322', version: 2 });
  await until('it moved', async () => (await referralsOf(api)).join() === '322');
  await publish(service, api, leadUpdatedWith(code, '322'));
  await referred('323');
  // The event of the merge happened first and arrives last.
  const merged = publishLeadMerge(
    { service: delayed(), tenantId: told.tenantId },
    { leadId: '323', into: '324', version: 2 },
  );
  await publish(service, api, leadUpdatedWith(code, '324'));
  await until('it is attributed', async () => (await referralsOf(api)).includes(324));
  expect(await referralsOf(api)).toEqual([322, 323, 324]);
  release();
  await merged;
  await until('the copy is gone', async () => (await referralsOf(api)).join() === '322,324');
  await publishLeadMerge(told, { leadId: '323', from: '324', version: 3 });
  await until('it is back', async () => (await referralsOf(api)).join() === '322,323');
  expect((await api.getPartner({ params: { id } })).data.referralCount).toBe(2);
});

let release = () => {};
/** A service that publishes when released, an event made before. */
function delayed(): Pick<Service, 'publish'> {
  const { promise, resolve } = Promise.withResolvers<void>();
  release = resolve;
  return { publish: async (...message) => void (await promise.then(() => service.publish(...message))) };
}
