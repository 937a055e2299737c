import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { anyFreePort } from '@tandem/local/ports';
import { findClamd } from '@tandem/local/programs';
import { until } from '@tandem/testing';
import { startFiles, type TestFiles } from '../files.test-service.ts';
import { clamdScanner } from './clamd.ts';
import { ScannerUnavailableError, ScanUnfinishedError } from './scanner.ts';

// In two parts, because the scanner of a developer's machine would remove a file that contains it.
const eicar = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('');
const lengthMax = 300_000;
const packagesDir = join(import.meta.dirname, '../../../../.local/clamav');

let folder: string;
let clamd: ChildProcess;
let addresses: string[];
let service: TestFiles;
// The first run downloads clamd.
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'clamd-'));
  const port = await anyFreePort();
  addresses = [`127.0.0.1:${port}`, join(folder, 'socket')];
  const output = await startClamd(port);
  await until('clamd answers', async () => {
    if (clamd.exitCode !== null) throw new Error(`clamd exited: ${output.join('')}`);
    return clamdScanner(addresses[0] as string).isReady();
  });
  service = await startFiles({ CLAMD_ADDRESS: addresses[0] as string });
}, 300_000);
afterAll(async () => {
  await service?.close();
  await endClamd();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts ClamAV's own daemon, which knows one signature. */
async function startClamd(port: number): Promise<string[]> {
  const { path, env } = await findClamd(packagesDir);
  const database = join(folder, 'database');
  mkdirSync(database);
  const md5 = createHash('md5').update(eicar).digest('hex');
  writeFileSync(join(database, 'own.hdb'), `${md5}:${eicar.length}:Eicar-Test\n`);
  const settings = [
    'Foreground yes',
    `DatabaseDirectory ${database}`,
    'TCPAddr 127.0.0.1',
    `TCPSocket ${port}`,
    `LocalSocket ${join(folder, 'socket')}`,
    `StreamMaxLength ${lengthMax}`,
    'MaxThreads 2',
  ];
  writeFileSync(join(folder, 'clamd.conf'), `${settings.join('\n')}\n`);
  clamd = spawn(path, ['--config-file', join(folder, 'clamd.conf')], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output: string[] = [];
  for (const stream of [clamd.stdout, clamd.stderr]) stream?.on('data', (chunk) => output.push(String(chunk)));
  return output;
}

async function endClamd(): Promise<void> {
  if (!clamd || clamd.exitCode !== null || clamd.signalCode !== null) return;
  const ended = once(clamd, 'exit');
  clamd.kill('SIGKILL');
  await ended;
}

const upload = async (content: string | Buffer) =>
  (await service.as().uploadFile({ form: { file: { content } } })).data;
const scan = (address: string, content: Iterable<Buffer> | AsyncIterable<Buffer>) =>
  clamdScanner(address).scan(Readable.from(content));

it('clamd answers PING and scans by its port and by its socket', async () => {
  for (const address of addresses) {
    expect(await clamdScanner(address).isReady()).toBe(true);
    expect(await scan(address, [Buffer.from('clean')])).toEqual({ kind: 'clean' });
    expect(await scan(address, [])).toEqual({ kind: 'clean' });
    expect(await scan(address, [Buffer.from(eicar)])).toEqual({
      kind: 'infected',
      signature: 'Eicar-Test.UNOFFICIAL',
    });
  }
});

it('a clean file is available, up to the limit of clamd', async () => {
  expect((await upload('clean')).status).toBe('available');
  expect((await upload(Buffer.alloc(lengthMax, 'clean '))).status).toBe('available');
});

it('the EICAR test file is quarantined with its name', async () => {
  expect(await upload(eicar)).toMatchObject({
    status: 'quarantined',
    quarantineReason: 'Malware was found: Eicar-Test.UNOFFICIAL',
  });
});

it('content beyond the limit of clamd is available without a scan, however fast it is sent', async () => {
  expect((await upload(Buffer.alloc(10 * lengthMax))).status).toBe('available');
  // clamd closes the connection with its answer, while the content is still being sent.
  const reason = 'The content is larger than the scanner accepts';
  for (const address of addresses) {
    for (let times = 0; times < 10; times += 1) {
      const content = Array.from({ length: 100 }, () => Buffer.alloc(lengthMax / 10));
      expect(await scan(address, content)).toEqual({ kind: 'skipped', reason });
    }
  }
});

it('content waits for a clamd that ends while it receives the content, or has ended', async () => {
  async function* interrupted() {
    yield Buffer.alloc(1_000);
    await endClamd();
    for (let chunks = 0; chunks < 20; chunks += 1) yield Buffer.alloc(1_000);
  }
  // Not unfinished: the content is not to blame.
  const unavailable = [true, false];
  const failureOf = async (verdict: Promise<unknown>) => {
    const error = await verdict.catch((thrown: unknown) => thrown);
    return [error instanceof ScannerUnavailableError, error instanceof ScanUnfinishedError];
  };
  expect(await Promise.all(addresses.map((address) => failureOf(scan(address, interrupted()))))).toEqual([
    unavailable,
    unavailable,
  ]);
  for (const address of addresses) {
    expect(await clamdScanner(address).isReady()).toBe(false);
    expect(await failureOf(scan(address, [Buffer.from('clean')]))).toEqual(unavailable);
  }
  expect((await upload('clean')).status).toBe('processing');
});
