import type { crm } from '@tandem/crm-contract';
import { identityPeer, type TestService, until } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';
import { filesPeer } from './files-peer.test-service.ts';
import { chunkRows } from './import.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let files: Awaited<ReturnType<typeof filesPeer>>;
let service: TestService<typeof crm>;
beforeAll(async () => {
  [identity, files] = await Promise.all([identityPeer(), filesPeer()]);
  service = await startCrm({ IDENTITY_URL: identity.url, FILES_URL: files.url });
});
afterAll(async () => {
  await service?.close();
  await Promise.all([identity?.close(), files?.close()]);
});

type Api = ReturnType<typeof service.as>;

const reaches = (api: Api, id: string, status: string) =>
  until(`the import is ${status}`, async () => {
    const { data } = await api.getLeadImport({ params: { id } });
    return data.status === status && data;
  });

/** Waits for the first failure of a job, and makes its next attempt the last one. */
async function exhaust({ caller }: Api, job: string) {
  const failed = `name = '${job}' AND state = 'waiting' AND attempts > 0`;
  await until(`${job} has failed`, async () => {
    const text = `UPDATE platform.job SET attempts = 9, due_at = now() WHERE ${failed} RETURNING id`;
    return (await service.sqlWithin(caller, text)).length > 0;
  });
}

/** An import whose chunk of this number cannot be read. */
async function failing(api: Api, { rows, chunk }: { rows: string[]; chunk: number }) {
  const content = `email,vorname,nachname\n${rows.join('\n')}\n`;
  const dedupe = { by: 'email', action: 'update' };
  const { data } = await api.createLeadImport({ body: { fileId: files.add(content), dedupe } });
  await reaches(api, data.id, 'validated');
  await service.sqlWithin(api.caller, `UPDATE import_chunk SET rows = '[null]' WHERE number = ${chunk}`);
  await api.startLeadImport({ params: { id: data.id } });
  await exhaust(api, 'run-import');
  return reaches(api, data.id, 'failed');
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `p${index}@example.com,P,Q`);
const leadsOf = async (api: Api) => (await api.listLeads()).body.pagination?.total;
const jobOf = async (api: Api, id: string) => (await api.getJob({ params: { id } })).data;

describe('undoing an import that failed', () => {
  it('deletes and restores what its first chunks did, also after an undo that failed', async () => {
    const api = service.as();
    const { data: lead } = await api.createLead({ body: aLead({ email: 'p0@example.com', firstName: 'Old' }) });
    const failed = await failing(api, { rows: numbered(chunkRows + 1), chunk: 1 });
    expect(failed).toMatchObject({
      allowedTransitions: ['undoing'],
      counts: { processed: chunkRows, created: chunkRows - 1, updated: 1 },
      error: { code: 'import_failed' },
    });
    const setChunk = (columns: string) =>
      service.sqlWithin(api.caller, `UPDATE import_chunk SET ${columns} WHERE number = 0`);
    await setChunk(`errors = results, results = '[null]'`);
    expect((await api.undoLeadImport({ params: { id: failed.id } })).status).toBe(202);
    await exhaust(api, 'undo-import');
    const again = await reaches(api, failed.id, 'failed');
    expect((await jobOf(api, again.jobId)).error).toMatchObject({ code: 'undo_failed' });
    expect(await leadsOf(api)).toBe(chunkRows);
    await setChunk('results = errors');
    expect((await api.undoLeadImport({ params: { id: failed.id } })).status).toBe(202);
    const undone = await reaches(api, failed.id, 'undone');
    expect((await jobOf(api, undone.jobId)).result).toEqual({ deleted: chunkRows - 1, restored: 1, kept: 0 });
    expect(await leadsOf(api)).toBe(1);
    expect((await api.getLead({ params: { id: lead.id } })).data.firstName).toBe('Old');
  });

  it('is refused when it created and updated nothing', async () => {
    const api = service.as();
    const failed = await failing(api, { rows: numbered(1), chunk: 0 });
    expect(failed.allowedTransitions).toEqual([]);
    const reply = await api.undoLeadImport({ params: { id: failed.id } });
    expect([reply.status, reply.body.code]).toEqual([409, 'transition_refused']);
  });
});
