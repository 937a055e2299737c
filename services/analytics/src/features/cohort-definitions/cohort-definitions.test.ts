import { publishLeadMerge, until } from '@tandem/testing';
import { type Analytics, startAnalytics } from '../../analytics.test-service.ts';
import { aTenant } from './cohorts.test-service.ts';

let service: Analytics;
beforeAll(async () => {
  service = await startAnalytics();
});
afterAll(() => service?.close());

const web = { sources: ['web'] };
const createdAt = '2026-03-02T10:00:00.000Z';
const unknown = { field: 'cohortId', message: 'No cohort definition with this id' };

describe('a saved cohort', () => {
  it('is stored as it was sent, listed, changed and deleted', async () => {
    const { api } = aTenant(service);
    const filter = {
      ...{ sources: ['web'], assignedTo: '5', createdFrom: '2026-03-01T00:00:00.000Z' },
      did: [{ type: 'link_click', minCount: 2, from: '2026-03-01T00:00:00.000Z' }],
      didNot: [{ type: 'email_reply', filters: { messageId: 'm-1' } }],
    };
    const { status, data } = await api.createCohortDefinition({ body: { name: ' Web ', filter } });
    expect([status, data]).toMatchObject([
      201,
      {
        ...{ name: 'Web', description: null, filter, static: false, status: 'ready', allowedTransitions: [] },
        ...{ memberCount: null, countedAt: null, error: null, createdBy: String(api.caller.userId), version: 1 },
      },
    ]);
    const params = { id: data.id };
    const body = { description: 'For the review', filter: { statuses: ['new'] } };
    const changed = await api.updateCohortDefinition({ params, body });
    expect(changed.data).toMatchObject({ ...body, name: 'Web', version: 2 });
    expect((await api.updateCohortDefinition({ params, body })).data.version).toBe(2);
    expect((await api.getCohortDefinition({ params })).data).toEqual(changed.data);
    expect((await api.listCohortDefinitions()).data).toEqual([changed.data]);
    expect((await api.deleteCohortDefinition({ params })).data).toEqual({ id: data.id, deleted: true });
    expect((await api.getCohortDefinition({ params })).status).toBe(404);
  });

  it('has a name that no other one has, whatever its case, in its tenant and environment', async () => {
    const { api } = aTenant(service);
    const create = async (name: string, as = api) => {
      const { status, body } = await as.createCohortDefinition({ body: { name, filter: web } });
      return [status, body.code, body.errors?.map(({ field }) => field)];
    };
    expect(await create('Web leads')).toEqual([201, undefined, undefined]);
    expect(await create('WEB Leads')).toEqual([409, 'name_taken', ['name']]);
    expect(await create('Web leads', service.as())).toEqual([201, undefined, undefined]);
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    expect(await create('Web leads', sandbox)).toEqual([201, undefined, undefined]);
    const { data } = await api.createCohortDefinition({ body: { name: 'Other', filter: web } });
    const renamed = await api.updateCohortDefinition({ params: { id: data.id }, body: { name: 'web LEADS' } });
    expect([renamed.status, renamed.body.code]).toEqual([409, 'name_taken']);
  });

  it('keeps a stored filter that requests cannot have', async () => {
    const { api } = aTenant(service);
    const { data } = await api.createCohortDefinition({ body: { name: 'Web', filter: web } });
    await service.sqlWithin(api.caller, `UPDATE cohort_definition SET filter = '{"sources": ["wbe"]}'`);
    const body = { description: 'For the review' };
    expect((await api.updateCohortDefinition({ params: { id: data.id }, body })).data).toMatchObject({
      ...body,
      filter: { sources: ['wbe'] },
    });
  });

  it.each([
    ['no condition', {}, 'filter'],
    ['an unknown condition', { sources: ['web'], city: 'Berlin' }, 'filter'],
    ['an empty list', { sources: [] }, 'filter.sources'],
    ['a misspelt source', { sources: ['web', 'wbe'] }, 'filter.sources.1'],
    ['a misspelt status', { statuses: ['qualifed'] }, 'filter.statuses.0'],
    ['an unknown type', { did: [{ type: 'email_forward' }] }, 'filter.did.0.type'],
    ['a count of none', { did: [{ type: 'email_open', minCount: 0 }] }, 'filter.did.0.minCount'],
    ['a count without events', { didNot: [{ type: 'email_open', minCount: 2 }] }, 'filter.didNot.0'],
    ['six entries', { did: new Array(6).fill({ type: 'email_open' }) }, 'filter.did'],
    [
      'times in the wrong order',
      { createdFrom: '2026-03-02T00:00:00Z', createdTo: '2026-03-01T00:00:00Z' },
      'filter.createdFrom',
    ],
  ])('refuses %s', async (_, filter, field) => {
    const { status, body } = await service.as().createCohortDefinition({ body: { name: 'Web', filter } });
    expect([status, body.errors?.map((error) => error.field)]).toEqual([422, [field]]);
  });

  it('is one of at most 200', async () => {
    const { api } = aTenant(service);
    await service.sqlWithin(
      api.caller,
      `INSERT INTO cohort_definition (name, name_key, filter, is_static, status, updated_at)
        SELECT 'Cohort ' || n, 'cohort ' || n, '{"sources": ["web"]}', false, 'ready', now() FROM generate_series(1, 200) AS n`,
    );
    const { status, body } = await api.createCohortDefinition({ body: { name: 'Web', filter: web } });
    expect([status, body.code]).toEqual([409, 'too_many_cohorts']);
  });
});

