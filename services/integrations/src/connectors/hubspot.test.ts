import { type Hubspot, startHubspot } from '@tandem/testing';
import type { CallError } from './connector.ts';
import { hubspot } from './hubspot.ts';
import { namesOf, openReading, recordsOf } from './reading.test-service.ts';
import type { Cursor, ExternalRecord, SyncPage } from './sync.ts';

const longAgo = '2026-01-01T00:00:00.000Z';
let provider: Hubspot;
let reading: ReturnType<typeof openReading>;
beforeEach(async () => {
  provider = await startHubspot();
  reading = openReading(hubspot, provider);
});
afterEach(async () => {
  await reading.close();
  await provider.close();
});

type Kind = Parameters<Hubspot['put']>[0];

function put(kind: Kind, id: number, properties: Record<string, unknown> = {}, more: object = {}) {
  provider.put(kind, { id: String(id), properties, updatedAt: longAgo, ...more });
}

/** Companies 1 to 3, contacts 11 to 260 and deals 301 and 302. */
function fill() {
  for (const id of [1, 2, 3]) put('companies', id, { name: `Company ${id}`, domain: `company${id}.example` });
  for (let id = 11; id <= 260; id++)
    put('contacts', id, { email: `c${id}@example.com` }, { associations: { companies: [String((id % 3) + 1), '2'] } });
  put('deals', 301, { dealname: 'One' }, { associations: { companies: ['1'], contacts: ['12', '11'] } });
  put('deals', 302, { dealname: 'Two' });
}

const ofKind = <K extends ExternalRecord['kind']>(pages: SyncPage[], kind: K) =>
  recordsOf(pages).filter((record): record is Extract<ExternalRecord, { kind: K }> => record.kind === kind);

async function afterFirstRun(): Promise<Cursor> {
  const pages = await reading.readAll(null);
  provider.requests.length = 0;
  return pages.at(-1)?.cursor as Cursor;
}

describe('the first run', () => {
  it('reads all objects in pages, companies before contacts before deals', async () => {
    fill();
    const pages = await reading.readAll(null);
    const names = namesOf(pages);
    expect(names).toHaveLength(255);
    expect(new Set(names).size).toBe(255);
    expect(names.slice(0, 4)).toEqual(['account 1', 'account 2', 'account 3', 'lead 11']);
    expect(names.slice(-2)).toEqual(['opportunity 301', 'opportunity 302']);
    expect(pages.map(({ records }) => records.length)).toEqual([3, 100, 100, 50, 2]);
    expect(provider.requests[1]).toMatchObject({
      line: 'GET /crm/v3/objects/contacts',
      query: { limit: '100', associations: 'companies' },
    });
  });

  it('refers to the primary company', async () => {
    fill();
    const pages = await reading.readAll(null);
    const leads = ofKind(pages, 'lead');
    expect(leads.slice(0, 3).map(({ accountRef }) => accountRef)).toEqual(['3', '1', '2']);
    expect(ofKind(pages, 'opportunity')[0]).toMatchObject({
      accountRef: '1',
      leadRef: expect.stringMatching(/^1[12]$/),
    });
    expect(ofKind(pages, 'opportunity')[1]).toMatchObject({ accountRef: null, leadRef: null });
  });

  it('continues at every cursor with the rest', async () => {
    fill();
    const pages = await reading.readAll(null);
    for (const [index, { cursor }] of pages.slice(0, -1).entries()) {
      const rest = await reading.readAll(JSON.parse(JSON.stringify(cursor)));
      expect(namesOf(rest)).toEqual(namesOf(pages.slice(index + 1)));
    }
  });

  it('reads only the objects of the settings', async () => {
    fill();
    const settings = { objects: ['deals', 'companies'] };
    expect(hubspot.sync?.kinds(settings)).toEqual(['account', 'opportunity']);
    const names = namesOf(await reading.readAll(null, { settings }));
    expect(names).toEqual(['account 1', 'account 2', 'account 3', 'opportunity 301', 'opportunity 302']);
  });

  it('continues with the first object that is left when the settings lose the one that it reads', async () => {
    fill();
    const { cursor } = await reading.read((await reading.read(null)).cursor);
    const rest = await reading.readAll(cursor, { settings: { objects: ['deals'] } });
    expect(namesOf(rest)).toEqual(['opportunity 301', 'opportunity 302']);
  });

  it('requests smaller pages while responses are too large', async () => {
    for (let id = 11; id <= 40; id++) put('contacts', id, { email: `c${id}@example.com`, notes: 'x'.repeat(65_536) });
    const fieldMappings = [{ from: 'properties.notes', to: 'lead.customFields.notes' }];
    const pages = await reading.readAll(null, { settings: { objects: ['contacts'] }, fieldMappings });
    expect(namesOf(pages)).toHaveLength(30);
    expect(new Set(namesOf(pages)).size).toBe(30);
    expect(new Set(provider.requests.map(({ query }) => query['limit']))).toEqual(new Set(['100', '20', '4']));
  });
});

