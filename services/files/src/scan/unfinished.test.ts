import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { until } from '@tandem/testing';
import { startFiles, type TestFiles } from '../files.test-service.ts';

// Content that crashes the scanner, as an archive does that takes more memory than the scanner has.
const bomb = 'a bomb';

let clamd: Server;
let scans = 0;
let isDown = false;
let service: TestFiles;
beforeAll(async () => {
  clamd = createServer(answer);
  await new Promise<void>((resolve) => clamd.listen(0, '127.0.0.1', resolve));
  const CLAMD_ADDRESS = `127.0.0.1:${(clamd.address() as AddressInfo).port}`;
  service = await startFiles({ CLAMD_ADDRESS, CLAMD_RETRY_SECONDS: '1' });
});
afterAll(async () => {
  await service?.close();
  clamd?.close();
});

/** Answers as clamd, and closes the connection after the last byte of a bomb. */
function answer(socket: Socket): void {
  let received = Buffer.alloc(0);
  socket.on('error', () => {});
  if (isDown) return void socket.destroy();
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    if (received.equals(Buffer.from('zPING\0'))) return void socket.end('PONG\0');
    if (!received.subarray(-4).equals(Buffer.alloc(4))) return;
    if (!received.includes(bomb)) return void socket.end('stream: OK\0');
    scans += 1;
    socket.destroy();
  });
}

type Api = ReturnType<TestFiles['as']>;
const upload = async (api: Api, content: string) => (await api.uploadFile({ form: { file: { content } } })).data;
const settled = (api: Api, id: string) =>
  until('it is no longer scanned', async () => {
    const { data } = await api.getFile({ params: { id } });
    return data.status !== 'processing' && data;
  });

it('content that the scanner does not finish is scanned three times, and quarantined with that reason', async () => {
  const api = service.as();
  const { id, status } = await upload(api, bomb);
  expect([status, scans]).toEqual(['processing', 1]);
  expect(await settled(api, id)).toMatchObject({
    status: 'quarantined',
    quarantineReason: 'The malware scanner did not finish this content in 3 attempts',
  });
  expect(scans).toBe(4);
});

it('content waits for a scanner that does not answer, however often', async () => {
  const api = service.as();
  isDown = true;
  const { id } = await upload(api, 'clean');
  const attemptsOf = async () =>
    (await service.sqlWithin(api.caller, `SELECT due_at::text FROM platform.job WHERE name = 'inspect-upload'`))[0]?.[
      'due_at'
    ];
  const times = new Set<unknown>();
  await until('it was tried four times', async () => times.add(await attemptsOf()).size > 4);
  expect((await api.getFile({ params: { id } })).data.status).toBe('processing');
  isDown = false;
  expect((await settled(api, id)).status).toBe('available');
});
