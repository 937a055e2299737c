import type { crm } from '@tandem/crm-contract';
import { type TestService, until } from '@tandem/testing';
import type { z } from 'zod';
import { aLead, startCrm } from '../../crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

type Api = ReturnType<typeof service.as>;
type Body = z.input<typeof crm.createCustomField.body>;

/** A defined field of leads whose existing records have been read. */
async function aField(api: Api, fields: Partial<Body> & Pick<Body, 'key' | 'type'>) {
  const { status, data, body } = await api.createCustomField({
    body: { entityType: 'lead', label: 'A field', ...fields },
  });
  expect([status, body.errors]).toEqual([201, undefined]);
  return ready(api, data.id);
}

const ready = (api: Api, id: string) =>
  until('the field is ready', async () => {
    const { data } = await api.getCustomField({ params: { id } });
    return data.status === 'ready' && data;
  });

const leadWith = (api: Api, customFields: Record<string, unknown>, fields = {}) =>
  api.createLead({ body: aLead({ customFields, ...fields }) });

const options = [
  { value: 'small', label: 'Small' },
  { value: 'large', label: 'Large' },
];

it.each([
  ['text', {}, 'Lyon', 7, 'Must be a text of at most 1000 characters'],
  ['number', {}, 7.5, '7', 'Must be a number'],
  ['date', {}, '2026-02-28', '2026-02-30', 'Must be a date, such as 2026-03-31'],
  ['select', { options }, 'small', 'medium', 'Must be one of small, large'],
  [
    'multi_select',
    { options },
    ['large', 'small'],
    ['small', 'small'],
    'Must be a list of at most 50 different values of small, large',
  ],
  ['checkbox', {}, false, 'no', 'Must be true or false'],
  [
    'url',
    {},
    'https://example.com/a?b=c',
    'javascript:alert(1)',
    'Must be a URL with http or https of at most 2048 characters',
  ],
  [
    'currency',
    {},
    { amount: 12.5, currency: 'EUR' },
    { amount: 12.5, currency: 'JPY' },
    'Must be a whole number in JPY',
  ],
] as const)('a field of type %s accepts its values, and no others', async (type, more, fitting, other, message) => {
  const api = service.as();
  await aField(api, { key: 'field', type, ...(more as object) });
  const created = await leadWith(api, { field: fitting, free: 'as before' });
  expect([created.status, created.data.customFields]).toEqual([201, { field: fitting, free: 'as before' }]);
  const errors = [{ field: 'customFields.field', message }];
  const refused = await leadWith(api, { field: other });
  expect([refused.status, refused.body.errors]).toEqual([422, errors]);
  const changed = await api.updateLead({ params: { id: created.data.id }, body: { customFields: { field: other } } });
  expect([changed.status, changed.body.errors]).toEqual([422, errors]);
});

it('a required field is required of new records, and cannot be removed from a record that has it', async () => {
  const api = service.as();
  const { data: older } = await leadWith(api, {});
  await aField(api, { key: 'seats', type: 'number', label: 'Seats', required: true });
  const errors = [{ field: 'customFields.seats', message: 'Is required: Seats' }];
  expect((await leadWith(api, {})).body.errors).toEqual(errors);
  expect((await leadWith(api, { seats: null })).body.errors).toEqual(errors);
  const { data: lead } = await leadWith(api, { seats: 3 });
  const change = (id: string, customFields: Record<string, unknown>) =>
    api.updateLead({ params: { id }, body: { customFields } });
  expect((await change(lead.id, { other: 1 })).body.errors).toEqual(errors);
  expect((await change(older.id, { other: 1 })).status).toBe(200);
});

it('a unique value belongs to one record, until it is given up or its record is deleted', async () => {
  const api = service.as();
  const { data: first } = await leadWith(api, { vat: 'DE 1' });
  const { data: second } = await leadWith(api, { vat: 'de 1' });
  const { data: third } = await leadWith(api, {});
  const field = await aField(api, { key: 'vat', type: 'text', label: 'VAT id', unique: true });
  expect(field.misfits).toBe(1);
  const taken = [{ field: 'customFields.vat', message: 'Another record has this value; VAT id is unique' }];
  const change = (id: string, vat: string | null) =>
    api.updateLead({ params: { id }, body: { customFields: { vat } } });
  const refused = await change(third.id, 'de 1');
  expect([refused.status, refused.body.code, refused.body.errors]).toEqual([409, 'value_taken', taken]);
  // Another environment of the tenant has its own records and definitions.
  const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
  expect((await leadWith(sandbox, { vat: 'de 1' })).status).toBe(201);
  await change(second.id, null);
  await change(first.id, 'DE 2');
  expect((await change(third.id, 'de 1')).status).toBe(200);
  await api.deleteLead({ params: { id: third.id } });
  expect((await change(second.id, 'DE 1')).status).toBe(200);
  const restored = await api.restoreLead({ params: { id: third.id } });
  expect([restored.status, restored.body.code]).toEqual([409, 'value_taken']);
  const both = await Promise.all([leadWith(api, { vat: 'new' }), leadWith(api, { vat: 'NEW' })]);
  expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
});

