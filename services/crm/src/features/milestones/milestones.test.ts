import type { crm } from '@tandem/crm-contract';
import { type TestService, until } from '@tandem/testing';
import { startCrm } from '../../crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

type Api = ReturnType<typeof service.as>;

async function aDeal(api: Api = service.as()) {
  const { data } = await api.createOpportunity({ body: { name: 'Rollout', currency: 'EUR' } });
  return { api, oid: data.id as string };
}

/** A deal with a milestone, and the path of the milestone. */
async function aMilestone(fields: Record<string, unknown> = {}, api?: Api) {
  const deal = await aDeal(api);
  const { status, data } = await deal.api.createMilestone({
    params: { oid: deal.oid },
    body: { title: 'Contract sent', ...fields },
  });
  expect(status).toBe(201);
  return { ...deal, milestone: data, params: { oid: deal.oid, mid: data.id as string } };
}

/** The names of the events about milestones of a tenant, once there are this many. */
const names = (api: Api, count: number) =>
  until(`${count} events`, () => {
    const found = service.events.filter(
      ({ name, tenantId }) => tenantId === api.caller.tenantId && name.startsWith('milestone.'),
    );
    return found.length >= count && found.map(({ name }) => name);
  });

const past = '2020-05-01T00:00:00.000Z';
const future = '2990-05-01T00:00:00.000Z';

