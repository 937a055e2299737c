import { createHash } from 'node:crypto';
import { files } from '@tandem/files-contract';
import { until } from '@tandem/testing';
import { publicUrl, startFiles, type TestFiles } from '../../files.test-service.ts';

let service: TestFiles;
beforeAll(async () => {
  service = await startFiles();
});
afterAll(() => service?.close());

type Api = ReturnType<TestFiles['as']>;
const upload = async (api: Api, content = 'one', more: object = {}) =>
  (await api.uploadFile({ form: { file: { content, filename: 'offer.txt' } }, ...more })).data;
const add = (api: Api, id: string, content: string | Buffer = 'two', fields: Record<string, string> = {}) =>
  api.createFileVersion({ params: { id }, form: { fields, file: { content, filename: 'other.txt' } } });
const versionsOf = async (api: Api, id: string) =>
  (await api.listFileVersions({ params: { id } })).data as { id: string; number: number; isCurrent: boolean }[];
const program = Buffer.concat([Buffer.from('MZ'), Buffer.alloc(200)]);

/** The content that a download link returns. */
async function download(api: Api, id: string, query: Record<string, string> = {}) {
  const { status, data, body } = await api.getFileDownload({ params: { id }, query });
  if (status !== 200) return body.code;
  const { tenantId, ...nobody } = service.as({ type: 'anonymous' }).caller;
  const token = data.url.slice(`${publicUrl}/v1/public/files/`.length);
  return (await service.send(files.serveFile, { params: { token } }, nobody)).text;
}

describe('a version', () => {
  it('replaces the content, keeps the earlier one, and emits file.version_created', async () => {
    const api = service.as();
    const file = await upload(api);
    const { status, data, body } = await add(api, file.id, 'second', { comment: 'Prices' });
    expect([status, body.message]).toEqual([201, 'Version created']);
    expect(data).toEqual({
      id: expect.stringMatching(/^\d+$/),
      fileId: file.id,
      number: 2,
      size: 6,
      contentType: 'text/plain',
      detectedContentType: null,
      checksumSha256: createHash('sha256').update('second').digest('hex'),
      status: 'available',
      comment: 'Prices',
      createdBy: '1',
      createdAt: expect.any(String),
      isCurrent: true,
    });
    const { data: changed } = await api.getFile({ params: { id: file.id } });
    const { size, checksumSha256, id: versionId } = data;
    const updatedAt = expect.any(String);
    expect(changed).toEqual({ ...file, size, checksumSha256, versionId, versionNumber: 2, version: 2, updatedAt });
    const [second, first] = await versionsOf(api, file.id);
    expect([second, first?.id, first?.isCurrent]).toEqual([data, file.versionId, false]);
    const params = { id: file.id, versionId: file.versionId };
    expect((await api.getFileVersion({ params })).data).toEqual(first);
    expect([await download(api, file.id), await download(api, file.id, { versionId: file.versionId })]).toEqual([
      'second',
      'one',
    ]);
    const event = await until('the event is there', () =>
      service.events.find((one) => one.name === 'file.version_created' && one.tenantId === api.caller.tenantId),
    );
    expect(event).toMatchObject({
      data: { fileId: file.id, versionId, number: 2 },
      record: { id: file.id, versionId, version: 2 },
    });
  });

  it('that is a program quarantines the file until an earlier one is restored', async () => {
    const api = service.as();
    const file = await upload(api);
    expect((await add(api, file.id, program)).data.status).toBe('quarantined');
    expect((await api.getFile({ params: { id: file.id } })).data.status).toBe('quarantined');
    expect([await download(api, file.id), await download(api, file.id, { versionId: file.versionId })]).toEqual([
      'not_available',
      'one',
    ]);
    const params = { id: file.id, versionId: file.versionId };
    const { status, data } = await api.restoreFileVersion({ params });
    expect([status, data.number, data.isCurrent, await download(api, file.id)]).toEqual([201, 3, true, 'one']);
  });

  it('that is restored has the reason of its quarantine, also the one that was uploaded first', async () => {
    const api = service.as();
    const { data: file } = await api.uploadFile({ form: { file: { content: program, filename: 'a.exe' } } });
    const params = { id: file.id, versionId: file.versionId };
    expect([file.status, (await api.restoreFileVersion({ params })).status]).toEqual(['quarantined', 201]);
    expect((await api.getFile({ params })).data).toMatchObject({
      status: 'quarantined',
      versionNumber: 2,
      quarantineReason: file.quarantineReason,
    });
  });

  it('shares its bytes with the version that it restores, until both are deleted', async () => {
    const api = service.as();
    const file = await upload(api);
    const [{ object_key: key }] = (await service.sqlWithin(api.caller, 'SELECT object_key FROM file WHERE id = $1', [
      file.id,
    ])) as [{ object_key: string }];
    const isStored = async () => (await service.stored()).some((path) => path.endsWith(key));
    const remove = (versionId: string) => api.deleteFileVersion({ params: { id: file.id, versionId } });
    await add(api, file.id);
    const { data: restored } = await api.restoreFileVersion({ params: { id: file.id, versionId: file.versionId } });
    const refused = await remove(restored.id);
    expect([refused.status, refused.body.code]).toEqual([409, 'current_version']);
    expect((await remove(file.versionId)).data).toEqual({ id: file.versionId, deleted: true });
    await until('the job has looked at the bytes', async () => {
      const text = `SELECT 1 FROM platform.job WHERE payload->>'objectKey' = $1 AND due_at < now() + interval '1 hour'`;
      return !(await service.sqlWithin(api.caller, text, [key])).length;
    });
    expect([await isStored(), await download(api, file.id)]).toEqual([true, 'one']);
    await add(api, file.id, 'last');
    await remove(restored.id);
    await until('the bytes are gone', async () => !(await isStored()));
    expect((await versionsOf(api, file.id)).map(({ number }) => number)).toEqual([4, 2]);
    const params = { id: file.id, versionId: restored.id };
    expect([(await api.getFileVersion({ params })).status, (await remove(restored.id)).status]).toEqual([404, 404]);
  });

  it('gets a number of its own when several are uploaded at once', async () => {
    const api = service.as();
    const { id } = await upload(api);
    const replies = await Promise.all(Array.from({ length: 6 }, (_, index) => add(api, id, `v${index}`)));
    expect(replies.map(({ data }) => data.number).sort()).toEqual([2, 3, 4, 5, 6, 7]);
    const current = replies.find(({ data }) => data.number === 7)?.data.id;
    expect((await api.getFile({ params: { id } })).data).toMatchObject({ versionId: current, versionNumber: 7 });
    expect((await versionsOf(api, id)).filter(({ isCurrent }) => isCurrent)).toMatchObject([{ id: current }]);
  });

  it('is refused with an old If-Match and beyond the maximum number, and leaves no bytes then', async () => {
    const api = service.as();
    const { id } = await upload(api);
    const before = (await service.stored()).length;
    const headers = { 'if-match': '"7"' };
    const stale = await api.createFileVersion({ params: { id }, form: { file: { content: 'x' } }, headers });
    await service.sqlWithin(
      api.caller,
      `INSERT INTO file_version (file_id, number, object_key, size, content_type, checksum_sha256)
       SELECT $1, -n, 'none', 1, 'text/plain', '' FROM generate_series(1, 499) n`,
      [id],
    );
    const beyond = await add(api, id);
    expect([stale.status, beyond.status, beyond.body.code]).toEqual([412, 409, 'too_many_versions']);
    expect((await service.stored()).length).toBe(before);
  });
});

