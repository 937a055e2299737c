import { identityPeer, publishTeamEvent, teams, until, users } from '@tandem/testing';
import { startFiles, type TestFiles } from '../../files.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let service: TestFiles;
beforeAll(async () => {
  identity = await identityPeer();
  service = await startFiles({ IDENTITY_URL: identity.url });
});
afterAll(async () => {
  await service?.close();
  await identity?.close();
});

const { sales, support } = teams;
const uploader = users.active;
const upload = { form: { file: { content: 'Numbers', filename: 'notes.txt', contentType: 'text/plain' } } };

it('files follow the user who uploaded them into another team, whose members find them then', async () => {
  const tenantId = service.as().caller.tenantId as number;
  const by = (userId: number, teamId: string, can = ['files:*:team']) =>
    service.as({ tenantId, userId, teamIds: [Number(teamId)], can });
  const [inSales, inSupport] = [by(8, sales), by(9, support)];
  const { data: file } = await by(Number(uploader), sales, ['*']).uploadFile(upload);
  const { data: theirs } = await by(8, sales, ['*']).uploadFile(upload);
  expect([file.uploadedBy, file.teamId]).toEqual([uploader, sales]);
  const found = async (api: typeof inSales) => [
    (await api.getFile({ params: { id: file.id } })).status,
    (await api.listFiles()).data.map(({ id }: { id: string }) => id),
  ];
  expect([await found(inSales), await found(inSupport)]).toEqual([
    [200, [theirs.id, file.id]],
    [404, []],
  ]);

  identity.teamsOf.set(uploader, [support]);
  const follow = [{ userId: uploader, teamId: support }];
  const told = { service, tenantId };
  await publishTeamEvent(told, 'team.members_changed', { teamId: sales, added: [], removed: [uploader], follow });
  await until('the file has moved', async () => (await found(inSupport))[0] === 200);
  expect([await found(inSales), await found(inSupport)]).toEqual([
    [404, [theirs.id]],
    [200, [file.id]],
  ]);
  const event = await until('file.updated arrives', () =>
    service.events.find((one) => one.name === 'file.updated' && one.tenantId === tenantId),
  );
  expect(event).toMatchObject({
    data: { fileId: file.id, fields: ['teamId'] },
    changes: { teamId: { from: Number(sales), to: Number(support) } },
  });
  expect((await by(Number(uploader), support).getFile({ params: { id: file.id } })).data.version).toBe(2);
});
