import type { crm } from '@tandem/crm-contract';
import type { TestService } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

type Api = ReturnType<typeof service.as>;

const filtered = async (api: Api, key: string, value: string) => {
  const { data } = await api.listLeads({ query: { [`customFields[${key}]`]: value, sort: 'email' } });
  return data.map(({ email }: { email: string }) => email);
};

it('finds records by a value of a multi_select field', async () => {
  const api = service.as();
  const options = ['a', 'b', 'c'].map((value) => ({ value, label: value }));
  await api.createCustomField({
    body: { entityType: 'lead', key: 'colors', label: 'Colors', type: 'multi_select', options },
  });
  for (const [name, colors] of Object.entries({ one: ['a'], two: ['b', 'a'], three: ['c'] }))
    await api.createLead({ body: aLead({ email: `${name}@example.com`, customFields: { colors } }) });
  expect(await filtered(api, 'colors', 'a')).toEqual(['one@example.com', 'two@example.com']);
  expect(await filtered(api, 'colors', 'b')).toEqual(['two@example.com']);
});

it('finds records by the amount and currency of a currency field, and refuses other texts', async () => {
  const api = service.as();
  await api.createCustomField({ body: { entityType: 'lead', key: 'budget', label: 'Budget', type: 'currency' } });
  for (const [name, amount, currency] of [
    ['one', 12.5, 'EUR'],
    ['two', 12.5, 'USD'],
    ['three', 13, 'EUR'],
  ])
    await api.createLead({
      body: aLead({ email: `${name}@example.com`, customFields: { budget: { amount, currency } } }),
    });
  expect(await filtered(api, 'budget', '12.5 EUR')).toEqual(['one@example.com']);
  expect(await filtered(api, 'budget', '12.50 USD')).toEqual(['two@example.com']);
  const message = 'Must be an amount and its currency, such as 12.5 EUR';
  for (const text of ['EUR', '12.5 eur', '12.345 EUR', '12.5 XYZ', '']) {
    const { status, body } = await api.listLeads({ query: { 'customFields[budget]': text } });
    expect([status, body.errors]).toEqual([422, [{ field: 'customFields.budget', message }]]);
  }
});

const options = ['small', 'large'].map((value) => ({ value, label: value }));

it.each([
  ['number', {}, 250, '250', 'abc', 'Must be a number'],
  ['date', {}, '2026-02-28', '2026-02-28', '2026-02-30', 'Must be a date, such as 2026-03-31'],
  ['select', { options }, 'small', 'small', 'medium', 'Must be one of small, large'],
  ['multi_select', { options }, ['large'], 'large', 'medium', 'Must be one of small, large'],
  ['checkbox', {}, true, 'true', 'yes', 'Must be true or false'],
  [
    'url',
    {},
    'https://example.com',
    'https://example.com',
    'example',
    'Must be a URL with http or https of at most 2048 characters',
  ],
  ['user', {}, 'a1b2c3d4e5f6g7h8', 'a1b2c3d4e5f6g7h8', 'ada', 'Must be the id of a user'],
] as const)('a filter by a field of type %s refuses a value that the field cannot have', async (...row) => {
  const [type, more, value, fitting, other, message] = row;
  const api = service.as();
  const customFields = { field: value };
  const { data: lead } = await api.createLead({ body: aLead() });
  const { data: deal } = await api.convertLead({ body: { leadId: lead.id, value: 1, currency: 'EUR' } });
  for (const entityType of ['lead', 'opportunity', 'account'] as const)
    await api.createCustomField({ body: { entityType, key: 'field', label: 'A field', type, ...more } });
  await api.updateLead({ params: { id: lead.id }, body: { customFields } });
  await api.updateOpportunity({ params: { id: deal.id }, body: { customFields } });
  await api.createAccount({ body: { name: 'Analytical Engines', customFields } });
  for (const list of [api.listLeads, api.listOpportunities, api.listAccounts]) {
    expect((await list({ query: { 'customFields[field]': fitting } })).data).toHaveLength(1);
    const { status, body } = await list({ query: { 'customFields[field]': other } });
    expect([status, body.code, body.errors]).toEqual([
      422,
      'validation_failed',
      [{ field: 'customFields.field', message }],
    ]);
  }
});

it('the filter of a bulk operation or export refuses a value that the field cannot have, naming its place', async () => {
  const api = service.as();
  await api.createCustomField({ body: { entityType: 'lead', key: 'seats', label: 'Seats', type: 'number' } });
  const filter = { customFields: { seats: 'abc' } };
  const errors = [{ field: 'filter.customFields.seats', message: 'Must be a number' }];
  expect((await api.bulkDeleteLeads({ body: { filter, expectedCount: 1 } })).body.errors).toEqual(errors);
  expect((await api.createLeadExport({ body: { format: 'csv', filter } })).body.errors).toEqual(errors);
});

it('takes an empty text for a missing value: it does not satisfy a required field, and is not unique', async () => {
  const api = service.as();
  const field = { entityType: 'lead', label: 'Field', type: 'text' };
  await api.createCustomField({ body: { ...field, key: 'vat', unique: true } });
  for (const vat of ['', '  '])
    expect((await api.createLead({ body: aLead({ customFields: { vat } }) })).status).toBe(201);
  await api.createCustomField({ body: { ...field, key: 'region', required: true } });
  const { status, body } = await api.createLead({ body: aLead({ customFields: { region: ' ' } }) });
  expect([status, body.errors?.[0]?.field]).toEqual([422, 'customFields.region']);
});
