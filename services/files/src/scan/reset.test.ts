import { once } from 'node:events';
import { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { clamdScanner } from './clamd.ts';
import { ScannerUnavailableError, ScanUnfinishedError } from './scanner.ts';

// In a thread, so that the connection ends while this thread is kept from noticing it.
const server = `
  const { createServer } = require('node:net');
  const { parentPort, workerData } = require('node:worker_threads');
  createServer((socket) => {
    socket.once('data', () => parentPort.postMessage('received'));
    parentPort.once('message', () => socket.resetAndDestroy());
    socket.once('close', () => {
      Atomics.store(workerData, 0, 1);
      Atomics.notify(workerData, 0);
    });
  }).listen(0, '127.0.0.1', function () { parentPort.postMessage(this.address().port); });
`;

it('content whose end clamd cannot have received is not counted as unfinished', async () => {
  const isClosed = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(server, { eval: true, workerData: isClosed });
  const [port] = await once(worker, 'message');
  const isReceived = once(worker, 'message');
  async function* content() {
    yield Buffer.alloc(1_000);
    await isReceived;
    worker.postMessage('reset');
    expect(Atomics.wait(isClosed, 0, 0, 30_000)).not.toBe('timed-out');
  }
  const scan = clamdScanner(`127.0.0.1:${port}`).scan(Readable.from(content()));
  const error = await scan.catch((thrown: unknown) => thrown);
  await worker.terminate();
  expect([error instanceof ScannerUnavailableError, error instanceof ScanUnfinishedError]).toEqual([true, false]);
});
