import { createHash, randomBytes } from 'node:crypto';
import { files, partBytesMin } from '@tandem/files-contract';
import { until } from '@tandem/testing';
import { publicUrl, startFiles, type TestFiles } from '../../files.test-service.ts';

const inlineMax = 1_000_000;
let service: TestFiles;
beforeAll(async () => {
  service = await startFiles({ FILES_INLINE_MAX_BYTES: String(inlineMax), FILES_UPLOAD_MAX_BYTES: '50000000' });
});
afterAll(() => service?.close());

type Api = ReturnType<TestFiles['as']>;
const sha256 = (content: Buffer | string) => createHash('sha256').update(content).digest('hex');
const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');

async function start(api: Api, content: Buffer | string, more: object = {}) {
  const size = Buffer.byteLength(content);
  const body = { filename: 'a.bin', contentType: 'application/octet-stream', size, ...more };
  const { status, data } = await api.createPresignedUpload({ body });
  expect(status).toBe(201);
  return data;
}

/** Sends bytes to an upload URL without credentials. */
function put(url: string, content: Buffer | string) {
  const { tenantId, ...nobody } = service.as({ type: 'anonymous' }).caller;
  const params = { token: url.slice(`${publicUrl}/v1/public/files/`.length) };
  const raw = { content, type: 'application/octet-stream' };
  return service.send(files.storeUpload, { params, raw }, nobody);
}

async function download(api: Api, id: string, headers: Record<string, string> = {}) {
  const { data } = await api.getFileDownload({ params: { id } });
  const { tenantId, ...nobody } = service.as({ type: 'anonymous' }).caller;
  const params = { token: data.url.slice(`${publicUrl}/v1/public/files/`.length) };
  return service.send(files.serveFile, { params, headers }, nobody);
}

const complete = (api: Api, id: string, body: object = {}) => api.completeUpload({ params: { id }, body });
const storedOf = async (api: Api) =>
  (await service.stored()).filter((path) => path.includes(`/${api.caller.tenantId}/`));
const eventsOf = (api: Api, ...names: string[]) =>
  service.events.filter(({ name, tenantId }) => tenantId === api.caller.tenantId && names.includes(name));