it('lists sort and filter by a sortable field, with cursors, also for records older than the definition', async () => {
  const api = service.as();
  const seats = [5, 1, 9, 3, 7];
  for (const count of seats.slice(0, 3)) await leadWith(api, { seats: count, city: `City ${count}` });
  await leadWith(api, { seats: 'many' });
  const field = await aField(api, { key: 'seats', type: 'number', sortable: true });
  expect(field.misfits).toBe(1);
  await aField(api, { key: 'city', type: 'text', sortable: true });
  for (const count of seats.slice(3)) await leadWith(api, { seats: count, city: `city ${count}` });
  await leadWith(api, {});
  const seatsOf = ({ data }: { data: { customFields: Record<string, unknown> }[] }) =>
    data.map(({ customFields }) => customFields['seats']);
  expect(seatsOf(await api.listLeads({ query: { sort: 'customFields.seats' } }))).toEqual([1, 3, 5, 7, 9]);
  expect(seatsOf(await api.listLeads({ query: { sort: '-customFields.city' } }))).toEqual([9, 7, 5, 3, 1]);
  const first = await api.listLeads({ query: { sort: '-customFields.seats', limit: '2' } });
  const cursor = first.body.pagination?.nextCursor as string;
  const next = await api.listLeads({ query: { sort: '-customFields.seats', limit: '2', cursor } });
  expect([seatsOf(first), seatsOf(next)]).toEqual([
    [9, 7],
    [5, 3],
  ]);
  const between = { 'customFieldsMin[seats]': '3', 'customFieldsMax[seats]': '7' };
  const filtered = await service.send(service.operations.listLeads, { query: between }, api.caller);
  expect(filtered.body.pagination?.total).toBe(3);
  const [lead] = (await api.listLeads({ query: { sort: '-customFields.seats' } })).data;
  await api.updateLead({ params: { id: lead?.id as string }, body: { customFields: { seats: 2 } } });
  expect(seatsOf(await api.listLeads({ query: { sort: 'customFields.seats' } }))).toEqual([1, 2, 3, 5, 7]);
});

it('refuses to sort or filter by a field that is not sortable, or by text that is no number', async () => {
  const api = service.as();
  await aField(api, { key: 'seats', type: 'number', sortable: true });
  const errorsOf = async (query: Record<string, string>) =>
    (await service.send(service.operations.listLeads, { query }, api.caller)).body.errors;
  const message = 'No sortable custom field has the key city; sortable are seats';
  expect(await errorsOf({ sort: 'customFields.city' })).toEqual([{ field: 'sort', message }]);
  expect(await errorsOf({ 'customFieldsMin[city]': '1' })).toEqual([{ field: 'customFieldsMin.city', message }]);
  expect(await errorsOf({ 'customFieldsMin[seats]': 'few' })).toEqual([
    { field: 'customFieldsMin.seats', message: 'Must be a number' },
  ]);
});

it('bulk changes check and sort custom fields as single changes do', async () => {
  const api = service.as();
  await leadWith(api, {}, { tags: ['fair'] });
  await aField(api, { key: 'seats', type: 'number', sortable: true });
  const bulk = async (seats: unknown) => {
    const body = { filter: { tag: 'fair' }, expectedCount: 1, change: { customFields: { seats } } };
    const { data } = await api.bulkUpdateLeads({ body });
    const { jobId } = data as { jobId: string };
    return until('the job ends', async () => {
      const job = (await api.getJob({ params: { id: jobId } })).data;
      return job.completedAt !== null && job.result;
    });
  };
  expect(await bulk('many')).toMatchObject({ succeeded: 0, failed: 1 });
  expect(await bulk(4)).toMatchObject({ succeeded: 1, failed: 0 });
  const body = { filter: { customFieldsMin: { seats: '4' } }, expectedCount: 1 };
  expect((await api.bulkDeleteLeads({ body })).status).toBe(202);
});

it('a definition has one key, fitting settings, and a limited number of columns for sorting', async () => {
  const api = service.as();
  const create = (body: Partial<Body>) =>
    api.createCustomField({ body: { entityType: 'lead', key: 'a', label: 'A', type: 'text', ...body } as Body });
  const refused = async (body: Partial<Body>) => {
    const { status, body: reply } = await create(body);
    return [status, reply.code, reply.errors?.[0]?.field];
  };
  expect(await refused({ type: 'select' })).toEqual([422, 'validation_failed', 'options']);
  expect(await refused({ options })).toEqual([422, 'validation_failed', 'options']);
  expect(await refused({ type: 'checkbox', unique: true })).toEqual([422, 'validation_failed', 'unique']);
  expect(await refused({ type: 'url', sortable: true })).toEqual([422, 'validation_failed', 'sortable']);
  expect(await refused({ key: 'has space' })).toEqual([422, 'validation_failed', 'key']);
  const both = await Promise.all([create({}), create({})]);
  expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
  const dates = await Promise.all(
    ['b', 'c', 'd'].map((key) =>
      create({ key, type: 'date', sortable: true }).then(({ status, body }) => body.code ?? status),
    ),
  );
  expect(dates.sort()).toEqual([201, 201, 'no_slot']);
});

