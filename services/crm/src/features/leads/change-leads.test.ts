import type { crm } from '@tandem/crm-contract';
import { type TestService, until } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

async function aStoredLead(fields = {}) {
  const api = service.as();
  const { data } = await api.createLead({ body: aLead(fields) });
  return { api, lead: data, params: { id: data.id } };
}

const eventsOf = (tenantId: number | undefined) =>
  service.events.filter((event) => event.tenantId === tenantId).map((event) => event.name);

describe('updateLead', () => {
  it('changes the sent fields, increments the version, and lists the changes in the event', async () => {
    const { api, params } = await aStoredLead();
    const reply = await api.updateLead({ params, body: { score: 40, firstName: 'Grace' } });
    expect(reply.data).toMatchObject({ score: 40, firstName: 'Grace', version: 2 });
    expect(reply.headers.etag).toMatch(/^"2-/);
    const event = await until('the event arrives', () =>
      service.events.find((one) => one.name === 'lead.updated' && one.target.id === Number(params.id)),
    );
    expect(event.data).toEqual({
      leadId: params.id,
      changes: { score: 40, scorePinned: true, firstName: 'Grace' },
      scoreCause: 'manual',
    });
    expect(event.changes?.score).toEqual({ from: 0, to: 40 });
  });

  it('neither writes nor emits an event when nothing changes', async () => {
    const { api, params, lead } = await aStoredLead();
    const reply = await api.updateLead({ params, body: { firstName: lead.firstName } });
    expect(reply.data.version).toBe(1);
    await api.deleteLead({ params });
    await until('the later event arrives', () => eventsOf(api.caller.tenantId).includes('lead.deleted'));
    expect(eventsOf(api.caller.tenantId)).not.toContain('lead.updated');
  });

  it('rejects a stale If-Match and leaves the lead unchanged', async () => {
    const { api, params } = await aStoredLead();
    await api.updateLead({ params, body: { score: 10 } });
    const reply = await api.updateLead({ params, body: { score: 20 }, headers: { 'if-match': '"1"' } });
    expect([reply.status, reply.body.code]).toEqual([412, 'stale_version']);
    expect((await api.getLead({ params })).data.score).toBe(10);
  });

  it.each([
    ['"1"', 200],
    ['*', 200],
    ['"7", "1"', 200],
    ['"7" ,, "1",', 200],
    ['"7"', 412],
    ['""', 412],
    ['W/"1"', 200],
    ['"a,b"', 412],
    ['1', 422],
    ['garbage', 422],
    ['"1', 422],
    ['"7" "1"', 422],
    ['"1", *', 422],
    ['w/"1"', 422],
  ])('answers If-Match %s to version 1 with %i', async (ifMatch, status) => {
    const { api, params } = await aStoredLead();
    const reply = await api.updateLead({ params, body: { score: 20 }, headers: { 'if-match': ifMatch } });
    expect([reply.status, reply.body.errors]).toEqual([
      status,
      status === 422 ? [{ field: 'If-Match', message: 'Must be an ETag in quotes, such as "3"' }] : undefined,
    ]);
  });

  it('applies all of twenty concurrent updates', async () => {
    const { api, params } = await aStoredLead();
    const bodies = Array.from({ length: 20 }, (_, index) => ({ tags: [`t${index}`], score: index }));
    const replies = await Promise.all(bodies.map((body) => api.updateLead({ params, body })));
    expect(replies.map((reply) => reply.status)).toEqual(bodies.map(() => 200));
    expect((await api.getLead({ params })).data.version).toBe(21);
  });

  it('applies the transition rules to a status in a PATCH', async () => {
    const { api, params } = await aStoredLead({ status: 'unqualified' });
    const reply = await api.updateLead({ params, body: { status: 'qualified' } });
    expect([reply.status, reply.body.code]).toEqual([409, 'transition_refused']);
    expect(reply.body.errors).toEqual([
      { field: 'status', message: 'The status is unqualified; it can change to contacted' },
    ]);
  });
});

describe('changeLeadStatus', () => {
  const table: [string, string[]][] = [
    ['new', ['contacted', 'qualified', 'unqualified']],
    ['contacted', ['qualified', 'unqualified']],
    ['qualified', ['contacted', 'unqualified']],
    ['unqualified', ['contacted']],
  ];
  it.each(table)('moves a lead from %s only to %j', async (from, allowed) => {
    for (const to of ['new', 'contacted', 'qualified', 'unqualified']) {
      const { api, params } = await aStoredLead({ status: from });
      const reply = await api.changeLeadStatus({ params, body: { status: to } });
      expect([from, to, reply.status]).toEqual([from, to, allowed.includes(to) ? 200 : 409]);
      const { data } = await api.getLead({ params });
      expect(data.status).toBe(allowed.includes(to) ? to : from);
    }
  });

  it('rejects a request that names no status', async () => {
    const api = service.as();
    const { data: lead } = await api.createLead({ body: aLead() });
    const reply = await api.changeLeadStatus({ params: { id: lead.id }, body: {} });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, 'status']);
  });

  it('emits lead.updated and lead.status_changed with both statuses', async () => {
    const { api, params } = await aStoredLead();
    await api.changeLeadStatus({ params, body: { status: 'contacted', reason: 'called' } });
    const changed = await until('the event arrives', () =>
      service.events.find((one) => one.name === 'lead.status_changed' && one.target.id === Number(params.id)),
    );
    expect(changed.data).toEqual({
      leadId: params.id,
      from: 'new',
      to: 'contacted',
      reason: 'called',
      fromCode: 'new',
      toCode: 'contacted',
    });
    expect(eventsOf(api.caller.tenantId)).toContain('lead.updated');
  });
});