describe('an upload with a link', () => {
  it('becomes available with its type and checksum, and is announced then', async () => {
    const api = service.as();
    const upload = await start(api, png, {
      entityType: 'lead',
      entityId: 'a',
      filename: '../b.png',
      contentType: 'Image/PNG',
    });
    expect(upload).toEqual({
      fileId: expect.stringMatching(/^\d+$/),
      uploadUrl: expect.stringContaining(`${publicUrl}/v1/public/files/`),
      method: 'PUT',
      headers: { 'Content-Type': 'image/png' },
      expiresAt: expect.any(String),
    });
    const params = { id: upload.fileId };
    const { data: pending } = await api.getFile({ params });
    expect(pending).toMatchObject({
      status: 'pending_upload',
      allowedTransitions: ['available'],
      checksumSha256: null,
    });
    expect((await api.getFileDownload({ params })).body.code).toBe('not_available');
    const { status, data } = await put(upload.uploadUrl, png);
    expect([status, data]).toEqual([200, { size: png.length }]);
    expect(eventsOf(api, 'file.uploaded')).toEqual([]);
    const { data: file, body } = await complete(api, upload.fileId);
    expect([body.message, file]).toEqual([
      'Upload completed',
      {
        ...pending,
        status: 'available',
        allowedTransitions: [],
        detectedContentType: 'image/png',
        checksumSha256: sha256(png),
        filename: 'b.png',
        version: 2,
        updatedAt: expect.any(String),
      },
    ]);
    const again = await complete(api, upload.fileId);
    expect([again.status, again.data]).toEqual([200, file]);
    const [event] = await until('file.uploaded arrives', () => {
      const found = eventsOf(api, 'file.uploaded');
      return found.length > 0 && found;
    });
    expect(event).toMatchObject({ data: { fileId: upload.fileId }, record: { status: 'available' } });
    expect((await download(api, upload.fileId)).body).toEqual(png);
  });

  it('refuses content of another length or checksum, and stores none of it', async () => {
    const api = service.as();
    const { fileId, uploadUrl } = await start(api, 'hello', { checksumSha256: sha256('hello') });
    const replies = [await put(uploadUrl, 'hell'), await put(uploadUrl, 'hello!'), await put(uploadUrl, 'hallo')];
    expect(replies.map(({ status, body }) => [status, body.code])).toEqual([
      [422, 'content_mismatch'],
      [413, 'body_too_large'],
      [422, 'content_mismatch'],
    ]);
    expect(await storedOf(api)).toEqual([]);
    const early = await complete(api, fileId);
    expect([early.status, early.body.code]).toEqual([409, 'nothing_uploaded']);
    await put(uploadUrl, 'hello');
    expect((await complete(api, fileId)).data.status).toBe('available');
  });

  it('takes nothing after it is complete, deleted or expired, and can get another link before', async () => {
    const api = service.as();
    const { fileId, uploadUrl } = await start(api, 'hello');
    const params = { id: fileId };
    const renewed = await api.renewPresignedUpload({ params, body: { expiresIn: 60 } });
    expect([renewed.status, renewed.data.method]).toEqual([200, 'PUT']);
    await put(renewed.data.uploadUrl, 'hello');
    await complete(api, fileId);
    const late = await put(uploadUrl, 'HELLO');
    const again = await api.renewPresignedUpload({ params, body: {} });
    expect([late.status, again.status, again.body.code]).toEqual([404, 409, 'not_pending']);
    expect((await download(api, fileId)).text).toBe('hello');
    const other = await start(api, 'hello');
    await api.deleteFile({ params: { id: other.fileId } });
    expect([(await put(other.uploadUrl, 'hello')).status, (await put(`${uploadUrl}x`, 'a')).status]).toEqual([
      404, 404,
    ]);
    expect((await api.restoreFile({ params: { id: other.fileId } })).status).toBe(404);
  });

  it('of a program is quarantined with the reason', async () => {
    const api = service.as();
    const program = Buffer.concat([Buffer.from('MZ'), Buffer.alloc(200)]);
    const { fileId, uploadUrl } = await start(api, program);
    await put(uploadUrl, program);
    expect((await complete(api, fileId)).data).toMatchObject({
      status: 'quarantined',
      quarantineReason: 'The content is a program (application/x-msdownload)',
    });
    await until('file.quarantined arrives', () => eventsOf(api, 'file.quarantined').length === 1);
    expect(eventsOf(api, 'file.uploaded')).toEqual([]);
  });

  it('that is large is checked by a job', async () => {
    const api = service.as();
    const content = randomBytes(inlineMax + 1);
    const { fileId, uploadUrl } = await start(api, content);
    await put(uploadUrl, content);
    expect((await complete(api, fileId)).data.status).toBe('processing');
    const get = async () => (await api.getFile({ params: { id: fileId } })).data;
    await until('the content is checked', async () => (await get()).status === 'available');
    expect(await get()).toMatchObject({ checksumSha256: sha256(content), size: content.length });
    await until('one object is stored', async () => (await storedOf(api)).length === 1);
  });

  it('can be completed again after a request that failed, and by two requests at once', async () => {
    const api = service.as();
    const { fileId, uploadUrl } = await start(api, 'hello');
    await put(uploadUrl, 'hello');
    const params = { id: fileId };
    const stale = await api.completeUpload({ params, body: {}, headers: { 'if-match': '"9"' } });
    expect(stale.status).toBe(412);
    const replies = await Promise.all(Array.from({ length: 4 }, () => complete(api, fileId)));
    expect(replies.map(({ status, data }) => [status, data?.status])).toEqual(Array(4).fill([200, 'available']));
    expect((await download(api, fileId)).text).toBe('hello');
    await until('the copies are removed', async () => (await storedOf(api)).length === 1);
    await until('file.uploaded arrives', () => eventsOf(api, 'file.uploaded').length > 0);
    expect(eventsOf(api, 'file.uploaded')).toHaveLength(1);
  });

  it('needs a media type, whose parameters are not stored', async () => {
    const api = service.as();
    const create = (contentType: string) =>
      api.createPresignedUpload({ body: { filename: 'a', contentType, size: 1 } });
    for (const contentType of ['csv', 'text/', 'text/a b', '; charset=utf-8']) {
      const { status, body } = await create(contentType);
      expect([status, body.errors?.[0]?.field, contentType]).toEqual([422, 'contentType', contentType]);
    }
    const { data } = await create('Text/CSV; charset=utf-8');
    expect(data.headers).toEqual({ 'Content-Type': 'text/csv' });
    expect((await api.getFile({ params: { id: data.fileId } })).data.contentType).toBe('text/csv');
  });

  it('is named file when its name is that of a folder', async () => {
    const api = service.as();
    const { fileId } = await start(api, png, { filename: '..' });
    expect((await api.getFile({ params: { id: fileId } })).data.filename).toBe('file');
  });

  it('is refused when it is too large, and removed after a day', async () => {
    const api = service.as();
    const body = { filename: 'a', contentType: 'a/b', size: 50_000_001 };
    const refused = await api.createPresignedUpload({ body });
    expect([refused.status, refused.body.errors?.[0]?.field]).toEqual([422, 'size']);
    const { fileId, uploadUrl } = await start(api, 'hello');
    await put(uploadUrl, 'hello');
    await api.signParts({ params: { id: fileId }, body: { partNumbers: [1] } });
    const text = `WITH aged AS (UPDATE file SET created_at = now() - interval '25 hours' WHERE id = $1 RETURNING object_key)
      UPDATE platform.job SET due_at = now() FROM aged WHERE payload->>'objectKey' = object_key`;
    await service.sqlWithin(api.caller, text, [fileId]);
    await until('the record is gone', async () => (await api.getFile({ params: { id: fileId } })).status === 404);
    await until('its bytes are gone', async () => (await storedOf(api)).length === 0);
  });
});

