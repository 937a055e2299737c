import { readdir, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { until } from '@tandem/testing';
import pg from 'pg';
import { startFiles, type TestFiles } from '../../files.test-service.ts';
import { completed, links, request, tokenOf, uploadPdf } from '../signatures/signatures.test-service.ts';

// The plan Free has 1 GB.
const limit = 1_000_000_000;
let plan = 'free';
let identity: Server;
let service: TestFiles;
beforeAll(async () => {
  identity = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ success: true, data: { plan, features: [], addons: [] } }));
  });
  await new Promise<void>((resolve) => identity.listen(0, '127.0.0.1', resolve));
  service = await startFiles({ IDENTITY_URL: `http://127.0.0.1:${(identity.address() as AddressInfo).port}` });
});
afterAll(async () => {
  await service?.close();
  identity?.closeAllConnections();
  identity?.close();
});

type Api = ReturnType<TestFiles['as']>;
const upload = (api: Api, content: string) => api.uploadFile({ form: { file: { content } } });
const usage = async (api: Api) => (await api.getStorageUsage()).data;
const presign = (api: Api, size: number) =>
  api.createPresignedUpload({ body: { filename: 'a', contentType: 'a/b', size } });

it('counts all versions once, deleted files until they are gone, and live and sandbox apart', async () => {
  const api = service.as();
  expect(await usage(api)).toEqual({ usedBytes: 0, limitBytes: limit, files: 0 });
  const { data: file } = await upload(api, '12345');
  const params = { id: file.id };
  const { data: second } = await api.createFileVersion({ params, form: { file: { content: '123' } } });
  const { data: restored } = await api.restoreFileVersion({ params: { ...params, versionId: file.versionId } });
  expect(await usage(api)).toMatchObject({ usedBytes: 8, files: 1 });
  await api.deleteFileVersion({ params: { ...params, versionId: file.versionId } });
  expect(await usage(api)).toMatchObject({ usedBytes: 8 });
  await api.deleteFileVersion({ params: { ...params, versionId: second.id } });
  expect([restored.number, (await usage(api)).usedBytes]).toEqual([3, 5]);
  await api.restoreFileVersion({ params: { ...params, versionId: restored.id } });
  await upload(api, '1');
  await api.deleteFile({ params });
  expect(await usage(api)).toMatchObject({ usedBytes: 6, files: 2 });
  await api.deleteFile({ params, query: { permanent: 'true' } });
  expect(await usage(api)).toMatchObject({ usedBytes: 1, files: 1 });
  const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
  expect(await usage(sandbox)).toMatchObject({ usedBytes: 0, files: 0 });
});

it('refuses what exceeds the plan, also together with uploads that are not complete, and leaves nothing of it', async () => {
  const api = service.as();
  const replies = await Promise.all([presign(api, limit - 10), presign(api, limit - 10)]);
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 409]);
  const { data: file } = await upload(api, '1234567890');
  const stored = await service.stored();
  const version = await api.createFileVersion({ params: { id: file.id }, form: { file: { content: '1' } } });
  const refused = [await upload(api, '1'), version, await presign(api, 1)];
  expect(refused.map(({ status, body }) => [status, body.code, body.errors?.[0]?.message])).toEqual(
    Array(3).fill([409, 'storage_quota_exceeded', `With this content ${limit + 1} of ${limit} bytes would be used`]),
  );
  expect([await service.stored(), (await usage(api)).usedBytes]).toEqual([stored, limit]);
  const pending = replies.find(({ status }) => status === 201)?.data.fileId;
  await api.deleteFile({ params: { id: pending } });
  await until('there is room again', async () => (await upload(api, '1')).status === 201);
});

