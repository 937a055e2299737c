import type { ExternalRecord } from '../../connectors/sync.ts';
import { applyMappings, mappingError } from './map-fields.ts';

describe('mappingError', () => {
  it.each([
    'lead.phone',
    'lead.email',
    'lead.tags',
    'lead.timezone',
    'lead.customFields.size',
    'account.industry',
    'account.size',
    'account.address.city',
    'account.customFields.tier-1',
    'opportunity.value',
    'opportunity.expectedCloseAt',
    'opportunity.notes',
  ])('accepts %s', (to) => {
    expect(mappingError(to)).toBeUndefined();
  });

  it.each([
    'phone',
    'contact.phone',
    'lead',
    'lead.',
    'lead.nothing',
    'lead.assignedTo',
    'lead.accountId',
    'lead.externalId',
    'lead.consent',
    'lead.referralCode',
    'lead.customFields',
    'lead.customFields.',
    'lead.customFields.__proto__',
    'lead.customFields.a.b',
    'lead.phone.country',
    'lead.__proto__',
    'lead.constructor',
    'account.parentAccountId',
    'account.address',
    'account.address.planet',
    'opportunity.stageId',
    'opportunity.leadId',
    'opportunity.stage',
    'calendar_event.title',
  ])('refuses %s', (to) => {
    expect(mappingError(to)).toMatch(/^Must (be one of|begin with one of) /);
  });

  it('names the fields of the kind', () => {
    const message = mappingError('account.ownerId');
    expect(message).toContain('account.address.city');
    expect(message).toContain('account.customFields.<key>');
    expect(message).not.toContain('account.ownerId');
  });
});

describe('applyMappings', () => {
  const company = (properties: object): ExternalRecord => ({
    ...{ kind: 'account', id: '1', version: '1', source: { properties } },
    fields: { name: 'Acme', industry: 'steel', address: { city: 'Berlin' }, customFields: { tier: 'a' } },
  });

  it('sets mapped fields over the default ones, and changes nothing else', () => {
    const record = company({ sector: 'mining', town: 'Bonn', rank: 'b', employees: '250' });
    const copy = structuredClone(record);
    const mapped = applyMappings(record, [
      { from: 'properties.sector', to: 'account.industry' },
      { from: 'properties.town', to: 'account.address.city' },
      { from: 'properties.rank', to: 'account.customFields.rank' },
      { from: 'properties.employees', to: 'account.size' },
      { from: 'properties.sector', to: 'lead.firstName' },
    ]);
    expect(mapped.fields).toEqual({
      ...{ name: 'Acme', industry: 'mining', size: 250, address: { city: 'Bonn' } },
      customFields: { tier: 'a', rank: 'b' },
    });
    expect(record).toEqual(copy);
  });

  it.each([[null], [undefined]])('keeps the default for the value %s', (value) => {
    const mapped = applyMappings(company({ sector: value }), [{ from: 'properties.sector', to: 'account.industry' }]);
    expect(mapped.fields).toMatchObject({ industry: 'steel' });
  });

  it.each([
    ['account.tags', 'vip; north, vip;', ['vip', 'north']],
    ['account.tags', ['vip'], ['vip']],
    ['account.size', 'many', 'many'],
    ['account.size', '12', 12],
    ['account.name', 7, '7'],
    ['account.customFields.n', '7', '7'],
  ])('converts for %s the value %j to %j', (to, value, expected) => {
    const { fields } = applyMappings(company({ value }), [{ from: 'properties.value', to }]);
    const [, name = '', key] = to.split('.');
    const found = (fields as Record<string, unknown>)[name];
    expect(key ? (found as Record<string, unknown>)[key] : found).toEqual(expected);
  });

  it.each([
    ['2026-06-30', '2026-06-30T00:00:00.000Z'],
    ['1782777600000', '2026-06-30T00:00:00.000Z'],
    [1_782_777_600_000, '2026-06-30T00:00:00.000Z'],
    ['soon', 'soon'],
  ])('converts the date %j to %j', (value, expected) => {
    const deal = {
      kind: 'opportunity',
      id: '1',
      version: '1',
      outcome: 'open',
      source: { value },
      fields: { name: 'D' },
    };
    const { fields } = applyMappings(deal as ExternalRecord, [{ from: 'value', to: 'opportunity.expectedCloseAt' }]);
    expect(fields).toMatchObject({ expectedCloseAt: expected });
  });

  it('reads own fields of the source only', () => {
    const mapped = applyMappings(company({}), [
      { from: 'properties.constructor.name', to: 'account.industry' },
      { from: 'properties.__proto__', to: 'account.website' },
    ]);
    expect(mapped.fields).toEqual(company({}).fields);
  });

  it('writes no field that mappings cannot have', () => {
    const mapped = applyMappings(company({ id: '5' }), [{ from: 'properties.id', to: 'account.ownerId' }]);
    expect(mapped.fields).not.toHaveProperty('ownerId');
  });
});