it('versions are found only by callers who can access their file', async () => {
  const api = service.as({ teamIds: [21] });
  const { id, versionId } = await upload(api);
  const tenantId = api.caller.tenantId as number;
  const statuses = async (who: Api) => {
    const params = { id, versionId };
    const content = { file: { content: 'x' } };
    return [
      (await who.listFileVersions({ params })).status,
      (await who.getFileVersion({ params })).status,
      (await who.restoreFileVersion({ params })).status,
      (await who.createFileVersion({ params, form: content })).status,
      (await who.getFileDownload({ params, query: { versionId } })).status,
      (await who.deleteFileVersion({ params })).status,
    ];
  };
  const can = (reach: string) => ['read', 'write', 'delete'].map((action) => `files:${action}:${reach}`);
  const hidden = [404, 404, 404, 404, 404, 404];
  expect(await statuses(service.as())).toEqual(hidden);
  expect(await statuses(service.as({ tenantId, environment: 'sandbox' }))).toEqual(hidden);
  expect(await statuses(service.as({ tenantId, userId: 2, can: can('own') }))).toEqual(hidden);
  expect(await statuses(service.as({ tenantId, userId: 2, teamIds: [22], can: can('team') }))).toEqual(hidden);
  const other = await upload(service.as({ tenantId }));
  const params = { id: other.id, versionId };
  expect((await api.getFileVersion({ params })).status).toBe(404);
  const member = service.as({ tenantId, userId: 2, teamIds: [21], can: can('team') });
  expect(await statuses(member)).toEqual([200, 200, 201, 201, 200, 200]);
});

it('a file that the previous release stores gets its first version', async () => {
  const api = service.as();
  const [row] = await service.sqlWithin(
    api.caller,
    `INSERT INTO file (filename, content_type, size, checksum_sha256, object_key, uploaded_by)
     VALUES ('a.txt', 'text/plain', 5, 'abc', 'key', 1) RETURNING id, version_id`,
  );
  const [version] = await versionsOf(api, String(row?.['id']));
  expect(version).toMatchObject({
    id: String(row?.['version_id']),
    number: 1,
    size: 5,
    isCurrent: true,
    createdBy: '1',
  });
});
