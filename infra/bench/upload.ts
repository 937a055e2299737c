import { readFileSync } from 'node:fs';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gatewayName } from '@tandem/local/members';
import type { TestTenant } from '@tandem/test-fleet';
import { until } from '@tandem/testing';
import { formatNumber } from './numbers.ts';
import type { Place } from './place.ts';
import type { Row } from './results.ts';

const bytes = 1024 ** 3;
const chunk = Buffer.alloc(64 * 1024, 'x');
const sampleMs = 50;
const growthGoalMb = 50;
const boundary = 'benchmark';

const rateGoal = 200;
const checkMs = 60_000;

/** Transfers a file of 1 GB through the gateway in each way, and samples the memory of gateway and files. */
export async function measureUpload(place: Place): Promise<Row[]> {
  const settings = { FILES_MAX_BYTES: String(bytes) };
  await Promise.all(['identity', 'files', gatewayName].map((name) => place.startMember(name, { settings })));
  const tenant = await place.aTenant();
  // Warm-up: the first upload allocates memory that later ones reuse.
  await upload(place, tenant, 8 * 1024 ** 2);
  const rows: Row[] = [];
  rows.push(await measure(place, { id: 'upload', what: 'an upload' }, () => upload(place, tenant, bytes)));
  const link = await startTransfer(tenant, bytes);
  const linked = { id: 'upload-link', what: 'an upload with a link' };
  rows.push(await measure(place, linked, () => put(link.uploadUrl, bytes)));
  await tenant.api.completeUpload({ params: { id: link.fileId }, body: {} });
  const { url } = await becomesAvailable(tenant, link.fileId);
  rows.push(await measure(place, { id: 'download', what: 'a download' }, () => download(url)));
  return rows;
}

/** Runs a transfer of 1 GB, and samples the memory of gateway and files. */
async function measure(
  place: Place,
  { id, what }: { id: string; what: string },
  transfer: () => Promise<void>,
): Promise<Row> {
  place.log(`${what} of 1 GB`);
  const watched = [gatewayName, 'files'].map((name) => ({ name, pid: place.processes.pid(name) }));
  const before = watched.map(({ pid }) => residentMb(pid));
  const peaks = [...before];
  const sampler = setInterval(() => {
    for (const [index, { pid }] of watched.entries()) peaks[index] = Math.max(peaks[index] as number, residentMb(pid));
  }, sampleMs);
  const startedAt = performance.now();
  await transfer().finally(() => clearInterval(sampler));
  const rate = bytes / 1024 ** 2 / ((performance.now() - startedAt) / 1_000);
  const growth = watched.map(({ name }, index) => ({ name, mb: (peaks[index] as number) - (before[index] as number) }));
  const row = {
    id,
    what: `Memory and rate of ${what} of 1 GB`,
    goal: `< ${growthGoalMb} MB growth, ≥ ${rateGoal} MB/s`,
    reached: `${growth.map(({ name, mb }) => `${name} ${formatNumber(mb)} MB`).join(', ')}, ${formatNumber(rate)} MB/s`,
    detail: id === 'download' ? 'read from disk' : 'written to disk and flushed',
    isReached: growth.every(({ mb }) => mb < growthGoalMb) && rate >= rateGoal,
  };
  place.log(`${row.what}: ${row.reached}`);
  return row;
}

async function startTransfer({ api }: TestTenant, size: number): Promise<{ fileId: string; uploadUrl: string }> {
  const contentType = 'application/octet-stream';
  const { data } = await api.createPresignedUpload({ body: { filename: 'a.bin', contentType, size } });
  return data as { fileId: string; uploadUrl: string };
}

/** Waits until a large upload is checked, and resolves to its download link. */
async function becomesAvailable({ api }: TestTenant, fileId: string): Promise<{ url: string }> {
  const link = async () => {
    const { data } = await api.getFile({ params: { id: fileId } });
    return data.status === 'available' && (await api.getFileDownload({ params: { id: fileId } })).data;
  };
  return (await until('the upload is checked', link, checkMs)) as { url: string };
}

async function put(url: string, size: number): Promise<void> {
  const headers = { 'Content-Type': 'application/octet-stream', 'Content-Length': size };
  await send(httpRequest(url, { method: 'PUT', headers }), content(size), 200);
}

async function download(url: string): Promise<void> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest(url).once('response', resolve).once('error', reject).end();
  });
  let size = 0;
  for await (const part of response) size += (part as Buffer).length;
  if (response.statusCode !== 200 || size !== bytes) throw new Error(`The download returned ${response.statusCode}`);
}

function* content(size: number): Generator<Buffer> {
  for (let sent = 0; sent < size; sent += chunk.length) yield chunk;
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
  const parts = function* () {
    yield Buffer.from(head);
    yield* content(size);
    yield Buffer.from(tail);
  };
  await send(request, parts(), 201);
}

async function send(request: ClientRequest, parts: Iterable<Buffer>, expected: number): Promise<void> {
  const responseStatus = new Promise<number>((resolve, reject) => {
    request.once('response', (response) => resolve(response.resume().statusCode as number)).once('error', reject);
  });
  responseStatus.catch(() => {});
  await pipeline(Readable.from(parts, { objectMode: false }), request);
  const status = await responseStatus;
  if (status !== expected) throw new Error(`The transfer returned ${status}`);
}

function residentMb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}