it('a definition changes with its records: options in use stay, and a field can become sortable or be deleted', async () => {
  const api = service.as();
  const field = await aField(api, { key: 'size', type: 'select', options });
  await leadWith(api, { size: 'large' });
  await leadWith(api, { size: 'small' });
  const params = { id: field.id };
  const change = (body: object, headers = {}) => api.updateCustomField({ params, body, headers });
  const inUse = await change({ options: options.slice(0, 1) });
  expect([inUse.status, inUse.body.errors]).toEqual([
    409,
    [{ field: 'options', message: 'Records have the option large' }],
  ]);
  const sortable = await change({ sortable: true, label: 'Size' });
  expect([sortable.status, sortable.data]).toMatchObject([200, { version: 2, label: 'Size', status: 'indexing' }]);
  await ready(api, field.id);
  const sorted = () => api.listLeads({ query: { sort: 'customFields.size' } });
  expect((await sorted()).data).toMatchObject([
    { customFields: { size: 'large' } },
    { customFields: { size: 'small' } },
  ]);
  expect((await change({ label: 'Other' }, { 'if-match': '"1"' })).status).toBe(412);
  expect((await api.deleteCustomField({ params })).status).toBe(200);
  expect([(await api.getCustomField({ params })).status, (await sorted()).status]).toEqual([404, 422]);
  expect((await leadWith(api, { size: 'any' })).status).toBe(201);
  await until(
    'its column is free',
    async () => (await service.sqlWithin(api.caller, 'SELECT id FROM custom_field')).length === 0,
  );
  expect(await service.sqlWithin(api.caller, 'SELECT id FROM lead WHERE custom_text_1 IS NOT NULL')).toEqual([]);
  expect(
    service.events
      .filter((one) => one.tenantId === api.caller.tenantId && one.target.type === 'custom_field')
      .map(({ name }) => name),
  ).toEqual(['custom_field.created', 'custom_field.updated', 'custom_field.deleted']);
});

it('reads records in batches, beyond the first', async () => {
  const api = service.as();
  await service.sqlWithin(
    api.caller,
    `INSERT INTO lead (email, first_name, last_name, custom_fields)
     SELECT 'lead' || n || '@example.com', 'Ada', 'Lovelace', jsonb_build_object('seats', n) FROM generate_series(1, 4500) AS n`,
  );
  await aField(api, { key: 'seats', type: 'number', sortable: true });
  const { data } = await api.listLeads({ query: { sort: '-customFields.seats', limit: '1' } });
  expect(data[0]?.customFields).toEqual({ seats: 4500 });
});

it('opportunities and accounts have custom fields too', async () => {
  const api = service.as();
  const { data: lead } = await leadWith(api, {});
  const { data: deal } = await api.convertLead({ body: { leadId: lead.id, value: 1, currency: 'EUR' } });
  const { data: account } = await api.createAccount({ body: { name: 'Analytical Engines' } });
  for (const entityType of ['opportunity', 'account'] as const)
    await aField(api, { entityType, key: 'seats', type: 'number', unique: true, sortable: true });
  const errors = [{ field: 'customFields.seats', message: 'Must be a number' }];
  const opportunity = { params: { id: deal.id }, body: { customFields: { seats: 'many' } } };
  expect((await api.updateOpportunity(opportunity)).body.errors).toEqual(errors);
  expect((await api.updateAccount({ ...opportunity, params: { id: account.id } })).body.errors).toEqual(errors);
  await api.updateOpportunity({ ...opportunity, body: { customFields: { seats: 5 } } });
  await api.updateAccount({ params: { id: account.id }, body: { customFields: { seats: 5 } } });
  const second = await api.createAccount({ body: { name: 'Difference Engines', customFields: { seats: 5 } } });
  expect([second.status, second.body.code]).toEqual([409, 'value_taken']);
  const query = { sort: 'customFields.seats' };
  expect((await api.listOpportunities({ query })).data.map(({ id }: { id: string }) => id)).toEqual([deal.id]);
  expect((await api.listAccounts({ query })).data.map(({ id }: { id: string }) => id)).toEqual([account.id]);
  await api.deleteAccount({ params: { id: account.id } });
  expect((await api.createAccount({ body: { name: 'Third', customFields: { seats: 5 } } })).status).toBe(201);
});
