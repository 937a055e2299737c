import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { id, operations, page, portalRoles, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { fleet } from '../contracts.ts';
import type { JsonSchema, Part } from './json.ts';
import { openApiDocument } from './openapi.ts';
import { at, byId, described, document, nodes, rows, schema } from './testing.ts';
import { catalogue } from './vocabulary.ts';
import { committedDocument, documentText } from './write.ts';

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
  });

  it('describes every public operation and no internal one', () => {
    const internal = Object.values(fleet)
      .flatMap((all) => Object.values(all))
      .filter((row) => row.audience === 'internal');
    expect(described.map(({ operationId }) => operationId).sort()).toEqual(rows.map(({ row }) => row.id).sort());
    expect(internal.length).toBeGreaterThan(0);
    expect(Object.keys(document.paths).filter((path) => path.startsWith('/internal'))).toEqual([]);
  });

  it('excludes internal operations', () => {
    const given = Object.values(fleet)
      .flatMap((all) => Object.values(all))
      .map((row) => ({ row, service: 'any' }))
      // Several services have the row of background jobs.
      .filter(({ row }, index, all) => index === all.findIndex((one) => one.row === row));
    expect(openApiDocument(given)).toEqual(document);
  });

  it('gives every operation and event a unique name', () => {
    const events = Object.values(document.webhooks).flatMap((item) => Object.values(item));
    const names = [...described, ...events].map(({ operationId }) => operationId);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('describes every event of the catalogue', () => {
    const emitted = rows.flatMap(({ row }) => row.emits ?? []).filter(({ group }) => group !== undefined);
    const names = new Set([...catalogue, ...emitted].map(({ name }) => name));
    expect(new Set(Object.keys(document.webhooks))).toEqual(names);
    expect(names).toContain('form.submitted');
  });

  it('lists the rate limit headers with every response', () => {
    const shared = (document.components as { responses: Record<string, Part> }).responses;
    const without = described.flatMap(({ operationId, responses }) =>
      Object.entries(responses as Record<string, { $ref?: string; headers?: object }>)
        .filter(([, given]) => {
          const { headers } = given.$ref ? (shared[given.$ref.split('/').at(-1) as string] as typeof given) : given;
          return !headers || !('RateLimit-Remaining' in headers);
        })
        .map(([status]) => `${operationId} ${status}`),
    );
    expect(without).toEqual([]);
  });

  it('has a description for every tag; a new resource needs one in tags.ts', () => {
    const tags = document.tags as { name: string; description?: string }[];
    expect(tags.filter(({ description }) => !description)).toEqual([]);
    const used = new Set(described.flatMap(({ tags: own }) => own as string[]));
    expect(new Set(tags.map(({ name }) => name))).toEqual(used);
  });

  it('contains no broken reference and no unused component', () => {
    const references = new Set(
      nodes(document).flatMap(({ value }) => (typeof value.$ref === 'string' ? [value.$ref] : [])),
    );
    expect([...references].filter((reference) => at(reference) === undefined)).toEqual([]);
    const parts = Object.entries(document.components)
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, all]) => Object.keys(all).map((name) => `#/components/${kind}/${name}`));
    expect(parts.filter((part) => !references.has(part))).toEqual([]);
  });

  it('contains an example of every JSON body, response and error', () => {
    // A file has no schema.
    const contents = nodes(document).filter(
      ({ pointer, value }) => /\/content\/application~1json$/.test(pointer) && 'schema' in value,
    );
    expect(contents.length).toBeGreaterThan(200);
    expect(
      contents.filter(({ value }) => !('example' in value) && !('examples' in value)).map(({ pointer }) => pointer),
    ).toEqual([]);
  });

  it('equals the committed document', () => {
    const isFresh = readFileSync(committedDocument, 'utf8') === documentText();
    if (!isFresh)
      throw new Error('gateway/openapi.json is stale: run `npm run openapi` and commit it with the contract');
  });
});

