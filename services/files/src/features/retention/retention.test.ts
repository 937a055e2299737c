import { files } from '@tandem/files-contract';
import { until } from '@tandem/testing';
import { publicUrl, startFiles, type TestFiles } from '../../files.test-service.ts';

let service: TestFiles;
beforeAll(async () => {
  service = await startFiles();
});
afterAll(() => service?.close());

type Api = ReturnType<TestFiles['as']>;
const upload = async (api: Api) => (await api.uploadFile({ form: { file: { content: 'hello' } } })).data;
const hold = { reason: 'Dispute 2026-17' };
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

it('a held file and its versions cannot be deleted until it is released, with both in the audit log', async () => {
  const api = service.as();
  const { id, versionId } = await upload(api);
  const params = { id };
  await api.createFileVersion({ params, form: { file: { content: 'two' } } });
  const held = await api.holdFile({ params, body: hold });
  expect([held.status, held.data.legalHold, held.data.holdReason]).toEqual([200, true, hold.reason]);
  const refused = [
    await api.deleteFile({ params }),
    await api.deleteFile({ params, query: { permanent: 'true' } }),
    await api.deleteFileVersion({ params: { id, versionId } }),
  ];
  expect(refused.map(({ status, body }) => [status, body.code])).toEqual(Array(3).fill([409, 'legal_hold']));
  expect((await api.releaseFile({ params, body: { reason: 'Settled' } })).data.legalHold).toBe(false);
  expect((await api.releaseFile({ params, body: { reason: 'Settled' } })).body.code).toBe('not_held');
  expect((await api.deleteFile({ params })).status).toBe(200);
  const events = await until('both events are there', () => {
    const found = service.events.filter(
      ({ name, tenantId }) => tenantId === api.caller.tenantId && /^file\.(held|released)$/.test(name),
    );
    return found.length === 2 && found;
  });
  expect(events.map(({ data }) => (data as { reason: string }).reason)).toEqual([hold.reason, 'Settled']);
});

it('a deleted file that is held stays after 30 days, and can be restored', async () => {
  const api = service.as();
  const { id } = await upload(api);
  const params = { id };
  await api.deleteFile({ params });
  await api.holdFile({ params, body: hold });
  const aged = `WITH aged AS (UPDATE file SET deleted_at = now() - interval '31 days' WHERE id = $1 RETURNING object_key)
    UPDATE platform.job SET due_at = now() FROM aged WHERE payload->>'objectKey' = object_key`;
  await service.sqlWithin(api.caller, aged, [id]);
  await until('the jobs try again later', async () => {
    const jobs = await service.sqlWithin(
      api.caller,
      `SELECT 1 FROM platform.job JOIN file ON payload->>'objectKey' = object_key WHERE file.id = $1 AND due_at < now() + interval '1 hour'`,
      [id],
    );
    return jobs.length === 0;
  });
  expect((await api.listFiles({ query: { deleted: 'true' } })).data).toMatchObject([{ id }]);
  expect((await api.restoreFile({ params })).status).toBe(200);
  const { data } = await api.getFileDownload({ params });
  const { tenantId, ...nobody } = service.as({ type: 'anonymous' }).caller;
  const token = data.url.slice(`${publicUrl}/v1/public/files/`.length);
  expect((await service.send(files.serveFile, { params: { token } }, nobody)).text).toBe('hello');
});

it('an upload that is held before it is complete stays after a day, until it is released', async () => {
  const api = service.as();
  const { data: link } = await api.createPresignedUpload({ body: { filename: 'a', contentType: 'a/b', size: 5 } });
  const params = { id: link.fileId };
  await api.holdFile({ params, body: hold });
  const aged = `WITH aged AS (
      UPDATE file SET created_at = created_at - interval '25 hours' WHERE id = $1 RETURNING object_key
    )
    UPDATE platform.job SET due_at = now() FROM aged WHERE payload->>'objectKey' = object_key`;
  const dueJobs = `SELECT 1 FROM platform.job JOIN file ON payload->>'objectKey' = object_key
    WHERE file.id = $1 AND due_at < now() + interval '1 hour'`;
  await service.sqlWithin(api.caller, aged, [link.fileId]);
  await until('the job tries again later', async () => {
    return (await service.sqlWithin(api.caller, dueJobs, [link.fileId])).length === 0;
  });
  expect((await api.getFile({ params })).data).toMatchObject({ status: 'pending_upload', legalHold: true });
  await api.releaseFile({ params, body: { reason: 'Settled' } });
  await service.sqlWithin(api.caller, aged, [link.fileId]);
  await until('the record is gone', async () => (await api.getFile({ params })).status === 404);
});

