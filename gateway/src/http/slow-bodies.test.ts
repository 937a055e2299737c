import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { until } from '@tandem/testing';
import { allowBodyTime, watchBodies } from './slow-bodies.ts';

const form = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n';

it('ends a request whose body does not arrive within its timeout, and no other', async () => {
  const server = createServer();
  const late: string[] = [];
  const begin = watchBodies(server, (socket) => {
    late.push('late');
    socket.destroy();
  });
  let requests = 0;
  server.on('request', (request) => {
    begin(request);
    // The second request has the default timeout.
    if (++requests === 1) allowBodyTime(request, 1);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const sockets = [connect(port, '127.0.0.1')];
  sockets[0]?.write(`${form}12`);
  await until('the first request has begun', () => requests === 1);
  sockets.push(connect(port, '127.0.0.1'));
  sockets[1]?.write(`${form}12`);
  await until('the first request has ended', () => sockets[0]?.closed);
  expect([requests, late.length, sockets[1]?.closed]).toEqual([2, 1, false]);
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});
