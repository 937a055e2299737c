import type { crm } from '@tandem/crm-contract';
import { createIdCodec } from '@tandem/ids';
import { identityPeer, members, type TestService, teams, until, users } from '@tandem/testing';
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

type Api = ReturnType<typeof service.as>;
const ids = createIdCodec(process.env['IDS_ALPHABET'] as string);
/** The id of a lead as clients know it. */
const codeOf = ({ caller }: Api, id: string) => ids.encode('lead', caller.tenantId as number, Number(id));

async function someLeads(api: Api, count: number, fields: (index: number) => Record<string, unknown> = () => ({})) {
  const leads = [];
  for (let index = 0; index < count; index++) leads.push((await api.createLead({ body: aLead(fields(index)) })).data);
  return leads;
}

const tagsOf = async (api: Api, id: string) => (await api.getLead({ params: { id } })).data.tags;

/** The job of a filter, when it has ended. */
async function ended(api: Api, reply: { status: number; data: unknown; body: { message?: string } }) {
  expect([reply.status, reply.body.message]).toEqual([202, 'Job started']);
  const { jobId } = reply.data as { jobId: string };
  return until('the job ends', async () => {
    const { data } = await api.getJob({ params: { id: jobId } });
    return data.completedAt !== null && data;
  });
}

const errorsOf = async (api: Api, jobId: string) =>
  (await api.getJobErrors({ params: { id: jobId } })).text.trim().split('\r\n');

describe('a bulk operation on ids', () => {
  it('changes each lead with its own event, and answers in the order of the request', async () => {
    const api = service.as();
    const leads = await someLeads(api, 3);
    const sent = leads.map(({ id }) => codeOf(api, id)).reverse();
    const { status, data } = await api.bulkUpdateLeads({ body: { ids: sent, change: { score: 70, tags: ['fair'] } } });
    expect([status, data]).toEqual([
      200,
      { succeeded: 3, failed: 0, results: sent.map((id) => ({ id, success: true, error: null })) },
    ]);
    for (const { id } of leads)
      expect((await api.getLead({ params: { id } })).data).toMatchObject({ score: 70, version: 2 });
    await until('every lead has its event', () => {
      const events = service.events.filter(
        (one) =>
          one.tenantId === api.caller.tenantId && one.name === 'lead.updated' && one.changes?.['score']?.to === 70,
      );
      return new Set(events.map(({ target }) => target.id)).size === 3;
    });
  });

  it('reports the leads that cannot be changed, and changes the others', async () => {
    const api = service.as();
    const [fine, converted, deleted] = await someLeads(api, 3);
    await api.convertLead({ body: { leadId: converted?.id as string } });
    await api.deleteLead({ params: { id: deleted?.id as string } });
    const other = service.as();
    const [foreign] = await someLeads(other, 1);
    const code = (lead: { id: string } | undefined) => codeOf(api, lead?.id as string);
    const sent = [
      code(converted),
      code(fine),
      code(deleted),
      codeOf(other, foreign?.id as string),
      'nonsense',
      code(fine),
    ];
    const { status, data } = await api.bulkUpdateLeads({ body: { ids: sent, change: { status: 'contacted' } } });
    const results = (data as { results: { id: string; error: { code: string; message: string } | null }[] }).results;
    expect(status).toBe(200);
    expect(results.map(({ id, error }) => [id, error?.code])).toEqual([
      [sent[0], 'lead_converted'],
      [sent[1], undefined],
      [sent[2], 'not_found'],
      [sent[3], 'not_found'],
      [sent[4], 'not_found'],
      [sent[5], 'duplicate_in_request'],
    ]);
    expect(results[2]?.error).toEqual(results[3]?.error);
    expect((await api.getLead({ params: { id: fine?.id as string } })).data.status).toBe('contacted');
    expect((await other.getLead({ params: { id: foreign?.id as string } })).data.version).toBe(1);
  });

  it('assigns leads to a user, who takes them into their team', async () => {
    const api = service.as();
    const leads = await someLeads(api, 2);
    const sent = leads.map(({ id }) => codeOf(api, id));
    await api.bulkAssignLeads({ body: { ids: sent, assignedTo: members.seller } });
    for (const { id } of leads)
      expect((await api.getLead({ params: { id } })).data).toMatchObject({
        assignedTo: members.seller,
        teamId: teams.sales,
      });
    const reply = await api.bulkAssignLeads({ body: { ids: sent, assignedTo: users.suspended } });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, 'assignedTo']);
  });

  it('deletes leads, which can be restored', async () => {
    const api = service.as();
    const [lead] = await someLeads(api, 1);
    const params = { id: lead?.id as string };
    await api.bulkDeleteLeads({ body: { ids: [codeOf(api, params.id)] } });
    expect((await api.getLead({ params })).status).toBe(404);
    expect((await api.restoreLead({ params })).status).toBe(200);
  });

  it('changes no lead outside of the narrowing of the caller', async () => {
    const api = service.as();
    const [theirs, own] = await someLeads(api, 2);
    const tenantId = api.caller.tenantId as number;
    const seller = Number(members.seller);
    await api.updateLead({ params: { id: own?.id as string }, body: { assignedTo: members.seller } });
    const narrowed = service.as({ tenantId, userId: seller, can: ['leads:write:own', 'leads:read:own'] });
    const sent = [theirs, own].map((lead) => codeOf(api, lead?.id as string));
    const { data } = await narrowed.bulkUpdateLeads({ body: { ids: sent, change: { tags: ['mine'] } } });
    expect(data).toMatchObject({ results: [{ error: { code: 'not_found' } }, { success: true }] });
    expect(await tagsOf(api, theirs?.id as string)).toEqual([]);
  });
});

