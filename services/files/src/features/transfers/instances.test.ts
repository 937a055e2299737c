import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { files, partBytesMin } from '@tandem/files-contract';
import { createLinkTokens, createSeal } from '@tandem/sealed';
import { until } from '@tandem/testing';
import { publicUrl, startFiles, type TestFiles } from '../../files.test-service.ts';
import type { DirectUpload } from '../../store/local.ts';

const inlineMax = 1_000_000;
const env = { FILES_INLINE_MAX_BYTES: String(inlineMax) };
let service: TestFiles;
let other: Awaited<ReturnType<TestFiles['another']>>;
beforeAll(async () => {
  service = await startFiles(env);
  other = await service.another();
});
afterAll(async () => {
  await other?.close();
  await service?.close();
});

type Instance = Pick<TestFiles, 'as' | 'send'>;
type Api = ReturnType<TestFiles['as']>;
const sha256 = (content: Buffer | string) => createHash('sha256').update(content).digest('hex');
const type = 'application/octet-stream';

/** The same caller at the other instance. */
const elsewhere = (api: Api): Api => other.as({ tenantId: api.caller.tenantId as number });

async function start(api: Api, content: Buffer | string, more: object = {}) {
  const body = { filename: 'a.bin', contentType: type, size: Buffer.byteLength(content), ...more };
  return (await api.createPresignedUpload({ body })).data as { fileId: string; uploadUrl: string };
}

function put(at: Instance, url: string, content: Buffer | string) {
  const { tenantId, ...nobody } = at.as({ type: 'anonymous' }).caller;
  const params = { token: url.slice(`${publicUrl}/v1/public/files/`.length) };
  return at.send(files.storeUpload, { params, raw: { content, type } }, nobody);
}

const complete = (api: Api, id: string) => api.completeUpload({ params: { id }, body: {} });
const ofTenant = async (api: Api) =>
  (await service.stored()).filter((path) => new RegExp(`[/]${api.caller.tenantId}[/_]`).test(path));
const available = (api: Api, id: string) =>
  until('it is available', async () => {
    const { data } = await api.getFile({ params: { id } });
    return data.status === 'available' && data;
  });

it('parts that two instances store are joined by either, once', async () => {
  const api = service.as();
  const parts = [randomBytes(partBytesMin), randomBytes(partBytesMin), randomBytes(9)];
  const content = Buffer.concat(parts);
  const { fileId } = await start(api, content, { checksumSha256: sha256(content) });
  const body = { partNumbers: [1, 2, 3] };
  const { data: signed } = await elsewhere(api).signParts({ params: { id: fileId }, body });
  const [one, two, three] = signed.parts.map(({ uploadUrl }: { uploadUrl: string }) => uploadUrl);
  await Promise.all([put(service, one, parts[0] as Buffer), put(other, two, parts[1] as Buffer)]);
  await put(service, three, parts[2] as Buffer);
  const replies = await Promise.all([complete(api, fileId), complete(elsewhere(api), fileId)]);
  expect(replies.map(({ status, data }) => [status, data.status])).toEqual(Array(2).fill([200, 'processing']));
  expect(await available(api, fileId)).toMatchObject({ checksumSha256: sha256(content), size: content.length });
  expect(await ofTenant(api)).toHaveLength(1);
});

it('an upload whose instance ended between its parts continues at another one', async () => {
  const parts = [randomBytes(partBytesMin), randomBytes(9)];
  const content = Buffer.concat(parts);
  const ended = await service.another();
  const { tenantId } = service.as().caller;
  const before = ended.as({ tenantId: tenantId as number });
  const { fileId } = await start(before, content, { checksumSha256: sha256(content) });
  const sign = async (api: Api, numbers: number[]) =>
    (await api.signParts({ params: { id: fileId }, body: { partNumbers: numbers } })).data;
  await put(ended, (await sign(before, [1])).parts[0].uploadUrl, parts[0] as Buffer);
  await ended.close();
  const api = service.as({ tenantId: tenantId as number });
  const { parts: signed, stored } = await sign(api, [2]);
  expect(stored).toEqual([{ partNumber: 1, size: partBytesMin }]);
  await put(service, signed[0].uploadUrl, parts[1] as Buffer);
  await complete(api, fileId);
  expect(await available(api, fileId)).toMatchObject({ checksumSha256: sha256(content) });
});

