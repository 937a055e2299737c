import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { createTarget } from '@tandem/outgoing';
import { receiver } from '../testing.ts';
import { createSender } from './send.ts';

const target = createTarget({ allowPrivate: true });
const message = { environment: 'live', headers: [['X-Case', 'kept']] as [string, string][], body: Buffer.from('{}') };

it('reports a TLS failure as tls', async () => {
  const plain = await receiver(200);
  const outcome = await createSender({ target, timeoutMs: 15_000 }).send({
    ...message,
    url: plain.url.replace('http:', 'https:'),
  });
  expect(outcome).toMatchObject({ error: 'tls', statusCode: null });
  await plain.close();
});

it('times out when the server never sends data', async () => {
  const silent = net.createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
  const outcome = await createSender({ target, timeoutMs: 100 }).send({ ...message, url });
  expect(outcome).toMatchObject({ error: 'timeout', statusCode: null });
  silent.close();
});

it('reports a response that is not HTTP as connect', async () => {
  const sshServer = net.createServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n'));
  await new Promise<void>((resolve) => sshServer.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(sshServer.address() as AddressInfo).port}/`;
  expect(await createSender({ target, timeoutMs: 15_000 }).send({ ...message, url })).toMatchObject({
    error: 'connect',
    statusCode: null,
  });
  sshServer.close();
});

it('sends through the configured proxy', async () => {
  const connectedHosts: string[] = [];
  const proxy = http.createServer().on('connect', (request, socket, head) => {
    connectedHosts.push(String(request.url));
    const [host, port] = String(request.url).split(':');
    const upstream = net.connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const hook = await receiver(200);
  const sender = createSender({
    target,
    timeoutMs: 15_000,
    proxyUrl: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
  });
  expect(await sender.send({ ...message, url: hook.url })).toMatchObject({ error: null, statusCode: 200 });
  expect(connectedHosts).toEqual([new URL(hook.url).host]);
  expect(hook.requests[0]?.rawHeaders).toContainEqual(['X-Case', 'kept']);
  await hook.close();
  proxy.closeAllConnections();
  proxy.close();
});
