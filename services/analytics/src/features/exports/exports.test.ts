import { createIdCodec } from '@tandem/ids';
import { identityPeer, members, until, users } from '@tandem/testing';
import { type Analytics, publicUrl, startAnalytics } from '../../analytics.test-service.ts';
import type { PeerRecord } from '../../crm-peer.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let service: Analytics;
beforeAll(async () => {
  identity = await identityPeer();
  service = await startAnalytics({ IDENTITY_URL: identity.url });
});
afterAll(async () => {
  await service?.close();
  await identity?.close();
});

type Api = ReturnType<typeof service.as>;
const ids = createIdCodec(process.env['IDS_ALPHABET'] as string);
const userId = Number(users.active);
const aLead = (id: number, fields: object = {}): PeerRecord => ({
  id: String(id),
  email: `lead${id}@example.com`,
  firstName: 'Ada',
  customFields: {},
  consent: {},
  assignedTo: null,
  createdAt: '2026-03-02T09:00:00.000Z',
  ...fields,
});
const setLeads = (...leads: PeerRecord[]) => service.crm.lists.set('listLeads', leads);

async function created(api: Api, body: object) {
  const reply = await api.createExport({ body });
  expect([reply.status, reply.body.errors]).toEqual([202, undefined]);
  return reply.data;
}

const reaches = (api: Api, id: string, status: string) =>
  until(`the export is ${status}`, async () => {
    const { data } = await api.getExport({ params: { id } });
    return data.status === status && data;
  });

const exported = async (api: Api, body: object) => reaches(api, (await created(api, body)).id, 'completed');

function download(url: string) {
  const { caller } = service.as({ type: 'anonymous' });
  const { tenantId, ...nobody } = caller;
  const token = url.slice(`${publicUrl}/v1/public/analytics/exports/`.length);
  return service.send(service.operations.downloadExportFile, { params: { token } }, nobody);
}

const fileOf = async ({ downloadUrl }: { downloadUrl: string }) => (await download(downloadUrl)).text;