it('what people have signed is stored although the storage is full, and a restored version needs none', async () => {
  const api = service.as({ environment: 'sandbox' });
  const { id } = await uploadPdf(api);
  const { data: asked } = await request(api, id);
  const { usedBytes } = await usage(api);
  expect((await presign(api, limit - usedBytes)).status).toBe(201);
  await links(service).sign(tokenOf(asked.signers[0]));
  await completed(api, asked.id);
  const full = await usage(api);
  expect(full.usedBytes).toBeGreaterThan(limit);
  const { data: versions } = await api.listFileVersions({ params: { id } });
  const first = versions.at(-1);
  const restored = await api.restoreFileVersion({ params: { id, versionId: first.id } });
  expect([restored.status, (await usage(api)).usedBytes]).toEqual([201, full.usedBytes]);
  expect([(await upload(api, '1')).body.code, (await presign(api, 0)).body.code]).toEqual(
    Array(2).fill('storage_quota_exceeded'),
  );
});

it('while identity does not answer, the last limit applies, or that of the smallest plan', async () => {
  const api = service.as();
  const tenantId = api.caller.tenantId as number;
  plan = 'enterprise';
  await until('the plan is known', async () => (await usage(api)).limitBytes === null);
  expect((await presign(api, limit + 1)).status).toBe(201);
  const restarted = await service.another({ IDENTITY_URL: 'http://127.0.0.1:9' });
  try {
    const known = restarted.as({ tenantId });
    expect([(await usage(known)).limitBytes, (await presign(known, limit)).status]).toEqual([null, 201]);
    const unknown = restarted.as({ tenantId: tenantId + 1_000_000 });
    expect([(await usage(unknown)).limitBytes, (await upload(unknown, '1')).status]).toEqual([limit, 201]);
    expect((await presign(unknown, limit)).body.code).toBe('storage_quota_exceeded');
  } finally {
    plan = 'free';
    await restarted.close();
  }
});

/** The database as its administrator sees it: all tenants, and without triggers if asked. */
async function administer(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const url = new URL(process.env['TEST_DATABASE_URL'] as string);
  const [row] = await service.sql('SELECT current_database() AS name');
  url.pathname = String(row?.['name']);
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await work(client).finally(() => client.end());
}

/** Runs the statement of a backfill as `migrate` does: until it changes no row. */
async function backfill(client: pg.Client, name: string): Promise<void> {
  const folder = join(import.meta.dirname, '../../../prisma/migrations');
  const found = (await readdir(folder)).find((one) => one.endsWith(name));
  const statement = await readFile(join(folder, found as string, 'migration.sql'), 'utf8');
  while ((await client.query(statement)).rowCount);
}

it('files of the former release are counted by the update, once, with those that are stored meanwhile', async () => {
  const [api, other] = [service.as(), service.as()];
  const { tenantId } = api.caller;
  // As the former release left them: it had neither the triggers nor `counted`. One version was restored.
  await administer(async (client) => {
    await client.query("SET session_replication_role = 'replica'");
    await client.query(
      `INSERT INTO file (tenant_id, environment, id, filename, content_type, size, checksum_sha256, object_key, version_id)
      SELECT $1::bigint, 'live', 900000 + n, 'a', 'a/b', 1000, '', 'former/' || n, 900000 + n FROM generate_series(1, 12000) AS n`,
      [tenantId],
    );
    await client.query(
      `INSERT INTO file_version (tenant_id, environment, id, file_id, number, object_key, size, content_type, checksum_sha256)
      SELECT tenant_id, environment, version_id + 100000 * number, id, number, object_key, size, content_type, ''
      FROM file, generate_series(1, 2) AS number WHERE tenant_id = $1 AND (number = 1 OR id = 900001)`,
      [tenantId],
    );
    await client.query("SET session_replication_role = 'origin'");
    await upload(api, '12345');
    await upload(other, '123');
    await backfill(client, 'storage_of_stored_versions');
    expect(await usage(api)).toMatchObject({ usedBytes: 12_000 * 1_000 + 5, files: 12_001 });
    expect(await usage(other)).toMatchObject({ usedBytes: 3, files: 1 });
    await backfill(client, 'storage_of_stored_versions');
  });
  expect(await usage(api)).toMatchObject({ usedBytes: 12_000 * 1_000 + 5 });
  await api.deleteFile({ params: { id: '900001' }, query: { permanent: 'true' } });
  expect(await usage(api)).toMatchObject({ usedBytes: 11_999 * 1_000 + 5, files: 12_000 });
});
