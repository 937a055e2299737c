import { createHash } from 'node:crypto';
import { until } from '@tandem/testing';
import { anonymous, aTenant, fleet, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

type Tenant = Awaited<ReturnType<typeof aTenant>>;

/** Waits until the log has no more entries to come, and returns their number. */
const settled = (tenant: Tenant, atLeast: number) =>
  until('the entries are there', async () => {
    const { pagination } = (await tenant.owner.listAuditLogs()).body;
    return (pagination?.total ?? 0) >= atLeast && pagination?.total;
  });

const finished = (api: Tenant['owner'], jobId: string) =>
  until('the job is complete', async () => {
    const { data } = await api.getJob({ params: { id: jobId } });
    return data.status === 'completed' && data;
  });

const download = (url: string) =>
  anonymous(service).downloadAuditExport({ params: { token: url.split('/').at(-1) as string } });

interface Entry {
  previousHash: string;
  hash: string;
  hashForm: number;
  action: string;
  position: number;
  changes: unknown;
  changesSalt: string | null;
  changesDigest: string | null;
}

function sha256(first: string, second: string): string {
  return createHash('sha256').update(`${first}\n${second}`).digest('hex');
}

/** As documented: canonical JSON with sorted keys. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`;
}

it('exports all entries as JSON that its owner can verify', async () => {
  const tenant = await aTenant(service);
  await tenant.addUser('member', { firstName: '=1+1' });
  await tenant.owner.updateCurrentTenant({ body: { name: 'Other Engines' } });
  const total = await settled(tenant, 4);
  const started = await tenant.owner.createAuditExport({ body: { format: 'json' } });
  expect([started.status, started.data]).toEqual([202, { jobId: expect.any(String), status: 'queued' }]);
  const job = await finished(tenant.owner, started.data.jobId);
  expect(job).toMatchObject({
    kind: 'audit_export',
    error: null,
    download: { url: expect.stringContaining('/v1/public/') },
  });
  const { verification, rows } = job.result;
  expect(verification).toMatchObject({ verified: true, entries: rows, firstPosition: 1, lastPosition: rows });
  expect(rows).toBeGreaterThanOrEqual(total as number);

  const { status, data, body } = await download(job.download.url);
  expect(status).toBe(200);
  const file = (data ? { ...body } : body) as unknown as { entries: Entry[]; export: object };
  expect(file.entries.map(({ position }) => position)).toEqual(file.entries.map((_, index) => index + 1));
  let previous = '';
  for (const { previousHash, hash, hashForm, changes, changesSalt, ...entry } of file.entries) {
    expect([previousHash, hashForm]).toEqual([previous, 3]);
    expect(hash).toBe(sha256(previousHash, canonical(entry)));
    if (changes !== null) expect(entry.changesDigest).toBe(sha256(changesSalt as string, canonical(changes)));
    previous = hash;
  }
  expect(file.entries.some(({ changes }) => changes !== null)).toBe(true);
  expect(verification.headHash).toBe(previous);
  // The file has public ids only.
  expect(JSON.stringify(file.entries)).not.toMatch(/"(actorId|targetId|keyId|id)":("\d+"|\d)/);
  expect((await fleet(service).verifyAuditChain({ body: { tenantId: `${tenant.tenantId}` } })).data.intact).toBe(true);
});

it('exports matching entries as CSV with safe cells, the same at each download', async () => {
  const tenant = await aTenant(service);
  await tenant.addUser('member');
  await service
    .as({ type: 'user', tenantId: tenant.tenantId, userId: Number(tenant.user.id), name: '=cmd()' })
    .createTeam({
      body: { name: 'Sales' },
    });
  await settled(tenant, 4);
  const { data } = await tenant.owner.createAuditExport({
    body: { format: 'csv', filters: { action: 'team.create', outcome: 'success' } },
  });
  const job = await finished(tenant.owner, data.jobId);
  expect(job.result).toMatchObject({ rows: 1, verification: { verified: true } });
  const first = await download(job.download.url);
  expect(first.headers['content-type']).toContain('text/csv');
  const [head, row, ...rest] = first.text.trim().split('\r\n');
  expect(head).toMatch(/^position,id,occurredAt,action,/);
  expect(row).toContain("'=cmd()");
  expect(rest).toEqual([]);
  await tenant.owner.createTeam({ body: { name: 'Later' } });
  await until('the later entry is there', async () => {
    const found = await tenant.owner.listAuditLogs({ query: { action: 'team.create' } });
    return found.body.pagination?.total === 2;
  });
  expect((await download(job.download.url)).text).toBe(first.text);
});

it('records the export and each download, with the person who got the link', async () => {
  const tenant = await aTenant(service);
  await settled(tenant, 2);
  const { data } = await tenant.owner.createAuditExport({ body: { format: 'csv' } });
  const job = await finished(tenant.owner, data.jobId);
  await download(job.download.url);
  const read = await until('the download is recorded', async () => {
    const [found] = (await tenant.owner.listAuditLogs({ query: { action: 'audit_log.read_export' } })).data;
    return found;
  });
  expect(read).toMatchObject({ outcome: 'success', actor: { type: 'user', id: tenant.user.id, name: 'Ada Lovelace' } });
  for (const action of ['audit_log.export', 'audit_log.complete_export'])
    expect((await tenant.owner.listAuditLogs({ query: { action } })).data).toHaveLength(1);
});

it('notifies the user who requested the export when it is ready', async () => {
  const tenant = await aTenant(service);
  const auditor = await tenant.addUser('admin');
  await settled(tenant, 2);
  const api = tenant.as(auditor.id);
  const { data } = await api.createAuditExport({ body: { format: 'csv' } });
  const { result } = await finished(api, data.jobId);
  const notices = (await api.listNotifications({ query: { category: 'exports' } })).data;
  expect(notices).toEqual([
    expect.objectContaining({
      title: 'The export of the audit log is ready',
      body: `It has ${result.rows} entries.`,
    }),
  ]);
  expect((await tenant.owner.listNotifications({ query: { category: 'exports' } })).data).toEqual([]);
});

it('shows a modified entry in the verification', async () => {
  const tenant = await aTenant(service);
  await settled(tenant, 2);
  await service.sql(
    `SELECT set_config('app.tenant_id', '${tenant.tenantId}', false); UPDATE audit_log SET actor_name = 'Eve' WHERE position = 2`,
  );
  const { data } = await tenant.owner.createAuditExport({ body: { format: 'json' } });
  const { result } = await finished(tenant.owner, data.jobId);
  expect(result.verification).toMatchObject({ verified: false, reason: 'Entry 2 was modified' });
});

it('is readable by its creator and callers with audit:read only, and its link cannot be altered', async () => {
  const tenant = await aTenant(service);
  const other = await aTenant(service);
  const { data } = await tenant.owner.createAuditExport({ body: { format: 'csv' } });
  const job = await finished(tenant.owner, data.jobId);
  const params = { id: data.jobId };
  expect((await other.owner.getJob({ params })).status).toBe(404);
  expect((await tenant.as(99, ['leads:read']).getJob({ params })).status).toBe(404);
  expect((await tenant.as(99, ['audit:read']).getJob({ params })).status).toBe(200);
  expect((await tenant.as(99, ['leads:read']).createAuditExport({ body: { format: 'csv' } })).status).toBe(403);
  expect((await download(`${job.download.url}x`)).status).toBe(404);
  expect((await tenant.owner.createAuditExport({ body: { format: 'pdf' } })).status).toBe(422);
});

describe('in the sandbox', () => {
  const sandboxed = { environment: 'sandbox' } as const;

  it('an export has no live entries, whoever requests it', async () => {
    const tenant = await aTenant(service);
    await settled(tenant, 2);
    const person = tenant.as(tenant.user.id, ['*'], sandboxed);
    const live = await person.createAuditExport({ body: { format: 'json', filters: { environment: 'live' } } });
    expect([live.status, live.body.errors?.[0]?.field]).toEqual([422, 'filters.environment']);
    const { data } = await person.createAuditExport({ body: { format: 'json' } });
    const job = await finished(person, data.jobId);
    expect(job.result.rows).toBe(0);
    const file = (await download(job.download.url)).body as unknown as { entries: Entry[]; filters: object };
    expect([file.entries, file.filters]).toEqual([[], sandboxed]);
    const key = service.as({ tenantId: tenant.tenantId, ...sandboxed });
    expect((await key.getJob({ params: { id: data.jobId } })).status).toBe(200);
  });

  it('an export with live entries is not found, nor is its file', async () => {
    const tenant = await aTenant(service);
    await settled(tenant, 2);
    const person = tenant.as(tenant.user.id, ['*'], sandboxed);
    const inLive = await tenant.owner.createAuditExport({ body: { format: 'csv' } });
    const { data } = await person.createAuditExport({ body: { format: 'csv' } });
    const { download: link } = await finished(person, data.jobId);
    // As earlier releases stored it.
    await service.sqlWithin(
      person.caller,
      `UPDATE platform.background_job SET input = input #- '{filters,environment}'`,
    );
    const key = service.as({ tenantId: tenant.tenantId, ...sandboxed });
    for (const api of [person, key])
      for (const id of [data.jobId, inLive.data.jobId]) expect((await api.getJob({ params: { id } })).status).toBe(404);
    expect((await download(link.url)).status).toBe(404);
  });
});

it('rejects filters by unknown records', async () => {
  const { owner } = await aTenant(service);
  const filters = { actorId: '999999', onBehalfOfId: '999999', keyId: '999999' };
  const { status, body } = await owner.createAuditExport({ body: { format: 'json', filters } });
  expect([status, body.errors]).toEqual([
    422,
    [
      { field: 'filters.actorId', message: 'No user with this id' },
      { field: 'filters.onBehalfOfId', message: 'No user with this id' },
      { field: 'filters.keyId', message: expect.stringContaining('with this id') },
    ],
  ]);
});
