import { openCallback } from '../google.test-service.ts';
import { type Integrations, startIntegrations } from '../testing.ts';
import type { CallError } from './connector.ts';
import { startPipedrive } from './pipedrive.test-service.ts';
import { pipedrive } from './pipedrive.ts';
import { namesOf, openReading, recordsOf } from './reading.test-service.ts';
import { type Cursor, CursorExpiredError, type ExternalRecord } from './sync.ts';

const longAgo = '2026-01-01T00:00:00Z';
let provider: Awaited<ReturnType<typeof startPipedrive>>;
let reading: ReturnType<typeof openReading>;
beforeEach(async () => {
  provider = await startPipedrive();
  reading = openReading(pipedrive, provider);
});
afterEach(async () => {
  await reading.close();
  await provider.close();
});

type Kind = Parameters<typeof provider.put>[0];

function put(kind: Kind, id: number, values: object = {}) {
  provider.put(kind, { id, update_time: longAgo, ...values });
}

/** Organizations 1 and 2, persons 11 to 260, deals 301 to 303. */
function fill() {
  for (const id of [1, 2]) put('organizations', id, { name: `Organization ${id}` });
  for (let id = 11; id <= 260; id++)
    put('persons', id, { name: `Person ${id}`, emails: [{ value: `p${id}@example.com`, primary: true }], org_id: 1 });
  put('deals', 301, { title: 'One', status: 'open', org_id: 2, person_id: 11 });
  put('deals', 302, { title: 'Two', status: 'won' });
  put('deals', 303, { title: 'Three', status: 'open', is_deleted: true });
}

it('reads all objects in pages, organizations before persons before deals, and continues at every cursor', async () => {
  fill();
  const pages = await reading.readAll(null);
  const names = namesOf(pages);
  expect([names.length, new Set(names).size]).toEqual([254, 254]);
  expect([...names.slice(0, 3), ...names.slice(-2)]).toEqual([
    ...['account 1', 'account 2', 'lead 11', 'opportunity 301', 'opportunity 302'],
  ]);
  for (const [index, { cursor }] of pages.slice(0, -1).entries()) {
    const rest = await reading.readAll(JSON.parse(JSON.stringify(cursor)));
    expect(namesOf(rest)).toEqual(namesOf(pages.slice(index + 1)));
  }
  expect(recordsOf(pages).find(({ id }) => id === '301')).toMatchObject({ accountRef: '2', leadRef: '11' });
});

it('reads what changed since the previous run, with deleted deals', async () => {
  fill();
  const cursor = (await reading.readAll(null)).at(-1)?.cursor as Cursor;
  expect(namesOf(await reading.readAll(cursor))).toEqual([]);
  put('persons', 12, { name: 'Ada', update_time: undefined });
  provider.put('persons', { id: 12, name: 'Ada' });
  provider.put('deals', { id: 301, title: 'One', status: 'open', is_deleted: true });
  const records = recordsOf(await reading.readAll(cursor));
  expect(records.map(({ kind, id, isDeleted = false }) => [kind, id, isDeleted])).toEqual([
    ['lead', '12', false],
    ['opportunity', '301', true],
  ]);
});

it('begins again when Pipedrive refuses its cursor', async () => {
  fill();
  const { cursor } = await reading.read({ marks: {}, object: 'persons', part: 'records', after: null });
  await expect(reading.read({ ...cursor, after: 'unknown' })).rejects.toBeInstanceOf(CursorExpiredError);
});

