import type { crm } from '@tandem/crm-contract';
import { type TestService, until } from '@tandem/testing';
import { startCrm } from '../../crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

type Api = ReturnType<typeof service.as>;

/** Another service, within the tenant of the caller. */
const inside = ({ caller }: Api) =>
  service.as({ type: 'system', tenantId: caller.tenantId as number, environment: caller.environment });
const leadsOf = async (api: Api) => (await api.listLeads()).data;
const eventsOf = (api: Api, name: string) =>
  service.events.filter((one) => one.name === name && one.tenantId === api.caller.tenantId);
const consent = { source: 'Newsletter', isConfirmed: false };

it('creates a lead with the source web and the consent, and changes nothing when it is repeated', async () => {
  const api = service.as();
  const body = {
    email: 'Ada@example.com',
    firstName: 'Ada',
    phone: '+491701234567',
    referralCode: 'ADA-2026',
    consent,
  };
  const reply = await inside(api).upsertLeadByEmail({ body });
  expect(reply.data).toMatchObject({ created: true, ignored: [] });
  const again = await inside(api).upsertLeadByEmail({ body: { ...body, email: 'ada@example.com' } });
  expect(again.data).toEqual({ leadId: reply.data.leadId, created: false, ignored: [] });
  const [lead, ...others] = await leadsOf(api);
  const stored = { ...body, lastName: '-', source: 'web', version: 1, assignedTo: null };
  expect(lead).toMatchObject({ ...stored, consent: { email: { state: 'granted', source: 'Newsletter' } } });
  expect(others).toEqual([]);
  const event = await until('the event arrives', () => eventsOf(api, 'lead.created')[0]);
  expect(event).toMatchObject({ data: { leadId: lead.id, source: 'web' } });
  expect(eventsOf(api, 'lead.updated')).toEqual([]);
});

it('creates a lead with another source, and does not change that of an existing lead', async () => {
  const api = service.as();
  for (const source of ['referral', 'api'])
    await inside(api).upsertLeadByEmail({ body: { email: 'ada@example.com', source } });
  expect(await leadsOf(api)).toMatchObject([{ source: 'referral', version: 1 }]);
});

it('names a lead without a name by its address', async () => {
  const api = service.as();
  await inside(api).upsertLeadByEmail({ body: { email: 'grace.hopper@example.com' } });
  expect(await leadsOf(api)).toMatchObject([{ firstName: 'grace.hopper', lastName: '-', consent: {} }]);
});

it('replaces the name that was made from the address, and no other', async () => {
  const api = service.as();
  const named = async (body: Record<string, string>) => {
    await inside(api).upsertLeadByEmail({ body: { email: 'grace.hopper@example.com', ...body } });
    const [{ firstName, lastName }] = await leadsOf(api);
    return [firstName, lastName];
  };
  expect(await named({})).toEqual(['grace.hopper', '-']);
  expect(await named({ firstName: 'Grace' })).toEqual(['Grace', '-']);
  expect(await named({ firstName: 'Eve' })).toEqual(['Grace', '-']);
  expect(await named({ lastName: 'Hopper' })).toEqual(['Grace', 'Hopper']);
  expect(await named({ firstName: 'Eve', lastName: 'Evil' })).toEqual(['Grace', 'Hopper']);
});

it('creates one lead for several submissions of an address at once', async () => {
  const api = service.as();
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => inside(api).upsertLeadByEmail({ body: { email: 'ada@example.com' } })),
  );
  expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect(new Set(replies.map(({ data }) => data.leadId)).size).toBe(1);
  expect(await leadsOf(api)).toHaveLength(1);
});

it('gives a new lead the partner who submits it, and an existing one nothing', async () => {
  const api = service.as();
  for (const partnerId of ['31', '32'])
    await inside(api).upsertLeadByEmail({ body: { email: 'ada@example.com', partnerId } });
  const [lead] = await leadsOf(api);
  expect(lead).toMatchObject({ partnerId: '31', version: 1 });
  const found = await inside(api).findLeads({ body: { ids: [lead.id] } });
  expect(found.data).toMatchObject([{ partnerId: '31' }]);
});

