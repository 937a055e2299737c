import { createHash } from 'node:crypto';
import { files } from '@tandem/files-contract';
import { until } from '@tandem/testing';
import { publicUrl, startFiles, type TestFiles } from '../files.test-service.ts';
import { malware, startClamd } from './clamd.test-server.ts';

const lengthMax = 300_000;
let clamd: Awaited<ReturnType<typeof startClamd>>;
let service: TestFiles;
beforeAll(async () => {
  clamd = await startClamd({ lengthMax });
  service = await startFiles({ CLAMD_ADDRESS: clamd.address, CLAMD_RETRY_SECONDS: '1' });
});
afterAll(async () => {
  await service?.close();
  await clamd?.stop();
});

type Api = ReturnType<TestFiles['as']>;
const upload = async (api: Api, content: string | Buffer) =>
  (await api.uploadFile({ form: { file: { content } } })).data;

it('content reaches the scanner unchanged, and is available when it is clean', async () => {
  const content = Buffer.alloc(200_000, 'clean ');
  expect(await upload(service.as(), content)).toMatchObject({ status: 'available', scan: 'clean' });
  expect(clamd.received.some((one) => one.equals(content))).toBe(true);
});

it('malware is quarantined with its name, as an upload, a version and with a link', async () => {
  const api = service.as();
  const infected = {
    status: 'quarantined',
    quarantineReason: 'Malware was found: Eicar-Signature',
    scan: 'infected',
  };
  expect(await upload(api, `a ${malware}`)).toMatchObject(infected);
  const { id } = await upload(api, 'clean');
  const params = { id };
  expect((await api.createFileVersion({ params, form: { file: { content: malware } } })).data.status).toBe(
    'quarantined',
  );
  expect((await api.getFile({ params })).data).toMatchObject(infected);
  const body = { filename: 'a', contentType: 'a/b', size: malware.length };
  const { data: link } = await api.createPresignedUpload({ body });
  const { tenantId, ...nobody } = service.as({ type: 'anonymous' }).caller;
  const token = link.uploadUrl.slice(`${publicUrl}/v1/public/files/`.length);
  await service.send(files.storeUpload, { params: { token }, raw: { content: malware, type: 'a/b' } }, nobody);
  expect((await api.completeUpload({ params: { id: link.fileId }, body: {} })).data).toMatchObject(infected);
});

it('content beyond the limit of the scanner is available and marked as not scanned, also when it is restored', async () => {
  const api = service.as();
  const file = await upload(api, Buffer.alloc(lengthMax + 100_000));
  const params = { id: file.id, versionId: file.versionId };
  expect(file).toMatchObject({ status: 'available', scan: 'skipped' });
  await api.createFileVersion({ params, form: { file: { content: 'clean' } } });
  expect((await api.getFile({ params })).data.scan).toBe('clean');
  await api.restoreFileVersion({ params });
  expect((await api.getFile({ params })).data.scan).toBe('skipped');
});

it('content that arrives while the scanner is down is not served before it is scanned', async () => {
  const api = service.as();
  await clamd.stop();
  const [clean, infected] = [await upload(api, 'clean'), await upload(api, malware)];
  expect([clean.status, infected.status, clean.scan]).toEqual(['processing', 'processing', null]);
  const link = await api.getFileDownload({ params: { id: clean.id } });
  expect([link.status, link.body.code]).toEqual([409, 'not_available']);
  await clamd.restart();
  const statusOf = async ({ id }: { id: string }) => (await api.getFile({ params: { id } })).data.status;
  await until('both are scanned', async () => (await statusOf(clean)) === 'available');
  await until('the malware is found', async () => (await statusOf(infected)) === 'quarantined');
  const scans = [clean, infected].map(async ({ id }) => (await api.getFile({ params: { id } })).data.scan);
  expect(await Promise.all(scans)).toEqual(['clean', 'infected']);
});