describe('an operation in the document', () => {
  it('states the required credentials and permissions', () => {
    expect(byId('createLead')).toMatchObject({
      security: [{ ApiKey: ['leads:write'] }, { AccessToken: ['leads:write'], TenantId: [] }],
      'x-permission': 'leads:write',
    });
    const all = ['leads:write', 'opportunities:write', 'leads:read'];
    expect(byId('convertLead')).toMatchObject({
      security: [{ ApiKey: all }, { AccessToken: all, TenantId: [] }],
      description: expect.stringContaining(
        'Requires the permissions `leads:write`, `opportunities:write`, and `leads:read`; for `accountId` also `accounts:read`; for `partnerId` also `partners:read`.',
      ),
    });
    expect(byId('createTask')).toMatchObject({
      security: [{ ApiKey: ['tasks:write'] }, { AccessToken: ['tasks:write'], TenantId: [] }],
      description: expect.stringContaining(
        'Requires the permission `tasks:write`; for `leadId` also `leads:read`; for `opportunityId` also `opportunities:read`; for `partnerId` also `partners:read`.',
      ),
    });
    expect(byId('login')).toMatchObject({ security: [] });
    expect(byId('login')).not.toHaveProperty('x-permission');
    expect(byId('getMe')).toMatchObject({
      'x-permission': 'signed-in',
      security: [{ ApiKey: [] }, { AccessToken: [], TenantId: [] }],
    });
  });

  it('requires a portal token for the portal', () => {
    const { getThing } = portal;
    const { paths } = openApiDocument([{ row: getThing, service: 'partner' }]);
    expect(paths['/v1/partners/portal/things/{id}:verb']?.get).toMatchObject({
      security: [{ PortalToken: [] }],
      'x-portal-roles': ['owner', 'member'],
      description: expect.stringContaining('Requires a portal user with the role `owner` or `member`.'),
      responses: { 403: { $ref: '#/components/responses/ForbiddenPortalRole' } },
    });
    const [open] = [openApiDocument([{ row: { ...getThing, portalRoles }, service: 'partner' }])];
    expect(open.paths['/v1/partners/portal/things/{id}:verb']?.get).toMatchObject({
      description: expect.stringContaining('Requires a portal user with any role.'),
    });
  });

  it('describes ids, times, numbers and flags in wire form', () => {
    const lead = schema('Lead');
    expect(lead.properties?.id).toEqual({ $ref: '#/components/schemas/LeadId' });
    expect(schema('LeadId')).toMatchObject({ type: 'string', pattern: '^(?:lead_)?[0-9A-Za-z]{16,20}$' });
    expect(lead.properties?.createdAt).toEqual({ type: 'string', format: 'date-time' });
    const query = Object.fromEntries(
      (byId('listLeads').parameters as { $ref?: string; name?: string }[])
        .map((one) => (one.$ref ? (at(one.$ref) as { name?: string }) : one))
        .map((one) => [one.name, one]),
    );
    expect(query.limit).toMatchObject({
      in: 'query',
      schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    });
    expect(query.deleted).toMatchObject({ schema: { type: 'boolean' } });
    expect(query.assignedTo).toMatchObject({ schema: { $ref: '#/components/schemas/UserId' } });
    expect(query.customFields).toMatchObject({ style: 'deepObject', explode: true });
  });

  it('requires in a response every field that is always present, in a request only those without a default', () => {
    const { makeThing } = made;
    const { schemas } = openApiDocument([{ row: makeThing, service: 'crm' }]).components as {
      schemas: Record<string, JsonSchema>;
    };
    expect(schemas.MakeThingRequest?.required).toEqual(['name']);
    expect(schemas.MakeThingResult?.required).toEqual(['name', 'count', 'createdAt']);
    expect(schemas.MakeThingResult?.properties?.count).toEqual({ type: 'integer' });
  });

  it('lists its own errors by code, in addition to the common ones', () => {
    const { responses } = byId('restoreFile') as { responses: Record<string, { $ref: string }> };
    expect(responses[409]).toEqual({ $ref: '#/components/responses/ConflictNotDeleted' });
    expect(codesOf(at('#/components/responses/ConflictNotDeleted'))).toEqual([
      'not_deleted',
      'idempotency_mismatch',
      'idempotency_running',
    ]);
    expect(responses[404]).toEqual({ $ref: '#/components/responses/NotFound' });
  });

  it('lists the codes of every error as an enum, each with an example', () => {
    const errors = described.flatMap(({ operationId, responses }) =>
      Object.entries(responses as Record<string, Part>)
        .filter(([status]) => Number(status) >= 400)
        .map(([status, response]) => ({
          name: `${operationId} ${status}`,
          response: typeof response.$ref === 'string' ? at(response.$ref) : response,
        })),
    );
    expect(errors.length).toBeGreaterThan(1000);
    const wrong = errors.filter(({ response }) => {
      const { examples } =
        (response as { content: Record<string, { examples: object }> }).content['application/json'] ?? {};
      return codesOf(response).length === 0 || codesOf(response).join() !== Object.keys(examples ?? {}).join();
    });
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  it('accepts If-Match where a version changes, and an Idempotency-Key on every POST of a tenant', () => {
    const takes = (name: string, header: string) => JSON.stringify(byId(name).parameters ?? []).includes(`/${header}"`);
    for (const name of ['updateLead', 'deleteLead', 'changeLeadStatus'])
      expect([name, takes(name, 'IfMatch')]).toEqual([name, true]);
    for (const name of ['createLead', 'getLead', 'testWebhook', 'retryDelivery'])
      expect([name, takes(name, 'IfMatch')]).toEqual([name, false]);
    const posts = rows.filter(({ row }) => row.method === 'POST' && row.audience !== 'public');
    expect(posts.filter(({ row }) => !takes(row.id, 'IdempotencyKey'))).toEqual([]);
    expect(takes('login', 'IdempotencyKey')).toBe(false);
  });

  it('marks the pagination of a list that can be grouped as optional', () => {
    const responseSchema = (name: string) => {
      const { responses } = byId(name) as { responses: { 200: { content: Record<string, { schema: JsonSchema }> } } };
      return at(responses[200].content['application/json']?.schema.$ref as string) as JsonSchema;
    };
    const grouped = responseSchema('listCoMarketingResources');
    expect(grouped?.properties).toHaveProperty('pagination');
    expect(grouped?.required).not.toContain('pagination');
    expect(grouped?.properties?.data?.anyOf).toMatchObject([
      { type: 'array' },
      { $ref: '#/components/schemas/GroupedCoMarketing' },
    ]);
    expect(responseSchema('listPartners')?.required).toContain('pagination');
  });

  it('has no envelope around a bare reply', () => {
    const { responses } = byId('getJwks') as {
      responses: Record<string, { content: Record<string, { schema: JsonSchema }> }>;
    };
    expect(responses[200]?.content['application/json']?.schema).toEqual({ $ref: '#/components/schemas/GetJwksResult' });
    expect(Object.keys(schema('GetJwksResult').properties ?? {})).toEqual(['keys']);
  });
});

const made = operations({
  makeThing: {
    method: 'POST',
    path: '/v1/leads/things',
    permission: 'leads:write',
    summary: 'Make a thing',
    body: z.object({ name: text(20).meta({ examples: ['Thing'] }), count: z.int().default(3) }),
    reply: z.object({
      name: text(20).meta({ examples: ['Thing'] }),
      count: z.int().default(3),
      note: text(20)
        .meta({ examples: ['Note'] })
        .optional(),
      createdAt: timestamp(),
    }),
    status: 201,
    message: 'Made',
    emits: [],
  },
});

const portal = operations({
  getThing: {
    method: 'GET',
    path: '/v1/partners/portal/things/:id:verb',
    audience: 'portal',
    permission: 'signed-in',
    summary: 'Retrieve things',
    params: z.object({ id: id('lead') }),
    reply: page(z.object({ id: id('lead') })),
    message: 'Retrieved',
  },
});

function codesOf(response: unknown): unknown[] {
  const { schema: error } = (response as { content: Record<string, { schema: { allOf: JsonSchema[] } }> }).content[
    'application/json'
  ] as { schema: { allOf: JsonSchema[] } };
  return error.allOf[1]?.properties?.code?.enum ?? [];
}