describe('an account for many leads', () => {
  it('is one that the caller can read', async () => {
    const api = service.as();
    const leads = await someLeads(api, 2);
    const sent = leads.map(({ id }) => codeOf(api, id));
    const { data: account } = await api.createAccount({ body: { name: 'Engines' } });
    const put = (accountId: string, as = api) => as.bulkUpdateLeads({ body: { ids: sent, change: { accountId } } });
    const wrong = await put('999999');
    expect([wrong.status, wrong.body.errors?.[0]?.field]).toEqual([422, 'change.accountId']);
    const blind = service.as({ tenantId: api.caller.tenantId as number, can: ['leads:write'] }) as Api;
    expect((await put(account.id, blind)).body.errors?.[0]?.field).toBe('change.accountId');
    expect((await put(account.id)).data.succeeded).toBe(2);
    expect((await api.listLeads({ query: { accountId: account.id } })).body.pagination?.total).toBe(2);
  });
});

describe('a bulk operation on a filter', () => {
  it('changes the leads that match, more than fit into one transaction, as the caller', async () => {
    const api = service.as({ name: 'Ada Lovelace' });
    const leads = await someLeads(api, 130, (index) => ({ score: index < 125 ? 60 : 10, source: 'web' }));
    const body = { filter: { scoreMin: 50, converted: false, source: 'web' as const }, expectedCount: 125 };
    const job = await ended(api, await api.bulkUpdateLeads({ body: { ...body, change: { tags: ['hot'] } } }));
    expect(job).toMatchObject({
      kind: 'bulk_update_leads',
      status: 'completed',
      progress: { done: 125, total: 125 },
      result: { succeeded: 125, failed: 0, errors: null },
    });
    expect(await tagsOf(api, leads[124]?.id as string)).toEqual(['hot']);
    expect(await tagsOf(api, leads[125]?.id as string)).toEqual([]);
    expect(await errorsOf(api, job.jobId)).toEqual(['id,code,message,fields']);
    const events = await until('every lead has its event', () => {
      const found = service.events.filter((one) => one.tenantId === api.caller.tenantId && one.changes?.['tags']);
      return found.length === 125 && found;
    });
    expect(new Set(events.map(({ caller }) => [caller.type, caller.userId, caller.name].join()))).toEqual(
      new Set([[api.caller.type, api.caller.userId, 'Ada Lovelace'].join()]),
    );
    expect(new Set(events.map(({ target }) => target.id)).size).toBe(125);
  });

  it('writes an error file of the leads that could not be changed', async () => {
    const api = service.as();
    const [converted, fine] = await someLeads(api, 2, () => ({ tags: ['fair'] }));
    await api.convertLead({ body: { leadId: converted?.id as string } });
    const body = { filter: { tag: 'fair' }, expectedCount: 2, change: { status: 'contacted' as const } };
    const job = await ended(api, await api.bulkUpdateLeads({ body }));
    expect(job).toMatchObject({
      status: 'completed',
      result: { succeeded: 1, failed: 1, errors: expect.stringMatching(/^\/v1\/jobs\/\w+\/errors$/) },
    });
    const [, line, ...more] = await errorsOf(api, job.jobId);
    expect(line).toMatch(new RegExp(`^${codeOf(api, converted?.id as string)},lead_converted,`));
    expect(more).toEqual([]);
    expect((await api.getLead({ params: { id: fine?.id as string } })).data.status).toBe('contacted');
  });

  it('changes nothing if another number of leads matches', async () => {
    const api = service.as();
    const [lead] = await someLeads(api, 2, () => ({ tags: ['fair'] }));
    const reply = await api.bulkDeleteLeads({ body: { filter: { tag: 'fair' }, expectedCount: 1 } });
    expect([reply.status, reply.body.code, reply.body.errors]).toEqual([
      409,
      'count_changed',
      [{ field: 'expectedCount', message: 'The filter matches 2 records' }],
    ]);
    expect((await api.getLead({ params: { id: lead?.id as string } })).status).toBe(200);
  });

  it('starts one job for a repeated request with the same Idempotency-Key', async () => {
    const api = service.as();
    await someLeads(api, 1, () => ({ tags: ['fair'] }));
    const body = { filter: { tag: 'fair' }, expectedCount: 1, change: { score: 5 } };
    const headers = { 'idempotency-key': 'once' };
    const [first, second] = [
      await api.bulkUpdateLeads({ body, headers }),
      await api.bulkUpdateLeads({ body, headers }),
    ];
    expect([second.status, second.data]).toEqual([202, first.data]);
  });

  it('selects only leads that the caller may both read and change, in one environment', async () => {
    const api = service.as();
    const tenantId = api.caller.tenantId as number;
    const seller = Number(members.seller);
    const [own] = await someLeads(api, 1, () => ({ tags: ['fair'], assignedTo: members.seller }));
    await someLeads(api, 1, () => ({ tags: ['fair'] }));
    await someLeads(service.as({ tenantId, environment: 'sandbox' }), 1, () => ({ tags: ['fair'] }));
    const change = { tags: ['mine'] };
    const filter = { tag: 'fair' };
    for (const can of [
      ['leads:write:own', 'leads:read'],
      ['leads:write', 'leads:read:own'],
    ]) {
      const narrowed = service.as({ tenantId, userId: seller, can });
      const reply = await narrowed.bulkUpdateLeads({ body: { filter, expectedCount: 2, change } });
      expect([reply.status, reply.body.errors?.[0]?.message]).toEqual([409, 'The filter matches 1 records']);
    }
    const reader = service.as({ tenantId, userId: seller, can: ['leads:write', 'leads:read:own'] });
    await ended(reader, await reader.bulkUpdateLeads({ body: { filter, expectedCount: 1, change } }));
    expect(await tagsOf(api, own?.id as string)).toEqual(['mine']);
    const blind = service.as({ tenantId, can: ['leads:write'] });
    expect((await blind.bulkUpdateLeads({ body: { filter, expectedCount: 1, change } })).status).toBe(403);
  });

  it('shows the errors only to callers who can read the leads', async () => {
    const api = service.as();
    const tenantId = api.caller.tenantId as number;
    await someLeads(api, 1, () => ({ tags: ['fair'] }));
    const { jobId } = await ended(
      api,
      await api.bulkDeleteLeads({ body: { filter: { tag: 'fair' }, expectedCount: 1 } }),
    );
    const statusFor = async (can: string[]) =>
      (await service.as({ tenantId, userId: 77, can }).getJobErrors({ params: { id: jobId } })).status;
    expect(await statusFor(['leads:delete', 'leads:read'])).toBe(200);
    expect(await statusFor(['leads:delete'])).toBe(404);
    expect(await statusFor(['leads:delete', 'leads:read:own'])).toBe(404);
  });

  it('shows the job and its errors to nobody else', async () => {
    const api = service.as();
    await someLeads(api, 1, () => ({ tags: ['fair'] }));
    const reply = await api.bulkDeleteLeads({ body: { filter: { tag: 'fair' }, expectedCount: 1 } });
    const { jobId } = await ended(api, reply);
    for (const other of [service.as(), service.as({ tenantId: api.caller.tenantId as number, can: ['leads:read'] })]) {
      expect((await other.getJob({ params: { id: jobId } })).status).toBe(404);
      expect((await other.getJobErrors({ params: { id: jobId } })).status).toBe(404);
    }
  });
});

