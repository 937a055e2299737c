import type { crm } from '@tandem/crm-contract';
import { type TestService, until } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

type Api = ReturnType<typeof service.as>;

async function someRecords(api: Api) {
  const { data: account } = await api.createAccount({ body: { name: 'Engines' } });
  const { data: lead } = await api.createLead({ body: aLead({ accountId: account.id }) });
  const { data: deal } = await api.convertLead({ body: { leadId: lead.id, value: 10, currency: 'EUR' } });
  return { accountId: account.id as string, leadId: lead.id as string, opportunityId: deal.id as string };
}
const log = async (api: Api, fields: Record<string, unknown>) =>
  (await api.createActivity({ body: { type: 'note', ...fields } })).data;
const outcome = ({ status, body }: { status: number; body: { code?: string; errors?: { field: string }[] } }) => [
  status,
  body.code,
  body.errors?.map(({ field }) => field),
];

describe('createActivity', () => {
  it('logs a call about a lead, a deal or an account, as the acting user', async () => {
    const api = service.as();
    const links = await someRecords(api);
    const body = {
      ...links,
      type: 'call',
      subject: 'Second machine',
      body: 'Wants an offer',
      occurredAt: '2026-01-02T09:30:00.000Z',
      durationSeconds: 900,
      direction: 'outbound',
      outcome: 'reached',
    };
    const { status, data } = await api.createActivity({ body });
    expect([status, data]).toEqual([
      201,
      expect.objectContaining({ ...body, system: false, kind: null, details: {}, userId: '1', version: 1 }),
    ]);
    expect((await api.getActivity({ params: { id: data.id } })).data).toEqual(data);
    const event = await until('the event arrives', () =>
      service.events.find((one) => one.name === 'activity.logged' && one.tenantId === api.caller.tenantId),
    );
    expect([event.data, event.record]).toEqual([{ activityId: data.id, type: 'call', leadId: links.leadId }, data]);
  });

  it.each([
    ['no record', {}, 'leadId'],
    ['another type', { type: 'status', leadId: '1' }, 'type'],
    ['an unknown lead', { leadId: '999999' }, 'leadId'],
    ['an unknown deal', { opportunityId: '999999' }, 'opportunityId'],
    ['an unknown account', { accountId: '999999' }, 'accountId'],
    ['the far future', { leadId: '1', occurredAt: '2999-01-01T00:00:00Z' }, 'occurredAt'],
    ['a negative duration', { leadId: '1', durationSeconds: -1 }, 'durationSeconds'],
  ])('rejects %s', async (_, wrong, field) => {
    const reply = await service.as().createActivity({ body: { type: 'note', ...wrong } });
    expect([reply.status, reply.body.errors?.map((error) => error.field)]).toEqual([422, [field]]);
  });

  it('is about records that the caller can read', async () => {
    const api = service.as();
    const links = await someRecords(api);
    const create = async (...can: string[]) => {
      const caller = service.as({ tenantId: api.caller.tenantId as number, userId: 8, can });
      return outcome(await caller.createActivity({ body: { type: 'note', ...links } }));
    };
    const fields = ['leadId', 'opportunityId', 'accountId'];
    const narrowed = ['leads:read:own', 'opportunities:read:own', 'accounts:read:own'];
    expect((await create('activities:write'))[0]).toBe(403);
    const body = { type: 'note', partnerId: '1' };
    expect((await service.as({ can: ['activities:write'] }).createActivity({ body })).status).toBe(403);
    expect(await create('activities:write', ...narrowed)).toEqual([422, 'validation_failed', fields]);
  });
});

it('is not left on a lead that is merged at the same moment', async () => {
  for (let round = 0; round < 8; round++) {
    const api = service.as();
    const [survivor, merged, other] = await Promise.all(
      [1, 2, 3].map(async () => (await api.createLead({ body: aLead() })).data.id as string),
    );
    const { data: moved } = await api.createActivity({ body: { type: 'note', leadId: other } });
    const [merge] = await Promise.all([
      api.mergeLeads({ params: { id: survivor }, body: { mergeIds: [merged] } }),
      api.createActivity({ body: { type: 'note', leadId: merged } }),
      api.updateActivity({ params: { id: moved.id }, body: { leadId: merged } }),
    ]);
    expect(merge.status).toBe(200);
    const left = await service.sqlWithin(
      api.caller,
      `SELECT activity.id FROM activity JOIN lead ON lead.id = activity.lead_id AND lead.deleted_at IS NOT NULL
       WHERE NOT activity.system AND activity.tenant_id = ${api.caller.tenantId}`,
    );
    expect(left).toEqual([]);
  }
});

