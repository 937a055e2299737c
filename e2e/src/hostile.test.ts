import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { fillPath, isEventStream, mediaOf, type Operation } from '@tandem/contract';
import { aTenant, operations, startFleet, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import fc from 'fast-check';

const calls = 2_000;
const concurrency = 16;
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000_000);

let fleet: TestFleet;
let tenant: TestTenant;
let stranger: TestTenant;
let ownLead: string;
beforeAll(async () => {
  fleet = await startFleet();
  [tenant, stranger] = [await aTenant(fleet), await aTenant(fleet)];
  ownLead = (await tenant.api.createLead({ body: { email: 'a@example.com', firstName: 'A', lastName: 'B' } })).data.id;
}, 240_000);
afterAll(() => fleet?.stop(), 60_000);

const rows = Object.values(operations as Record<string, Operation>).filter((row) => row.audience !== 'internal');

/** Values known to break parsers, databases or pages. */
const hostile = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '0',
    '-1',
    '1e309',
    'NaN',
    'null',
    'undefined',
    'true',
    '[]',
    '{}',
    '%00',
    '\u0000',
    '\ud800',
    '𝕳',
    '../../etc/passwd',
    "' OR 1=1 --",
    '"; DROP TABLE lead; --',
    '<script>alert(1)</script>',
    '{{7*7}}',
    '#{7*7}',
    '%s%n',
    'a'.repeat(5_000),
    '\r\nX-Injected: 1',
    '__proto__',
    'constructor',
    '2026-02-30T25:61:61Z',
    '9'.repeat(40),
    '=cmd()',
  ),
  fc.string({ maxLength: 60, unit: 'binary' }),
  fc.integer(),
  fc.double(),
  fc.constantFrom(null, true, false, [], {}, [[[]]], { $ne: null }, { toString: 1 }, -0, 1e21),
);
const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
const someId = fc.oneof(fc.constantFrom('own', 'foreign', 'user', 'key'), hostile.map(asText));
const anyValue = fc.oneof(hostile, fc.jsonValue({ maxDepth: 4 }));

/** A request for a row, with valid and invalid values, and declared and undeclared fields. */
const aCall = fc.constantFrom(...rows).chain((row) => {
  const fields = (schema: { shape: object } | undefined) => Object.keys(schema?.shape ?? {});
  const record = (names: string[], value: fc.Arbitrary<unknown>) =>
    fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] });
  return fc.record({
    row: fc.constant(row),
    params: fc.record(Object.fromEntries(fields(row.params).map((name) => [name, someId]))),
    query: fc.oneof(
      record(fields(row.query), hostile.map(asText)),
      fc.dictionary(fc.string({ maxLength: 8 }), fc.string({ maxLength: 20 }), { maxKeys: 4 }),
    ),
    body: fc.oneof({ arbitrary: record(fields(row.body), anyValue), weight: 4 }, { arbitrary: anyValue, weight: 1 }),
    text: fc.option(fc.string({ maxLength: 200, unit: 'binary' }), { freq: 8 }),
    type: fc.constantFrom(
      'application/json',
      'application/json',
      'application/json',
      'text/plain',
      'application/xml',
      'multipart/form-data; boundary=x',
    ),
    credentials: fc.constantFrom('live', 'live', 'live', 'sandbox', 'none', 'both', 'rubbish'),
    headers: record(
      ['if-match', 'idempotency-key', 'x-on-behalf-of', 'x-request-id', 'traceparent', 'accept'],
      fc.string({ maxLength: 300, unit: 'grapheme-ascii' }),
    ),
  });
});

type Call = typeof aCall extends fc.Arbitrary<infer T> ? T : never;

async function send(call: Call) {
  const { row, params, query, body, text, type, credentials, headers } = call;
  const ids: Record<string, string> = { own: ownLead, foreign: stranger.userId, user: tenant.userId, key: tenant.id };
  const path = fillPath(row.path, (field) => {
    const value = (params as Record<string, string>)[field] as string;
    return encode(ids[value] ?? value);
  });
  const search = new URLSearchParams(
    Object.entries(query).map(([key, value]): [string, string] => [wellFormed(key), wellFormed(value as string)]),
  ).toString();
  const proof: Record<string, Record<string, string>> = {
    live: { 'x-api-key': tenant.live },
    sandbox: { 'x-api-key': tenant.sandbox },
    none: {},
    both: { 'x-api-key': tenant.live, authorization: 'Bearer a.b.c' },
    rubbish: { authorization: `Bearer ${tenant.accessToken.slice(0, -3)}xyz`, 'x-tenant-id': tenant.id },
  };
  const clean = Object.fromEntries(
    Object.entries(headers).filter(([, value]) => typeof value === 'string' && /^[\x20-\x7e]*$/.test(value)),
  );
  const hasBody = row.method !== 'GET';
  if (row.hosts) return getOnDomain(`${path}?${search}`, { ...clean, ...proof[credentials] } as Record<string, string>);
  return fetch(`${fleet.baseUrl}${path}?${search}`, {
    method: row.method,
    redirect: 'manual',
    headers: { ...clean, ...proof[credentials], ...(hasBody && { 'content-type': type }) } as Record<string, string>,
    ...(hasBody && { body: text ?? JSON.stringify(body) ?? '' }),
  });
}

