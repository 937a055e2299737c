import { files } from '@tandem/files-contract';
import { createLinkTokens, createSeal } from '@tandem/sealed';
import { until } from '@tandem/testing';
import { publicUrl, startFiles, type TestFiles } from '../../files.test-service.ts';

let service: TestFiles;
beforeAll(async () => {
  service = await startFiles();
});
afterAll(() => service?.close());

const upload = async (tenant: ReturnType<TestFiles['as']>, content = 'hello', more: object = {}) =>
  (await tenant.uploadFile({ form: { file: { content, ...more } } })).data;

/** Requests a link without credentials. */
async function follow(url: string) {
  const token = url.slice(`${publicUrl}/v1/public/files/`.length);
  const { caller } = service.as({ type: 'anonymous' });
  const { tenantId, ...nobody } = caller;
  return service.send(files.serveFile, { params: { token } }, nobody);
}

describe('a link', () => {
  it('serves the bytes without credentials, as an attachment that cannot run scripts', async () => {
    const tenant = service.as();
    const { id } = await upload(tenant, 'hello', { filename: 'Grüße (1).html', contentType: 'text/html' });
    const { status, data } = await tenant.getFileDownload({ params: { id }, query: { disposition: 'inline' } });
    expect([status, data.url.startsWith(`${publicUrl}/v1/public/files/`)]).toEqual([200, true]);
    const { status: served, headers, text } = await follow(data.url);
    expect([served, text, headers['content-type']]).toEqual([200, 'hello', 'text/html']);
    expect(headers['content-length']).toBe('5');
    expect(headers['content-disposition']).toBe(
      `attachment; filename="Gr__e (1).html"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%281%29.html`,
    );
    expect(headers['content-security-policy']).toBe("default-src 'none'; sandbox");
  });

  it('is the address of a redirect on request', async () => {
    const tenant = service.as();
    const { id } = await upload(tenant);
    const { status, headers } = await tenant.getFileDownload({ params: { id }, query: { redirect: 'true' } });
    expect([status, (await follow(headers['location'] as string)).text]).toEqual([302, 'hello']);
  });

  it('serves harmless types inline on request', async () => {
    const tenant = service.as();
    const { id } = await upload(tenant, 'plain', { filename: 'a.txt' });
    const { data } = await tenant.getFileDownload({ params: { id }, query: { disposition: 'inline' } });
    expect((await follow(data.url)).headers['content-disposition']).toMatch(/^inline;/);
  });

  it('expires after 15 minutes or the requested time', async () => {
    const tenant = service.as();
    const { id } = await upload(tenant);
    const seconds = async (query: Record<string, string>) => {
      const { data } = await tenant.getFileDownload({ params: { id }, query });
      return Math.round((new Date(data.expiresAt).getTime() - Date.now()) / 1_000);
    };
    expect(Math.abs((await seconds({})) - 900)).toBeLessThan(60);
    expect(Math.abs((await seconds({ expiresIn: '3600' })) - 3_600)).toBeLessThan(60);
    const links = createLinkTokens(createSeal(process.env.ENCRYPTION_KEY as string), 'files');
    const what = { tenantId: tenant.caller.tenantId, environment: 'live', fileId: Number(id), disposition: 'inline' };
    const old = links.issue(what, new Date(Date.now() - 1));
    const { status, body } = await follow(`${publicUrl}/v1/public/files/${old}`);
    expect([status, body.code]).toEqual([404, 'link_expired']);
  });

  it.each(['x', 'a'.repeat(100)])('with an invalid token (%s) returns 404', async (token) => {
    expect((await follow(`${publicUrl}/v1/public/files/${token}`)).status).toBe(404);
  });

  it('returns 404 while its file is deleted', async () => {
    const tenant = service.as();
    const { id } = await upload(tenant);
    const { data } = await tenant.getFileDownload({ params: { id } });
    await tenant.deleteFile({ params: { id } });
    expect((await follow(data.url)).status).toBe(404);
    await tenant.restoreFile({ params: { id } });
    expect((await follow(data.url)).text).toBe('hello');
  });
});

