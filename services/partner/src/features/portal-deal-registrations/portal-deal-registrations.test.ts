import { until } from '@tandem/testing';
import {
  type Api,
  anApprovedPartner,
  aPeer,
  type Peer,
  type Service,
  startPartner,
} from '../../partner.test-service.ts';
import { aDeal, aDraft, anApproved, answerOf, aSubmitted } from '../deal-registrations/deals.test-service.ts';

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

let people = 0;

/** A portal user of an approved partner. */
async function inPortal(api: Api = service.as(), role = 'member') {
  const partner = await anApprovedPartner(api);
  const body = { email: `portal${++people}@example.com`, password: 'a long phrase is best', role };
  const { data: user } = await api.createPortalUser({ params: { id: partner.id }, body });
  const { tenantId, environment } = api.caller as { tenantId: number; environment: 'live' };
  const portal = service.as({
    type: 'portal',
    tenantId,
    environment,
    sessionId: 3,
    can: [],
    partnerId: Number(partner.id),
    portalUserId: Number(user.id),
  });
  return { api, partner, portal };
}

it('registers, changes, submits and withdraws deals of the own partner', async () => {
  const { api, partner, portal } = await inPortal();
  const { status, data } = await portal.createPortalDealRegistration({ body: aDeal() });
  expect([status, data]).toMatchObject([201, { partnerId: partner.id, status: 'draft', value: 4_800 }]);
  const params = { id: data.id };
  const updated = await portal.updatePortalDealRegistration({ params, body: { notes: 'Two machines' } });
  expect(updated.data).toMatchObject({ notes: 'Two machines', version: 2 });
  const stale = { params, headers: { 'if-match': '"1"' } };
  expect((await portal.submitPortalDealRegistration(stale)).status).toBe(412);
  expect((await portal.submitPortalDealRegistration({ params })).data.status).toBe('submitted');
  expect(answerOf(await portal.deletePortalDealRegistration({ params }))).toEqual([409, 'not_draft']);
  const withdrawn = await portal.withdrawPortalDealRegistration({ params, body: { reason: 'Lost' } });
  expect(withdrawn.data).toMatchObject({ status: 'withdrawn', reason: 'Lost' });
  const { data: draft } = await portal.createPortalDealRegistration({ body: aDeal() });
  expect((await portal.deletePortalDealRegistration({ params: { id: draft.id } })).data.deleted).toBe(true);
  expect((await api.getDealRegistration({ params })).data).toMatchObject({ status: 'withdrawn' });
  const event = await until('the event arrives', () =>
    service.events.find(({ name, target }) => name === 'deal_registration.created' && target.id === Number(data.id)),
  );
  expect(event.caller).toMatchObject({ type: 'portal' });
});

it('shows only own registrations, without what is internal', async () => {
  const { api, partner, portal } = await inPortal();
  const own = await aDraft(api, { partnerId: partner.id, company: 'Acme' });
  const foreign = await aSubmitted(api, { company: 'Acme' });
  const list = async (query: Record<string, string> = {}) =>
    (await portal.listPortalDealRegistrations({ query })).data.map(({ id }: { id: string }) => id);
  expect(await list()).toEqual([own.id]);
  expect(await list({ search: 'acme' })).toEqual([own.id]);
  expect(await list({ status: 'submitted' })).toEqual([]);
  const { data } = await portal.getPortalDealRegistration({ params: { id: own.id } });
  for (const field of ['createdBy', 'leadId', 'opportunityId', 'conflictingIds'])
    expect(data).not.toHaveProperty(field);
  const params = { id: foreign.id };
  const replies = [
    await portal.getPortalDealRegistration({ params }),
    await portal.updatePortalDealRegistration({ params, body: {} }),
    await portal.deletePortalDealRegistration({ params }),
    await portal.submitPortalDealRegistration({ params }),
    await portal.withdrawPortalDealRegistration({ params, body: {} }),
  ];
  expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
});

it('tells only that a company is registered already', async () => {
  const { api, portal } = await inPortal();
  await anApproved(api, { company: 'Acme' });
  const { data } = await portal.createPortalDealRegistration({ body: aDeal({ company: 'ACME Inc.' }) });
  const { status, body } = await portal.submitPortalDealRegistration({ params: { id: data.id } });
  expect([status, body.code, body.errors ?? []]).toEqual([409, 'already_registered', []]);
});

it('is closed to marketers, and to sessions without a partner', async () => {
  const { api, partner, portal } = await inPortal(service.as(), 'marketer');
  const { id } = await aDraft(api, { partnerId: partner.id });
  const params = { id };
  const replies = [
    await portal.listPortalDealRegistrations(),
    await portal.createPortalDealRegistration({ body: aDeal() }),
    await portal.getPortalDealRegistration({ params }),
    await portal.submitPortalDealRegistration({ params }),
  ];
  expect(replies.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  expect((await service.as().listPortalDealRegistrations()).status).toBe(401);
});