describe('milestones', () => {
  it('are created at the end of their deal, read, changed and deleted', async () => {
    const { api, oid, milestone, params } = await aMilestone({ dueAt: future });
    expect(milestone).toMatchObject({
      opportunityId: oid,
      title: 'Contract sent',
      description: null,
      status: 'pending',
      allowedTransitions: ['completed'],
      dueAt: future,
      overdue: false,
      order: 0,
      completedAt: null,
      createdBy: '1',
      version: 1,
    });
    const { data: next } = await api.createMilestone({ params: { oid }, body: { title: 'Signed' } });
    expect(next.order).toBe(1);
    expect((await api.getMilestone({ params })).data).toEqual(milestone);
    const change = { title: 'Contract approved', dueAt: null };
    expect((await api.updateMilestone({ params, body: change })).data).toMatchObject({ ...change, version: 2 });
    expect((await api.updateMilestone({ params, body: change })).data.version).toBe(2);
    expect((await api.deleteMilestone({ params })).data).toEqual({ id: milestone.id, deleted: true });
    expect((await api.getMilestone({ params })).status).toBe(404);
    expect(await names(api, 4)).toEqual([
      'milestone.created',
      'milestone.created',
      'milestone.updated',
      'milestone.deleted',
    ]);
  });

  it('are completed and reopened, once each', async () => {
    const { api, params } = await aMilestone();
    const { data: completed } = await api.completeMilestone({ params });
    expect(completed).toMatchObject({ status: 'completed', completedBy: '1', allowedTransitions: ['pending'] });
    expect(completed.completedAt).toEqual(expect.any(String));
    const again = await api.completeMilestone({ params });
    expect([again.status, again.body.code, again.body.errors?.[0]?.field]).toEqual([
      409,
      'transition_refused',
      'status',
    ]);
    const { data: reopened } = await api.reopenMilestone({ params });
    expect(reopened).toMatchObject({ status: 'pending', completedAt: null, completedBy: null, version: 3 });
    expect((await api.reopenMilestone({ params })).status).toBe(409);
    expect(await names(api, 3)).toEqual(['milestone.created', 'milestone.completed', 'milestone.reopened']);
  });

  it('are completed and reopened by an update of their status as well, with the event of each change', async () => {
    const { api, params } = await aMilestone();
    const update = (body: object) => api.updateMilestone({ params, body });
    expect((await update({ status: 'pending' })).data.version).toBe(1);
    const { data } = await update({ status: 'completed', title: 'Signed' });
    expect(data).toMatchObject({ status: 'completed', title: 'Signed', completedBy: '1', version: 2 });
    expect((await update({ status: 'pending' })).data).toMatchObject({ status: 'pending', completedAt: null });
    expect((await update({ status: 'started' })).status).toBe(422);
    expect(await names(api, 4)).toEqual([
      'milestone.created',
      'milestone.updated',
      'milestone.completed',
      'milestone.reopened',
    ]);
  });

  it('are listed by their order, or by their due time, filtered by status and by whether they are overdue', async () => {
    const { api, oid } = await aDeal();
    const create = async (title: string, fields: object) =>
      (await api.createMilestone({ params: { oid }, body: { title, ...fields } })).data.id as string;
    await create('late', { dueAt: past, order: 3 });
    await create('undated', { order: 1 });
    await create('next', { dueAt: future, order: 2 });
    const done = await create('done', { dueAt: past, order: 0 });
    await api.completeMilestone({ params: { oid, mid: done } });
    const titles = async (query: Record<string, string> = {}) =>
      (await api.listMilestones({ params: { oid }, query })).data.map(({ title }: { title: string }) => title);
    expect(await titles()).toEqual(['done', 'undated', 'next', 'late']);
    expect(await titles({ overdue: 'true' })).toEqual(['late']);
    expect(await titles({ overdue: 'false' })).toEqual(['done', 'undated', 'next']);
    expect(await titles({ status: 'completed' })).toEqual(['done']);
    expect((await titles({ sort: '-dueAt', status: 'pending' })).slice(0, 3)).toContain('next');
  });

  it('are at most 50 per deal', async () => {
    const { api, oid } = await aDeal();
    const create = () => api.createMilestone({ params: { oid }, body: { title: 'Step' } });
    for (let count = 0; count < 49; count++) await create();
    const last = await Promise.all([create(), create()]);
    expect(last.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(last.find(({ status }) => status === 409)?.body.code).toBe('too_many_milestones');
  });

  it('are not changed by a request with another version', async () => {
    const { api, params } = await aMilestone();
    const headers = { 'If-Match': '"9"' };
    const replies = [
      await api.updateMilestone({ params, body: { title: 'Signed' }, headers }),
      await api.completeMilestone({ params, headers }),
      await api.reopenMilestone({ params, headers }),
      await api.deleteMilestone({ params, headers }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([412, 412, 412, 412]);
  });

  it('are reached by narrowed callers through their own deals only', async () => {
    const { api, params } = await aMilestone();
    const { tenantId } = api.caller;
    const own = (userId: number) =>
      service.as({ tenantId: tenantId as number, userId, can: ['opportunities:read:own', 'opportunities:write:own'] });
    const { oid } = params;
    const statuses = async (userId: number) => {
      const caller = own(userId);
      const replies = [
        await caller.getMilestone({ params }),
        await caller.listMilestones({ params: { oid } }),
        await caller.createMilestone({ params: { oid }, body: { title: 'Signed' } }),
        await caller.updateMilestone({ params, body: { title: 'Signed' } }),
        await caller.completeMilestone({ params }),
        await caller.reopenMilestone({ params }),
        await caller.deleteMilestone({ params }),
      ];
      return replies.map(({ status }) => status);
    };
    expect(await statuses(2)).toEqual(Array(7).fill(404));
    expect(await statuses(1)).toEqual([200, 200, 201, 200, 200, 200, 200]);
  });

  it('of another deal are not found', async () => {
    const { api, params } = await aMilestone();
    const { oid } = await aDeal(api);
    expect((await api.getMilestone({ params: { ...params, oid } })).status).toBe(404);
    expect((await api.completeMilestone({ params: { ...params, oid } })).status).toBe(404);
  });

  it('of a deleted deal are neither found nor in the calendar, until the deal is restored', async () => {
    const { api, params, milestone } = await aMilestone({ dueAt: '2031-03-15T12:00:00.000Z' });
    const calendar = async () => {
      const query = { from: '2031-03-01T00:00:00.000Z', to: '2031-03-31T00:00:00.000Z' };
      return (await api.getCalendar({ query })).data.entries.map((one: { milestoneId: string }) => one.milestoneId);
    };
    const { oid } = params;
    expect(await calendar()).toEqual([milestone.id]);
    await api.deleteOpportunity({ params: { id: oid } });
    const replies = [
      await api.getMilestone({ params }),
      await api.listMilestones({ params: { oid } }),
      await api.createMilestone({ params: { oid }, body: { title: 'Signed' } }),
      await api.updateMilestone({ params, body: { title: 'Signed' } }),
      await api.completeMilestone({ params }),
      await api.deleteMilestone({ params }),
    ];
    expect(replies.map(({ status }) => status)).toEqual(Array(6).fill(404));
    expect(await calendar()).toEqual([]);
    await api.restoreOpportunity({ params: { id: oid } });
    expect((await api.getMilestone({ params })).status).toBe(200);
    expect(await calendar()).toEqual([milestone.id]);
  });
});
