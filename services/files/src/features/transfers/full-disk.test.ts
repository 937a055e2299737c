import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { files } from '@tandem/files-contract';
import { until } from '@tandem/testing';
import { publicUrl, startFiles, type TestFiles } from '../../files.test-service.ts';

type Api = ReturnType<TestFiles['as']>;
const sha256 = (content: Buffer | string) => createHash('sha256').update(content).digest('hex');
const type = 'application/octet-stream';

async function start(api: Api, content: Buffer) {
  const body = { filename: 'a.bin', contentType: type, size: content.length };
  return (await api.createPresignedUpload({ body })).data as { fileId: string; uploadUrl: string };
}

function put(at: TestFiles, url: string, content: Buffer) {
  const { tenantId, ...nobody } = at.as({ type: 'anonymous' }).caller;
  const params = { token: url.slice(`${publicUrl}/v1/public/files/`.length) };
  return at.send(files.storeUpload, { params, raw: { content, type } }, nobody);
}

const complete = (api: Api, id: string) => api.completeUpload({ params: { id }, body: {} });

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
