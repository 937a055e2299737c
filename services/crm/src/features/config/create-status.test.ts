import type { crm } from '@tandem/crm-contract';
import { type TestService, until } from '@tandem/testing';
import { startCrm } from '../../crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

type Api = ReturnType<typeof service.as>;
type Definition = { code: string; isDefault: boolean; sortOrder: number; defaultProbability: number | null };

const all = async (api: Api, entityType: string) =>
  (await api.listStatuses({ query: { entityType, limit: '100' } })).data as Definition[];
const defaults = async (api: Api, entityType: string) =>
  (await all(api, entityType)).filter(({ isDefault }) => isDefault).map(({ code }) => code);
const aStage = (fields = {}) => ({ entityType: 'opportunity', code: 'demo', name: 'Demo', ...fields });

describe('default statuses of a tenant', () => {
  it('are the four lead statuses and six stages, in their order', async () => {
    const api = service.as();
    expect((await all(api, 'lead')).map(({ code }) => code)).toEqual(['new', 'contacted', 'qualified', 'unqualified']);
    expect((await all(api, 'opportunity')).map(({ code, defaultProbability }) => [code, defaultProbability])).toEqual([
      ['prospecting', 10],
      ['qualification', 25],
      ['proposal', 50],
      ['negotiation', 75],
      ['won', 100],
      ['lost', 0],
    ]);
    expect([await defaults(api, 'lead'), await defaults(api, 'opportunity')]).toEqual([['new'], ['prospecting']]);
  });

  it('were not updated before they were created', async () => {
    const { data: statuses } = await service.as().listStatuses({ query: { limit: '100' } });
    const { data: reasons } = await service.as().listWinLossReasons({ query: { limit: '100' } });
    expect(statuses.length + reasons.length).toBeGreaterThan(10);
    for (const { createdAt, updatedAt } of [...statuses, ...reasons]) expect(updatedAt).toBe(createdAt);
  });

  it('are separate in each environment', async () => {
    const api = service.as();
    await api.createStatus({ body: aStage() });
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    expect([(await all(api, 'opportunity')).length, (await all(sandbox, 'opportunity')).length]).toEqual([7, 6]);
    expect(await all(service.as(), 'opportunity')).toHaveLength(6);
  });

  it('are created once when the first requests are concurrent', async () => {
    const api = service.as();
    await Promise.all(Array.from({ length: 10 }, () => api.listStatuses()));
    expect((await api.listStatuses()).body.pagination?.total).toBe(10);
  });
});