describe('a file', () => {
  it('has the records that the list shows, the oldest first, with public ids, without formulas', async () => {
    const api = service.as({ userId });
    const tenantId = api.caller.tenantId as number;
    const assignedTo = users.active;
    setLeads(
      aLead(1, { firstName: '=1+1', assignedTo }),
      aLead(2, { firstName: '@x' }),
      aLead(3, { customFields: { size: 7 } }),
    );
    const columns = ['id', 'firstName', 'assignedTo', 'createdAt', 'customFields.size'];
    const data = await exported(api, { source: 'leads', format: 'csv', columns });
    expect(data).toMatchObject({ rowCount: 3, progress: { done: 3, total: 3 }, allowedTransitions: [], error: null });
    expect(new Date(data.expiresAt).getTime() - new Date(data.completedAt).getTime()).toBe(7 * 86_400_000);
    const code = (type: 'lead' | 'user', id: number) => ids.encode(type, tenantId, id);
    const at = '2026-03-02T09:00:00.000Z';
    const { text, headers } = await download(data.downloadUrl);
    expect(text.split('\r\n')).toEqual([
      columns.join(),
      `${code('lead', 1)},'=1+1,${code('user', userId)},${at},`,
      `${code('lead', 2)},'@x,,${at},`,
      `${code('lead', 3)},Ada,,${at},7`,
      '',
    ]);
    expect(headers['content-disposition']).toMatch(/leads-export\.csv/);
  });

  it('can be JSON, lines of JSON, or XLSX', async () => {
    const api = service.as({ userId });
    setLeads(aLead(1, { customFields: { a: [1] } }), aLead(2), aLead(3));
    const columns = ['email', 'customFields'];
    const row = (id: number, customFields = {}) => ({ email: `lead${id}@example.com`, customFields });
    const rows = [row(1, { a: [1] }), row(2), row(3)];
    const json = await fileOf(await exported(api, { source: 'leads', format: 'json', columns }));
    expect(JSON.parse(json)).toEqual(rows);
    const lines = await fileOf(await exported(api, { source: 'leads', format: 'ndjson', columns }));
    expect(
      lines
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(rows);
    const { headers } = await download((await exported(api, { source: 'leads', format: 'xlsx' })).downloadUrl);
    expect(headers['content-type']).toMatch(/spreadsheetml/);
    setLeads();
    expect(JSON.parse(await fileOf(await exported(api, { source: 'leads', format: 'json' })))).toEqual([]);
  });

  it('has the events that the filters of their list select', async () => {
    const api = service.as({ userId });
    for (const eventType of ['email_open', 'page_visit', 'email_open']) await api.recordEvent({ body: { eventType } });
    await api.recordEvent({ body: { eventType: 'email_open', automated: true } });
    await service.as({ userId }).recordEvent({ body: { eventType: 'email_open' } });
    const body = { source: 'events', format: 'csv', columns: ['type'], filters: { type: 'email_open' } };
    expect(await fileOf(await exported(api, body))).toBe('type\r\nemail_open\r\nemail_open\r\n');
    const all = { ...body, filters: { includeAutomated: true } };
    expect((await exported(api, all)).rowCount).toBe(4);
  });

  it('takes filters with public ids, and shows them as they were sent', async () => {
    const api = service.as({ userId });
    const leadId = ids.encode('lead', api.caller.tenantId as number, 7);
    for (const id of ['7', '8']) await api.recordEvent({ body: { eventType: 'page_visit', leadId: id } });
    const data = await exported(api, { source: 'events', format: 'csv', columns: ['leadId'], filters: { leadId } });
    expect([await fileOf(data), data.filters]).toEqual([`leadId\r\n${leadId}\r\n`, { leadId }]);
  });
});

describe('a request', () => {
  it.each([
    ['an unknown column', { columns: ['email', 'salary'] }, 'columns.1'],
    ['an unknown filter', { filters: { colour: 'red' } }, 'filters'],
    ['a filter with a wrong value', { filters: { scoreMin: 'many' } }, 'filters.scoreMin'],
    ['an id of another tenant', { filters: { accountId: '5' } }, 'filters.accountId'],
    ['a filter that the owner rejects', { filters: { customFields: { salary: 1 } } }, 'filters.customFields.salary'],
    ['an unknown source', { source: 'invoices' }, 'source'],
    ['an unknown format', { format: 'pdf' }, 'format'],
  ])('with %s is refused, and the error names the field', async (_, body, field) => {
    const reply = await service.as().createExport({ body: { source: 'leads', format: 'csv', ...body } });
    expect([reply.status, reply.body.errors?.map((error) => error.field)]).toEqual([422, [field]]);
  });

  it('needs the permission to read the list', async () => {
    const api = service.as({ can: ['analytics:read', 'tasks:read'] });
    const reply = await api.createExport({ body: { source: 'leads', format: 'csv' } });
    expect([reply.status, reply.body.errors]).toEqual([
      403,
      [{ field: 'source', message: 'Requires the permission leads:read' }],
    ]);
    expect((await api.createExport({ body: { source: 'tasks', format: 'csv' } })).status).toBe(202);
    const events = await api.createExport({ body: { source: 'events', format: 'csv' } });
    expect([events.status, events.body.errors]).toEqual([reply.status, reply.body.errors]);
  });

  it('is refused while ten exports are open', async () => {
    const api = service.as({ userId });
    setLeads(aLead(1));
    const body = { source: 'leads', format: 'csv' };
    const first = await created(api, body);
    await reaches(api, first.id, 'completed');
    await service.sqlWithin(
      api.caller,
      `INSERT INTO export (source, format, columns, requester, status) SELECT source, format, columns, requester, 'queued'
       FROM export, generate_series(1, 10)`,
    );
    const refused = await api.createExport({ body });
    expect([refused.status, refused.body.code]).toEqual([409, 'too_many_exports']);
  });

  it('is refused while earlier files use the whole storage', async () => {
    const api = service.as({ userId });
    setLeads(aLead(1));
    const body = { source: 'leads', format: 'csv' };
    await exported(api, body);
    await service.sqlWithin(api.caller, 'UPDATE export SET bytes = 10000000000');
    const refused = await api.createExport({ body });
    expect([refused.status, refused.body.code]).toEqual([409, 'export_storage_full']);
  });
});

describe('a narrowed caller', () => {
  it('exports only records that they can read, and nobody else with a narrowed permission gets the file', async () => {
    setLeads(aLead(1), aLead(2, { assignedTo: members.seller }), aLead(3));
    const tenantId = service.as().caller.tenantId as number;
    const can = ['analytics:read', 'leads:read:own'];
    const seller = service.as({ tenantId, userId: Number(members.seller), can });
    const data = await exported(seller, { source: 'leads', format: 'csv', columns: ['email'] });
    expect(await fileOf(data)).toBe('email\r\nlead2@example.com\r\n');
    const colleague = service.as({ tenantId, userId: Number(members.both), can });
    expect((await colleague.getExport({ params: { id: data.id } })).status).toBe(404);
    expect((await colleague.listExports()).data).toEqual([]);
    const manager = service.as({ tenantId, userId });
    expect((await manager.listExports()).data.map(({ id }: { id: string }) => id)).toEqual([data.id]);
    expect((await service.as().getExport({ params: { id: data.id } })).status).toBe(404);
    // A key of the seller with every lead, beside one with less.
    const whole = await exported(service.as({ tenantId, userId: Number(members.seller) }), {
      source: 'leads',
      format: 'csv',
    });
    for (const one of ['leads:read:own', 'leads:read:team']) {
      const narrower = service.as({ tenantId, userId: Number(members.seller), can: ['analytics:read', one] });
      expect((await narrower.getExport({ params: { id: whole.id } })).status).toBe(404);
      expect((await narrower.getExport({ params: { id: data.id } })).status).toBe(200);
    }
  });
});

describe('a caller with narrowed leads', () => {
  it('exports only events of leads that they may read, and none without the permission for leads', async () => {
    const tenantId = service.as().caller.tenantId as number;
    const manager = service.as({ tenantId, userId });
    for (const leadId of ['31', '32', null])
      await manager.recordEvent({ body: { eventType: 'page_visit', leadId, messageId: `of ${leadId}` } });
    service.crm.owners.set('31', userId).set('32', Number(members.seller));
    const can = ['analytics:read', 'leads:read:own'];
    const seller = service.as({ tenantId, userId: Number(members.seller), can });
    const body = { source: 'events', format: 'csv', columns: ['messageId'] };
    const data = await exported(seller, body);
    expect(await fileOf(data)).toBe('messageId\r\nof 32\r\n');
    identity.permissions.set(members.seller, ['analytics:read']);
    expect((await download(data.downloadUrl)).status).toBe(404);
    identity.permissions.delete(members.seller);
    const colleague = service.as({ tenantId, userId: Number(members.both), can });
    expect((await colleague.getExport({ params: { id: data.id } })).status).toBe(404);
    const nobody = service.as({ tenantId, userId: Number(members.both), can: ['analytics:read'] });
    expect((await nobody.createExport({ body })).status).toBe(403);
    expect((await exported(manager, body)).rowCount).toBe(3);
  });
});

describe('a link', () => {
  it('works only for an unchanged token, and while its user may read the records and exports', async () => {
    setLeads(aLead(1));
    const id = members.seller;
    const api = service.as({ userId: Number(id) });
    const { downloadUrl } = await exported(api, { source: 'leads', format: 'csv', columns: ['email'] });
    expect((await download(`${downloadUrl}x`)).status).toBe(404);
    const withRights = async (...can: string[]) => {
      identity.permissions.set(id, can);
      return (await download(downloadUrl)).status;
    };
    try {
      expect(await withRights('analytics:read', 'leads:read')).toBe(200);
      expect(await withRights('analytics:read', 'leads:read:team')).toBe(404);
      expect(await withRights('leads:read')).toBe(404);
    } finally {
      identity.permissions.delete(id);
    }
    await until('the download is recorded', () =>
      service.events.some((one) => one.name === 'export.file_downloaded' && one.caller.userId === Number(id)),
    );
  });

  it('ends with the file, whose rows are removed when it expires', async () => {
    setLeads(aLead(1));
    const api = service.as({ userId });
    const { id, downloadUrl } = await exported(api, { source: 'leads', format: 'csv' });
    await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'remove-export-rows'`);
    const expired = await reaches(api, id, 'expired');
    expect([expired.downloadUrl, expired.allowedTransitions]).toEqual([null, []]);
    await until('the rows are removed', async () => (await pagesOf(api)) === 0);
    expect((await download(downloadUrl)).body).toMatchObject({ status: 404, code: 'link_expired' });
  });
});

const pagesOf = async ({ caller }: Api) =>
  Number((await service.sqlWithin(caller, 'SELECT count(*) AS n FROM export_chunk'))[0]?.['n']);

/** Schedules the job of the first export again, as if its process had been killed. */
const runAgain = `INSERT INTO platform.job (name, payload, due_at)
  SELECT 'run-export', jsonb_build_object('exportId', min(id)::text), now() FROM export`;

it('an export refuses a range that ends before it begins', async () => {
  const filters = { from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' };
  const { status, body } = await service.as().createExport({ body: { source: 'events', format: 'csv', filters } });
  expect([status, body.errors?.map(({ field }) => field)]).toEqual([422, ['filters.from']]);
});

describe('a run', () => {
  it('is cancelled within a page, and leaves no rows', async () => {
    const api = service.as({ userId });
    setLeads(...Array.from({ length: 9 }, (_, index) => aLead(index + 1)));
    const { id } = await created(api, { source: 'leads', format: 'csv' });
    const release = service.crm.hold();
    try {
      const running = await reaches(api, id, 'running');
      expect(running.allowedTransitions).toEqual(['cancelled']);
      const { status, data } = await api.cancelExport({ params: { id } });
      expect([status, data.status]).toEqual([200, 'cancelled']);
    } finally {
      release();
    }
    await until('the rows are removed', async () => (await pagesOf(api)) === 0);
    const again = await api.cancelExport({ params: { id } });
    expect([again.status, again.body.code]).toEqual([409, 'wrong_status']);
    await exported(api, { source: 'leads', format: 'csv' });
  });

  it('is cancelled by a caller who may read own leads only, and not by one who may not see it', async () => {
    const can = ['analytics:read', 'analytics:write', 'leads:read:own'];
    const api = service.as({ userId: Number(members.seller), can });
    setLeads(...Array.from({ length: 9 }, (_, index) => aLead(index + 1)));
    // Its job has ended, so nothing completes it again in the middle of the test.
    const { id } = await exported(api, { source: 'leads', format: 'csv' });
    await service.sqlWithin(api.caller, `UPDATE export SET status = 'queued', completed_at = NULL, expires_at = NULL`);
    const { tenantId } = api.caller;
    const other = service.as({ tenantId: tenantId as number, userId, can });
    expect((await other.cancelExport({ params: { id } })).status).toBe(404);
    const { status, data } = await api.cancelExport({ params: { id } });
    expect([status, data.status]).toEqual([200, 'cancelled']);
  });

  it('continues after the last page when its process was killed, without rows missing or twice', async () => {
    const api = service.as({ userId });
    const leads = Array.from({ length: 7 }, (_, index) => aLead(index + 1));
    setLeads(...leads);
    const { id } = await exported(api, { source: 'leads', format: 'csv', columns: ['email'] });
    const sql = (text: string) => service.sqlWithin(api.caller, text);
    await sql('DELETE FROM export_chunk WHERE number > 1');
    await sql(`UPDATE export SET status = 'running', completed_at = NULL, expires_at = NULL, row_count = 2`);
    const before = service.crm.pages();
    await sql(runAgain);
    const data = await reaches(api, id, 'completed');
    expect([data.rowCount, service.crm.pages() - before]).toEqual([7, 2]);
    expect(await fileOf(data)).toBe(`email\r\n${leads.map(({ email }) => `${email}\r\n`).join('')}`);
  });

  it('waits for the export before it; both announce their end', async () => {
    const api = service.as({ userId });
    setLeads(aLead(1), aLead(2), aLead(3));
    const body = { source: 'leads', format: 'csv' };
    const first = await created(api, body);
    const second = await created(api, body);
    const [one, two] = [await reaches(api, first.id, 'completed'), await reaches(api, second.id, 'completed')];
    expect(new Date(two.startedAt).getTime()).toBeGreaterThanOrEqual(new Date(one.completedAt).getTime());
    const announced = (name: string) =>
      service.events.filter((event) => event.name === name && event.tenantId === api.caller.tenantId).length;
    await until('both are announced', () => announced('export.completed') === 2);
    expect(announced('export.created')).toBe(2);
  });

  it('fails when a filter is not valid any more, and the next one runs', async () => {
    const api = service.as({ userId });
    setLeads(aLead(1));
    const hold = service.crm.hold();
    const first = api.createExport({ body: { source: 'leads', format: 'csv' } });
    hold();
    const { data } = await first;
    await reaches(api, data.id, 'completed');
    await service.sqlWithin(
      api.caller,
      `UPDATE export SET status = 'queued', wire_filters = '{"customFields": {"salary": 1}}'`,
    );
    const next = await created(api, { source: 'events', format: 'csv' });
    await service.sqlWithin(api.caller, runAgain);
    const failed = await reaches(api, data.id, 'failed');
    expect(failed.error).toMatchObject({ code: 'filters_invalid' });
    await reaches(api, next.id, 'completed');
  });
});

it('lists exports by status and source', async () => {
  const api = service.as({ userId });
  setLeads(aLead(1));
  const ofLeads = await exported(api, { source: 'leads', format: 'csv' });
  const ofEvents = await exported(api, { source: 'events', format: 'csv' });
  const listed = async (query: Record<string, string>) =>
    (await api.listExports({ query })).data.map(({ id }: { id: string }) => id);
  expect(await listed({})).toEqual([ofEvents.id, ofLeads.id]);
  expect(await listed({ source: 'leads', status: 'completed' })).toEqual([ofLeads.id]);
  expect(await listed({ status: 'failed' })).toEqual([]);
});