it('gives an existing lead nothing with onlyNew', async () => {
  const api = service.as();
  const { id } = (await api.createLead({ body: { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' } }))
    .data;
  const body = { email: 'ADA@example.com', phone: '+491701234567', onlyNew: true };
  expect((await inside(api).upsertLeadByEmail({ body })).data).toMatchObject({ leadId: id, created: false });
  expect((await api.getLead({ params: { id } })).data).toMatchObject({ phone: null, version: 1 });
});

it('gives an existing lead what it lacks, with lead.updated, and overwrites nothing', async () => {
  const api = service.as();
  const known = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace', customFields: { seats: 5 } };
  const { id } = (await api.createLead({ body: known })).data;
  const body = {
    email: known.email,
    firstName: 'Eve',
    lastName: 'Evil',
    phone: '+491701234567',
    referralCode: 'ADA-2026',
    customFields: { seats: 9, plan: 'large' },
    consent,
  };
  expect((await inside(api).upsertLeadByEmail({ body })).data.leadId).toBe(id);
  const { data } = await api.getLead({ params: { id } });
  expect(data).toMatchObject({
    ...known,
    phone: body.phone,
    // A code claims the lead for a partner, and the sender is not known.
    referralCode: null,
    customFields: { seats: 5, plan: 'large' },
    consent: { email: { state: 'granted', source: 'Newsletter' } },
    source: null,
    version: 2,
  });
  await until('the event arrives', () => eventsOf(api, 'lead.updated').length === 1);
});

it('ends a refusal only by a consent of a confirmed address', async () => {
  const api = service.as();
  const denied = { email: { state: 'denied', source: 'Call' } };
  const body = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace', consent: denied };
  const { id } = (await api.createLead({ body })).data;
  const consentAfter = async (isConfirmed: boolean) => {
    await inside(api).upsertLeadByEmail({ body: { email: body.email, consent: { ...consent, isConfirmed } } });
    return (await api.getLead({ params: { id } })).data.consent.email.state;
  };
  expect(await consentAfter(false)).toBe('denied');
  expect(await consentAfter(true)).toBe('granted');
});

it('a confirmed consent replaces an earlier decision, and no later one', async () => {
  const api = service.as();
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const first = { state: 'granted', source: 'First form', at: daysAgo(20) };
  const body = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace', consent: { email: first } };
  const { id } = (await api.createLead({ body })).data;
  const consentAfter = async (source: string, isConfirmed: boolean, days: number) => {
    const sent = { source, isConfirmed, at: daysAgo(days) };
    await inside(api).upsertLeadByEmail({ body: { email: body.email, consent: sent } });
    const { data } = await api.getLead({ params: { id } });
    return [data.consent.email, data.version];
  };
  const renewed = { state: 'granted', source: 'Second form', at: expect.stringContaining(daysAgo(10).slice(0, 10)) };
  expect(await consentAfter('Unconfirmed form', false, 15)).toEqual([first, 1]);
  expect(await consentAfter('Second form', true, 10)).toEqual([renewed, 2]);
  expect(await consentAfter('Old form', true, 15)).toEqual([renewed, 2]);
  await api.updateLead({ params: { id }, body: { consent: { email: { state: 'denied', at: daysAgo(5) } } } });
  expect(await consentAfter('Late form', true, 7)).toMatchObject([{ state: 'denied' }, 3]);
});

it('leaves out custom fields that their definitions refuse, and needs none', async () => {
  const api = service.as();
  const field = { entityType: 'lead', label: 'Field' };
  await api.createCustomField({ body: { ...field, key: 'seats', type: 'number', required: true } });
  await api.createCustomField({ body: { ...field, key: 'code', type: 'text', unique: true } });
  const send = async (email: string, customFields: Record<string, unknown>) =>
    (await inside(api).upsertLeadByEmail({ body: { email, customFields } })).data;
  await send('first@example.com', { code: 'A1' });
  const second = await send('second@example.com', { seats: 'many', code: 'A1', other: true });
  expect(second.ignored.map((one: { field: string }) => one.field).sort()).toEqual([
    'customFields.code',
    'customFields.seats',
  ]);
  const { data } = await api.getLead({ params: { id: second.leadId } });
  expect(data.customFields).toEqual({ other: true });
  const changed = await send('second@example.com', { seats: 7, code: 'A1' });
  expect(changed).toMatchObject({ created: false, ignored: [{ field: 'customFields.code' }] });
  expect((await api.getLead({ params: { id: second.leadId } })).data.customFields).toEqual({ other: true, seats: 7 });
});

it('creates a new lead for the address of a deleted one, and answers 404 without a tenant', async () => {
  const api = service.as();
  const { id } = (await api.createLead({ body: { email: 'a@example.com', firstName: 'A', lastName: 'B' } })).data;
  await api.deleteLead({ params: { id } });
  expect((await inside(api).upsertLeadByEmail({ body: { email: 'a@example.com' } })).data.created).toBe(true);
  const { tenantId: _, ...caller } = inside(api).caller;
  const reply = await service.send(service.operations.upsertLeadByEmail, { body: { email: 'a@example.com' } }, caller);
  expect(reply.status).toBe(404);
});
