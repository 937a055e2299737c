import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '@tandem/testing';
import { startFiles, type TestFiles } from '../../files.test-service.ts';

// The plan Free has 1 GB.
const limit = 1_000_000_000;
let identity: Server;
let service: TestFiles;
beforeAll(async () => {
  identity = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ success: true, data: { plan: 'free', features: [], addons: [] } }));
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
