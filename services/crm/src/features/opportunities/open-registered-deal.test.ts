import type { crm } from '@tandem/crm-contract';
import { identityPeer, type TestService, until, users } from '@tandem/testing';
import { startCrm } from '../../crm.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let service: TestService<typeof crm>;
beforeAll(async () => {
  identity = await identityPeer();
  service = await startCrm({ IDENTITY_URL: identity.url });
});
afterAll(async () => {
  await service?.close();
  await identity?.close();
});

type Api = ReturnType<typeof service.as>;

/** The partner service, within the tenant of the caller. */
const inside = ({ caller }: Api) =>
  service.as({ type: 'system', tenantId: caller.tenantId as number, environment: caller.environment });
const contact = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace', phone: null };
const deal = {
  name: 'Analytical Engines',
  value: 4_800,
  currency: 'EUR',
  expectedCloseAt: '2027-06-30T00:00:00.000Z',
  notes: 'Two machines',
};
const open = (api: Api, dealRegistrationId: string, fields: object = {}) =>
  inside(api).openRegisteredDeal({ body: { dealRegistrationId, partnerId: '31', contact, deal, ...fields } });

it('creates a converted lead and its open deal, which belongs to the partner', async () => {
  const api = service.as();
  const { status, data } = await open(api, '1', { ownerId: users.active });
  expect(status).toBe(200);
  const { data: lead } = await api.getLead({ params: { id: data.leadId } });
  expect(lead).toMatchObject({
    ...contact,
    source: 'referral',
    status: 'qualified',
    assignedTo: users.active,
    convertedOpportunityId: data.opportunityId,
  });
  const { data: opportunity } = await api.getOpportunity({ params: { id: data.opportunityId } });
  expect(opportunity).toMatchObject({
    ...deal,
    leadId: lead.id,
    partnerId: '31',
    ownerId: users.active,
    status: 'open',
  });
  for (const name of ['lead.created', 'lead.converted', 'opportunity.created'])
    await until(`${name} arrives`, () =>
      service.events.some((one) => one.name === name && one.tenantId === api.caller.tenantId),
    );
});

it('creates one lead and one deal, however often it is repeated, also at once and with an owner who left since', async () => {
  const api = service.as();
  const [first, ...others] = await Promise.all([1, 2, 3].map(() => open(api, '2')));
  const again = await open(api, '2', { ownerId: '999' });
  expect([...others, again].map(({ data }) => data)).toEqual([1, 2, 3].map(() => first?.data));
  expect((await api.listLeads()).body.pagination?.total).toBe(1);
  expect((await api.listOpportunities()).body.pagination?.total).toBe(1);
});

it('opens the deal for the lead with the address if there is one, which keeps its values and its first conversion', async () => {
  const api = service.as();
  const body = { email: 'ADA@example.com', firstName: 'Augusta', lastName: 'King', source: 'web' };
  const { id } = (await api.createLead({ body })).data;
  const first = await open(api, '6');
  const second = await open(api, '7', { contact: { ...contact, email: 'ada@EXAMPLE.com' } });
  expect([first.data.leadId, second.data.leadId]).toEqual([id, id]);
  const { data: lead } = await api.getLead({ params: { id } });
  expect(lead).toMatchObject({ ...body, status: 'qualified', convertedOpportunityId: first.data.opportunityId });
  const { data: deals } = await api.listOpportunities();
  expect(deals.map(({ leadId, partnerId }: Record<string, string>) => [leadId, partnerId])).toEqual([
    [id, '31'],
    [id, '31'],
  ]);
});

it('refuses an unknown owner, and creates nothing', async () => {
  const api = service.as();
  const { status, body } = await open(api, '4', { ownerId: '999' });
  expect([status, body.errors?.[0]?.field]).toEqual([422, 'ownerId']);
  expect((await api.listLeads()).body.pagination?.total).toBe(0);
});

it('does not need the fields that leads and deals require otherwise, nor a value', async () => {
  const api = service.as();
  for (const entityType of ['lead', 'opportunity']) {
    const body = { entityType, key: 'source', label: 'Source', type: 'text', required: true };
    expect((await api.createCustomField({ body })).status).toBe(201);
  }
  const { status, data } = await open(api, '5', { deal: { ...deal, value: null, currency: null } });
  expect(status).toBe(200);
  const { data: opportunity } = await api.getOpportunity({ params: { id: data.opportunityId } });
  expect(opportunity).toMatchObject({ value: 0, currency: expect.stringMatching(/^[A-Z]{3}$/) });
});
