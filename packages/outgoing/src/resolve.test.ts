import dgram from 'node:dgram';
import type { AddressInfo } from 'node:net';
import { createResolve } from './resolve.ts';

const ipv4 = 1;
const ipv6 = 28;
const noSuchName = 3;

/** A name server on loopback that returns one address per known family and records the query types. */
async function nameServer(known?: { [ipv4]?: readonly number[]; [ipv6]?: readonly number[] }) {
  const asked: number[] = [];
  const socket = dgram.createSocket('udp4', (query, from) => {
    const nameEnd = query.indexOf(0, 12) + 1;
    const kind = query.readUInt16BE(nameEnd);
    asked.push(kind);
    if (!known) return;
    const bytes = known[kind as typeof ipv4];
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(bytes ? 0x8180 : 0x8180 + noSuchName, 2);
    header.writeUInt16BE(bytes ? 1 : 0, 6);
    header.fill(0, 8);
    // RFC 1035: pointer to the name in the question, type, class IN, TTL of 60 s, address.
    const answer = bytes ? [0xc0, 12, 0, kind, 0, 1, 0, 0, 0, 60, 0, bytes.length, ...bytes] : [];
    socket.send(Buffer.concat([header, query.subarray(12, nameEnd + 4), Buffer.from(answer)]), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const { port } = socket.address() as AddressInfo;
  return { asked, servers: [`127.0.0.1:${port}`], close: () => void socket.close() };
}

it('queries the name servers for both families', async () => {
  const server = await nameServer({ [ipv4]: [93, 184, 216, 34], [ipv6]: [0x26, 6, 0x47, ...Array(12).fill(0), 1] });
  const resolve = createResolve({ servers: server.servers, timeoutMs: 15_000, hosts: '' });
  expect(await resolve('example.com')).toEqual([
    { address: '93.184.216.34', family: 4 },
    { address: '2606:4700::1', family: 6 },
  ]);
  expect(new Set(server.asked)).toEqual(new Set([ipv4, ipv6]));
  server.close();
});

it('accepts a name with one family', async () => {
  const server = await nameServer({ [ipv6]: [0x26, 6, 0x47, ...Array(12).fill(0), 1] });
  const resolve = createResolve({ servers: server.servers, timeoutMs: 15_000, hosts: '' });
  expect(await resolve('six.example.com')).toEqual([{ address: '2606:4700::1', family: 6 }]);
  server.close();
});

it('gives up on an unresponsive name server', async () => {
  const silent = await nameServer();
  const resolve = createResolve({ servers: silent.servers, timeoutMs: 50, tries: 2, hosts: '' });
  await expect(resolve('example.com')).rejects.toMatchObject({ code: 'ETIMEOUT' });
  expect(silent.asked.length).toBeLessThanOrEqual(4);
  silent.close();
});

it('resolves localhost and the hosts file without a query', async () => {
  const server = await nameServer({ [ipv4]: [93, 184, 216, 34] });
  const hosts = '# ours\n10.1.2.3\treceiver Receiver.test # a container\nfd00::5 receiver\n';
  const resolve = createResolve({ servers: server.servers, hosts });
  for (const name of ['localhost', 'LOCALHOST.', 'hook.localhost'])
    expect((await resolve(name)).map(({ address }) => address)).toEqual(['127.0.0.1', '::1']);
  expect(await resolve('receiver')).toEqual([
    { address: '10.1.2.3', family: 4 },
    { address: 'fd00::5', family: 6 },
  ]);
  expect(await resolve('receiver.test')).toEqual([{ address: '10.1.2.3', family: 4 }]);
  expect(server.asked).toEqual([]);
  server.close();
});
