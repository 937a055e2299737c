import { createIdCodec } from '@tandem/ids';
import { publishLeadMerge, until } from '@tandem/testing';
import { startFiles, type TestFiles } from '../../files.test-service.ts';

let service: TestFiles;
beforeAll(async () => {
  service = await startFiles();
});
afterAll(() => service?.close());

const ids = createIdCodec(process.env['IDS_ALPHABET'] as string);

it('files of a merged lead move to the survivor with version and event, and exactly these go back', async () => {
  const api = service.as();
  const tenantId = api.caller.tenantId as number;
  const told = { service, tenantId };
  const [merged, survivor] = ['1', '2'].map((id) => ids.encode('lead', tenantId, Number(id))) as [string, string];
  const upload = async (entityId: string, entityType = 'lead') => {
    const file = { content: 'Numbers', filename: 'notes.txt', contentType: 'text/plain' };
    return (await api.uploadFile({ form: { fields: { entityType, entityId }, file } })).data;
  };
  const filesOf = async (entityId: string) =>
    (await api.listFiles({ query: { entityId, sort: 'createdAt', order: 'asc' } })).data.map(
      ({ id }: { id: string }) => id,
    );
  const first = await upload(merged);
  const own = await upload(survivor);
  const ofDeal = await upload(merged, 'opportunity');
  await publishLeadMerge(told, { leadId: '1', into: '2', version: 2 });
  await until('the file has moved', async () => (await filesOf(survivor)).length === 2);
  expect([await filesOf(merged), await filesOf(survivor)]).toEqual([[ofDeal.id], [first.id, own.id]]);
  const event = await until('file.updated arrives', () =>
    service.events.find((one) => one.name === 'file.updated' && one.tenantId === tenantId),
  );
  expect(event).toMatchObject({
    data: { fileId: first.id, fields: ['entityId'] },
    record: { version: 2, entityId: survivor },
    changes: { entityId: { from: merged, to: survivor } },
  });
  const late = await upload(merged);
  expect(late.entityId).toBe(survivor);
  await publishLeadMerge(told, { leadId: '1', from: '2', version: 3 });
  await until('the files are back', async () => (await filesOf(merged)).length === 3);
  expect([await filesOf(merged), await filesOf(survivor)]).toEqual([[first.id, ofDeal.id, late.id], [own.id]]);
});