describe('a later run', () => {
  it('reads what changed since the previous one, with references', async () => {
    fill();
    const cursor = await afterFirstRun();
    expect(namesOf(await reading.readAll(cursor))).toEqual([]);
    put(
      'contacts',
      12,
      { email: 'new@example.com' },
      { updatedAt: undefined, associations: { companies: ['3', '1'] } },
    );
    put('deals', 303, { dealname: 'Three' }, { updatedAt: undefined, associations: { contacts: ['12'] } });
    const pages = await reading.readAll(cursor);
    expect(namesOf(pages)).toEqual(['lead 12', 'opportunity 303']);
    expect(recordsOf(pages)).toMatchObject([
      { fields: { email: 'new@example.com' }, accountRef: '3' },
      { accountRef: null, leadRef: '12' },
    ]);
    const changedSince = await reading.readAll(pages.at(-1)?.cursor as Cursor);
    // Changes from shortly before the previous run are read again, with the same version.
    expect(recordsOf(changedSince).map(({ version }) => version)).toEqual(
      recordsOf(pages).map(({ version }) => version),
    );
  });

  it('reads more changes than a search returns, each once, also when it is continued at a cursor', async () => {
    const cursor = await afterFirstRun();
    for (let id = 1; id <= 10_050; id++) put('companies', id, { name: `Company ${id}` }, { updatedAt: undefined });
    const pages = await reading.readAll(cursor, { settings: { objects: ['companies'] } });
    const names = namesOf(pages);
    expect([names.length, new Set(names).size]).toEqual([10_050, 10_050]);
    const at = pages[99]?.cursor as Cursor;
    expect(namesOf(await reading.readAll(at, { settings: { objects: ['companies'] } }))).toEqual(names.slice(10_000));
  });

  it('misses nothing that changes while it reads', async () => {
    const cursor = await afterFirstRun();
    for (let id = 1; id <= 250; id++) put('companies', id, { name: `Company ${id}` }, { updatedAt: undefined });
    const first = await reading.read(cursor);
    put('companies', 1, { name: 'Changed' }, { updatedAt: undefined });
    const rest = await reading.readAll(first.cursor);
    expect(new Set(namesOf([first, ...rest])).size).toBe(250);
    const next = await reading.readAll(rest.at(-1)?.cursor as Cursor);
    expect(recordsOf(next).find(({ id }) => id === '1')?.fields).toMatchObject({ name: 'Changed' });
  });

  it('returns what was deleted since the previous one', async () => {
    fill();
    put('contacts', 261, { email: 'old@example.com' }, { archivedAt: longAgo });
    const cursor = await afterFirstRun();
    provider.archive('contacts', '11');
    provider.archive('deals', '302');
    expect(recordsOf(await reading.readAll(cursor)).map(({ kind, id, isDeleted }) => [kind, id, isDeleted])).toEqual([
      ['lead', '11', true],
      ['opportunity', '302', true],
    ]);
  });

  it('reads an object whole that was not read before', async () => {
    fill();
    const pages = await reading.readAll(null, { settings: { objects: ['companies'] } });
    const later = await reading.readAll(pages.at(-1)?.cursor as Cursor, {
      settings: { objects: ['companies', 'deals'] },
    });
    expect(namesOf(later)).toEqual(['opportunity 301', 'opportunity 302']);
  });
});