describe('while the scanner is down', () => {
  beforeEach(() => clamd.stop());
  const sha256 = (content: string) => createHash('sha256').update(content).digest('hex');
  const statusOf = async (api: Api, id: string) => (await api.getFile({ params: { id } })).data?.status;
  const storedOf = async (api: Api) =>
    (await service.stored()).filter((path) => path.includes(`/${api.caller.tenantId}/`));
  const runDiscards = (api: Api) =>
    service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'discard-object'`, []);

  it('a new version waits, and neither it nor other files of the tenant are lost', async () => {
    const api = service.as();
    await clamd.restart();
    const other = await upload(api, 'other');
    const body = { filename: 'a', contentType: 'a/b', size: 5, checksumSha256: sha256('first') };
    const { data: link } = await api.createPresignedUpload({ body });
    const { tenantId, ...nobody } = service.as({ type: 'anonymous' }).caller;
    const token = link.uploadUrl.slice(`${publicUrl}/v1/public/files/`.length);
    await service.send(files.storeUpload, { params: { token }, raw: { content: 'first', type: 'a/b' } }, nobody);
    const params = { id: link.fileId };
    expect((await api.completeUpload({ params, body: {} })).data.status).toBe('available');
    await clamd.stop();
    await api.createFileVersion({ params, form: { file: { content: 'second' } } });
    expect(await statusOf(api, link.fileId)).toBe('processing');
    await clamd.restart();
    await until('the version is scanned', async () => (await statusOf(api, link.fileId)) === 'available');
    expect((await api.getFile({ params })).data).toMatchObject({ checksumSha256: sha256('second') });
    await runDiscards(api);
    await until('the discards ran', async () => {
      const text = `SELECT FROM platform.job WHERE name = 'discard-object' AND due_at <= now()`;
      return (await service.sqlWithin(api.caller, text, [])).length === 0;
    });
    expect(await storedOf(api)).toHaveLength(3);
    expect(await statusOf(api, other.id)).toBe('available');
  });

  it('a new version is found by its text once it is scanned, and is not announced as another upload', async () => {
    const api = service.as();
    await clamd.restart();
    const { id } = await upload(api, 'an offer');
    const named = (name: string) =>
      service.events.filter((one) => one.tenantId === api.caller.tenantId && one.name === name);
    await until('the upload is announced', () => named('file.uploaded').length === 1);
    await clamd.stop();
    await api.createFileVersion({ params: { id }, form: { file: { content: 'a contract', filename: 'a.txt' } } });
    await until('the event of the version is consumed', async () => {
      const text = `SELECT FROM platform.inbox WHERE consumer = 'prepare-new-content'
        AND NOT EXISTS (SELECT FROM platform.job WHERE name = 'prepare-content')`;
      return (await service.sqlWithin(api.caller, text)).length === 2;
    });
    await clamd.restart();
    await until('the text is indexed', async () => {
      return (await api.listFiles({ query: { text: 'contract' } })).data.length === 1;
    });
    const [changed] = await until('the status is announced', () => {
      const found = named('file.status_changed');
      return found.length > 0 && found;
    });
    expect(changed).toMatchObject({ data: { fileId: id, status: 'available' }, record: { versionNumber: 2 } });
    expect(named('file.uploaded')).toHaveLength(1);
  });

  it('a file with earlier versions can be deleted and restored', async () => {
    const api = service.as();
    await clamd.restart();
    const { id } = await upload(api, 'first');
    await clamd.stop();
    await api.createFileVersion({ params: { id }, form: { file: { content: 'second' } } });
    await api.deleteFile({ params: { id } });
    expect((await api.restoreFile({ params: { id } })).data.status).toBe('processing');
    await clamd.restart();
    await until('the version is scanned', async () => (await statusOf(api, id)) === 'available');
  });

  it('an upload that is deleted before it was scanned leaves nothing', async () => {
    const api = service.as();
    const body = { filename: 'a', contentType: 'a/b', size: 5 };
    const { data: link } = await api.createPresignedUpload({ body });
    const { tenantId, ...nobody } = service.as({ type: 'anonymous' }).caller;
    const token = link.uploadUrl.slice(`${publicUrl}/v1/public/files/`.length);
    await service.send(files.storeUpload, { params: { token }, raw: { content: 'first', type: 'a/b' } }, nobody);
    const params = { id: link.fileId };
    expect((await api.completeUpload({ params, body: {} })).data.status).toBe('processing');
    await api.deleteFile({ params });
    await clamd.restart();
    await until('the store is empty', async () => (await storedOf(api)).length === 0);
  });
});
