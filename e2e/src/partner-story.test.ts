import { aTenant, startFleet, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { until } from '@tandem/testing';

let fleet: TestFleet;
let tenant: TestTenant;
beforeAll(async () => {
  fleet = await startFleet({ services: ['identity', 'crm', 'partner', 'search'] });
  tenant = await aTenant(fleet);
}, 240_000);
afterAll(() => fleet?.stop(), 60_000);

it('a deal that a partner registers in the portal becomes a lead and an opportunity, which earns the commission', async () => {
  const { api } = tenant;
  const { data: partner } = await api.createPartner({
    body: { email: 'joan@example.com', firstName: 'Joan', lastName: 'Clarke' },
  });
  const ofPartner = { id: partner.id };
  await api.approvePartner({ params: ofPartner, body: { tier: 'gold' } });
  const person = { email: 'joan@example.com', password: 'a long phrase is best' };
  await api.createPortalUser({ params: ofPartner, body: { ...person, role: 'owner' } });
  const { data: session } = await fleet.api().loginToPortal({ body: { ...person, tenant: tenant.id } });
  const portal = fleet.api({ accessToken: session.token, tenantId: tenant.id });

  const contact = { email: 'ada@engines.example', firstName: 'Ada', lastName: 'Lovelace' };
  const body = { company: 'Analytical Engines Ltd', contact, value: 99.99, currency: 'EUR' };
  const { data: draft } = await portal.createPortalDealRegistration({ body });
  const params = { id: draft.id };
  await portal.submitPortalDealRegistration({ params });
  await api.approveDealRegistration({ params });
  const { data: converted } = await api.convertDealRegistration({ params, body: {} });
  expect((await portal.getPortalDealRegistration({ params })).data.status).toBe('converted');

  const leadId = converted.leadId as string;
  const { data: lead } = await api.getLead({ params: { id: leadId } });
  const opportunityId = converted.opportunityId as string;
  expect(lead).toMatchObject({ ...contact, source: 'referral', convertedOpportunityId: opportunityId });
  const { data: deal } = await api.getOpportunity({ params: { id: opportunityId } });
  expect(deal).toMatchObject({ name: body.company, value: 99.99, currency: 'EUR', leadId, partnerId: partner.id });
  await until('the lead has its partner', async () => {
    const { data } = await api.getLead({ params: { id: leadId } });
    return data.partnerId === partner.id;
  });

  await api.winOpportunity({ params: { id: opportunityId }, body: {} });
  const [commission] = await until('the commission exists', async () => {
    const { data } = await api.listPartnerCommissions({ params: ofPartner });
    return data.length > 0 && data;
  });
  expect(commission).toMatchObject({ amount: 10, rate: 10, opportunityId });
});

it('a partner who gets another parent is below it in the hierarchy, with public ids, and in the search', async () => {
  const { api } = tenant;
  const anApproved = async (firstName: string) => {
    const email = `${firstName.toLowerCase()}@partners.example`;
    const { data } = await api.createPartner({ body: { email, firstName, lastName: 'Hollerith' } });
    await api.approvePartner({ params: { id: data.id }, body: {} });
    return data.id;
  };
  const [top, middle, last] = [await anApproved('Herman'), await anApproved('Ida'), await anApproved('Otto')];
  await api.setPartnerParent({ params: { id: middle }, body: { parentPartnerId: top } });
  await api.setPartnerParent({ params: { id: last }, body: { parentPartnerId: middle } });
  const { data: hierarchy } = await api.getPartnerHierarchy({ params: { id: middle } });
  expect(hierarchy).toMatchObject({
    id: top,
    depth: -1,
    children: [{ id: middle, depth: 0, children: [{ id: last, depth: 1, children: [] }] }],
  });
  await until('search has the new parent', async () => {
    const { data } = await api.searchPartners({ query: { q: 'otto' } });
    return data[0]?.document['parentPartnerId'] === middle;
  });
});