describe('a static cohort', () => {
  it('keeps the leads that it had when they were counted, until it is refreshed', async () => {
    const tenant = aTenant(service);
    await tenant.lead({ id: '1', version: 1, createdAt });
    await tenant.counted();
    const [id, other] = [await tenant.save({ static: true }), await tenant.save()];
    expect(await tenant.ready(id)).toMatchObject({ memberCount: 1, version: 2, allowedTransitions: ['counting'] });
    await tenant.lead({ id: '2', version: 1, createdAt });
    await until('the lead is counted', async () => (await tenant.size(other)) === 2);
    expect(await tenant.size(id)).toBe(1);
    const params = { id };
    const refreshed = await tenant.api.refreshCohortDefinition({ params });
    expect([refreshed.status, refreshed.data]).toMatchObject([202, { status: 'counting', memberCount: 1 }]);
    expect(await tenant.ready(id)).toMatchObject({ memberCount: 2, version: 4 });
    expect(await tenant.size(id)).toBe(2);
    const refused = await tenant.api.refreshCohortDefinition({ params: { id: other } });
    expect([refused.status, refused.body.code]).toEqual([409, 'not_static']);
  });

  it('cannot be named while its leads are counted for the first time, nor counted twice at once', async () => {
    const tenant = aTenant(service);
    const id = await tenant.save({ static: true });
    await tenant.ready(id);
    const set = (columns: string) =>
      service.sqlWithin(tenant.api.caller, `UPDATE cohort_definition SET ${columns} WHERE id = ${id}`);
    await set(`status = 'counting', counted_at = NULL`);
    const { status, body } = await tenant.api.getFunnel({ query: { cohortId: id } });
    expect([status, body.errors?.[0]]).toMatchObject([422, { field: 'cohortId', message: /still being counted/ }]);
    const again = await tenant.api.refreshCohortDefinition({ params: { id } });
    expect([again.status, again.body.code]).toEqual([409, 'wrong_status']);
  });

  it('fails with more leads than it may have, and keeps those from before', async () => {
    const tenant = aTenant(service);
    await tenant.lead({ id: '1', version: 1, createdAt });
    await tenant.counted();
    const id = await tenant.save({ static: true });
    await tenant.ready(id);
    await service.sqlWithin(
      tenant.api.caller,
      `INSERT INTO lead_fact (id, version, is_deleted, timezone, source, created_at)
        SELECT n, 1, false, 'UTC', 'web', '${createdAt}' FROM generate_series(2, 100001) AS n`,
    );
    await tenant.api.refreshCohortDefinition({ params: { id } });
    expect(await tenant.ready(id)).toMatchObject({
      ...{ status: 'failed', memberCount: 1, error: { code: 'too_many_leads' }, allowedTransitions: ['counting'] },
    });
    expect(await tenant.size(id)).toBe(1);
    await service.sqlWithin(tenant.api.caller, 'DELETE FROM lead_fact WHERE id = 100001');
    await tenant.api.refreshCohortDefinition({ params: { id } });
    expect(await tenant.ready(id)).toMatchObject({ status: 'ready', memberCount: 100_000, error: null });
    expect(await tenant.size(id)).toBe(100_000);
    await tenant.api.deleteCohortDefinition({ params: { id } });
    await until('its leads are removed', async () => {
      return !(await service.sqlWithin(tenant.api.caller, 'SELECT 1 FROM cohort_member LIMIT 1')).length;
    });
  });

  it('loses deleted leads, and gets the lead that remains in place of a merged one', async () => {
    const tenant = aTenant(service);
    for (const id of ['1', '2', '3']) await tenant.lead({ id, version: 1, createdAt });
    await tenant.lead({ id: '4', version: 1, createdAt, source: 'api' });
    await tenant.counted();
    const id = await tenant.save({ static: true });
    await tenant.ready(id);
    const become = (size: number) => until(`it has ${size}`, async () => (await tenant.size(id)) === size);
    await tenant.lead({ id: '1', version: 2, createdAt }, 'lead.deleted');
    await become(2);
    const leads = async () =>
      (await service.sqlWithin(tenant.api.caller, 'SELECT lead_id::int AS id FROM cohort_member ORDER BY 1')).map(
        (row) => row['id'],
      );
    await publishLeadMerge(tenant.told, { leadId: '2', into: '4', version: 2 });
    await until('the lead that remains is in it', async () => (await leads()).join() === '1,3,4');
    await become(2);
    // Of two leads of the cohort, the one that remains stays.
    await publishLeadMerge(tenant.told, { leadId: '3', into: '4', version: 2 });
    await become(1);
    await publishLeadMerge(tenant.told, { leadId: '3', from: '4', version: 3 });
    await publishLeadMerge(tenant.told, { leadId: '2', from: '4', version: 3 });
    await until('the merges are undone', async () => (await leads()).join() === '1,2,3');
    await become(2);
  });

  it('loses the leads of an erased person, and texts about the person', async () => {
    const tenant = aTenant(service);
    for (const id of ['1', '2']) await tenant.lead({ id, version: 1, createdAt });
    await tenant.counted();
    const id = await tenant.save({ static: true });
    await tenant.ready(id);
    const url = 'https://a.example/?for=ada@example.com';
    const named = await tenant.save({
      ...{ name: 'Like ada@example.com', description: 'ada@example.com' },
      filter: { ...web, did: [{ type: 'page_visit', filters: { url } }] },
    });
    const erased = await tenant.erase({ leadIds: [1], emails: ['ada@example.com'] });
    expect(erased).toMatchObject({ cohortMembers: 1, cohortDefinitions: 1 });
    expect(await tenant.size(id)).toBe(1);
    expect(await service.sqlWithin(tenant.api.caller, 'SELECT lead_id::int AS id FROM cohort_member')).toEqual([
      { id: 2 },
    ]);
    expect((await tenant.api.getCohortDefinition({ params: { id: named } })).status).toBe(404);
  });
});