describe('createStatus', () => {
  it('creates a lead status, by default with category contacted and last in order', async () => {
    const api = service.as();
    const reply = await api.createStatus({ body: { code: 'nurturing', name: 'Nurturing' } });
    expect([reply.status, reply.body.message, reply.headers['etag']]).toEqual([
      201,
      'Status created',
      expect.stringMatching(/^"1-/),
    ]);
    expect(reply.data).toMatchObject({
      entityType: 'lead',
      code: 'nurturing',
      category: 'contacted',
      sortOrder: 4,
      isDefault: false,
      description: null,
      color: null,
      isClosed: false,
      isWon: false,
      defaultProbability: null,
    });
    expect((await all(api, 'lead')).map(({ code }) => code)).toContain('nurturing');
    const explicit = await api.createStatus({
      body: { code: 'spam', name: 'Spam', category: 'unqualified', color: 'gray' },
    });
    expect(explicit.data).toMatchObject({ category: 'unqualified', color: 'gray', sortOrder: 5 });
  });

  it('emits status_definition.created', async () => {
    const api = service.as();
    const { data } = await api.createStatus({ body: aStage() });
    const event = await until('the event arrives', () =>
      service.events.find((one) => one.name === 'status_definition.created' && one.tenantId === api.caller.tenantId),
    );
    expect(event.data).toEqual({ statusDefinitionId: data.id, entityType: 'opportunity', code: 'demo' });
    expect(event.record).toMatchObject({ id: data.id, name: 'Demo' });
  });

  it('sets the probability of a closed stage, 100 when it is won', async () => {
    const api = service.as();
    const won = await api.createStatus({ body: aStage({ code: 'renewed', isClosed: true, isWon: true }) });
    const lost = await api.createStatus({ body: aStage({ code: 'no_budget', isClosed: true }) });
    expect([won.data.defaultProbability, lost.data.defaultProbability]).toEqual([100, 0]);
  });

  it('replaces the default, and emits status_definition.updated for the previous one', async () => {
    const api = service.as();
    expect((await api.createStatus({ body: aStage({ isDefault: true }) })).status).toBe(201);
    expect([await defaults(api, 'opportunity'), await defaults(api, 'lead')]).toEqual([['demo'], ['new']]);
    const event = await until('the event arrives', () =>
      service.events.find((one) => one.name === 'status_definition.updated' && one.tenantId === api.caller.tenantId),
    );
    expect(event.data).toMatchObject({ code: 'prospecting' });
    expect(event.changes).toEqual({ isDefault: { from: true, to: false } });
  });

  it('keeps a single default when several are created concurrently', async () => {
    const api = service.as();
    const bodies = Array.from({ length: 8 }, (_, n) => aStage({ code: `demo_${n}`, isDefault: true }));
    const replies = await Promise.all(bodies.map((body) => api.createStatus({ body })));
    expect(replies.map(({ status }) => status)).toEqual(bodies.map(() => 201));
    expect(await defaults(api, 'opportunity')).toHaveLength(1);
  });

  it('accepts a code once per entity type, even with concurrent requests', async () => {
    const api = service.as();
    const replies = await Promise.all(Array.from({ length: 5 }, () => api.createStatus({ body: aStage() })));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    const refused = replies.find(({ status }) => status === 409);
    expect([refused?.body.code, refused?.body.errors?.[0]?.field]).toEqual(['code_taken', 'code']);
    expect((await api.createStatus({ body: { code: 'demo', name: 'Demo' } })).status).toBe(201);
    expect((await service.as().createStatus({ body: aStage() })).status).toBe(201);
  });

  it.each([
    ['won without closed', aStage({ isWon: true }), 'isWon'],
    ['a closed default', aStage({ isClosed: true, isDefault: true }), 'isDefault'],
    ['a category of a stage', aStage({ category: 'new' }), 'category'],
    ['a closed lead status', { code: 'x', name: 'X', isClosed: true }, 'isClosed'],
    ['a probability of a lead status', { code: 'x', name: 'X', defaultProbability: 5 }, 'defaultProbability'],
    ['a code with other characters', aStage({ code: 'Demo-1' }), 'code'],
    ['a probability above 100', aStage({ defaultProbability: 101 }), 'defaultProbability'],
    ['another kind of record', aStage({ entityType: 'partner' }), 'entityType'],
    ['no name', aStage({ name: undefined }), 'name'],
  ])('rejects %s, and stores nothing', async (_, body, field) => {
    const api = service.as();
    const reply = await api.createStatus({ body });
    expect([reply.status, reply.body.errors?.map((error) => error.field)]).toEqual([422, [field]]);
    expect((await api.listStatuses()).body.pagination?.total).toBe(10);
  });
});

describe('listStatuses', () => {
  it('sorts by sortOrder across pages, and searches code and name', async () => {
    const api = service.as();
    await api.createStatus({ body: aStage({ sortOrder: 1, name: 'Live demo' }) });
    const first = await api.listStatuses({ query: { entityType: 'opportunity', limit: '2' } });
    expect(first.data.map((one: Definition) => one.sortOrder)).toEqual([0, 1]);
    const cursor = first.body.pagination?.nextCursor as string;
    const second = await api.listStatuses({ query: { entityType: 'opportunity', limit: '2', cursor } });
    expect(second.data.map((one: Definition) => one.code)).toEqual(['demo', 'proposal']);
    expect((await api.listStatuses({ query: { search: 'LIVE' } })).data).toHaveLength(1);
  });
});