describe('updateActivity and deleteActivity', () => {
  it('change an activity, honour If-Match, and emit events', async () => {
    const api = service.as();
    const { leadId, accountId } = await someRecords(api);
    const { id } = await log(api, { leadId });
    const params = { id };
    const { data } = await api.updateActivity({ params, body: { type: 'call', outcome: 'voicemail' } });
    expect(data).toMatchObject({ type: 'call', outcome: 'voicemail', version: 2 });
    expect((await api.updateActivity({ params, body: { type: 'call' } })).data.version).toBe(2);
    expect(outcome(await api.updateActivity({ params, body: { leadId: null } }))).toEqual([
      422,
      'validation_failed',
      ['leadId'],
    ]);
    expect((await api.updateActivity({ params, body: { leadId: null, accountId } })).status).toBe(200);
    const stale = { 'if-match': '"1-x"' };
    expect((await api.deleteActivity({ params, headers: stale })).status).toBe(412);
    expect((await api.deleteActivity({ params })).data).toEqual({ id, deleted: true });
    expect((await api.getActivity({ params })).status).toBe(404);
    for (const name of ['activity.updated', 'activity.deleted'])
      await until(name, () => service.events.some((one) => one.name === name && one.tenantId === api.caller.tenantId));
  });

  it('accept one of two changes at once with If-Match', async () => {
    const api = service.as();
    const { leadId } = await someRecords(api);
    const { id } = await log(api, { leadId });
    const { headers } = await api.getActivity({ params: { id } });
    const change = (outcome: string) =>
      api.updateActivity({ params: { id }, body: { outcome }, headers: { 'if-match': headers['etag'] as string } });
    const replies = await Promise.all([change('one'), change('two')]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 412]);
  });

  it('leave the activities of others to callers who are not narrowed', async () => {
    const api = service.as();
    const { leadId } = await someRecords(api);
    const { id } = await log(api, { leadId });
    const can = ['activities:read:own', 'activities:write:own', 'activities:delete:own'];
    const narrowed = service.as({ tenantId: api.caller.tenantId as number, userId: 8, can });
    const params = { id };
    expect([
      (await narrowed.getActivity({ params })).status,
      (await narrowed.updateActivity({ params, body: { outcome: 'x' } })).status,
      (await narrowed.deleteActivity({ params })).status,
      (await narrowed.listActivities()).data,
    ]).toEqual([404, 404, 404, []]);
  });
});

describe('listActivities', () => {
  it('filters by type, record, user and time', async () => {
    const api = service.as();
    const { leadId, opportunityId, accountId } = await someRecords(api);
    const call = await log(api, { type: 'call', leadId, occurredAt: '2026-01-01T00:00:00Z' });
    const note = await log(api, { opportunityId, accountId });
    const ids = async (query: Record<string, string>) =>
      (await api.listActivities({ query: { system: 'false', ...query } })).data.map(({ id }: { id: string }) => id);
    expect(await ids({})).toEqual([note.id, call.id]);
    expect(await ids({ type: 'call' })).toEqual([call.id]);
    expect(await ids({ leadId })).toEqual([call.id]);
    expect(await ids({ opportunityId })).toEqual([note.id]);
    expect(await ids({ accountId })).toEqual([note.id]);
    expect(await ids({ userId: '2' })).toEqual([]);
    expect(await ids({ occurredTo: '2026-01-02T00:00:00Z' })).toEqual([call.id]);
    expect(await ids({ occurredFrom: '2026-01-02T00:00:00Z' })).toEqual([note.id]);
  });
});