describe('files', () => {
  it('of a team can be read by its members', async () => {
    const owner = service.as({ teamIds: [21] });
    const file = await upload(owner);
    expect(file.teamId).toBe('21');
    const member = (teamIds: number[], reach = 'team') =>
      service.as({ tenantId: owner.caller.tenantId as number, userId: 8, teamIds, can: [`files:read:${reach}`] });
    const seen = async (api: ReturnType<TestFiles['as']>) => [
      (await api.getFile({ params: { id: file.id } })).status,
      (await api.listFiles()).body.pagination?.total,
    ];
    expect(await seen(member([21, 22]))).toEqual([200, 1]);
    expect(await seen(member([22]))).toEqual([404, 0]);
    expect(await seen(member([21], 'own'))).toEqual([404, 0]);
    expect((await upload(service.as({ teamIds: [21, 22] }))).teamId).toBeNull();
  });

  it('respect If-Match on restore', async () => {
    const tenant = service.as();
    const params = { id: (await upload(tenant)).id };
    await tenant.deleteFile({ params });
    const restore = async (version: string) =>
      (await tenant.restoreFile({ params, headers: { 'if-match': version } })).status;
    expect([await restore('"1"'), await restore('"2"')]).toEqual([412, 200]);
  });

  it('are not found by a service call without a tenant', async () => {
    const { caller } = service.as({ type: 'system' });
    const { tenantId, ...nobody } = caller;
    const params = { id: '1' };
    const replies = [
      await service.send(files.findFile, { params }, nobody),
      await service.send(files.linkFile, { params, body: { expiresIn: 60 } }, nobody),
    ];
    expect(replies.map(({ status }) => status)).toEqual([404, 404]);
  });

  it('are listed by linked entity and by name', async () => {
    const tenant = service.as();
    const first = (
      await tenant.uploadFile({
        form: { fields: { entityType: 'lead', entityId: 'a' }, file: { content: 'x', filename: 'offer.txt' } },
      })
    ).data;
    const second = await upload(tenant);
    const ids = async (query: Record<string, string>) =>
      (await tenant.listFiles({ query })).data.map(({ id }: { id: string }) => id);
    expect(await ids({})).toEqual([second.id, first.id]);
    expect(await ids({ entityType: 'lead', entityId: 'a' })).toEqual([first.id]);
    expect(await ids({ search: 'OFFER' })).toEqual([first.id]);
    expect(await ids({ q: 'offer' })).toEqual([first.id]);
    await tenant.updateFile({ params: { id: first.id }, body: { tags: ['signed', 'signed', '2026'] } });
    expect([await ids({ tag: 'signed' }), await ids({ tag: 'sign' })]).toEqual([[first.id], []]);
    expect(await ids({ status: 'quarantined' })).toEqual([]);
  });

  it('are not found by another tenant, environment or narrowed user', async () => {
    const tenant = service.as();
    const { id } = await upload(tenant);
    const { tenantId } = tenant.caller;
    const others = [
      service.as(),
      service.as({ tenantId: tenantId as number, environment: 'sandbox' }),
      service.as({ tenantId: tenantId as number, userId: 2, can: ['files:read:own', 'files:delete:own'] }),
    ];
    for (const other of others) {
      expect((await other.getFile({ params: { id } })).status).toBe(404);
      expect((await other.getFileDownload({ params: { id } })).status).toBe(404);
      expect((await other.deleteFile({ params: { id } })).status).toBe(404);
    }
  });

  it('that are deleted are hidden, restorable for 30 days, and then purged', async () => {
    const tenant = service.as();
    const { id } = await upload(tenant);
    const [{ object_key: key }] = (await service.sqlWithin(tenant.caller, 'SELECT object_key FROM file WHERE id = $1', [
      id,
    ])) as [{ object_key: string }];
    const isStored = async () => (await service.stored()).some((path) => path.endsWith(key));
    expect((await tenant.deleteFile({ params: { id } })).data).toEqual({ id, deleted: true });
    expect((await tenant.deleteFile({ params: { id } })).status).toBe(404);
    expect((await tenant.listFiles()).data).toEqual([]);
    expect((await tenant.listFiles({ query: { deleted: 'true' } })).data).toMatchObject([{ id }]);
    expect(await isStored()).toBe(true);
    await service.sqlWithin(tenant.caller, `UPDATE file SET deleted_at = now() - interval '31 days' WHERE id = $1`, [
      id,
    ]);
    await service.sqlWithin(tenant.caller, `UPDATE platform.job SET due_at = now() WHERE payload->>'objectKey' = $1`, [
      key,
    ]);
    await until('the bytes are gone', async () => !(await isStored()));
    await until(
      'the record is gone',
      async () => !(await service.sqlWithin(tenant.caller, 'SELECT 1 FROM file WHERE id = $1', [id])).length,
    );
    expect((await tenant.restoreFile({ params: { id } })).status).toBe(404);
  });

  it('that are deleted permanently are gone at once with the bytes of all versions', async () => {
    const tenant = service.as();
    const params = { id: (await upload(tenant)).id };
    await tenant.createFileVersion({ params, form: { file: { content: 'second' } } });
    const rows = await service.sqlWithin(tenant.caller, 'SELECT object_key FROM file_version WHERE file_id = $1', [
      params.id,
    ]);
    const kept = async () =>
      (await service.stored()).filter((path) => rows.some((row) => path.endsWith(String(row['object_key']))));
    expect([rows.length, (await kept()).length]).toEqual([2, 2]);
    await tenant.deleteFile({ params });
    const query = { permanent: 'true' };
    expect((await tenant.deleteFile({ params, query })).data).toEqual({ id: params.id, deleted: true });
    expect((await tenant.restoreFile({ params })).status).toBe(404);
    expect((await tenant.listFiles({ query: { deleted: 'true' } })).data).toEqual([]);
    await until('the bytes are gone', async () => !(await kept()).length);
    const events = await until('both events are there', () => {
      const found = service.events.filter(
        ({ name, tenantId }) => name === 'file.deleted' && tenantId === tenant.caller.tenantId,
      );
      return found.length === 2 && found;
    });
    expect(events.map(({ data }) => (data as { permanent: boolean }).permanent)).toEqual([false, true]);
  });

  it('without a record lose their bytes after a day', async () => {
    const tenant = service.as();
    const { id } = await upload(tenant);
    const kept = await upload(tenant, 'kept');
    const key = async (file: string) =>
      (await service.sqlWithin(tenant.caller, 'SELECT object_key FROM file WHERE id = $1', [file]))[0]
        ?.object_key as string;
    const [lost, stays] = [await key(id), await key(kept.id)];
    // Simulates a crash between storing the bytes and the record.
    await service.sqlWithin(tenant.caller, 'DELETE FROM file WHERE id = $1', [id]);
    const due = await service.sqlWithin(
      tenant.caller,
      `UPDATE platform.job SET due_at = now() WHERE payload->>'objectKey' IN ($1, $2) AND due_at > now() + interval '23 hours' RETURNING id`,
      [lost, stays],
    );
    expect(due).toHaveLength(2);
    await until('both were looked at', async () => {
      const open = await service.sqlWithin(
        tenant.caller,
        `SELECT 1 FROM platform.job WHERE payload->>'objectKey' IN ($1, $2)`,
        [lost, stays],
      );
      return open.length === 0;
    });
    const stored = await service.stored();
    expect([stored.some((path) => path.endsWith(lost)), stored.some((path) => path.endsWith(stays))]).toEqual([
      false,
      true,
    ]);
  });
});