describe('deleteLead and restoreLead', () => {
  it('hides a deleted lead everywhere, and restores it unchanged', async () => {
    const { api, params, lead } = await aStoredLead();
    expect((await api.deleteLead({ params })).data).toEqual({ id: lead.id, deleted: true });
    expect((await api.getLead({ params })).status).toBe(404);
    expect((await api.updateLead({ params, body: { score: 1 } })).status).toBe(404);
    expect((await api.deleteLead({ params })).status).toBe(404);
    expect((await api.listLeads()).body.pagination?.total).toBe(0);
    expect((await api.listLeads({ query: { deleted: 'true' } })).data).toHaveLength(1);
    expect((await api.restoreLead({ params })).data).toMatchObject({ email: lead.email });
    expect((await api.getLead({ params })).status).toBe(200);
  });

  it('purges a lead 30 days after its deletion, and no other', async () => {
    const email = 'purged@example.com';
    const { api, params } = await aStoredLead({ email });
    const { data: younger } = await api.createLead({ body: aLead({ email }) });
    const { data: present } = await api.createLead({ body: aLead({ email }) });
    await until('their pairs are found', async () => (await api.listLeadDuplicates()).data.length >= 2);
    await api.deleteLead({ params });
    await api.deleteLead({ params: { id: younger.id } });
    const { tenantId } = api.caller;
    await service.sql(`SET app.tenant_id = '${tenantId}'; SET app.environment = 'live';
      UPDATE lead SET deleted_at = now() - interval '31 days' WHERE id = ${params.id}`);
    await service.housekeep();
    expect((await api.restoreLead({ params })).status).toBe(404);
    expect((await api.restoreLead({ params: { id: younger.id } })).status).toBe(200);
    expect((await api.getLead({ params: { id: present.id } })).status).toBe(200);
  });

  it('rejects restoring a lead that is not deleted', async () => {
    const { api, params } = await aStoredLead();
    expect((await api.restoreLead({ params })).body.code).toBe('not_deleted');
  });
});

describe('permissions', () => {
  it('limits a caller with leads:read:own to own leads, in lists and by id', async () => {
    const api = service.as({ userId: 1 });
    const { data: mine } = await api.createLead({ body: aLead() });
    const other = service.as({ tenantId: api.caller.tenantId as number, userId: 2 });
    const { data: theirs } = await other.createLead({ body: aLead() });
    const narrow = service.as({
      tenantId: api.caller.tenantId as number,
      userId: 1,
      can: ['leads:read:own', 'leads:write:own'],
    });
    expect((await narrow.listLeads()).data.map((lead: { id: string }) => lead.id)).toEqual([mine.id]);
    expect((await narrow.listLeads()).body.pagination?.total).toBe(1);
    expect((await narrow.getLead({ params: { id: theirs.id } })).status).toBe(404);
    expect((await narrow.updateLead({ params: { id: theirs.id }, body: { score: 1 } })).status).toBe(404);
    expect((await narrow.updateLead({ params: { id: mine.id }, body: { score: 1 } })).status).toBe(200);
  });

  it('counts only duplicates among own leads for such a caller', async () => {
    const api = service.as({ userId: 1 });
    const tenantId = api.caller.tenantId as number;
    const email = 'twin@example.com';
    const { data: mine } = await api.createLead({ body: aLead({ email }) });
    await api.createLead({ body: aLead({ email }) });
    await service.as({ tenantId, userId: 2 }).createLead({ body: aLead({ email }) });
    const params = { id: mine.id };
    await until('the pairs are found', async () => (await api.getLead({ params })).data.duplicateCount === 2);
    const narrow = service.as({ tenantId, userId: 1, can: ['leads:read:own'] });
    expect((await narrow.getLead({ params })).data.duplicateCount).toBe(1);
  });

  it('does not reuse the cached total of another caller for such a caller', async () => {
    const api = service.as({ userId: 1 });
    const tenantId = api.caller.tenantId as number;
    await service.sql(`SELECT set_config('app.tenant_id', '${tenantId}', false), set_config('app.environment', 'live', false);
      INSERT INTO lead (email, first_name, last_name, updated_at)
      SELECT 'many@example.com', 'A', 'B', now() FROM generate_series(1, 10000)`);
    expect((await api.listLeads()).body.pagination?.total).toBe(10_000);
    const narrow = service.as({ tenantId, userId: 1, can: ['leads:read:own'] });
    expect((await narrow.listLeads()).body.pagination?.total).toBe(0);
  });
});
