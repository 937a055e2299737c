import { createIdCodec } from '@tandem/ids';
import { publishLeadMerge, until } from '@tandem/testing';
import { startFiles, type TestFiles } from '../../files.test-service.ts';

let service: TestFiles;
beforeAll(async () => {
  service = await startFiles();
});
afterAll(() => service?.close());

type Api = ReturnType<TestFiles['as']>;

const ids = createIdCodec(process.env['IDS_ALPHABET'] as string);
const upload = { form: { fields: { entityType: 'lead', entityId: 'a' }, file: { content: 'x', filename: 'a.txt' } } };

it('changes name, tags and record, each with version and event, and nothing that is equal', async () => {
  const api = service.as();
  const { data: file } = await api.uploadFile(upload);
  const params = { id: file.id };
  const change = { filename: 'b/../of\u202efer.txt', tags: ['a', 'b', 'a'], entityType: null, entityId: 'deal' };
  const { status, data } = await api.updateFile({ params, body: change });
  const values = { filename: 'offer.txt', tags: ['a', 'b'], entityType: null, entityId: 'deal' };
  expect([status, data]).toEqual([200, { ...file, ...values, version: 2, updatedAt: expect.any(String) }]);
  expect((await api.updateFile({ params, body: values })).data.version).toBe(2);
  const event = await until('file.updated arrives', () =>
    service.events.find(({ name, tenantId }) => name === 'file.updated' && tenantId === api.caller.tenantId),
  );
  expect(event).toMatchObject({
    data: { fileId: file.id, fields: ['filename', 'tags', 'entityType', 'entityId'] },
    changes: { tags: { from: [], to: ['a', 'b'] }, entityId: { from: 'a', to: 'deal' } },
  });
});

it.each(['.', 'a/..', '\u202e..'])('changes the name %j, which is no name of a file, to file', async (filename) => {
  const api = service.as();
  const params = { id: (await api.uploadFile(upload)).data.id };
  expect((await api.updateFile({ params, body: { filename } })).data.filename).toBe('file');
});

it('respects If-Match, and finds neither deleted files nor those of others', async () => {
  const api = service.as();
  const params = { id: (await api.uploadFile(upload)).data.id };
  const body = { filename: 'b.txt' };
  const { tenantId } = api.caller;
  const other = service.as({ tenantId: tenantId as number, userId: 2, can: ['files:write:own'] });
  expect((await api.updateFile({ params, body, headers: { 'if-match': '"2"' } })).status).toBe(412);
  expect((await other.updateFile({ params, body })).status).toBe(404);
  await api.deleteFile({ params });
  expect((await api.updateFile({ params, body })).status).toBe(404);
});

it('moves a file to a lead, with which it is deleted, only for those who can delete the file', async () => {
  const owner = service.as();
  const tenantId = owner.caller.tenantId as number;
  const params = { id: (await owner.uploadFile({ form: { file: { content: 'x', filename: 'a.txt' } } })).data.id };
  const writer = service.as({ tenantId, userId: 2, can: ['files:write', 'files:delete:own'] });
  const move = async (api: Api, body: Record<string, unknown>, id = params.id) => {
    const reply = await api.updateFile({ params: { id }, body });
    return [reply.status, reply.body.errors?.[0]?.field];
  };
  const toLead = { entityType: 'lead', entityId: 'b' };
  const refused = [403, 'entityId'];
  expect(await move(writer, toLead)).toEqual(refused);
  expect(await move(service.as({ tenantId, can: ['files:write'] }), toLead)).toEqual(refused);
  expect(await move(writer, { entityType: 'opportunity', entityId: 'b' })).toEqual([200, undefined]);
  expect(await move(writer, { entityType: 'lead' })).toEqual(refused);
  expect(await move(owner, toLead)).toEqual([200, undefined]);
  expect(await move(writer, { ...toLead, filename: 'b.txt' })).toEqual([200, undefined]);
  expect(await move(writer, { entityId: 'c' })).toEqual(refused);
  const { data: own } = await service.as({ tenantId, userId: 2 }).uploadFile({ form: { file: { content: 'x' } } });
  expect(await move(writer, toLead, own.id)).toEqual([200, undefined]);
});

it('stores the lead that remains when the record is a merged lead, until the merge is undone', async () => {
  const api = service.as();
  const tenantId = api.caller.tenantId as number;
  const told = { service, tenantId };
  const [merged, survivor] = ['1', '2'].map((id) => ids.encode('lead', tenantId, Number(id))) as [string, string];
  const params = { id: (await api.uploadFile(upload)).data.id };
  const entityOf = async () => (await api.getFile({ params })).data.entityId;
  await publishLeadMerge(told, { leadId: '1', into: '2', version: 2 });
  const update = () => api.updateFile({ params, body: { entityType: 'lead', entityId: merged } });
  await until('the merge is known', async () => (await update()).data.entityId === survivor);
  await api.updateFile({ params, body: { filename: 'renamed.txt' } });
  await publishLeadMerge(told, { leadId: '1', from: '2', version: 3 });
  await until('the file is back', async () => (await entityOf()) === merged);
});
