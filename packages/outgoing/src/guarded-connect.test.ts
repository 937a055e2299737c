import net from 'node:net';
import { createTarget } from './guard.ts';
import { createGuardedConnect } from './guarded-connect.ts';
import { createResolve } from './resolve.ts';

let port: number;
let connections = 0;
const server = net.createServer((socket) => {
  connections += 1;
  socket.on('error', () => {});
  socket.write('hello');
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as net.AddressInfo).port;
});
beforeEach(() => {
  connections = 0;
});
afterAll(() => server.close());

function connectVia({ allowPrivate, timeoutMs = 15_000 }: { allowPrivate: boolean; timeoutMs?: number }) {
  const target = createTarget({ allowPrivate, resolve: createResolve({ hosts: '127.0.0.1 mail.test.example' }) });
  const connect = createGuardedConnect({ target, name: 'the test', timeoutMs });
  return (host: string, isTls = false) => connect({ host, port, isTls });
}

it('connects to a private address only when private targets are allowed', async () => {
  const socket = await connectVia({ allowPrivate: true })('mail.test.example');
  const [data] = await new Promise<[Buffer]>((resolve) => socket.once('data', (...all) => resolve(all as [Buffer])));
  expect(data.toString()).toBe('hello');
  socket.destroy();
  const isBlocked = { code: 'BLOCKED_ADDRESS' };
  for (const host of ['mail.test.example', '127.0.0.1', '::1', '169.254.169.254'])
    await expect(connectVia({ allowPrivate: false })(host)).rejects.toMatchObject(isBlocked);
  expect(connections).toBe(1);
});

it('never connects to the metadata service of the machine', async () => {
  await expect(connectVia({ allowPrivate: true })('169.254.169.254')).rejects.toMatchObject({
    code: 'BLOCKED_ADDRESS',
  });
});

it('fails if a server without TLS is called with it', async () => {
  await expect(connectVia({ allowPrivate: true })('127.0.0.1', true)).rejects.toThrow();
});

it('ends the connection when the time is up', async () => {
  const socket = await connectVia({ allowPrivate: true, timeoutMs: 300 })('127.0.0.1');
  socket.resume();
  await expect(new Promise((_, reject) => socket.once('error', reject))).rejects.toThrow('did not answer in time');
});
