import { crm } from '@tandem/crm-contract';
import { everyOperation, identityPeer, type TestService, until } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let service: TestService<typeof crm>;
beforeAll(async () => {
  identity = await identityPeer();
  service = await startCrm({ IDENTITY_URL: identity.url });
});
afterAll(async () => {
  await service?.close();
  await identity?.close();
});

everyOperation(crm, () => service);

describe('createLead', () => {
  it('returns 201 with the lead, by default with status new and score 0', async () => {
    const reply = await service.as().createLead({ body: aLead({ email: 'ada@example.com', source: 'web' }) });
    expect([reply.status, reply.body.message]).toEqual([201, 'Lead created']);
    expect(reply.data).toMatchObject({
      email: 'ada@example.com',
      source: 'web',
      status: 'new',
      score: 0,
      assignedTo: null,
      customFields: {},
      phone: null,
    });
    expect(reply.headers.etag).toMatch(/^"1-/);
  });

  it('normalises phone numbers, and keeps custom fields unchanged', async () => {
    const customFields = { color: 'red', nested: { leadId: '17' } };
    const { data } = await service.as().createLead({ body: aLead({ phone: '+49 170 123-4567', customFields }) });
    expect([data.phone, data.customFields]).toEqual(['+491701234567', customFields]);
    for (const phone of ['0170 1234567', '+49', '+0 170 1234567', '+49 170 1234567 x2', '+1234567890123456']) {
      expect((await service.as().createLead({ body: aLead({ phone }) })).status).toBe(422);
    }
  });

  it.each([
    ['a Windows path', { path: 'C:\\udata' }],
    ['a literal escape sequence', { note: '\\u0000 and \\ud800', '\\u0000': ['\\uDFFF'] }],
    ['whole surrogate pairs', { face: '😀', '😀': '\ud83d\ude00' }],
  ])('accepts %s in custom fields', async (_, customFields) => {
    const { status, data } = await service.as().createLead({ body: aLead({ customFields }) });
    expect([status, data.customFields]).toEqual([201, customFields]);
  });

  const nested = (levels: number): object => (levels ? { a: nested(levels - 1) } : {});
  const unstorable = 'Must not contain NUL characters or unpaired surrogates';
  it.each([
    ['a NUL deep inside', { a: [{ b: 'x\0' }] }, unstorable],
    ['a NUL in a key', { a: { 'x\0': 1 } }, unstorable],
    ['half a surrogate pair', { a: ['\ud83d'] }, unstorable],
    ['half a surrogate pair in a key', { '\ude00': 1 }, unstorable],
    ['more than 16 KB', { a: 'x'.repeat(16_384) }, 'Must be at most 16 KB'],
    [
      'more than 100 keys',
      Object.fromEntries(Array.from({ length: 101 }, (_, n) => [n, n])),
      'Must have at most 100 keys',
    ],
    ['more than 20 levels', nested(20), 'Must be nested at most 20 levels deep'],
  ])('rejects %s in custom fields', async (_, customFields, message) => {
    const { status, body } = await service.as().createLead({ body: aLead({ customFields }) });
    expect([status, body.errors]).toEqual([422, [{ field: 'customFields', message }]]);
  });

  it('rejects a number in custom fields that overflows a double', async () => {
    const body = JSON.stringify(aLead({ customFields: { a: 0 } })).replace(':0', ':[1e400]');
    const reply = await service.as().createLead({ body, headers: { 'content-type': 'application/json' } });
    expect([reply.status, reply.body.errors?.[0]?.message]).toEqual([
      422,
      'Must not contain a number that is too large',
    ]);
  });

  it('rejects custom fields nested deeper than the call stack', async () => {
    const levels = 30_000;
    const body = JSON.stringify(aLead({ customFields: 0 })).replace(
      ':0',
      `:${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`,
    );
    const reply = await service.as().createLead({ body, headers: { 'content-type': 'application/json' } });
    expect([reply.status, reply.body.errors?.[0]?.message]).toEqual([422, 'Must be nested at most 20 levels deep']);
  });

  it('emits lead.created', async () => {
    const api = service.as();
    const { data } = await api.createLead({ body: aLead({ email: 'event@example.com', source: 'referral' }) });
    const event = await until('the event arrives', () =>
      service.events.find((one) => one.name === 'lead.created' && one.tenantId === api.caller.tenantId),
    );
    expect(event).toMatchObject({
      data: { leadId: data.id, email: 'event@example.com', source: 'referral' },
      action: 'lead.create',
      environment: 'live',
      target: { type: 'lead', id: Number(data.id) },
      caller: { keyId: 1, userId: 1 },
    });
  });

  it('reports every invalid field, and stores nothing', async () => {
    const api = service.as();
    const reply = await api.createLead({
      body: { email: 'no', firstName: '', score: 101, status: 'won', phone: '123' },
    });
    expect([reply.status, reply.body.message]).toEqual([422, 'Validation failed']);
    expect(reply.body.errors?.map((error) => error.field).sort()).toEqual([
      'email',
      'firstName',
      'lastName',
      'phone',
      'score',
      'status',
    ]);
    expect((await api.listLeads()).body.pagination?.total).toBe(0);
  });

  it('describes the expected value of each invalid field', async () => {
    const reply = await service.as().createLead({
      body: { email: 5, firstName: null, status: 'won', score: '7', tags: 'vip', customFields: [], phone: 1 },
    });
    expect(Object.fromEntries(reply.body.errors?.map(({ field, message }) => [field, message]) ?? [])).toEqual({
      email: 'Must be a valid e-mail address',
      firstName: 'Must be a string',
      lastName: 'Is required',
      status: 'Must be one of new, contacted, qualified, unqualified',
      score: 'Must be a number from 0 to 100',
      tags: 'Must be a list',
      customFields: 'Must be an object',
      phone: 'Must be a string',
    });
  });

  it('ignores id, tenant, version and timestamps in the body', async () => {
    const { data } = await service
      .as()
      .createLead({ body: aLead({ id: '7', tenantId: '9', version: 5, createdAt: '2000-01-01T00:00:00Z' }) });
    expect(data.version).toBe(1);
    expect(data.createdAt.slice(0, 4)).not.toBe('2000');
  });

  it('names unknown fields and those that the caller may not set in warnings, also when the request fails', async () => {
    const sent = { ...aLead(), tenantId: '1', emial: 'x', customFields: { emial: 'x' } };
    const unknown = [
      ['unknown_field', 'tenantId'],
      ['unknown_field', 'emial'],
    ];
    const namedIn = ({ body }: { body: { meta: { warnings?: { code: string; field: string }[] } } }) =>
      body.meta.warnings?.map(({ code, field }) => [code, field]);
    expect(namedIn(await service.as().createLead({ body: sent }))).toEqual(unknown);
    const { email, ...rest } = sent;
    expect(namedIn(await service.as().createLead({ body: rest }))).toEqual(unknown);
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, number) => [`${'x'.repeat(100)}${number}`, 1]));
    const { warnings = [] } = (await service.as().createLead({ body: { ...aLead(), ...many } })).body.meta;
    expect([warnings.length, warnings[0]?.field.length]).toEqual([10, 64]);
  });

  it('returns 503 for an assignee that cannot be checked because identity is unreachable', async () => {
    const alone = await startCrm();
    try {
      expect((await alone.as().createLead({ body: aLead({ assignedTo: '5' }) })).status).toBe(503);
    } finally {
      await alone.close();
    }
  });
});