describe('fields', () => {
  const readOne = async (kind: Kind, properties: Record<string, unknown>, options: object = {}) => {
    put(kind, 1, properties);
    const [record] = recordsOf(await reading.readAll(null, { settings: { objects: [kind] }, ...options }));
    return record as ExternalRecord;
  };

  it('of a company', async () => {
    const record = await readOne('companies', {
      ...{ name: 'Acme', domain: 'acme.example', website: 'www.acme.example', phone: '+49 30 1234567' },
      ...{ industry: 'COMPUTER_SOFTWARE', numberofemployees: '250', address: 'Main St 1', address2: 'Floor 2' },
      ...{ city: 'Berlin', zip: '10115', state: null, country: 'Germany' },
    });
    expect(record).toMatchObject({ kind: 'account', id: '1', version: longAgo });
    expect(record.fields).toEqual({
      ...{ name: 'Acme', domain: 'acme.example', website: 'https://www.acme.example', phone: '+49 30 1234567' },
      ...{ industry: 'computer software', size: 250, externalId: 'hubspot:1' },
      address: { street: 'Main St 1, Floor 2', city: 'Berlin', postalCode: '10115', country: 'Germany' },
    });
  });

  it.each([
    [{ email: 'ada@example.com', firstname: 'Ada', lastname: 'Lovelace' }, 'Ada', 'Lovelace'],
    [{ email: 'ada@example.com', firstname: null, lastname: '' }, 'ada', '-'],
    [{ email: 'ada@example.com', lastname: 'Lovelace' }, 'ada', 'Lovelace'],
  ])('of a contact %j', async (properties, firstName, lastName) => {
    const { fields } = await readOne('contacts', { ...properties, mobilephone: '+491701234567' });
    expect(fields).toEqual({
      ...{ email: 'ada@example.com', firstName, lastName, phone: '+491701234567' },
      ...{ source: 'import', externalId: 'hubspot:1' },
    });
  });

  it('of a contact without an address has an empty one', async () => {
    expect((await readOne('contacts', { firstname: 'Ada' })).fields).toMatchObject({ email: '' });
  });

  it.each([
    [{ hs_is_closed_won: 'true', hs_is_closed: 'true' }, 'won'],
    [{ hs_is_closed_won: 'false', hs_is_closed: 'true' }, 'lost'],
    [{ hs_is_closed: 'false', hs_deal_stage_probability: '0' }, 'open'],
    [{ hs_deal_stage_probability: '1.0' }, 'won'],
    [{ hs_deal_stage_probability: '0' }, 'lost'],
    [{ hs_deal_stage_probability: '0.4' }, 'open'],
    [{}, 'open'],
  ])('of a deal with %j tell that it is %s', async (properties, outcome) => {
    expect(await readOne('deals', { dealname: 'Deal', ...properties })).toMatchObject({ outcome });
  });

  it('of a lost deal, with mapped stage and pipeline', async () => {
    const settings = {
      objects: ['deals'],
      stages: { s7: 'proposal' },
      pipelines: { default: 'Abc123' },
      lostReasonCode: 'price',
    };
    const record = await readOne(
      'deals',
      {
        ...{ dealname: 'Deal', amount: '1500.50', deal_currency_code: 'EUR', closedate: '2026-06-30T00:00:00Z' },
        ...{ dealstage: 's7', pipeline: 'default', hs_is_closed: 'true', closed_lost_reason: 'Too expensive' },
      },
      { settings },
    );
    expect(record.fields).toEqual({
      ...{ name: 'Deal', value: 1500.5, currency: 'EUR', stage: 'proposal', pipeline: 'Abc123' },
      ...{ expectedCloseAt: '2026-06-30T00:00:00.000Z', closedAt: '2026-06-30T00:00:00.000Z' },
      ...{ lostReasonCode: 'price', lostNote: 'Too expensive' },
    });
  });

  it('that mappings read are requested, for the objects of the mapping', async () => {
    const fieldMappings = [
      { from: 'properties.company_size', to: 'account.size' },
      { from: 'properties.score', to: 'lead.score' },
      { from: 'id', to: 'account.customFields.hubspotId' },
    ];
    const record = await readOne('companies', { name: 'Acme', company_size: '7' }, { fieldMappings });
    expect(record.source).toMatchObject({ properties: { company_size: '7' } });
    expect(provider.requests[0]?.query['properties']?.split(',')).not.toContain('score');
    expect(provider.requests[0]?.query['properties']?.split(',')).toContain('hs_lastmodifieddate');
  });

  it.each<[Kind, Record<string, unknown>]>([
    ['companies', { name: 'x'.repeat(500_000), domain: ['a'], numberofemployees: 'many', phone: { a: 1 }, website: 7 }],
    ['contacts', { email: 'a\0b@example.com', firstname: 5, lastname: '\0', phone: true }],
    ['contacts', { email: 'x'.repeat(400_000), firstname: '😀'.repeat(60) }],
    [
      'deals',
      { dealname: null, amount: 'NaN', deal_currency_code: 9, closedate: 'yesterday', dealstage: 'constructor' },
    ],
  ])('of hostile %s are cut or left out', async (kind, properties) => {
    const { fields } = await readOne(kind, properties);
    expect(JSON.stringify(fields).length).toBeLessThan(3_000);
    expect(JSON.stringify(fields)).not.toContain('\\u0000');
    expect(Object.values(fields).every((value) => typeof value !== 'string' || value.isWellFormed())).toBe(true);
    expect(Object.values(fields)).not.toContain(undefined);
  });
});

