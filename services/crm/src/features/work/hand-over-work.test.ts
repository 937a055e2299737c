import { randomUUID } from 'node:crypto';
import type { crm } from '@tandem/crm-contract';
import { identityPeer, members, publishUserLeft, type TestService, teams, until, users } from '@tandem/testing';
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
const from = users.active;

/** Publishes the event with which identity says that a user has left. */
async function userLeft(api: Api, reassignTo: string | null, id: string = randomUUID()): Promise<string> {
  await publishUserLeft({ service, tenantId: api.caller.tenantId as number }, { userId: from, reassignTo, id });
  return id;
}

/** One open record of each kind that is assigned to the user who leaves. */
async function workOf(api: Api) {
  const { data: lead } = await api.createLead({ body: aLead({ assignedTo: from }) });
  const { data: other } = await api.createLead({ body: aLead() });
  const { data: opportunity } = await api.convertLead({ body: { leadId: other.id, ownerId: from } });
  const { data: task } = await api.createTask({ body: { title: 'Call', assignedTo: from } });
  return { lead, opportunity, task };
}

async function assignees(api: Api, { lead, opportunity, task }: Awaited<ReturnType<typeof workOf>>) {
  return [
    (await api.getLead({ params: { id: lead.id } })).data.assignedTo,
    (await api.getOpportunity({ params: { id: opportunity.id } })).data.ownerId,
    (await api.getTask({ params: { id: task.id } })).data.assignedTo,
  ];
}

const moved = (api: Api, work: Awaited<ReturnType<typeof workOf>>, to: string) =>
  until('the work has moved', async () => (await assignees(api, work)).every((one) => one === to));

/** Makes the second run due, in which records that were assigned late are moved, and waits for it. */
async function runLateJobs({ caller }: Api): Promise<void> {
  const scope = { ...caller, environment: 'live' as const };
  const late = `name = 'hand-over-work' AND payload ? 'isLate'`;
  await until('the second run is scheduled', async () => {
    const rows = await service.sqlWithin(scope, `UPDATE platform.job SET due_at = now() WHERE ${late} RETURNING id`);
    return rows.length > 0;
  });
  await until('the second run has ended', async () => {
    const rows = await service.sqlWithin(scope, `SELECT FROM platform.job WHERE ${late}`);
    return rows.length === 0;
  });
}

describe('countOpenWork', () => {
  it('counts what is open and assigned to the user', async () => {
    const api = service.as();
    const { opportunity } = await workOf(api);
    const system = service.as({ type: 'system', tenantId: api.caller.tenantId as number });
    const count = async () => (await system.countOpenWork({ body: { userId: from } })).data;
    expect(await count()).toEqual({ leads: 1, opportunities: 1, tasks: 1, accounts: 0 });
    await api.winOpportunity({ params: { id: opportunity.id }, body: {} });
    const { data: gone } = await api.createLead({ body: aLead({ assignedTo: from }) });
    await api.deleteLead({ params: { id: gone.id } });
    expect(await count()).toEqual({ leads: 1, opportunities: 0, tasks: 1, accounts: 0 });
    expect((await service.as({ type: 'system' }).countOpenWork({ body: { userId: from } })).data.leads).toBe(0);
  });
});

