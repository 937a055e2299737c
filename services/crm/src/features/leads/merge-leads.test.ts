import type { crm } from '@tandem/crm-contract';
import { type TestService, until } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

type Api = ReturnType<typeof service.as>;

const create = async (api: Api, fields = {}) => (await api.createLead({ body: aLead(fields) })).data;
const get = async (api: Api, id: string) => (await api.getLead({ params: { id } })).data;
const eventsOf = (api: Api, name: string) =>
  service.events.filter((one) => one.tenantId === api.caller.tenantId && one.name === name);
const merge = (api: Api, id: string, ...mergeIds: string[]) => api.mergeLeads({ params: { id }, body: { mergeIds } });

describe('mergeLeads', () => {
  it('fills the survivor by the documented rules, moves what belongs to the others, and deletes them', async () => {
    const api = service.as();
    const merged = await create(api, {
      phone: '+491701234567',
      tags: ['b', 'a'],
      score: 70,
      customFields: { size: 5, color: 'red' },
      consent: { email: { state: 'denied' }, sms: { state: 'granted' } },
      externalId: 'crm-7',
    });
    const survivor = await create(api, {
      tags: ['a'],
      score: 20,
      customFields: { color: 'blue' },
      consent: { email: { state: 'granted' } },
    });
    const { data: task } = await api.createTask({ body: { title: 'Call', leadId: merged.id } });
    const { data: deal } = await api.convertLead({ body: { leadId: merged.id, currency: 'EUR' } });
    const { status, data, body } = await merge(api, survivor.id, merged.id);
    expect([status, body.message]).toEqual([200, 'Leads merged']);
    expect(data).toMatchObject({ mergedIds: [merged.id], moved: { tasks: 1, opportunities: 1 } });
    expect(data.survivor).toMatchObject({
      id: survivor.id,
      email: survivor.email,
      phone: '+491701234567',
      tags: ['a', 'b'],
      score: 70,
      customFields: { size: 5, color: 'blue' },
      consent: { email: { state: 'denied' }, sms: { state: 'granted' } },
      externalId: 'crm-7',
      status: 'qualified',
      convertedOpportunityId: deal.id,
      createdAt: merged.createdAt,
      version: 2,
    });
    expect((await api.getLead({ params: { id: merged.id } })).status).toBe(404);
    expect((await api.getTask({ params: { id: task.id } })).data).toMatchObject({ leadId: survivor.id, version: 2 });
    expect((await api.getOpportunity({ params: { id: deal.id } })).data.leadId).toBe(survivor.id);
    const restored = await api.restoreLead({ params: { id: merged.id } });
    expect([restored.status, restored.body.code]).toEqual([409, 'lead_merged']);
    const deleted = await until('the deletion arrives', () => eventsOf(api, 'lead.deleted')[0]);
    expect(deleted.data).toEqual({ leadId: merged.id, mergedIntoId: survivor.id });
    for (const name of ['lead.updated', 'lead.status_changed', 'task.updated', 'opportunity.updated'])
      await until(`${name} arrives`, () => eventsOf(api, name).length > 0);
  });

  it('takes fields from the chosen lead, shows the conflicts, and changes nothing in a preview', async () => {
    const api = service.as();
    const survivor = await create(api, { source: 'web', phone: '+491701111111' });
    const merged = await create(api, { source: 'web', phone: '+491702222222' });
    const params = { id: survivor.id };
    const body = { mergeIds: [merged.id], fieldChoices: { phone: merged.id, email: merged.id } };
    const preview = await api.mergeLeads({ params, body: { ...body, dryRun: true } });
    expect([preview.status, preview.body.message, preview.data.mergeId]).toEqual([200, 'Merge previewed', null]);
    expect(preview.data.survivor).toMatchObject({ phone: '+491702222222', email: merged.email });
    expect(
      preview.data.conflicts.map(({ field, chosenLeadId }: Record<string, unknown>) => [field, chosenLeadId]),
    ).toEqual([
      ['email', merged.id],
      ['firstName', survivor.id],
      ['lastName', survivor.id],
      ['phone', merged.id],
    ]);
    expect(preview.data.conflicts[3]?.options).toEqual([
      { leadId: survivor.id, value: { phone: '+491701111111' } },
      { leadId: merged.id, value: { phone: '+491702222222' } },
    ]);
    expect(await get(api, survivor.id)).toMatchObject({ version: 1, phone: '+491701111111' });
    expect((await get(api, merged.id)).version).toBe(1);
    const done = await api.mergeLeads({ params, body });
    expect(done.data.survivor).toMatchObject({ ...preview.data.survivor, version: 2, updatedAt: expect.any(String) });
  });

  it('decides the pairs among the leads', async () => {
    const api = service.as();
    const email = 'same@example.com';
    const [one, other] = [await create(api, { email }), await create(api, { email })];
    await until('they are paired', async () => (await api.listLeadDuplicates()).data.length === 1);
    await merge(api, one.id, other.id);
    expect((await api.listLeadDuplicates({ query: { status: 'merged' } })).data).toMatchObject([
      { leadIds: [one.id, other.id], status: 'merged' },
    ]);
    expect((await api.listLeadDuplicates()).data).toEqual([]);
    expect((await get(api, one.id)).duplicateCount).toBe(0);
  });

  it('refuses itself, a merged lead, two converted leads, a stale version, and unknown leads', async () => {
    const api = service.as();
    const [survivor, merged, third, fourth] = [
      await create(api),
      await create(api),
      await create(api),
      await create(api),
    ];
    const codeOf = async (...args: Parameters<typeof merge>) => {
      const { status, body } = await merge(...args);
      return [status, status === 422 ? body.errors?.[0]?.field : body.code];
    };
    const { data: foreign } = await service.as().createLead({ body: aLead() });
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    const test = await create(sandbox);
    for (const id of [foreign.id, test.id, '999999'])
      expect(await codeOf(api, survivor.id, id)).toEqual([422, 'mergeIds.0']);
    expect(await codeOf(api, survivor.id, merged.id, merged.id)).toEqual([422, 'mergeIds.1']);
    expect(await codeOf(api, survivor.id, survivor.id)).toEqual([409, 'merge_with_itself']);
    expect(await codeOf(api, survivor.id)).toEqual([422, 'mergeIds']);
    const chosen = { mergeIds: [merged.id], fieldChoices: { email: third.id } };
    const reply = await api.mergeLeads({ params: { id: survivor.id }, body: chosen });
    expect([reply.status, reply.body.errors]).toEqual([
      422,
      [{ field: 'fieldChoices.email', message: 'Must be the lead of the path or one of mergeIds' }],
    ]);
    const headers = { 'if-match': '"9"' };
    const stale = await api.mergeLeads({ params: { id: survivor.id }, body: { mergeIds: [merged.id] }, headers });
    expect(stale.status).toBe(412);
    for (const { id } of [third, fourth]) await api.convertLead({ body: { leadId: id, currency: 'EUR' } });
    expect(await codeOf(api, survivor.id, third.id, fourth.id)).toEqual([409, 'several_converted']);
    expect((await get(api, survivor.id)).version).toBe(1);
    expect((await merge(api, survivor.id, merged.id)).status).toBe(200);
    expect(await codeOf(api, third.id, merged.id)).toEqual([409, 'already_merged']);
  });

  it('has one winner when two merges with the same lead run at once', async () => {
    const api = service.as();
    const [one, other, shared] = [await create(api), await create(api), await create(api)];
    const replies = await Promise.all([merge(api, one.id, shared.id), merge(api, other.id, shared.id)]);
    expect(replies.map(({ status, body }) => [status, body.code]).sort()).toEqual([
      [200, undefined],
      [409, 'already_merged'],
    ]);
    const crossed = await Promise.all([merge(api, one.id, other.id), merge(api, other.id, one.id)]);
    expect(crossed.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('needs leads:write on all leads and leads:delete on the merged ones', async () => {
    const api = service.as({ userId: 77 });
    const tenantId = api.caller.tenantId as number;
    const [own, another] = [await create(api), await create(api)];
    const foreign = await create(service.as({ tenantId, userId: 78 }));
    const as = (...can: string[]) => service.as({ tenantId, userId: 77, can });
    expect((await merge(as('leads:write'), own.id, another.id)).status).toBe(403);
    expect((await merge(as('leads:write', 'leads:delete:own'), own.id, foreign.id)).status).toBe(422);
    const narrowed = as('leads:write:own', 'leads:delete:own');
    expect((await merge(narrowed, foreign.id, own.id)).status).toBe(404);
    expect((await merge(narrowed, own.id, foreign.id)).status).toBe(422);
    // Belongs to the person, although the caller cannot access it.
    const { data: task } = await service
      .as({ tenantId, userId: 78 })
      .createTask({ body: { title: 'X', leadId: another.id } });
    expect((await merge(narrowed, own.id, another.id)).data.moved.tasks).toBe(1);
    expect((await api.getTask({ params: { id: task.id } })).data.leadId).toBe(own.id);
  });
});

async function anAccount(api: Api, name: string): Promise<string> {
  return (await api.createAccount({ body: { name } })).data.id;
}

describe('undoLeadMerge', () => {
  async function merged() {
    const api = service.as();
    const email = 'same@example.com';
    const survivor = await create(api, { email });
    const gone = await create(api, { email, phone: '+491701234567', externalId: 'x-9', tags: ['b'] });
    const { data: task } = await api.createTask({ body: { title: 'Call', leadId: gone.id } });
    await until('they are paired', async () => (await api.listLeadDuplicates()).data.length === 1);
    const { data } = await merge(api, survivor.id, gone.id);
    return { api, survivor, gone, task, mergeId: data.mergeId as string };
  }
  const undo = (api: Api, id: string) => api.undoLeadMerge({ params: { id } });

  it('restores the merged leads, what they had, and the values of the survivor', async () => {
    const { api, survivor, gone, task, mergeId } = await merged();
    const [won, lost] = (await Promise.all([undo(api, mergeId), undo(api, mergeId)])).sort(
      (one, other) => one.status - other.status,
    );
    expect([won?.status, won?.body.message, lost?.status, lost?.body.code]).toEqual([
      200,
      'Merge undone',
      409,
      'merge_undone',
    ]);
    expect(won?.data).toMatchObject({
      mergeId,
      survivor: { id: survivor.id },
      restored: [{ id: gone.id, mergedIntoId: null }],
    });
    expect(await get(api, survivor.id)).toMatchObject({ phone: null, externalId: null, tags: [], duplicateCount: 1 });
    expect(await get(api, gone.id)).toMatchObject({ phone: '+491701234567', externalId: 'x-9', tags: ['b'] });
    expect((await api.getTask({ params: { id: task.id } })).data.leadId).toBe(gone.id);
    const event = await until('the event arrives', () => eventsOf(api, 'lead.restored')[0]);
    expect(event.data).toEqual({ leadId: gone.id, unmergedFromId: survivor.id });
    expect((await merge(api, survivor.id, gone.id)).status).toBe(200);
  });

  it('leaves records that were moved again, and refuses when the survivor was changed', async () => {
    const { api, survivor, gone, mergeId } = await merged();
    const params = { id: survivor.id };
    await api.updateLead({ params, body: { firstName: 'Augusta' } });
    await api.updateLead({ params, body: { phone: '+491709999999' } });
    const refused = await undo(api, mergeId);
    expect([refused.status, refused.body.code, refused.body.errors?.[0]?.field]).toEqual([
      409,
      'merge_changed',
      'phone',
    ]);
    await api.updateLead({ params, body: { phone: '+491701234567' } });
    expect((await undo(api, mergeId)).data.survivor).toMatchObject({ firstName: 'Augusta', phone: null });
    expect((await get(api, gone.id)).phone).toBe('+491701234567');
  });

  it('adds engagement and timeline to the survivor, also late, and takes back exactly what was added', async () => {
    const api = service.as();
    const [own, other] = [await anAccount(api, 'Own'), await anAccount(api, 'Other')];
    const survivor = await create(api, { accountId: own });
    const gone = await create(api, { accountId: other });
    await api.setLeadScore({ params: { id: gone.id }, body: { score: 40, reason: 'Met' } });
    await api.createActivity({ body: { type: 'note', body: 'Hello', leadId: gone.id } });
    const count = (leadId: string, n: number) =>
      service.sqlWithin(
        api.caller,
        `INSERT INTO lead_engagement (lead_id, type, day, count) VALUES ($1, 'email_open', '2026-01-01', $2)`,
        [leadId, n],
      );
    await count(survivor.id, 2);
    await count(gone.id, 3);
    const counts = async () => {
      const rows = await service.sqlWithin(api.caller, 'SELECT count FROM lead_engagement ORDER BY lead_id');
      return rows.map((row) => row['count']);
    };
    const notes = async (id: string) =>
      (await api.getAccountTimeline({ params: { id } })).data.filter(({ type }: { type: string }) => type === 'note');
    const { data } = await merge(api, survivor.id, gone.id);
    expect(data.survivor).toMatchObject({ score: 40, scorePinned: true });
    expect([await counts(), (await notes(own)).length, (await notes(other)).length]).toEqual([[5, 3], 1, 0]);
    expect((await undo(api, data.mergeId)).data.survivor).toMatchObject({ score: 0, scorePinned: false });
    expect([await counts(), (await notes(own)).length, (await notes(other)).length]).toEqual([[2, 3], 0, 1]);
  });

  it('refuses a merge that is too old, of another tenant, or of leads that the caller cannot change', async () => {
    const { api, mergeId } = await merged();
    const tenantId = api.caller.tenantId as number;
    expect((await undo(service.as(), mergeId)).status).toBe(404);
    expect((await undo(service.as({ tenantId, environment: 'sandbox' }), mergeId)).status).toBe(404);
    expect((await undo(service.as({ tenantId, userId: 99, can: ['leads:write:own'] }), mergeId)).status).toBe(404);
    await service.sqlWithin(api.caller, `UPDATE lead_merge SET created_at = now() - interval '31 days' WHERE id = $1`, [
      mergeId,
    ]);
    expect((await undo(api, mergeId)).body.code).toBe('merge_too_old');
  });
});