describe('numbers of a cohort', () => {
  it('count its leads only', async () => {
    const tenant = aTenant(service);
    for (const id of ['1', '2', '3']) await tenant.lead({ id, version: 1, createdAt });
    for (const id of ['1', '2']) await tenant.happened(id, 'email_open', { timestamp: '2026-03-03T10:00:00Z' });
    await tenant.happened('1', 'link_click', { timestamp: '2026-03-04T10:00:00Z' });
    for (const leadId of ['1', '3']) await tenant.deal(leadId);
    await tenant.counted();
    const cohortId = await tenant.save({ filter: { did: [{ type: 'email_open' }] } });
    const march = { dateFrom: '2026-03-01', dateTo: '2026-03-31' };
    const { api } = tenant;
    expect((await api.getFunnel({ query: { ...march, cohortId } })).data).toMatchObject({
      ...{ steps: [{ count: 2 }, {}, {}, {}], lists: [] },
    });
    const deals = await api.getFunnel({ query: { ...march, cohortId, type: 'opportunity' } });
    expect(deals.data.steps[0].count).toBe(1);
    const steps = [{ leadStatus: 'new' }, { event: 'link_click' }];
    const query = { ...march, steps, breakdown: 'source', cohortId };
    expect((await api.queryFunnel({ body: query })).data).toMatchObject({
      ...{ steps: [{ count: 2 }, { count: 1 }], breakdown: [{ value: 'web', steps: [{ count: 2 }, { count: 1 }] }] },
      lists: [],
    });
    const sizes = async (by: object) =>
      (await api.getCohorts({ query: { ...march, cohortId, ...by } })).data.rows.reduce(
        (sum: number, { size }: { size: number }) => sum + size,
        0,
      );
    expect(await sizes({})).toBe(2);
    expect(await sizes({ cohortBy: 'source' })).toBe(2);
    expect(await sizes({ cohortBy: 'first_touch' })).toBe(2);
  });

  it('are refused for a cohort that was deleted, or of another tenant or environment', async () => {
    const tenant = aTenant(service);
    const id = await tenant.save();
    const sandbox = service.as({ tenantId: tenant.api.caller.tenantId as number, environment: 'sandbox' });
    const refuse = async (api: typeof sandbox) => {
      const body = { steps: [{ event: 'email_open' }, { event: 'link_click' }], cohortId: id };
      for (const reply of [
        await api.getFunnel({ query: { cohortId: id } }),
        await api.getFunnel({ query: { cohortId: id, type: 'opportunity' } }),
        await api.queryFunnel({ body }),
        await api.getCohorts({ query: { cohortId: id } }),
      ])
        expect([reply.status, reply.body.errors]).toEqual([422, [unknown]]);
    };
    await refuse(service.as());
    await refuse(sandbox);
    await tenant.api.deleteCohortDefinition({ params: { id } });
    await refuse(tenant.api);
  });
});