describe('a part of a file for other services', () => {
  it('has exactly its bytes, of the content that the caller knows', async () => {
    const tenant = service.as();
    const file = await upload(tenant, 'hello world');
    const own = service.as({ ...tenant.caller, type: 'system', name: 'training' } as never);
    const read = (query: Record<string, string>) => own.readFilePart({ params: { id: file.id }, query });
    const checksum = file.checksumSha256 as string;
    const part = await read({ start: '6', length: '5', checksum });
    expect([part.status, part.headers['content-length'], part.text]).toEqual([200, '5', 'world']);
    const refused = await Promise.all([
      read({ start: '6', length: '6', checksum }),
      read({ start: '0', length: '5', checksum: checksum.replace(/^./, 'x') }),
    ]);
    expect(refused.map(({ body }) => body.code)).toEqual(['not_available', 'not_available']);
    expect((await read({ start: '-1', length: '0', checksum })).status).toBe(422);
  });

  it('stays available when the file has a newer version, until the older one is deleted', async () => {
    const tenant = service.as();
    const file = await upload(tenant, 'hello world');
    const checksum = file.checksumSha256 as string;
    const own = service.as({ ...tenant.caller, type: 'system', name: 'training' } as never);
    const read = () => own.readFilePart({ params: { id: file.id }, query: { start: '0', length: '11', checksum } });
    const params = { id: file.id };
    const newer = await tenant.createFileVersion({ params, form: { file: { content: 'other content' } } });
    expect(newer.status).toBe(201);
    expect((await read()).text).toBe('hello world');
    const { data } = await tenant.listFileVersions({ params, query: {} });
    const first = data.find(({ checksumSha256 }: { checksumSha256: string }) => checksumSha256 === checksum);
    const deleted = await tenant.deleteFileVersion({ params: { ...params, versionId: first.id } });
    expect(deleted.status).toBe(200);
    expect((await read()).body.code).toBe('not_available');
  });
});
