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
  expect(await filtered(api, 'colors', 'x')).toEqual([]);
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
  const { status, body } = await api.listLeads({ query: { 'customFields[budget]': 'EUR' } });
  expect([status, body.errors?.[0]?.field]).toEqual([422, 'customFields.budget']);
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