describe('an upload in parts', () => {
  const parts = [randomBytes(partBytesMin), randomBytes(partBytesMin + 1), randomBytes(7)];
  const content = Buffer.concat(parts);

  it('continues after an interruption, and joins the parts in order', async () => {
    const api = service.as();
    const { fileId } = await start(api, content, { checksumSha256: sha256(content) });
    const sign = async (...partNumbers: number[]) =>
      (await api.signParts({ params: { id: fileId }, body: { partNumbers } })).data;
    const first = await sign(1, 2, 3);
    expect([first.parts.map((part: { partNumber: number }) => part.partNumber), first.stored]).toEqual([[1, 2, 3], []]);
    await put(first.parts[2].uploadUrl, parts[2] as Buffer);
    await put(first.parts[0].uploadUrl, parts[0] as Buffer);
    const incomplete = await complete(api, fileId);
    expect([incomplete.status, incomplete.body.errors?.[0]?.field]).toEqual([422, 'parts']);
    const second = await sign(2);
    expect(second.stored).toEqual([
      { partNumber: 1, size: partBytesMin },
      { partNumber: 3, size: 7 },
    ]);
    const tooLong = await put(second.parts[0].uploadUrl, Buffer.alloc(partBytesMin + 2));
    expect([tooLong.status, tooLong.body.code]).toEqual([413, 'body_too_large']);
    await put(second.parts[0].uploadUrl, parts[1] as Buffer);
    expect((await complete(api, fileId)).data.status).toBe('processing');
    await until(
      'it is available',
      async () => (await api.getFile({ params: { id: fileId } })).data.status === 'available',
    );
    expect(sha256((await download(api, fileId)).body as unknown as Buffer)).toBe(sha256(content));
    expect((await put(second.parts[0].uploadUrl, parts[1] as Buffer)).status).toBe(404);
    expect((await service.stored()).filter((path) => path.includes('.parts'))).toEqual([]);
  });

  it('fails when its content differs from the declared checksum, and nothing of it stays', async () => {
    const api = service.as();
    const { fileId } = await start(api, content, { checksumSha256: sha256('other') });
    const { data: signed } = await api.signParts({ params: { id: fileId }, body: { partNumbers: [1, 2, 3] } });
    for (const [index, part] of parts.entries()) await put(signed.parts[index].uploadUrl, part);
    await complete(api, fileId);
    const statusOf = async () => (await api.getFile({ params: { id: fileId } })).data.status;
    await until('the content is checked', async () => (await statusOf()) === 'failed');
    await until('the bytes are removed', async () => (await storedOf(api)).length === 0);
    const again = await complete(api, fileId);
    expect([again.status, again.body.code]).toEqual([409, 'upload_failed']);
  });

  it('stores no more than the declared size, also from many requests at once', async () => {
    const api = service.as();
    const size = 3_000_000;
    const { fileId } = await start(api, Buffer.alloc(size));
    const partNumbers = [1, 2, 3, 4, 5, 6];
    const { data: signed } = await api.signParts({ params: { id: fileId }, body: { partNumbers } });
    const urls = signed.parts.map(({ uploadUrl }: { uploadUrl: string }) => uploadUrl);
    const replies = await Promise.all(urls.map((url: string) => put(url, Buffer.alloc(size))));
    expect(replies.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    expect(replies.every(({ status }) => [200, 413].includes(status))).toBe(true);
    const { data: after } = await api.signParts({ params: { id: fileId }, body: { partNumbers: [] } });
    expect(after.stored.reduce((sum: number, part: { size: number }) => sum + part.size, 0)).toBeLessThanOrEqual(size);
    // The requests that were refused keep no place: the content is accepted now, unless it is already.
    if (!after.stored.length) expect((await put(urls[0], Buffer.alloc(size))).status).toBe(200);
    expect((await complete(api, fileId)).status).toBe(200);
    const { data: file } = await until('the file is available', async () => {
      const found = await api.getFile({ params: { id: fileId } });
      return found.data.status === 'available' && found;
    });
    expect([file.size, file.checksumSha256]).toEqual([size, sha256(Buffer.alloc(size))]);
  });

  it('is refused with a short part in the middle, and with parts that are not stored', async () => {
    const api = service.as();
    const { fileId } = await start(api, '0123456789');
    const { data } = await api.signParts({ params: { id: fileId }, body: { partNumbers: [1, 2] } });
    await put(data.parts[0].uploadUrl, '01234');
    await put(data.parts[1].uploadUrl, '56789');
    const short = await complete(api, fileId);
    const missing = await complete(api, fileId, { parts: [{ partNumber: 1 }, { partNumber: 3 }] });
    expect([short, missing].map(({ status, body }) => [status, body.errors?.[0]?.message])).toEqual([
      [422, `Part 1 must have at least ${partBytesMin} bytes`],
      [422, 'Part 3 is not stored'],
    ]);
  });
});

describe('a download', () => {
  const ask = async (headers: Record<string, string>) => {
    const api = service.as();
    const { data } = await api.uploadFile({ form: { file: { content: '0123456789', filename: 'a.txt' } } });
    return { ...(await download(api, data.id, headers)), etag: `"${data.checksumSha256}"` };
  };

  it.each([
    ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=8-99', 206, '89', 'bytes 8-9/10'],
    ['bytes=10-', 416, '', 'bytes */10'],
    ['bytes=4-2', 200, '0123456789', undefined],
    ['bytes=0-1,4-5', 200, '0123456789', undefined],
    ['lines=1-2', 200, '0123456789', undefined],
  ])('with Range: %s returns %i', async (range, expected, content, contentRange) => {
    const { status, headers, text, etag } = await ask({ range });
    expect([status, text, headers['content-range']]).toEqual([expected, content, contentRange]);
    expect([headers['accept-ranges'], headers['etag']]).toEqual(['bytes', etag]);
  });

  it('returns the whole content when it changed since, and nothing when it did not', async () => {
    const etag = `"${sha256('0123456789')}"`;
    const replies = [
      await ask({ range: 'bytes=2-4', 'if-range': '"other"' }),
      await ask({ range: 'bytes=2-4', 'if-range': etag }),
      await ask({ 'if-none-match': `"other", ${etag}` }),
    ];
    expect(replies.map(({ status, text }) => [status, text])).toEqual([
      [200, '0123456789'],
      [206, '234'],
      [304, ''],
    ]);
  });
});