it('two requests that complete one upload at once leave one file with its content', async () => {
  const api = service.as();
  for (let round = 0; round < 5; round++) {
    const content = randomBytes(1_000);
    const { fileId, uploadUrl } = await start(api, content);
    await put(service, uploadUrl, content);
    const replies = await Promise.all([complete(api, fileId), complete(elsewhere(api), fileId)]);
    const statuses = replies.map(({ status }) => status);
    expect(statuses).toContain(200);
    expect(statuses.every((status) => status === 200 || status === 409)).toBe(true);
    expect((await complete(api, fileId)).data).toMatchObject({ status: 'available', checksumSha256: sha256(content) });
  }
  expect(await ofTenant(api)).toHaveLength(5);
});

it('a link that expires before its upload is renewed', async () => {
  const api = service.as();
  const { fileId } = await start(api, 'hello');
  const objectKey = await service.sqlWithin(api.caller, 'SELECT object_key FROM file WHERE id = $1', [fileId]);
  const key = String(objectKey[0]?.['object_key']);
  const tokens = createLinkTokens<DirectUpload>(createSeal(process.env['ENCRYPTION_KEY'] as string), 'file-uploads');
  const token = tokens.issue({ key, contentType: type, size: 5 }, new Date(Date.now() - 1_000));
  const expired = `${publicUrl}/v1/public/files/${token}`;
  const late = await put(service, expired, 'hello');
  expect([late.status, late.body.code]).toEqual([404, 'link_expired']);
  const { data } = await api.renewPresignedUpload({ params: { id: fileId }, body: {} });
  expect((await put(other, data.uploadUrl, 'hello')).status).toBe(200);
  expect((await complete(api, fileId)).data.status).toBe('available');
});

describe('on a disk of 16 MB', () => {
  const run = promisify(execFile);
  const diskBytes = 16 * 1024 ** 2;
  let disk: string;
  let small: TestFiles;
  let isLimited = false;

  beforeAll(async () => {
    disk = await mkdtemp(join(tmpdir(), 'small-disk-'));
    // Needs root. Without it the folder has no limit of its own, and the transfers are expected to succeed.
    isLimited = await run('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes}`, 'tmpfs', disk]).then(
      () => true,
      () => false,
    );
    small = await startFiles({ DATA_DIR: disk });
  });
  afterAll(async () => {
    await small?.close();
    if (isLimited) await run('umount', [disk]);
    await rm(disk, { recursive: true, force: true });
  });

  const upload = (api: Api, content: Buffer) => api.uploadFile({ form: { file: { content } } });
  const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];
  /** Relative to the root of the store; parts and objects alike. */
  const kept = async () =>
    (await readdir(disk, { recursive: true, withFileTypes: true })).filter((one) => one.isFile()).length;

  it('what does not fit is refused with 507, nothing of it stays, and the next upload works once there is room', async () => {
    const api = small.as();
    const large = randomBytes(10 * 1024 ** 2);
    const { data: first } = await upload(api, large);
    const full = isLimited ? [507, 'storage_full'] : [201, undefined];
    expect(outcome(await upload(api, large))).toEqual(full);
    const { uploadUrl, fileId } = await start(api, large);
    expect(outcome(await put(small, uploadUrl, large))).toEqual(isLimited ? full : [200, undefined]);
    const { data: signed } = await api.signParts({ params: { id: fileId }, body: { partNumbers: [1] } });
    const part = await put(small, signed.parts[0].uploadUrl, large);
    expect(outcome(part)).toEqual(isLimited ? full : [200, undefined]);
    if (isLimited) {
      expect(await kept()).toBe(1);
      expect((await api.listFiles()).data.map(({ status }: { status: string }) => status)).toEqual([
        'pending_upload',
        'available',
      ]);
      expect((await complete(api, fileId)).body.code).toBe('nothing_uploaded');
    }
    const removed = await api.deleteFile({ params: { id: first.id }, query: { permanent: 'true' } });
    expect(removed.status).toBe(200);
    await until('there is room', async () => (await put(small, uploadUrl, large)).status === 200);
    expect((await complete(api, fileId)).data).toMatchObject({ status: 'available', checksumSha256: sha256(large) });
  });
});
