import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gatewayName } from '@tandem/local/members';
import type { TestTenant } from '@tandem/test-fleet';
import { formatNumber } from './numbers.ts';
import type { Place } from './place.ts';
import type { Row } from './results.ts';

const bytes = 1024 ** 3;
const chunk = Buffer.alloc(64 * 1024, 'x');
const sampleMs = 50;
const growthGoalMb = 50;
const boundary = 'benchmark';

/** Uploads a file of 1 GB through the gateway, and samples the memory of gateway and files. */
export async function measureUpload(place: Place): Promise<Row[]> {
  place.log('upload of 1 GB');
  const settings = { FILES_MAX_BYTES: String(bytes) };
  await Promise.all(['identity', 'files', gatewayName].map((name) => place.startMember(name, { settings })));
  const tenant = await place.aTenant();
  // Warm-up: the first upload allocates memory that later ones reuse.
  await upload(place, tenant, 8 * 1024 ** 2);
  const watched = [gatewayName, 'files'].map((name) => ({ name, pid: place.processes.pid(name) }));
  const before = watched.map(({ pid }) => residentMb(pid));
  const peaks = [...before];
  const sampler = setInterval(() => {
    for (const [index, { pid }] of watched.entries()) peaks[index] = Math.max(peaks[index] as number, residentMb(pid));
  }, sampleMs);
  const startedAt = performance.now();
  await upload(place, tenant, bytes);
  const seconds = (performance.now() - startedAt) / 1_000;
  clearInterval(sampler);
  const growth = watched.map(({ name }, index) => ({ name, mb: (peaks[index] as number) - (before[index] as number) }));
  return [
    {
      id: 'upload',
      what: 'Memory during an upload of 1 GB',
      goal: `< ${growthGoalMb} MB growth`,
      reached: growth.map(({ name, mb }) => `${name} ${formatNumber(mb)} MB`).join(', '),
      detail: `${formatNumber(bytes / 1024 ** 2 / seconds)} MB/s, hashed and written to disk`,
      isReached: growth.every(({ mb }) => mb < growthGoalMb),
    },
  ];
}

async function upload({ baseUrl }: Place, { live }: TestTenant, size: number): Promise<void> {
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  const tail = `\r\n--${boundary}--\r\n`;
  const request = httpRequest(`${baseUrl}/v1/files/upload`, {
    method: 'POST',
    headers: {
      'X-API-Key': live,
      'Content-Type': `multipart/form-data; boundary=${boundary}`,
      'Content-Length': head.length + size + tail.length,
    },
  });
  const responseStatus = new Promise<number>((resolve, reject) => {
    request.once('response', (response) => resolve(response.resume().statusCode as number)).once('error', reject);
  });
  const parts = function* () {
    yield head;
    for (let sent = 0; sent < size; sent += chunk.length) yield chunk;
    yield tail;
  };
  await pipeline(Readable.from(parts(), { objectMode: false }), request);
  const status = await responseStatus;
  if (status !== 201) throw new Error(`The upload returned ${status}`);
}

function residentMb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}
