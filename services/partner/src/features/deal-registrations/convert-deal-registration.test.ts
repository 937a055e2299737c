import { until } from '@tandem/testing';
import {
  type Api,
  anApprovedPartner,
  aPeer,
  dealWon,
  leadCreatedWith,
  type Peer,
  publish,
  type Service,
  startPartner,
} from '../../partner.test-service.ts';
import { openedDeal } from '../../partner-peer.test-service.ts';
import { aDraft, anApproved, answerOf, aSubmitted, dealOf, makeExpiryDue } from './deals.test-service.ts';

let peer: Peer;
let service: Service;
beforeEach(async () => {
  peer = await aPeer();
  service = await startPartner(peer);
});
afterEach(async () => {
  await service?.close();
  await peer?.close();
});

const convert = (api: Api, id: string, body: object = {}) => api.convertDealRegistration({ params: { id }, body });
const opened = () => peer.requests.filter(({ path }) => path.endsWith('/open-registered'));
const commissions = async (api: Api, id: string) => (await api.listPartnerCommissions({ params: { id } })).data;
/** crm creates the records, but its answer is lost. */
const loseAnswers = () => {
  peer.openDeal = () => ({ status: 503, code: 'unavailable' });
};
const answerAgain = () => {
  peer.openDeal = openedDeal;
};

it('makes a lead and an opportunity in crm, and the won deal earns the commission of the partner', async () => {
  const api = service.as();
  const { id, partnerId, protectedUntil } = await anApproved(api, { notes: 'Two machines' });
  const { status, data } = await convert(api, id, { ownerId: '5' });
  const number = `${1_000 + Number(id)}`;
  expect([status, data]).toMatchObject([
    200,
    { status: 'converted', leadId: number, opportunityId: number, protectedUntil, allowedTransitions: [] },
  ]);
  const [request] = opened();
  expect(request?.body).toEqual({
    dealRegistrationId: id,
    partnerId,
    ownerId: '5',
    contact: data.contact,
    deal: { name: data.company, value: 4_800, currency: 'EUR', expectedCloseAt: null, notes: 'Two machines' },
  });
  for (const name of ['deal_registration.converted', 'referral.attributed'])
    await until(`${name} arrives`, () => service.events.some((one) => one.name === name));
  await publish(service, api, dealWon({ opportunityId: number, leadId: number, value: 4_800 }));
  const [commission] = await until('the commission is earned', async () => {
    const earned = await commissions(api, partnerId);
    return earned.length > 0 && earned;
  });
  expect(commission).toMatchObject({ opportunityId: number, currency: 'EUR', basisAmount: 4_800 });
});

it('makes one lead and one referral, however often it is repeated, also at once', async () => {
  const api = service.as();
  const { id } = await anApproved(api);
  const replies = await Promise.all([1, 2, 3].map(() => convert(api, id)));
  const converted = replies.filter(({ status }) => status === 200);
  expect(converted.length).toBeGreaterThan(0);
  expect(new Set(converted.map(({ data }) => data.leadId)).size).toBe(1);
  expect(answerOf(await convert(api, id))).toEqual([409, 'transition_refused']);
  expect(await service.sqlWithin(api.caller, 'SELECT FROM referral')).toHaveLength(1);
});

it('an interrupted conversion is finished by the next request, and cannot be withdrawn before', async () => {
  const api = service.as();
  const { id, partnerId } = await anApproved(api);
  loseAnswers();
  expect((await convert(api, id)).status).toBe(503);
  const withdrawal = await api.withdrawDealRegistration({ params: { id }, body: {} });
  expect(answerOf(withdrawal)).toEqual([409, 'conversion_running']);
  // The deal is won before the lead is attributed.
  const number = `${1_000 + Number(id)}`;
  await publish(service, api, dealWon({ opportunityId: number, leadId: number, value: 100 }));
  await until('the deal waits', async () => {
    const waiting = await service.sqlWithin(api.caller, 'SELECT FROM uncredited_deal');
    return waiting.length === 1;
  });
  answerAgain();
  expect((await convert(api, id)).data.leadId).toBe(number);
  expect(await commissions(api, partnerId)).toMatchObject([{ opportunityId: number }]);
});

it('an interrupted conversion is finished at the end of the protection', async () => {
  const api = service.as();
  const { id } = await anApproved(api);
  loseAnswers();
  await convert(api, id);
  answerAgain();
  await makeExpiryDue(service, api);
  await until('it is converted', async () => (await dealOf(api, id)).status === 'converted');
});

it('an owner whom crm refuses changes nothing', async () => {
  const api = service.as();
  const { id } = await anApproved(api);
  peer.openDeal = () => ({ status: 422, code: 'validation_failed' });
  const { status, body } = await convert(api, id, { ownerId: '999' });
  expect([status, body.errors?.[0]?.field]).toEqual([422, 'ownerId']);
  expect((await api.withdrawDealRegistration({ params: { id }, body: {} })).status).toBe(200);
});

it('a stale version, or a partner who is not approved, reaches crm with nothing', async () => {
  const api = service.as();
  const { id, partnerId } = await anApproved(api);
  const stale = await api.convertDealRegistration({ params: { id }, body: {}, headers: { 'if-match': '"1"' } });
  expect(stale.status).toBe(412);
  await service.sqlWithin(api.caller, `UPDATE partner SET status = 'suspended' WHERE id = ${partnerId}`);
  expect(answerOf(await convert(api, id))).toEqual([409, 'partner_not_approved']);
  expect((await convert(service.as(), id)).status).toBe(404);
  expect(opened()).toEqual([]);
});

