import { mkdtempSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { anyFreePort, isFree, nextFree, Ports } from './ports.ts';

const servers: Server[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve)))));

function freshFile(): string {
  return join(mkdtempSync(join(tmpdir(), 'ports-')), 'ports.json');
}

function occupy(port: number, host = '127.0.0.1'): Promise<void> {
  const server = createServer();
  servers.push(server);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
}

describe('Ports', () => {
  it('returns the same port for the same purpose, also to a later command', async () => {
    const file = freshFile();
    const port = await new Ports(file).get('redis');
    expect(await new Ports(file).get('redis')).toBe(port);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ redis: port });
  });

  it('returns different ports for different purposes', async () => {
    const ports = new Ports(freshFile());
    expect(await ports.get('redis')).not.toBe(await ports.get('postgres'));
  });

  it('chooses another port if the known one is in use', async () => {
    const file = freshFile();
    const port = await new Ports(file).get('redis');
    await occupy(port);
    expect(await new Ports(file).get('redis')).not.toBe(port);
  });

  it('detects a server that listens on all addresses', async () => {
    const port = await nextFree(29_000);
    await occupy(port, '0.0.0.0');
    expect(await isFree(port)).toBe(false);
  });
});

describe('anyFreePort', () => {
  it('returns each port only once, although nobody listens on it yet', async () => {
    const ports = await Promise.all(Array.from({ length: 600 }, () => anyFreePort()));
    expect(new Set(ports).size).toBe(ports.length);
  });
});