/** Requests a page of a domain of a tenant, with a Host header, which `fetch` would not send. */
async function getOnDomain(path: string, headers: Record<string, string>): Promise<Response> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const all = { ...headers, host: 'www.example.com' };
    request(fleet.baseUrl + path, { headers: all }, resolve)
      .on('error', reject)
      .end();
  });
  return new Response(await buffer(response), { status: response.statusCode as number });
}

const wellFormed = (text: string) => text.toWellFormed();
const encode = (text: unknown) => encodeURIComponent(wellFormed(String(text))).replaceAll('.', '%2E') || '%20';

describe('hostile calls', () => {
  it(`get a response in our envelope and never a 5xx: ${calls} of them (FUZZ_SEED=${seed})`, async () => {
    const todo = fc.sample(aCall, { numRuns: calls, seed });
    const seen = new Map<number, number>();
    const broken: unknown[] = [];
    const worker = async () => {
      for (let call = todo.pop(); call; call = todo.pop()) {
        const response = await send(call);
        seen.set(response.status, (seen.get(response.status) ?? 0) + 1);
        const isPage = response.status === 200 && mediaOf(call.row.reply) !== undefined;
        // An event stream does not end by itself.
        if (isPage && isEventStream(call.row.reply)) {
          await response.body?.cancel();
          continue;
        }
        const body = await response.text();
        const isEnvelope =
          isPage ||
          response.status === 204 ||
          call.row.envelope !== undefined ||
          JSON.parse(body).meta?.version === 'v1';
        if (response.status >= 500 || !isEnvelope)
          broken.push({
            status: response.status,
            operation: call.row.id,
            call: { ...call, row: undefined },
            body: body.slice(0, 300),
          });
      }
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
    expect(broken).toEqual([]);
    expect([...seen.values()].reduce((sum, count) => sum + count, 0)).toBe(calls);
    // Ensures that the generated calls cover successes and every kind of error.
    for (const status of [200, 400, 401, 404, 415, 422]) expect(seen.get(status) ?? 0).toBeGreaterThan(0);
  }, 300_000);

  it('leave the fleet ready and serving', async () => {
    for (const name of Object.keys(fleet.environment)) expect([name, await fleet.ready(name)]).toEqual([name, true]);
    expect((await tenant.api.listLeads()).status).toBe(200);
  });
});

/** Operations whose path names no record: any feature key, the type of a search, the name of a model. */
const withoutIds = new Set([
  'authorizeConnection',
  'getConnector',
  'getEntitlement',
  'refreshProviderConnection',
  'searchDocuments',
  'trainPredictionModel',
]);

describe('every operation, through the gateway', () => {
  const named = (kept: Operation[]) => kept.map((row) => [`${row.method} ${row.path}`, row] as const);
  const guarded = rows.filter((row) => row.audience === undefined || row.audience === 'tenant');
  const credentials = (row: Operation, key: string): Record<string, string> =>
    row.peopleOnly && key === tenant.live
      ? { authorization: `Bearer ${tenant.accessToken}`, 'x-tenant-id': tenant.id }
      : { 'x-api-key': key };
  const call = (row: Operation, key: string | undefined, id = 'AAAAAAAAAAAAAAAA', body: unknown = {}) =>
    fetch(`${fleet.baseUrl}${pathOf(row, id)}`, {
      method: row.method,
      headers: {
        ...(key && credentials(row, key)),
        ...(row.method !== 'GET' && { 'content-type': 'application/json' }),
      },
      ...(row.method !== 'GET' && { body: JSON.stringify(body) }),
    });

  // A parameter that is not an id has an example of a valid value.
  const pathOf = (row: Operation, id: string) =>
    fillPath(row.path, (field) => {
      const { examples } = ((row.params?.shape[field] as Meta | undefined)?.meta() ?? {}) as { examples?: string[] };
      return examples?.[0] ?? id;
    });

  it.each(named(guarded))('%s returns 401 without credentials', async (_, row) => {
    const response = await call(row, undefined);
    expect([response.status, (await envelopeOf(response)).message]).toEqual([401, 'Invalid or missing API key']);
  });

  it.each(named(guarded.filter((row) => row.permission !== 'signed-in')))(
    '%s returns 403 for a key without the permission',
    async (_, row) => {
      const other = row.permission === 'tenant:read' ? 'leads:read' : 'tenant:read';
      keysWithOtherPermission[other] ??= (
        await tenant.owner.createApiKey({ body: { name: 'little', permissions: [other] } })
      ).data.fullKey as string;
      const response = await call(row, keysWithOtherPermission[other]);
      expect([response.status, (await envelopeOf(response)).message]).toEqual([403, 'Insufficient permissions']);
    },
  );

  it.each(named(guarded.filter((row) => row.params && !withoutIds.has(row.id))))(
    '%s returns 404 for a foreign, a malformed and a missing id',
    async (_, row) => {
      for (const id of [stranger.userId, stranger.id, '17', 'AAAAAAAAAAAAAAAA', 'a%2Fb']) {
        const response = await call(row, tenant.live, id);
        expect([id, response.status, (await envelopeOf(response)).code]).toEqual([id, 404, 'not_found']);
      }
    },
  );
});

type Meta = { meta(): object | undefined };
const keysWithOtherPermission: Record<string, string> = {};
const envelopeOf = async (response: Response) => (await response.json()) as { message: string; code: string };
