import { partner } from '@tandem/partner-contract';
import { everyOperation, until } from '@tandem/testing';
import { anApprovedPartner, aPartner, type Service, startPartner } from '../../partner.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startPartner();
});
afterAll(() => service?.close());

everyOperation(partner, () => service);

const eventOf = (name: string, id: string) =>
  until(`${name} arrives`, () => service.events.find((one) => one.name === name && one.target.id === Number(id)));

describe('createPartner', () => {
  it('returns 201 with the partner, by default pending and bronze', async () => {
    const body = aPartner({ email: 'Joan@Example.com', phone: '+49 170 1234567', company: 'Hut 6' });
    const { status, data, headers } = await service.as().createPartner({ body });
    expect([status, headers.etag]).toEqual([201, expect.stringMatching(/^"1-/)]);
    expect(data).toMatchObject({
      email: 'Joan@Example.com',
      phone: '+491701234567',
      company: 'Hut 6',
      tier: 'bronze',
      status: 'pending',
      allowedTransitions: ['approved', 'rejected'],
      parentPartnerId: null,
      customFields: {},
      version: 1,
    });
    expect((await service.as().createPartner({ body: aPartner({ tier: 'gold' }) })).data.tier).toBe('gold');
  });

  it('emits an event with the documented data and the full record', async () => {
    const { data } = await service.as().createPartner({ body: aPartner({ company: 'Hut 6' }) });
    const event = await eventOf('partner.registered', data.id);
    expect(event.data).toEqual({ partnerId: data.id, company: 'Hut 6' });
    expect(event.record).toEqual(data);
  });

  it('rejects a duplicate e-mail address in the tenant, case-insensitively and concurrently', async () => {
    const api = service.as();
    const bodies = ['twin@example.com', 'TWIN@example.com', 'Twin@Example.com'].map((email) => aPartner({ email }));
    const replies = await Promise.all(bodies.map((body) => api.createPartner({ body })));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const refused = replies.find(({ status }) => status === 409);
    expect([refused?.body.code, refused?.body.errors?.[0]?.field]).toEqual(['email_taken', 'email']);
    expect((await api.listPartners()).body.pagination?.total).toBe(1);
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    for (const other of [service.as(), sandbox])
      expect((await other.createPartner({ body: bodies[0] })).status).toBe(201);
  });

  it('reports every invalid field', async () => {
    const { status, body } = await service
      .as()
      .createPartner({ body: { email: 'no', firstName: '', tier: 'tin', phone: '1', referralCode: 'a b' } });
    expect([status, body.errors?.map(({ field }) => field).sort()]).toEqual([
      422,
      ['email', 'firstName', 'lastName', 'phone', 'referralCode', 'tier'],
    ]);
  });

  it('accepts a custom code, unless another partner has it case-insensitively', async () => {
    const api = service.as();
    const { data } = await api.createPartner({ body: aPartner({ referralCode: 'joan-26' }) });
    const codes = (await api.getPartner({ params: { id: data.id } })).data.referralCodes;
    expect(codes).toMatchObject([{ code: 'JOAN-26' }]);
    const again = await api.createPartner({ body: aPartner({ referralCode: 'Joan-26' }) });
    expect([again.status, again.body.code]).toEqual([409, 'code_taken']);
    expect((await api.listPartners()).body.pagination?.total).toBe(1);
    expect((await service.as().createPartner({ body: aPartner({ referralCode: 'JOAN-26' }) })).status).toBe(201);
  });

  it('requires the parent to be approved and in the same tenant', async () => {
    const api = service.as();
    const parent = await anApprovedPartner(api);
    const { data: pending } = await api.createPartner({ body: aPartner() });
    const under = (parentPartnerId: string, as = api) => as.createPartner({ body: aPartner({ parentPartnerId }) });
    expect((await under(parent.id)).data.parentPartnerId).toBe(parent.id);
    expect((await under(pending.id)).body.code).toBe('parent_not_approved');
    const foreign = await under(parent.id, service.as());
    expect([foreign.status, foreign.body.errors?.[0]?.field]).toEqual([422, 'parentPartnerId']);
    expect((await api.getPartner({ params: { id: parent.id } })).data.childCount).toBe(1);
  });
});

describe('listPartners', () => {
  it('filters by status, tier and text within the tenant', async () => {
    const api = service.as();
    await service.as().createPartner({ body: aPartner() });
    const approved = await anApprovedPartner(api, { tier: 'gold', company: 'Lovelace Consulting' });
    const { data: pending } = await api.createPartner({ body: aPartner({ lastName: 'Clarke' }) });
    const ids = async (query: Record<string, string>) =>
      (await api.listPartners({ query })).data.map(({ id }: { id: string }) => id);
    expect(await ids({})).toEqual([pending.id, approved.id]);
    expect(await ids({ status: 'approved' })).toEqual([approved.id]);
    expect(await ids({ tier: 'bronze' })).toEqual([pending.id]);
    expect(await ids({ search: 'LOVELACE' })).toEqual([approved.id]);
    expect(await ids({ search: 'clarke' })).toEqual([pending.id]);
    expect((await api.listPartners({ query: { status: 'best' } })).status).toBe(422);
  });

  it('filters by approval time with inclusive bounds', async () => {
    const api = service.as();
    await api.createPartner({ body: aPartner() });
    const { id } = await anApprovedPartner(api);
    const { approvedAt } = (await api.getPartner({ params: { id } })).data;
    const earlier = new Date(Date.parse(approvedAt) - 1).toISOString();
    const later = new Date(Date.parse(approvedAt) + 1).toISOString();
    const ids = async (query: Record<string, string>) =>
      (await api.listPartners({ query })).data.map((one: { id: string }) => one.id);
    expect(await ids({ joinedFrom: approvedAt, joinedTo: approvedAt })).toEqual([id]);
    expect(await ids({ joinedFrom: later })).toEqual([]);
    expect(await ids({ joinedTo: earlier })).toEqual([]);
  });
});

describe('approvePartner', () => {
  it('approves a pending partner with an optional tier and generates a code', async () => {
    const api = service.as();
    const { data: created } = await api.createPartner({ body: aPartner() });
    const params = { id: created.id };
    const { status, data } = await api.approvePartner({ params, body: { tier: 'platinum' } });
    expect([status, data.status, data.tier, data.version]).toEqual([200, 'approved', 'platinum', 2]);
    expect([data.allowedTransitions, data.approvedAt]).toEqual([['suspended', 'terminated'], expect.any(String)]);
    const event = await eventOf('partner.approved', created.id);
    expect([event.data, event.record]).toEqual([{ partnerId: created.id }, data]);
    const { data: detail } = await api.getPartner({ params });
    expect(detail.referralCodes).toMatchObject([{ code: expect.stringMatching(/^[A-Z2-9]{8}$/) }]);
    expect(detail).toMatchObject({ balances: [], referralCount: 0 });
  });

  it('keeps an existing code', async () => {
    expect((await anApprovedPartner(service.as(), { referralCode: 'hut-six' })).code).toBe('HUT-SIX');
  });

  it('rejects partners that are not pending, and succeeds once under concurrent requests', async () => {
    const api = service.as();
    const { data } = await api.createPartner({ body: aPartner() });
    const params = { id: data.id };
    const replies = await Promise.all(Array.from({ length: 5 }, () => api.approvePartner({ params, body: {} })));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    const refused = replies.find(({ status }) => status === 409);
    expect([refused?.body.code, refused?.body.errors]).toEqual([
      'transition_refused',
      [{ field: 'status', message: 'The status is approved; it can change to suspended, terminated' }],
    ]);
    expect((await api.getPartner({ params })).data.referralCodes).toHaveLength(1);
  });

  it('rejects a stale If-Match', async () => {
    const api = service.as();
    const { data } = await api.createPartner({ body: aPartner() });
    const reply = await api.approvePartner({ params: { id: data.id }, body: {}, headers: { 'if-match': '"9"' } });
    expect(reply.status).toBe(412);
    expect((await api.getPartner({ params: { id: data.id } })).data.status).toBe('pending');
  });
});
