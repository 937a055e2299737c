import { until } from '@tandem/testing';
import { anApprovedPartner, aPartner, type Service, startPartner } from '../../partner.test-service.ts';
import { aDeal, aDraft, answerOf, aSubmitted, dealOf } from './deals.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startPartner();
});
afterAll(() => service?.close());

const eventOf = (name: string, id: string) =>
  until(`${name} arrives`, () => service.events.find((one) => one.name === name && one.target.id === Number(id)));

describe('createDealRegistration', () => {
  it('creates a draft with its event', async () => {
    const api = service.as();
    const { id: partnerId } = await anApprovedPartner(api);
    const body = aDeal({ partnerId, companyDomain: 'Engines.example', notes: 'Two machines' });
    const { status, data, headers } = await api.createDealRegistration({ body });
    expect([status, headers.etag]).toEqual([201, expect.stringMatching(/^"1-/)]);
    expect(data).toMatchObject({
      ...body,
      companyDomain: 'engines.example',
      contact: { ...body.contact, phone: null },
      status: 'draft',
      allowedTransitions: ['submitted', 'withdrawn'],
      expectedCloseAt: null,
      reason: null,
      protectedUntil: null,
      leadId: null,
      opportunityId: null,
      submittedAt: null,
      version: 1,
    });
    const event = await eventOf('deal_registration.created', data.id);
    expect(event.data).toEqual({ dealRegistrationId: data.id, partnerId });
    expect(event.record).toEqual(data);
  });

  it('reports every invalid field', async () => {
    const { status, body } = await service.as().createDealRegistration({
      body: { company: '', companyDomain: 'https://x', contact: { email: 'no' }, value: -1, currency: 'EURO' },
    });
    expect([status, body.errors?.map(({ field }) => field).sort()]).toEqual([
      422,
      [
        'company',
        'companyDomain',
        'contact.email',
        'contact.firstName',
        'contact.lastName',
        'currency',
        'partnerId',
        'value',
      ],
    ]);
  });

  it('requires a currency with a value, and an amount in that currency', async () => {
    const api = service.as();
    const { id: partnerId } = await anApprovedPartner(api);
    const fieldOf = async (fields: object) => {
      const { body } = await api.createDealRegistration({ body: aDeal({ partnerId, ...fields }) });
      return body.errors?.[0]?.field;
    };
    expect(await fieldOf({ currency: null })).toBe('currency');
    expect(await fieldOf({ value: 1.5, currency: 'JPY' })).toBe('value');
    expect(await fieldOf({ value: null, currency: null })).toBeUndefined();
  });

  it('is refused beyond 100 drafts and submitted registrations of a partner, also of two at once', async () => {
    const api = service.as();
    const { id: partnerId } = await anApprovedPartner(api);
    const create = () => api.createDealRegistration({ body: aDeal({ partnerId }) });
    const first = await aSubmitted(api, { partnerId });
    await service.sqlWithin(
      api.caller,
      `INSERT INTO deal_registration (partner_id, company, contact_email, contact_first_name, contact_last_name, contact_email_key)
       SELECT partner_id, company, contact_email, contact_first_name, contact_last_name, contact_email_key
       FROM deal_registration, generate_series(1, 98) WHERE id = ${first.id}`,
    );
    const replies = await Promise.all([create(), create()]);
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(answerOf(await create())).toEqual([409, 'too_many_open']);
    await api.withdrawDealRegistration({ params: { id: first.id }, body: {} });
    expect((await create()).status).toBe(201);
  });

  it('requires an approved partner of the tenant and environment', async () => {
    const api = service.as();
    const { data: pending } = await api.createPartner({ body: aPartner() });
    const refused = await api.createDealRegistration({ body: aDeal({ partnerId: pending.id }) });
    expect(answerOf(refused)).toEqual([409, 'partner_not_approved']);
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    for (const other of [service.as(), sandbox]) {
      const { id: partnerId } = await anApprovedPartner(other);
      const { status, body } = await api.createDealRegistration({ body: aDeal({ partnerId }) });
      expect([status, body.errors?.[0]?.field]).toEqual([422, 'partnerId']);
    }
  });
});

describe('updateDealRegistration', () => {
  it('changes the given fields of a draft, once', async () => {
    const api = service.as();
    const { id } = await aDraft(api);
    const contact = { email: 'grace@navy.example', firstName: 'Grace', lastName: 'Hopper', phone: '+491701234567' };
    const body = { contact, value: null, currency: null, expectedCloseAt: '2027-01-01T00:00:00.000Z' };
    const { status, data } = await api.updateDealRegistration({ params: { id }, body });
    expect([status, data]).toMatchObject([200, { ...body, version: 2 }]);
    expect((await api.updateDealRegistration({ params: { id }, body })).data.version).toBe(2);
    const event = await eventOf('deal_registration.updated', id);
    expect(event.changes).toMatchObject({ value: { from: 4_800, to: null } });
  });

  it('checks the value against the currency that it leaves', async () => {
    const api = service.as();
    const { id } = await aDraft(api);
    const update = async (body: object) =>
      (await api.updateDealRegistration({ params: { id }, body })).body.errors?.[0]?.field;
    expect(await update({ currency: null })).toBe('currency');
    expect(await update({ value: 0.001 })).toBe('value');
    expect(await dealOf(api, id)).toMatchObject({ value: 4_800, currency: 'EUR', version: 1 });
  });

  it('refuses a stale version, a submitted registration, and those of others', async () => {
    const api = service.as();
    const { id } = await aDraft(api);
    const params = { id };
    const body = { company: 'Other' };
    const stale = await api.updateDealRegistration({ params, body, headers: { 'if-match': '"7"' } });
    expect([stale.status, (await service.as().updateDealRegistration({ params, body })).status]).toEqual([412, 404]);
    await api.submitDealRegistration({ params });
    expect(answerOf(await api.updateDealRegistration({ params, body }))).toEqual([409, 'not_draft']);
  });
});

describe('deleteDealRegistration', () => {
  it('deletes a draft, and nothing that was submitted', async () => {
    const api = service.as();
    const [draft, submitted] = [await aDraft(api), await aSubmitted(api)];
    const { data } = await api.deleteDealRegistration({ params: { id: draft.id } });
    expect(data).toEqual({ id: draft.id, deleted: true });
    expect((await api.getDealRegistration({ params: { id: draft.id } })).status).toBe(404);
    await eventOf('deal_registration.deleted', draft.id);
    const refused = await api.deleteDealRegistration({ params: { id: submitted.id } });
    expect(answerOf(refused)).toEqual([409, 'not_draft']);
  });
});

describe('listDealRegistrations', () => {
  it('filters by status, partner and text within the tenant', async () => {
    const api = service.as();
    await aDraft(service.as());
    const draft = await aDraft(api, { company: 'Analytical Engines' });
    const submitted = await aSubmitted(api);
    const ids = async (query: Record<string, string>) =>
      (await api.listDealRegistrations({ query })).data.map(({ id }: { id: string }) => id);
    expect(await ids({})).toEqual([submitted.id, draft.id]);
    expect(await ids({ status: 'draft' })).toEqual([draft.id]);
    expect(await ids({ partnerId: submitted.partnerId })).toEqual([submitted.id]);
    expect(await ids({ search: 'analytical' })).toEqual([draft.id]);
  });
});
