import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createApiKey } from '@tandem/api-keys';
import { createCallerSigner } from '@tandem/caller';
import { id, listQuery, nameRecords, operations, page } from '@tandem/contract';
import { createIdCodec } from '@tandem/ids';
import { z } from 'zod';
import { startTestGateway, type TestGateway, testAlphabet, testPrincipal } from './testing.ts';

const Lead = z.object({
  id: id('lead'),
  assignedTo: id('user').nullable(),
  teamIds: z.array(id('team')),
  score: z.int(),
});
const query = listQuery(['createdAt']).extend({ status: z.string().optional(), assignedTo: id('user').optional() });
const leads = operations({
  listLeads: {
    method: 'GET',
    path: '/v1/leads',
    permission: 'leads:read',
    summary: 'List leads',
    query,
    reply: page(Lead),
    message: '',
  },
  getLead: {
    method: 'GET',
    path: '/v1/leads/:id',
    permission: 'leads:read',
    summary: 'Get a lead',
    params: z.object({ id: id('lead') }),
    reply: Lead,
    message: '',
  },
});
const services = {
  identity: operations({ nameIdentityRecords: nameRecords(['user', 'team']) }),
  crm: { ...leads, ...operations({ nameCrmRecords: nameRecords(['lead']) }) },
};

const ids = createIdCodec(testAlphabet);
const code = (type: 'user' | 'team' | 'lead' | 'view', number: number) => ids.encode(type, 7, number);
const secrets = `k1:${randomBytes(32).toString('hex')}`;
const signer = createCallerSigner(secrets);
const record = { id: '3', assignedTo: '5', teamIds: ['8', '9'], score: 1 };
const envelope = (data: unknown) => ({ success: true, status: 200, data, meta: { requestId: 'r' } });

interface Seen {
  path: string;
  search: string;
  caller: ReturnType<typeof signer.verify>;
  body: unknown;
}
let gateway: TestGateway;
let seen: Seen[];
let isDown = false;
let view: { resource: string; search: string } | undefined;

beforeAll(async () => {
  gateway = await startTestGateway(services, (request, response) => void respond(request, response), {
    INTERNAL_SECRETS: secrets,
  });
});
afterAll(() => gateway?.close());
beforeEach(() => {
  seen = [];
  isDown = false;
  view = undefined;
});

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path = '', search = ''] = (request.url as string).split('?');
  const text = (await request.toArray()).join('');
  const json = (value: unknown, status = 200, headers = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
  if (path === '/internal/keys/resolve') return void json({ data: testPrincipal });
  if (path === '/internal/usage/read') return void json({ data: { calls: 0, recorded: [] } });
  const caller = signer.verify(request.headers['x-ctx'] as string, request.method as string, path);
  seen.push({ path, search, caller, body: text ? JSON.parse(text) : undefined });
  if (path === '/internal/names') {
    if (isDown) return void json({}, 500);
    return void json({ data: { user: [{ id: '5', name: 'Ada' }], team: [{ id: '8', name: 'Sales' }] } });
  }
  if (path.startsWith('/internal/views/')) return void json({ data: view }, view ? 200 : 404);
  json(envelope(path === '/v1/leads' ? [record, { ...record, id: '4', assignedTo: null }] : record), 200, {
    etag: '"1"',
  });
}

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(gateway.base + path, {
    headers: { 'x-api-key': createApiKey('live').key, ...headers },
  });
  // biome-ignore lint/suspicious/noExplicitAny: the assertions say what is expected.
  return { status: response.status, body: (response.status === 304 ? {} : await response.json()) as any };
}

describe('include', () => {
  it('names the records behind the ids of a page, by one call to each service, with the permissions of the caller', async () => {
    const { status, body } = await get('/v1/leads?include=assignedTo,teams&status=new');
    expect([status, body.data[0].assignedTo]).toEqual([200, code('user', 5)]);
    expect(body.included).toEqual({
      [code('user', 5)]: { type: 'user', name: 'Ada' },
      [code('team', 8)]: { type: 'team', name: 'Sales' },
    });
    expect(body.meta).toEqual({ requestId: 'r' });
    const [list, ...lookUps] = seen;
    expect([list?.search, lookUps.length]).toEqual(['status=new', 1]);
    expect(lookUps[0]?.body).toEqual({ user: ['5'], team: ['8', '9'] });
    expect(lookUps[0]?.caller).toMatchObject({
      type: 'system',
      name: 'gateway',
      tenantId: 7,
      userId: 5,
      permissions: ['*'],
    });
  });

  it('works for a single record, whose ETag does not cover the names', async () => {
    const path = `/v1/leads/${code('lead', 3)}`;
    expect((await get(path, { 'if-none-match': '"1"' })).status).toBe(304);
    const { status, body } = await get(`${path}?include=assignedTo`, { 'if-none-match': '"1"' });
    expect([status, Object.keys(body.included)]).toEqual([200, [code('user', 5)]]);
  });

  it('refuses other names with the accepted ones, before a service is called', async () => {
    const { status, body } = await get('/v1/leads?include=assignedTo,owner');
    const message = 'Must be names from assignedTo, teams, separated by commas';
    expect([status, body.errors, seen]).toEqual([422, [{ field: 'include', message }], []]);
  });

  it('leaves names out with a warning while their service is down', async () => {
    isDown = true;
    const { status, body } = await get('/v1/leads?include=assignedTo');
    expect([status, body.data.length, body.included]).toEqual([200, 2, {}]);
    expect(body.meta.warnings).toMatchObject([{ code: 'names_missing', field: 'include' }]);
  });

  it('calls no service for names by default', async () => {
    expect((await get('/v1/leads')).body).not.toHaveProperty('included');
    expect(seen).toHaveLength(1);
  });
});

describe('view', () => {
  const path = `/v1/leads?view=${code('view', 6)}`;

  it('applies the query of the view, decodes its ids, and is overridden by the request', async () => {
    view = { resource: 'leads', search: `status=new&assignedTo=${code('user', 5)}&limit=5&include=assignedTo` };
    expect((await get(`${path}&limit=2`)).body.included).toEqual({ [code('user', 5)]: { type: 'user', name: 'Ada' } });
    const [found, list] = seen;
    expect([found?.path, found?.caller?.userId]).toEqual(['/internal/views/6', 5]);
    expect(Object.fromEntries(new URLSearchParams(list?.search))).toEqual({
      limit: '2',
      status: 'new',
      assignedTo: '5',
    });
  });

  it('is 422 for an unknown view and for one of another list, and ignored where there is no list', async () => {
    const refused = async (query: string) => (await get(query)).body.errors;
    expect(await refused(path)).toEqual([{ field: 'view', message: 'No view with this id' }]);
    expect(await refused('/v1/leads?view=x')).toEqual([{ field: 'view', message: 'No view with this id' }]);
    view = { resource: 'tasks', search: '' };
    expect(await refused(path)).toEqual([{ field: 'view', message: 'Must be a view of leads; this one is of tasks' }]);
    expect((await get(`/v1/leads/${code('lead', 3)}?view=x`)).status).toBe(200);
  });
});