it.each([
  ['nothing selected', {}, 'ids', 'Send ids, or filter together with expectedCount'],
  ['both', { ids: ['x'], filter: { tag: 'a' }, expectedCount: 1 }, 'filter', 'Send either ids or filter, not both'],
  ['no filter at all', { filter: {}, expectedCount: 1 }, 'filter', 'Must have at least one filter of the list'],
  [
    'no count',
    { filter: { tag: 'a' } },
    'expectedCount',
    'Is required with filter: the number of records that it should match',
  ],
  [
    'a mistyped filter',
    { filter: { tga: 'a' }, expectedCount: 1 },
    'filter',
    'Has unknown filters: tga; the filters are those of the list',
  ],
  [
    'a page',
    { filter: { tag: 'a', page: '1' }, expectedCount: 1 },
    'filter',
    'Has unknown filters: page; the filters are those of the list',
  ],
  [
    'a text for a number',
    { filter: { scoreMin: '5' }, expectedCount: 1 },
    'filter.scoreMin',
    'Must be a whole number from 0 to 100',
  ],
  ['too many', { ids: Array(251).fill('x') }, 'ids', 'Must contain at most 250 ids; use filter for more records'],
  ['too large a count', { filter: { tag: 'a' }, expectedCount: 10_001 }, 'expectedCount', 'Must be at most 10000'],
])('rejects a selection with %s', async (_, body, field, message) => {
  const api = service.as();
  const reply = await service.send(service.operations.bulkDeleteLeads, { body }, api.caller);
  expect([reply.status, reply.body.errors]).toEqual([422, [{ field, message }]]);
});