describe('Idempotency-Key', () => {
  const headers = { 'idempotency-key': 'order-17' };

  it('replays the first response to a repeated request and creates nothing', async () => {
    const api = service.as();
    const body = aLead();
    const first = await api.createLead({ body, headers });
    const again = await api.createLead({ body, headers });
    expect(again.body).toEqual(first.body);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect((await api.listLeads()).body.pagination?.total).toBe(1);
  });

  it('rejects the key with another body', async () => {
    const api = service.as();
    await api.createLead({ body: aLead(), headers });
    const reply = await api.createLead({ body: aLead(), headers });
    expect([reply.status, reply.body.code]).toEqual([409, 'idempotency_mismatch']);
  });

  it('creates one lead for fifty concurrent requests', async () => {
    const api = service.as();
    const body = aLead();
    const replies = await Promise.all(Array.from({ length: 50 }, () => api.createLead({ body, headers })));
    const fresh = replies.filter((reply) => reply.status === 201 && !reply.headers['idempotent-replayed']);
    expect(fresh).toHaveLength(1);
    expect(new Set(replies.map((reply) => reply.status)).difference(new Set([201, 409]))).toEqual(new Set());
    expect((await api.listLeads()).body.pagination?.total).toBe(1);
  });

  it('separates tenants and environments', async () => {
    const body = aLead();
    const api = service.as();
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    const replies = [
      await api.createLead({ body, headers }),
      await sandbox.createLead({ body, headers }),
      await service.as().createLead({ body, headers }),
    ];
    expect(replies.map((reply) => [reply.status, reply.headers['idempotent-replayed']])).toEqual([
      [201, undefined],
      [201, undefined],
      [201, undefined],
    ]);
  });

  it('also replays an error of a handler', async () => {
    const api = service.as();
    const missing = { params: { id: '424242' }, headers, body: {} };
    expect((await api.restoreLead(missing)).status).toBe(404);
    const again = await api.restoreLead(missing);
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([404, 'true']);
  });
});