it('a converted company stays protected', async () => {
  const api = service.as();
  const { id } = await anApproved(api, { company: 'Acme' });
  await convert(api, id);
  const other = await aDraft(api, { company: 'Acme' });
  expect(answerOf(await api.submitDealRegistration({ params: { id: other.id } }))).toEqual([409, 'already_registered']);
  expect((await dealOf(api, other.id)).conflictingIds).toEqual([id]);
});

it('a person who registers the own deal earns nothing: the referral is flagged', async () => {
  const api = service.as();
  const { data: partner } = await api.createPartner({
    body: { email: 'joan@example.com', firstName: 'Joan', lastName: 'Clarke' },
  });
  await api.approvePartner({ params: { id: partner.id }, body: {} });
  const contact = { email: 'joan+deal@example.com', firstName: 'J', lastName: 'C' };
  const { id } = await anApproved(api, { partnerId: partner.id, contact });
  await convert(api, id);
  const [referral] = await service.sqlWithin(api.caller, 'SELECT status FROM referral');
  expect(referral).toEqual({ status: 'flagged' });
});

it('is refused, as the approval, while another partner has the lead of the contact', async () => {
  const api = service.as();
  const other = await anApprovedPartner(api);
  const before = new Date(Date.now() - 60_000).toISOString();
  const contact = { email: 'grace@hopper.example', firstName: 'Grace', lastName: 'Hopper' };
  const submitted = await aSubmitted(api, { contact: { ...contact, email: 'grace+work@hopper.example' } });
  const { id, partnerId } = await anApproved(api, { contact: { ...contact, email: 'joan@clarke.example' } });
  peer.leadsByEmail.set('grace@hopper.example', ['41']).set('joan@clarke.example', ['42']);
  for (const leadId of ['41', '42'])
    expect((await api.createReferral({ body: { partnerId: other.id, leadId, occurredAt: before } })).status).toBe(201);
  const approval = await api.approveDealRegistration({ params: { id: submitted.id } });
  expect([...answerOf(approval), approval.body.errors?.[0]?.field]).toEqual([409, 'already_referred', 'contact.email']);
  expect(answerOf(await convert(api, id))).toEqual([409, 'already_referred']);
  expect(opened()).toEqual([]);
  const referral = (await api.listPartnerReferrals({ params: { id: other.id } })).data.find(
    ({ leadId }: { leadId: string }) => leadId === '42',
  );
  await api.reassignReferral({ params: { id: referral.id }, body: { partnerId, reason: 'Registered the deal' } });
  expect((await convert(api, id)).status).toBe(200);
});

it('protects the contact from the approval on: nobody else gets the lead, and what others got since the submission is taken over', async () => {
  const api = service.as();
  const other = await anApprovedPartner(api);
  const contact = { email: 'annie@easley.example', firstName: 'Annie', lastName: 'Easley' };
  const { id, partnerId } = await aSubmitted(api, { contact });
  const created = (leadId: string, email: string) =>
    publish(
      service,
      api,
      leadCreatedWith(other.code, leadId, { ...contact, email, createdAt: new Date().toISOString() }),
    );
  const referred = async () => {
    const { data } = await api.listPartnerReferrals({ params: { id: other.id } });
    return data.map(({ leadId }: { leadId: string }) => leadId);
  };
  await created('51', contact.email);
  await until('the lead is attributed', async () => (await referred()).length === 1);
  peer.leadsByEmail.set(contact.email, ['51']);
  expect((await api.approveDealRegistration({ params: { id } })).status).toBe(200);
  await created('52', 'annie+2@easley.example');
  const conflicts = await until('the attempt is listed', async () => {
    const { data } = await api.listReferralConflicts({ params: { id: other.id } });
    return data.length > 0 && data;
  });
  expect(conflicts).toMatchObject([{ leadId: '52', cause: 'deal_registered', winnerPartnerId: partnerId }]);
  peer.openDeal = () => ({ status: 200, data: { leadId: '51', opportunityId: '51' } });
  expect((await convert(api, id)).status).toBe(200);
  expect(await referred()).toEqual([]);
});

it('keeps the lead with its partner while the registration is protected, and attributes a void referral', async () => {
  const api = service.as();
  const { id, partnerId } = await anApproved(api);
  const leadId = '43';
  peer.openDeal = () => ({ status: 200, data: { leadId, opportunityId: '43' } });
  const { data: referral } = await api.createReferral({ body: { partnerId, leadId } });
  await api.voidReferral({ params: { id: referral.id }, body: { reason: 'Mistake' } });
  await convert(api, id);
  const other = await anApprovedPartner(api);
  const refer = () => api.createReferral({ body: { partnerId: other.id, leadId } });
  expect(answerOf(await refer())).toEqual([409, 'already_referred']);
  const conflicts = await api.listReferralConflicts({ params: { id: other.id } });
  expect(conflicts.data).toMatchObject([{ winnerPartnerId: partnerId, cause: 'deal_registered' }]);
  await service.sqlWithin(api.caller, `UPDATE deal_registration SET protected_until = now() WHERE id = ${id}`);
  expect((await refer()).status).toBe(201);
});
