import { createHash, randomBytes } from 'node:crypto';
import { files, partBytesMin } from '@tandem/files-contract';
import { until } from '@tandem/testing';
import { publicUrl, startFiles, type TestFiles } from '../../files.test-service.ts';
import { startS3 } from '../../store/s3.test-server.ts';

let s3: Awaited<ReturnType<typeof startS3>>;
let service: TestFiles;
beforeAll(async () => {
  s3 = await startS3();
  service = await startFiles({
    FILES_DRIVER: 's3',
    S3_BUCKET: 'bucket',
    S3_ENDPOINT: s3.url,
    S3_ACCESS_KEY_ID: 'id',
    S3_SECRET_ACCESS_KEY: 'secret',
  });
});
afterAll(async () => {
  await service?.close();
  s3?.close();
});

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');
const put = async (url: string, body: Buffer, headers: Record<string, string> = {}) => {
  const { 'Content-Length': _length, ...others } = headers;
  return (await fetch(url, { method: 'PUT', body: new Uint8Array(body), headers: others })).status;
};

it('uploads go to the bucket and downloads come from it, with length, type and checksum signed', async () => {
  const api = service.as();
  const content = Buffer.from('<script>');
  const body = { filename: 'a.html', contentType: 'text/html', size: content.length, checksumSha256: sha256(content) };
  const { data: upload } = await api.createPresignedUpload({ body });
  const { uploadUrl, headers, fileId } = upload;
  expect(new URL(uploadUrl).searchParams.get('X-Amz-SignedHeaders')).toBe(
    'content-length;content-type;host;x-amz-checksum-sha256',
  );
  expect(await put(uploadUrl, Buffer.from('<SCRIPT>'), headers)).toBe(403);
  expect(await put(uploadUrl, content, headers)).toBe(200);
  const params = { id: fileId };
  expect((await api.completeUpload({ params, body: {} })).data.status).toBe('available');
  const { data: link } = await api.getFileDownload({ params, query: { disposition: 'inline' } });
  const serve = () => {
    const { tenantId, ...nobody } = service.as({ type: 'anonymous' }).caller;
    const token = link.url.slice(`${publicUrl}/v1/public/files/`.length);
    return service.send(files.serveFile, { params: { token } }, nobody);
  };
  const { status, headers: redirected } = await serve();
  expect([status, redirected['location']?.startsWith(`${s3.url}/bucket/`)]).toEqual([302, true]);
  const served = await fetch(redirected['location'] as string);
  expect([await served.text(), served.headers.get('content-type'), served.headers.get('content-disposition')]).toEqual([
    '<script>',
    'text/html',
    `attachment; filename="a.html"; filename*=UTF-8''a.html`,
  ]);
  // A link that is still valid stores an object that no file has.
  expect(await put(uploadUrl, content, headers)).toBe(200);
  expect((await api.getFile({ params })).data.checksumSha256).toBe(sha256(content));
  await api.deleteFile({ params });
  expect((await serve()).status).toBe(404);
});

it('parts go to the bucket, and an upload that is deleted leaves nothing', async () => {
  const api = service.as();
  const parts = [randomBytes(partBytesMin), randomBytes(10)];
  const content = Buffer.concat(parts);
  const start = async () => {
    const { data } = await api.createPresignedUpload({
      body: { filename: 'a.bin', contentType: 'a/b', size: content.length },
    });
    const params = { id: data.fileId };
    const { data: signed } = await api.signParts({ params, body: { partNumbers: [1, 2] } });
    for (const [index, part] of parts.entries()) expect(await put(signed.parts[index].uploadUrl, part)).toBe(200);
    return params;
  };
  const [kept, deleted] = [await start(), await start()];
  expect((await api.completeUpload({ params: kept, body: {} })).data).toMatchObject({
    status: 'available',
    checksumSha256: sha256(content),
  });
  await api.deleteFile({ params: deleted });
  await api.deleteFile({ params: kept, query: { permanent: 'true' } });
  const folder = `/bucket/${api.caller.tenantId}/`;
  await until('the bucket is empty', () => s3.kept().every((one) => one.startsWith('/') && !one.startsWith(folder)));
});

it('no more parts are signed than an upload of its size can have', async () => {
  const api = service.as();
  const body = { filename: 'a.bin', contentType: 'a/b', size: partBytesMin + 1 };
  const { data } = await api.createPresignedUpload({ body });
  const sign = (partNumbers: number[]) => api.signParts({ params: { id: data.fileId }, body: { partNumbers } });
  const refused = await sign([1, 3]);
  expect([refused.status, refused.body.errors?.map(({ field }: { field: string }) => field)]).toEqual([
    422,
    ['partNumbers.1'],
  ]);
  expect((await sign([1, 2])).status).toBe(200);
});

it('an object that was replaced in the bucket by one of another size is removed and can be sent again', async () => {
  const api = service.as();
  const { data } = await api.createPresignedUpload({ body: { filename: 'a', contentType: 'a/b', size: 5 } });
  const headers = { 'Content-Type': 'a/b' };
  await put(data.uploadUrl, Buffer.from('longer'), headers);
  const complete = () => api.completeUpload({ params: { id: data.fileId }, body: {} });
  const replies = [await complete(), await complete()];
  expect(replies.map(({ status, body }) => [status, body.code])).toEqual([
    [422, 'content_mismatch'],
    [409, 'nothing_uploaded'],
  ]);
  await put(data.uploadUrl, Buffer.from('right'), headers);
  expect((await complete()).data.status).toBe('available');
});

it('an upload whose object is gone from the bucket fails in the end, and its storage is free again', async () => {
  const api = service.as();
  const body = { filename: 'a.bin', contentType: 'a/b', size: 10 };
  const { data } = await api.createPresignedUpload({ body });
  const { caller } = api;
  await service.sqlWithin(caller, `UPDATE file SET status = 'processing' WHERE id = $1`, [data.fileId]);
  const payload = { fileId: Number(data.fileId), objectKey: `${caller.tenantId}/live/gone`, partNumbers: null };
  await service.sqlWithin(
    caller,
    `INSERT INTO platform.job (name, tenant_id, environment, payload, due_at) VALUES ('inspect-upload', $1, 'live', $2, now())`,
    [caller.tenantId, payload],
  );
  const params = { id: data.fileId };
  await until('all attempts have failed', async () => {
    await service.sqlWithin(caller, `UPDATE platform.job SET due_at = now() WHERE name = 'inspect-upload'`);
    return (await api.getFile({ params })).data.status === 'failed';
  });
  const jobs = await service.sqlWithin(caller, `SELECT state FROM platform.job WHERE name = 'inspect-upload'`);
  expect(jobs).toEqual([{ state: 'dead' }]);
});