describe('the work of a user who left', () => {
  it('moves to the successor and into their team, live and sandbox, each record with its event', async () => {
    const api = service.as();
    const tenantId = api.caller.tenantId as number;
    const sandbox = service.as({ tenantId, environment: 'sandbox' });
    const [live, test] = [await workOf(api), await workOf(sandbox)];
    await userLeft(api, members.seller);
    await moved(api, live, members.seller);
    await moved(sandbox, test, members.seller);
    const { data: lead } = await api.getLead({ params: { id: live.lead.id } });
    expect([lead.version, lead.teamId]).toEqual([2, teams.sales]);
    for (const name of ['lead.updated', 'opportunity.updated', 'task.updated']) {
      const event = await until(`${name} arrives`, () =>
        service.events.find(
          (one) =>
            one.name === name &&
            one.tenantId === tenantId &&
            one.environment === 'live' &&
            one.caller.type === 'system',
        ),
      );
      expect(Object.keys(event.changes ?? {}).sort()).toEqual([
        name === 'opportunity.updated' ? 'ownerId' : 'assignedTo',
        'teamId',
      ]);
    }
  });

  it('moves in batches, and leaves closed work and that of others alone', async () => {
    const api = service.as();
    const { opportunity } = await workOf(api);
    await api.loseOpportunity({ params: { id: opportunity.id }, body: { reasonCode: 'price' } });
    const { data: theirs } = await api.createTask({ body: { title: 'Theirs', assignedTo: members.both } });
    const count = 105;
    // In groups: a busy machine refuses some of a hundred requests at once.
    for (let created = 0; created < count; created += 15) {
      const replies = await Promise.all(
        Array.from({ length: 15 }, () => api.createTask({ body: { title: 'Task', assignedTo: from } })),
      );
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
    }
    await userLeft(api, members.seller);
    await until('all tasks have moved', async () => {
      const { body } = await api.listTasks({ query: { assignedTo: from, status: 'pending' } });
      return body.pagination?.total === 0;
    });
    const { body } = await api.listTasks({ query: { assignedTo: members.seller } });
    expect(body.pagination?.total).toBe(count + 1);
    expect((await api.getTask({ params: { id: theirs.id } })).data.assignedTo).toBe(members.both);
    expect((await api.getOpportunity({ params: { id: opportunity.id } })).data.ownerId).toBe(from);
  });

  it('goes on to the successor of a successor who left as well', async () => {
    const api = service.as();
    const work = await workOf(api);
    identity.successors.set(members.both, members.seller);
    try {
      await userLeft(api, members.both);
      await moved(api, work, members.seller);
    } finally {
      identity.successors.clear();
    }
  });

  it('is released if it was assigned while the user left without a successor', async () => {
    const api = service.as();
    const work = await workOf(api);
    identity.left.add(from);
    try {
      const refused = await api.createTask({ body: { title: 'Call', assignedTo: from } });
      expect(refused.status).toBe(422);
      await userLeft(api, null);
      await until('nobody has the work', async () => (await assignees(api, work)).every((one) => one === null));
    } finally {
      identity.left.clear();
    }
  });

  it('stays with a user who has come back before the second run', async () => {
    const api = service.as();
    const work = await workOf(api);
    await userLeft(api, members.seller);
    await moved(api, work, members.seller);
    const late = await workOf(api);
    await runLateJobs(api);
    expect((await assignees(api, late)).every((one) => one === from)).toBe(true);
  });

  it('is moved by a second run if it was assigned after the first one', async () => {
    const api = service.as();
    const work = await workOf(api);
    await userLeft(api, members.seller);
    await moved(api, work, members.seller);
    const late = await workOf(api);
    identity.left.add(from);
    try {
      await runLateJobs(api);
      await moved(api, late, members.seller);
    } finally {
      identity.left.clear();
    }
  });

  it('stays without a successor, and moves once when the event arrives twice', async () => {
    const api = service.as();
    const work = await workOf(api);
    await userLeft(api, null);
    const id = await userLeft(api, members.seller);
    await moved(api, work, members.seller);
    await api.updateLead({ params: { id: work.lead.id }, body: { assignedTo: from } });
    await userLeft(api, members.seller, id);
    const { data: next } = await api.createTask({ body: { title: 'Last', assignedTo: from } });
    const other = service.as();
    const last = await workOf(other);
    await userLeft(other, members.seller);
    await moved(other, last, members.seller);
    expect((await api.getLead({ params: { id: work.lead.id } })).data.assignedTo).toBe(from);
    expect((await api.getTask({ params: { id: next.id } })).data.assignedTo).toBe(from);
  });

  it('takes the calendar along: future events and booking links, but no past event', async () => {
    const api = service.as({ userId: Number(from) });
    const create = async (year: number, fields = {}) => {
      const body = { title: 'Demo', startAt: `${year}-03-08T09:00:00Z`, endAt: `${year}-03-08T10:00:00Z`, ...fields };
      return (await api.createCalendarEvent({ body })).data;
    };
    const [past, next, series] = [
      await create(2020),
      await create(2999),
      await create(2020, { recurrence: 'FREQ=WEEKLY' }),
    ];
    const { data: link } = await api.createBookingLink({
      body: { title: 'Call', durationMinutes: 30, hostIds: [from, members.both], hostMode: 'all' },
    });
    await userLeft(api, members.seller);
    const read = async (id: string) => (await api.getCalendarEvent({ params: { id } })).data;
    const linkNow = async () => (await api.getBookingLink({ params: { id: link.id } })).data;
    await until('the link has moved', async () => (await linkNow()).hostIds[0] === members.seller);
    expect(await linkNow()).toMatchObject({ hostIds: [members.seller, members.both], active: true, version: 2 });
    const organizers = [await read(past.id), await read(next.id), await read(series.id)];
    expect(organizers.map(({ organizerId }) => organizerId)).toEqual([from, members.seller, members.seller]);
    const event = await until('the event arrives', () =>
      service.events.find(
        ({ name, record }) => name === 'calendar_event.updated' && (record as { id?: string }).id === next.id,
      ),
    );
    expect(event.changes).toEqual({ organizerId: { from: Number(from), to: Number(members.seller) } });
  });

  it('leaves no link to a user without a successor: it loses the host, or is deactivated', async () => {
    const api = service.as({ userId: Number(from) });
    const create = async (hostIds: string[]) =>
      (await api.createBookingLink({ body: { title: `Call ${hostIds.length}`, durationMinutes: 30, hostIds } })).data
        .id as string;
    const [alone, shared] = [await create([from]), await create([from, members.both])];
    identity.left.add(from);
    try {
      await userLeft(api, null);
      const read = async (id: string) => (await api.getBookingLink({ params: { id } })).data;
      await until('the link is deactivated', async () => !(await read(alone)).active);
      expect(await read(shared)).toMatchObject({ hostIds: [members.both], active: true });
      const event = await until('the event arrives', () =>
        service.events.find(
          ({ name, record }) => name === 'booking_link.updated' && (record as { id?: string }).id === alone,
        ),
      );
      expect(event.data).toMatchObject({ reason: 'The only host has left, and has no successor' });
    } finally {
      identity.left.clear();
    }
  });

  it('ignores an event that cannot be read', async () => {
    const api = service.as();
    await userLeft(api, 'nobody');
    const work = await workOf(api);
    await userLeft(api, members.seller);
    await moved(api, work, members.seller);
  });
});
