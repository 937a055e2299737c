import { until } from '@tandem/testing';
import { startFiles, type TestFiles } from '../../files.test-service.ts';

// As many files as a search by text returns before other filters apply.
const mostFound = 1_000;

let service: TestFiles;
let api: Api;
let first: { id: string; contentType: string };
beforeAll(async () => {
  service = await startFiles();
  api = service.as();
  const file = { content: 'The engine needs oil', filename: 'first.txt', contentType: 'text/csv' };
  first = (await api.uploadFile({ form: { fields: { entityType: 'lead' }, file } })).data;
  await api.updateFile({ params: { id: first.id }, body: { tags: ['signed'] } });
  await until('it is found', async () => (await withText(api)).length === 1);
  await service.sqlWithin(api.caller, `UPDATE file SET status = 'quarantined', team_id = 7 WHERE id = $1`, [first.id]);
  // Newer files with the same words.
  await service.sqlWithin(
    api.caller,
    `WITH added AS (
      INSERT INTO file (filename, content_type, size, checksum_sha256, object_key, version_id, uploaded_by)
      SELECT 'a.txt', 'text/plain', 1, '', 'a/' || n, 900000 + n, 99 FROM generate_series(1, $1::int) AS n RETURNING id, version_id)
    INSERT INTO file_text (file_id, version_id, words) SELECT id, version_id, to_tsvector('simple', 'engine') FROM added`,
    [mostFound],
  );
});
afterAll(() => service?.close());

type Api = ReturnType<TestFiles['as']>;
const withText = async (who: Api, query: Record<string, string> = {}) =>
  (await who.listFiles({ query: { text: 'engine', ...query } })).data.map(({ id }: { id: string }) => id);

describe('a file behind a thousand newer ones with the same words is found', () => {
  it.each([{ contentType: 'text/csv' }, { status: 'quarantined' }, { tag: 'signed' }, { entityType: 'lead' }])(
    'by %j',
    async (query) => {
      expect(await withText(api, query as Record<string, string>)).toEqual([first.id]);
    },
  );

  it('by callers who may read only their own files, or those of their team', async () => {
    const tenantId = api.caller.tenantId as number;
    const own = service.as({ tenantId, userId: 1, can: ['files:read:own'] });
    const team = service.as({ tenantId, userId: 2, teamIds: [7], can: ['files:read:team'] });
    const other = service.as({ tenantId, userId: 2, teamIds: [8], can: ['files:read:team'] });
    expect([await withText(own), await withText(team), await withText(other)]).toEqual([[first.id], [first.id], []]);
  });

  it('once the newer ones are deleted, and among the deleted ones when it is deleted itself', async () => {
    await service.sqlWithin(api.caller, 'UPDATE file SET deleted_at = now() WHERE uploaded_by = 99');
    expect(await withText(api)).toEqual([first.id]);
    await service.sqlWithin(
      api.caller,
      `UPDATE file SET deleted_at = CASE WHEN id = $1 THEN now() END WHERE uploaded_by = 99 OR id = $1`,
      [first.id],
    );
    expect(await withText(api, { deleted: 'true' })).toEqual([first.id]);
  });
});