describe('the timeline of a lead', () => {
  it('has what happened, newest first, page by page', async () => {
    const api = service.as();
    const { leadId } = await someRecords(api);
    const at = (day: number) => `2026-01-0${day}T00:00:00.000Z`;
    for (const day of [2, 1, 3, 4, 5]) await log(api, { leadId, type: 'call', occurredAt: at(day), subject: `${day}` });
    const read = async (query: Record<string, string> = {}) => {
      const { data, body } = await api.getLeadTimeline({ params: { id: leadId }, query: { types: 'call', ...query } });
      return { subjects: data.map(({ subject }: { subject: string }) => subject).join(''), page: body.pagination };
    };
    const first = await read({ limit: '2' });
    expect([first.subjects, first.page?.total]).toEqual(['54', 5]);
    await log(api, { leadId, type: 'call', occurredAt: at(6), subject: '6' });
    const second = await read({ limit: '2', cursor: first.page?.nextCursor as string });
    expect(second.subjects).toBe('32');
    const last = await read({ limit: '2', cursor: second.page?.nextCursor as string });
    expect([last.subjects, last.page?.nextCursor]).toEqual(['1', null]);
    expect((await read({ sort: 'occurredAt', limit: '3' })).subjects).toBe('123');
    expect((await read({ types: 'note,meeting' })).subjects).toBe('');
    const wrong = await api.getLeadTimeline({ params: { id: leadId }, query: { types: 'fax' } });
    expect(outcome(wrong)).toEqual([422, 'validation_failed', ['types']]);
  });

  it('has what everybody logged about the lead, without entries about deals that the caller cannot read', async () => {
    const api = service.as();
    const { leadId, opportunityId } = await someRecords(api);
    await api.updateLead({ params: { id: leadId }, body: { assignedTo: null } });
    await log(api, { leadId, subject: 'note' });
    await log(api, { leadId, opportunityId, subject: 'deal' });
    await service.sqlWithin(api.caller, `UPDATE lead SET assigned_to = 8 WHERE id = ${leadId}`);
    const tenantId = api.caller.tenantId as number;
    const read = async (userId: number, ...can: string[]) => {
      const query = { types: 'note' };
      const reply = await service.as({ tenantId, userId, can }).getLeadTimeline({ params: { id: leadId }, query });
      return [reply.status, reply.data?.map?.(({ subject }: { subject: string }) => subject)];
    };
    const narrowed = ['leads:read:own', 'activities:read:own'];
    expect(await read(8, ...narrowed)).toEqual([200, ['note']]);
    expect(await read(8, ...narrowed, 'opportunities:read:own')).toEqual([200, ['note']]);
    expect(await read(8, ...narrowed, 'opportunities:read')).toEqual([200, ['deal', 'note']]);
    expect(await read(9, ...narrowed)).toEqual([404, undefined]);
    expect((await read(8, 'leads:read:own'))[0]).toBe(403);
    const sandbox = service.as({ tenantId, environment: 'sandbox' });
    expect((await sandbox.getLeadTimeline({ params: { id: leadId } })).status).toBe(404);
  });

  it('ends with the lead', async () => {
    const api = service.as();
    const { leadId } = await someRecords(api);
    const { id } = await log(api, { leadId });
    await api.deleteLead({ params: { id: leadId } });
    expect((await api.getLeadTimeline({ params: { id: leadId } })).status).toBe(404);
    await service.sqlWithin(api.caller, `UPDATE lead SET deleted_at = now() - interval '31 days' WHERE id = ${leadId}`);
    await service.housekeep();
    expect((await api.getActivity({ params: { id } })).status).toBe(404);
  });
});

describe('the timeline of an account', () => {
  it('covers its leads and deals, as far as the caller can read them', async () => {
    const api = service.as();
    const { accountId, leadId, opportunityId } = await someRecords(api);
    const { data: other } = await api.createLead({ body: aLead() });
    await log(api, { accountId, subject: 'account' });
    await log(api, { leadId, subject: 'lead' });
    await log(api, { opportunityId, subject: 'deal' });
    await log(api, { leadId: other.id, subject: 'other' });
    const tenantId = api.caller.tenantId as number;
    const read = async (...can: string[]) => {
      const as = service.as({ tenantId, userId: 8, can: ['accounts:read', 'activities:read', ...can] });
      const { data } = await as.getAccountTimeline({ params: { id: accountId }, query: { types: 'note' } });
      return data.map(({ subject }: { subject: string }) => subject);
    };
    expect(await read('leads:read', 'opportunities:read')).toEqual(['deal', 'lead', 'account']);
    expect(await read('leads:read')).toEqual(['lead', 'account']);
    expect(await read('leads:read:own', 'opportunities:read:own')).toEqual(['account']);
    await service.sqlWithin(api.caller, `UPDATE lead SET assigned_to = 8 WHERE id = ${leadId}`);
    expect(await read('leads:read:own')).toEqual(['lead', 'account']);
  });

  it('leaves out tasks that the caller cannot read', async () => {
    const api = service.as();
    const { accountId, leadId } = await someRecords(api);
    await api.createTask({ body: { title: 'Secret', type: 'call', leadId } });
    const tenantId = api.caller.tenantId as number;
    const read = async (...can: string[]) => {
      const as = service.as({ tenantId, userId: 8, can: ['accounts:read', 'activities:read', 'leads:read', ...can] });
      const params = { id: accountId };
      const { body } = await as.getAccountTimeline({ params, query: { types: 'task' } });
      const entries = body.data as unknown as unknown[];
      return [entries.length, body.pagination?.total];
    };
    await until('the task is in the timeline', async () => (await read('tasks:read'))[0] === 1);
    expect(await read('tasks:read:own')).toEqual([0, 0]);
  });
});
