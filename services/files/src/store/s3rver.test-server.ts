import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface S3rver {
  configureBuckets(): Promise<unknown>;
  callback(): RequestListener;
  logger: { close(): void };
}

/** The credentials that the server knows. */
export const s3rverKeys = { S3_ACCESS_KEY_ID: 'S3RVER', S3_SECRET_ACCESS_KEY: 'S3RVER' };

const require = createRequire(import.meta.url);
// The library has no types.
const S3rver: new (options: object) => S3rver = require('@20minutes/s3rver');

/**
 * An S3 server that is not ours, on loopback: it verifies the signature of requests for objects and parts, with their headers.
 * It has neither lists of uploads and parts nor the end of an upload without an object, and compares no checksums; `startS3`
 * has. A removal asks for the list of uploads first, which is answered here as empty. Lists of objects are not verified,
 * because s3rver forgets the last slash of the path that is signed.
 */
export async function startS3rver(bucket: string) {
  const directory = await mkdtemp(join(tmpdir(), 's3rver-'));
  const options = { directory, silent: true, vhostBuckets: false, configureBuckets: [{ name: bucket }] };
  const objects = new S3rver(options);
  const lists = new S3rver({ ...options, allowMismatchedSignatures: true });
  await objects.configureBuckets();
  const [respond, list] = [objects.callback(), lists.callback()];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url as string, 'http://s3');
    if (request.method !== 'GET' || pathname !== `/${bucket}/`) return void respond(request, response);
    if (!searchParams.has('uploads')) return void list(request, response);
    response.writeHead(200, { 'content-type': 'application/xml' }).end('<ListMultipartUploadsResult/>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      for (const { logger } of [objects, lists]) logger.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