describe('fields', () => {
  const readOne = async (kind: Kind, values: object, options: object = {}) => {
    put(kind, 1, values);
    const [record] = recordsOf(await reading.readAll(null, { settings: { objects: [kind] }, ...options }));
    return record as ExternalRecord;
  };

  it('of an organization', async () => {
    const address = {
      value: 'Main St 1, Berlin',
      route: 'Main St',
      street_number: '1',
      locality: 'Berlin',
      country: 'Germany',
    };
    const { fields } = await readOne('organizations', {
      ...{ name: 'Acme', website: 'https://www.acme.example/', employee_count: 40, address },
    });
    expect(fields).toEqual({
      ...{ name: 'Acme', website: 'https://www.acme.example/', domain: 'acme.example', size: 40 },
      address: { street: 'Main St 1', city: 'Berlin', country: 'Germany' },
      externalId: 'pipedrive:1',
    });
  });

  it('of an organization have no domain for a profile, and an address as Pipedrive has it', async () => {
    const { fields } = await readOne('organizations', {
      ...{ name: 'Acme', website: 'linkedin.example/company/acme', address: { value: 'Main St 1, Berlin' } },
    });
    expect(fields).toEqual({
      ...{ name: 'Acme', website: 'https://linkedin.example/company/acme', externalId: 'pipedrive:1' },
      address: { street: 'Main St 1, Berlin' },
    });
  });

  it('of a person, by the primary address and number', async () => {
    const { fields } = await readOne('persons', {
      ...{ name: 'Ada Lovelace', first_name: 'Ada', last_name: 'Lovelace' },
      emails: [
        { value: 'second@example.com', primary: false },
        { value: 'ada@example.com', primary: true },
      ],
      phones: [{ value: '' }, { value: '+491701234567', primary: false }],
    });
    expect(fields).toEqual({
      ...{ email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace', phone: '+491701234567' },
      ...{ source: 'import', externalId: 'pipedrive:1' },
    });
  });

  it('of a lost deal', async () => {
    const settings = { objects: ['deals'], stages: { 5: 'proposal' }, pipelines: { 2: 'Abc' } };
    const record = await readOne(
      'deals',
      {
        ...{
          title: 'Deal',
          value: 1500.5,
          currency: 'EUR',
          expected_close_date: '2026-06-30',
          stage_id: 5,
          pipeline_id: 2,
        },
        ...{ status: 'lost', lost_time: '2026-02-01T10:00:00Z', lost_reason: 'Price' },
      },
      { settings },
    );
    expect(record).toMatchObject({ outcome: 'lost', version: longAgo });
    expect(record.fields).toEqual({
      ...{ name: 'Deal', value: 1500.5, currency: 'EUR', stage: 'proposal', pipeline: 'Abc' },
      ...{ expectedCloseAt: '2026-06-30T00:00:00.000Z', closedAt: '2026-02-01T10:00:00.000Z' },
      ...{ lostReasonCode: 'other', lostNote: 'Price' },
    });
  });

  it('that mappings read are requested', async () => {
    const fieldMappings = [{ from: 'custom_fields.d4de1c15.value', to: 'opportunity.customFields.budget' }];
    await readOne('deals', { title: 'Deal' }, { fieldMappings });
    expect(provider.requests[0]?.query).toMatchObject({ custom_fields: 'd4de1c15', limit: '100' });
    // Pipedrive accepts at most 15 keys, and returns all fields without the parameter.
    const many = Array.from({ length: 16 }, (_, index) => ({
      ...{ from: `custom_fields.k${index}`, to: `opportunity.customFields.k${index}` },
    }));
    provider.requests.length = 0;
    await readOne('deals', { title: 'Deal' }, { fieldMappings: many });
    expect(provider.requests[0]?.query).not.toHaveProperty('custom_fields');
  });

  it.each<[Kind, object]>([
    ['organizations', { name: ['x'], website: 'http://[', employee_count: '1e9', address: 'Berlin' }],
    ['persons', { name: '\0', emails: 'ada@example.com', phones: [null, 5, { value: { a: 1 } }], org_id: 'a b' }],
    ['persons', { name: 'x'.repeat(300_000), emails: Array(20_000).fill({ value: '' }) }],
    ['deals', { title: null, value: '1,5', currency: {}, stage_id: 'constructor', custom_fields: [[[[[[[1]]]]]]] }],
  ])('of hostile %s are cut or left out', async (kind, values) => {
    const { fields } = await readOne(kind, values);
    expect(JSON.stringify(fields).length).toBeLessThan(3_000);
    expect(JSON.stringify(fields)).not.toContain('\\u0000');
    expect(Object.values(fields)).not.toContain(undefined);
  });
});

it('skips records without an id, and refuses what is no page', async () => {
  provider.answerWith({ success: true, data: [null, 3, {}, { id: 1.5 }, { id: 4 }] });
  expect((await reading.read(null)).records.map(({ id }) => id)).toEqual(['4']);
  provider.answerWith({ success: true, data: null });
  await expect(reading.read(null)).rejects.toMatchObject({ failure: 'provider_unavailable' });
});

it.each([
  [{ 'retry-after': '5' }, 5],
  [{ 'x-ratelimit-reset': '2' }, 2],
])('tells by %j when to continue after 429', async (headers, seconds) => {
  provider.refuse({ times: 1, status: 429, headers });
  const startMs = Date.now();
  const error = (await reading.read(null).catch((thrown: unknown) => thrown)) as CallError;
  expect((error.retryAt as Date).getTime() - startMs).toBeGreaterThanOrEqual(seconds * 1_000 - 5);
});

describe('a connection', () => {
  let service: Integrations;
  beforeEach(async () => {
    service = await startIntegrations({
      ...{ OAUTH_PIPEDRIVE_CLIENT_ID: 'tandem', OAUTH_PIPEDRIVE_CLIENT_SECRET: 'ThisIsOnlyTheSecretOfATest' },
      OAUTH_PIPEDRIVE_URL: provider.url,
    });
  });
  afterEach(() => service?.close());

  it('is authorized for reading, and previews records with their errors', async () => {
    put('persons', 11, { name: 'Ada', emails: [{ value: 'ada@example.com' }], phones: [{ value: '030 1' }] });
    put('persons', 12, { name: 'Nobody' });
    put('persons', 13, { name: 'Bad', emails: [{ value: 'bad' }], custom_fields: { a: 'x'.repeat(60_000) } });
    const api = service.as();
    const { data: begun } = await api.authorizeConnection({ params: { provider: 'pipedrive' }, body: {} });
    expect(new URL(begun.authorizationUrl).searchParams.get('scope')).toBe('base contacts:read deals:read');
    const done = await openCallback(service, { state: begun.state, code: 'good-code' }, 'pipedrive');
    expect([done.status, done.data.status]).toEqual([200, 'connected']);
    expect((await api.getConnection({ params: { id: begun.connectionId } })).data).toMatchObject({
      account: { id: '1', name: 'Acme' },
    });
    const fieldMappings = [{ from: 'custom_fields.a', to: 'lead.customFields.a' }];
    const { data, status } = await api.previewConnection({
      params: { id: begun.connectionId },
      body: { settings: { objects: ['persons'] }, fieldMappings },
    });
    expect(status).toBe(200);
    type Shown = { externalId: string; result: { email: string }; errors: { field: string }[] };
    const shown = (data.records as Shown[]).map(({ externalId, result, errors }) => [
      ...[externalId, result.email],
      errors.map(({ field }) => field),
    ]);
    expect(shown).toEqual([
      ['11', 'ada@example.com', ['phone']],
      ['12', '', ['email']],
      ['13', 'bad', ['email', 'customFields']],
    ]);
  });

  it.each([
    [{ settings: { objects: ['companies'] } }, 'settings.objects.0'],
    [{ settings: {}, fieldMappings: [{ from: 'name', to: 'lead.ownerId' }] }, 'fieldMappings.0.to'],
  ])('refuses %j', async (body, field) => {
    const api = service.as();
    const { data: begun } = await api.authorizeConnection({ params: { provider: 'pipedrive' }, body: {} });
    await openCallback(service, { state: begun.state, code: 'good-code' }, 'pipedrive');
    const reply = await api.previewConnection({ params: { id: begun.connectionId }, body });
    expect([reply.status, reply.body.errors?.map((one) => one.field)]).toEqual([422, [field]]);
  });
});
