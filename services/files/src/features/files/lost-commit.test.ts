import { connect, createServer, type Server, type Socket } from 'node:net';
import { until } from '@tandem/testing';
import { startFiles, type TestFiles } from '../../files.test-service.ts';

const marker = 'the-commit-of-this-upload-is-lost';

let service: TestFiles;
let proxy: Server;
let behind: Awaited<ReturnType<TestFiles['another']>>;
beforeAll(async () => {
  service = await startFiles();
  const url = new URL(service.databaseUrl());
  proxy = await startProxy(url);
  url.hostname = '127.0.0.1';
  url.port = String((proxy.address() as { port: number }).port);
  behind = await service.another({ DATABASE_URL: url.href });
});
afterAll(async () => {
  await behind?.close();
  await service?.close();
  proxy?.close();
});

/** Closes the connection of a transaction that wrote the marker when its COMMIT succeeds, before the client reads that. */
function startProxy({ hostname, port }: URL): Promise<Server> {
  const server = createServer((client: Socket) => {
    const upstream = connect(Number(port), hostname);
    let isMarked = false;
    client.on('data', (chunk) => {
      isMarked ||= chunk.includes(marker);
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (!isMarked || !chunk.includes('COMMIT\0')) return void client.write(chunk);
      client.resetAndDestroy();
      upstream.destroy();
    });
    for (const [one, other] of [[client, upstream] as const, [upstream, client] as const])
      one.on('error', () => {}).on('close', () => other.destroy());
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

const storedOf = async (tenantId: number | undefined) =>
  (await service.stored()).filter((path) => path.includes(`/${tenantId}/`));

describe('when the result of the COMMIT is lost', () => {
  it('an upload that took effect keeps its bytes', async () => {
    const api = service.as();
    const { tenantId } = api.caller;
    const form = { file: { content: 'hello', filename: `${marker}.txt` } };
    const lost = await behind.as({ tenantId: tenantId as number }).uploadFile({ form });
    expect(lost.status).toBe(503);
    const { data } = await api.listFiles();
    expect(data).toMatchObject([{ filename: `${marker}.txt`, size: 5 }]);
    expect(await storedOf(tenantId)).toHaveLength(1);
  });

  it('a version that took effect keeps its bytes', async () => {
    const api = service.as();
    const { tenantId } = api.caller;
    const { data: file } = await api.uploadFile({ form: { file: { content: 'one' } } });
    const form = { fields: { comment: marker }, file: { content: 'two' } };
    const params = { id: file.id };
    const lost = await behind.as({ tenantId: tenantId as number }).createFileVersion({ params, form });
    expect(lost.status).toBe(503);
    expect((await api.getFile({ params })).data.versionNumber).toBe(2);
    expect(await storedOf(tenantId)).toHaveLength(2);
  });
});

it('bytes of an upload that failed without a record are removed by the job', async () => {
  const api = service.as();
  const { tenantId } = api.caller;
  await service.sql(`ALTER TABLE file RENAME TO file_away`);
  const failed = await api.uploadFile({ form: { file: { content: 'hello' } } });
  await service.sql(`ALTER TABLE file_away RENAME TO file`);
  expect([failed.status, (await storedOf(tenantId)).length]).toEqual([500, 1]);
  await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'discard-object'`);
  await until('the bytes are removed', async () => (await storedOf(tenantId)).length === 0);
});