describe('a response', () => {
  const failureOf = (cursor: Cursor | null = null) =>
    reading.read(cursor).then(
      () => undefined,
      (error: CallError) => error,
    );

  it.each([
    ['is no page', { html: true }],
    ['is null', null],
    ['has no list', { results: 'none' }],
  ])('that %s is a failure of the system', async (_, body) => {
    provider.answerWith(body);
    expect(await failureOf()).toMatchObject({ failure: 'provider_unavailable' });
  });

  it('skips records without an id, and reads the others', async () => {
    const results = [
      null,
      5,
      'x',
      [],
      {},
      { id: { a: 1 } },
      { id: 'a b' },
      { id: '9', properties: 'none' },
      { id: 10 },
    ];
    provider.answerWith({ results });
    const { records } = await reading.read(null);
    expect(records.map(({ id }) => id)).toEqual(['9', '10']);
  });

  it('that repeats a page ends the run', async () => {
    provider.answerWith({ results: [{ id: '1' }], paging: { next: { after: '1' } } });
    const { cursor } = await reading.read(null);
    provider.answerWith({ results: [{ id: '1' }], paging: { next: { after: '1' } } });
    expect(await failureOf(cursor)).toMatchObject({ failure: 'provider_unavailable' });
  });

  it.each([
    [{ policyName: 'TEN_SECONDLY_ROLLING' }, {}, 10],
    [{ policyName: 'SECONDLY' }, {}, 1],
    [{ policyName: 'DAILY' }, {}, 3_600],
    [{ policyName: 'SECONDLY' }, { 'retry-after': '7' }, 7],
  ])('with status 429 and %j %j tells when to continue', async (body, headers, seconds) => {
    fill();
    const first = await reading.read(null);
    provider.refuse({ times: 1, status: 429, headers, body: { status: 'error', errorType: 'RATE_LIMIT', ...body } });
    const startMs = Date.now();
    const error = (await failureOf(first.cursor)) as CallError;
    expect(error).toMatchObject({ failure: 'provider_unavailable' });
    const waitMs = (error.retryAt as Date).getTime() - startMs;
    expect(waitMs).toBeGreaterThanOrEqual(seconds * 1_000 - 5);
    expect(waitMs).toBeLessThan(seconds * 1_000 + 30_000);
    expect(namesOf(await reading.readAll(first.cursor))).toHaveLength(252);
  });

  it.each([
    [401, 'credentials_rejected'],
    [403, 'status_403'],
    [500, 'provider_unavailable'],
  ])('with status %i is the failure %s', async (status, failure) => {
    provider.refuse({ times: 1, status });
    expect(await failureOf()).toMatchObject({ failure });
  });
});

describe('settings', () => {
  it.each([
    [{ objects: [] }, 'objects'],
    [{ objects: ['tickets'] }, 'objects.0'],
    [{ stages: { 'a b': 'won' } }, 'stages.a b'],
    [{ stages: { a: 'not a code' } }, 'stages.a'],
    [{ lostReasonCode: 'No!' }, 'lostReasonCode'],
    [{ updateExisting: 'yes' }, 'updateExisting'],
  ])('%j are refused', (settings, path) => {
    const { error } = hubspot.settings?.safeParse(settings) ?? {};
    expect(error?.issues.map((issue) => issue.path.join('.'))).toEqual([path]);
  });

  it('have defaults', () => {
    expect(hubspot.settings?.parse({})).toEqual({
      ...{ objects: ['companies', 'contacts', 'deals'], pipelines: {}, stages: {} },
      ...{ lostReasonCode: 'other', updateExisting: true },
    });
  });
});
