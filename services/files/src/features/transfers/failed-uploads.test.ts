import { createHash } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { files } from '@tandem/files-contract';
import { until } from '@tandem/testing';
import pg from 'pg';
import { failAllAttempts, publicUrl, runNow, startFiles, type TestFiles } from '../../files.test-service.ts';
import { startClamd } from '../../scan/clamd.test-server.ts';

let clamd: Awaited<ReturnType<typeof startClamd>>;
let service: TestFiles;
beforeAll(async () => {
  clamd = await startClamd();
  const scanner = { CLAMD_ADDRESS: clamd.address, CLAMD_RETRY_SECONDS: '1' };
  service = await startFiles({ ...scanner, FILES_INLINE_MAX_BYTES: '3' });
});
afterAll(async () => {
  await service?.close();
  await clamd?.stop();
});

type Api = ReturnType<TestFiles['as']>;

const sha256 = (content: string) => createHash('sha256').update(content).digest('hex');

/** Stores the content of an upload that declared this checksum, by default another one. */
async function startUpload(api: Api, checksumSha256 = sha256('other')): Promise<{ id: string; key: string }> {
  const { data } = await api.createPresignedUpload({ body: { filename: 'a', contentType: 'a/b', size: 5 } });
  const { tenantId, ...nobody } = service.as({ type: 'anonymous' }).caller;
  const token = data.uploadUrl.slice(`${publicUrl}/v1/public/files/`.length);
  await service.send(files.storeUpload, { params: { token }, raw: { content: 'hello', type: 'a/b' } }, nobody);
  const [row] = await service.sqlWithin(
    api.caller,
    'UPDATE file SET declared_checksum = $2 WHERE id = $1 RETURNING object_key AS key',
    [data.fileId, checksumSha256],
  );
  return { id: data.fileId, key: String(row?.['key']) };
}

const discardsOf = (api: Api, key: string, where = 'true') =>
  service.sqlWithin(
    api.caller,
    `SELECT id, due_at FROM platform.job WHERE name = 'discard-object' AND payload->>'objectKey' = $1 AND ${where}`,
    [key],
  );

/** Lets an upload have begun a day earlier. */
const age = (api: Api, id: string) =>
  service.sqlWithin(api.caller, `UPDATE file SET created_at = created_at - interval '25 hours' WHERE id = $1`, [id]);
const runDiscards = (api: Api, key: string) =>
  service.sqlWithin(
    api.caller,
    `UPDATE platform.job SET due_at = now() WHERE name = 'discard-object' AND payload->>'objectKey' = $1`,
    [key],
  );

const storedOf = async ({ caller }: Api) =>
  (await service.stored()).filter((path) => path.includes(`/${caller.tenantId}/`));

it('an upload that fails after more than a day is removed a day later, with the storage that it reserved', async () => {
  const api = service.as();
  const { id, key } = await startUpload(api);
  const params = { id };
  await clamd.stop();
  expect((await api.completeUpload({ params, body: {} })).data.status).toBe('processing');
  await age(api, id);
  await runDiscards(api, key);
  await until('the first check is over', async () => (await discardsOf(api, key)).length === 0);
  expect((await api.getFile({ params })).data.status).toBe('processing');
  await clamd.restart();
  await until('it has failed', async () => (await api.getFile({ params })).data.status === 'failed');
  await until('its bytes are removed', async () => (await storedOf(api)).length === 0);
  expect(await discardsOf(api, key, `due_at > now() + interval '23 hours'`)).toHaveLength(1);
  await runDiscards(api, key);
  await until('the record is gone', async () => (await api.getFile({ params })).status === 404);
  expect((await api.getStorageUsage()).data).toMatchObject({ usedBytes: 0, files: 0 });
});

it('an upload that is completed while its day ends keeps its bytes', async () => {
  const api = service.as();
  const { id, key } = await startUpload(api);
  const client = new pg.Client({ connectionString: service.databaseUrl() });
  await client.connect();
  try {
    const { tenantId, environment } = api.caller;
    await client.query(`SELECT set_config('app.tenant_id', $1, false), set_config('app.environment', $2, false)`, [
      String(tenantId),
      environment,
    ]);
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
    await age(api, id);
    // The request that completes the upload has the lock, and has not committed yet.
    await client.query('BEGIN');
    await client.query('SELECT id FROM file WHERE id = $1 FOR UPDATE', [id]);
    await runDiscards(api, key);
    await until('the job waits for the lock', async () => {
      const text = 'SELECT FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))';
      return (await service.sql(text, [rows[0].pid])).length > 0;
    });
    expect(await storedOf(api)).toHaveLength(1);
    await client.query(`UPDATE file SET status = 'processing' WHERE id = $1`, [id]);
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
  await until('the job is over', async () => (await discardsOf(api, key)).length === 0);
  expect((await api.getFile({ params: { id } })).data.status).toBe('processing');
  expect(await storedOf(api)).toHaveLength(1);
});

it('an upload that cannot be read waits until it can, however long', async () => {
  const api = service.as();
  const { id } = await startUpload(api, sha256('hello'));
  const params = { id };
  await clamd.stop();
  expect((await api.completeUpload({ params, body: {} })).data.status).toBe('processing');
  const [path] = (await storedOf(api)) as [string];
  await rename(path, `${path}.away`);
  await clamd.restart();
  await failAllAttempts(service, api.caller, 'inspect-upload');
  expect((await api.getFile({ params })).data.status).toBe('processing');
  await rename(`${path}.away`, path);
  await runNow(service, api.caller, 'inspect-upload');
  await until('it is available', async () => (await api.getFile({ params })).data.status === 'available');
  expect((await api.getFile({ params })).data.checksumSha256).toBe(sha256('hello'));
});