it('retainUntil refuses deletion, and is shortened only with files:manage', async () => {
  const api = service.as({ can: ['files:read', 'files:write', 'files:delete'] });
  const manager = service.as({ tenantId: api.caller.tenantId as number, can: ['files:*'] });
  const params = { id: (await upload(api)).id };
  const keep = (who: Api, retainUntil: string | null) => who.updateFile({ params, body: { retainUntil } });
  expect((await keep(api, inDays(10))).status).toBe(200);
  expect((await keep(api, inDays(20))).status).toBe(200);
  const replies = [await keep(api, inDays(15)), await keep(api, null), await api.deleteFile({ params })];
  expect(replies.map(({ body }) => body.code)).toEqual(['retention_active', 'retention_active', 'legal_hold']);
  expect((await keep(manager, null)).data.retainUntil).toBeNull();
  expect((await api.deleteFile({ params })).status).toBe(200);
});

it('deleteAt is set only by those who can delete the file, and removed by everybody who can change it', async () => {
  const owner = service.as();
  const tenantId = owner.caller.tenantId as number;
  const params = { id: (await upload(owner)).id };
  const writer = service.as({ tenantId, userId: 2, can: ['files:write', 'files:delete:own'] });
  const without = service.as({ tenantId, can: ['files:write'] });
  const set = (who: Api, deleteAt: string | null) => who.updateFile({ params, body: { deleteAt } });
  const [day, later] = [inDays(1), inDays(2)];
  const refused = [await set(writer, day), await set(without, day)];
  const fieldOf = ({ status, body }: (typeof refused)[number]) => [status, body.code, body.errors?.[0]?.field];
  expect(refused.map(fieldOf)).toEqual(Array(2).fill([403, 'forbidden', 'deleteAt']));
  expect((await set(owner, day)).data.deleteAt).toBe(day);
  expect([(await set(without, day)).status, fieldOf(await set(without, later))]).toEqual([
    200,
    [403, 'forbidden', 'deleteAt'],
  ]);
  expect((await set(without, null)).data.deleteAt).toBeNull();
  const own = { id: (await upload(service.as({ tenantId, userId: 2 }))).id };
  expect((await writer.updateFile({ params: own, body: { deleteAt: day } })).status).toBe(200);
});

it('deleteAt deletes the file at its time, unless it was changed since', async () => {
  const api = service.as();
  const [one, other] = [await upload(api), await upload(api)];
  const deleteAt = new Date(Date.now() + 500).toISOString();
  for (const { id } of [one, other]) await api.updateFile({ params: { id }, body: { deleteAt } });
  await api.updateFile({ params: { id: other.id }, body: { deleteAt: null } });
  await until('the file is deleted', async () => (await api.getFile({ params: { id: one.id } })).status === 404);
  expect((await api.restoreFile({ params: { id: one.id } })).data).toMatchObject({ deleteAt: null });
  expect((await api.getFile({ params: { id: other.id } })).status).toBe(200);
});

it('deleteAt that passes while the file is deleted has no effect on the restored file; a later one has', async () => {
  const api = service.as();
  const [one, other] = [await upload(api), await upload(api)];
  for (const { id } of [one, other]) {
    await api.updateFile({ params: { id }, body: { deleteAt: inDays(1) } });
    await api.deleteFile({ params: { id } });
  }
  const dueAt = `now() - interval '1 minute'`;
  await service.sqlWithin(api.caller, `UPDATE file SET delete_at = ${dueAt} WHERE id = $1`, [one.id]);
  const restored = await Promise.all([one, other].map(({ id }) => api.restoreFile({ params: { id } })));
  expect(restored.map(({ data }) => data.deleteAt === null)).toEqual([true, false]);
  await service.sqlWithin(api.caller, `UPDATE file SET delete_at = ${dueAt} WHERE id = $1`, [other.id]);
  const ids = [one, other].map(({ id }) => id);
  await service.sqlWithin(
    api.caller,
    `UPDATE platform.job SET due_at = now() WHERE name = 'delete-file-at' AND payload->>'fileId' = ANY ($1)`,
    [ids],
  );
  await until('the later one is deleted', async () => (await api.getFile({ params: { id: other.id } })).status === 404);
  await until('both jobs have run', async () => {
    const jobs = await service.sqlWithin(
      api.caller,
      `SELECT 1 FROM platform.job WHERE name = 'delete-file-at' AND payload->>'fileId' = ANY ($1)`,
      [ids],
    );
    return jobs.length === 0;
  });
  expect((await api.getFile({ params: { id: one.id } })).status).toBe(200);
});
