import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on loopback that implements the part of the S3 API that a store needs. */
export async function startS3() {
  const objects = new Map<string, Buffer>();
  const uploads = new Map<string, Map<number, Buffer>>();
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url as string, 'http://s3');
    const body = await read(request);
    const upload = searchParams.get('uploadId') ?? '';
    const xml = (text: string) => response.writeHead(200, { 'content-type': 'application/xml' }).end(text);
    if (!request.headers.authorization?.startsWith('AWS4-HMAC-SHA256 ')) return response.writeHead(403).end();
    if (request.method === 'POST' && searchParams.has('uploads')) {
      const id = `u${uploads.size}`;
      uploads.set(id, new Map());
      return xml(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
    }
    if (request.method === 'PUT' && upload) {
      uploads.get(upload)?.set(Number(searchParams.get('partNumber')), body);
      return response.writeHead(200, { etag: '"part"' }).end();
    }
    if (request.method === 'POST' && upload) {
      const parts = [...(uploads.get(upload) ?? [])].sort(([a], [b]) => a - b).map(([, part]) => part);
      objects.set(pathname, Buffer.concat(parts));
      uploads.delete(upload);
      return xml('<CompleteMultipartUploadResult><ETag>"whole"</ETag></CompleteMultipartUploadResult>');
    }
    if (request.method === 'DELETE') {
      if (upload) uploads.delete(upload);
      else objects.delete(pathname);
      return response.writeHead(204).end();
    }
    if (request.method === 'PUT') {
      objects.set(pathname, body);
      return response.writeHead(200, { etag: '"whole"' }).end();
    }
    if (searchParams.get('list-type') === '2') {
      const bucket = `${pathname.replace(/\/$/, '')}/`;
      const keys = [...objects.keys()]
        .map((key) => key.slice(bucket.length))
        .filter((key) => key.startsWith(searchParams.get('prefix') ?? ''))
        .slice(0, Number(searchParams.get('max-keys') ?? 1_000));
      const contents = keys.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('');
      return xml(`<ListBucketResult><KeyCount>${keys.length}</KeyCount>${contents}</ListBucketResult>`);
    }
    const found = objects.get(pathname);
    if (!found) return response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
    response.writeHead(200, { 'content-length': found.length }).end(found);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Keys of objects, and ids of uploads that are neither completed nor aborted. */
    kept: () => [...objects.keys(), ...uploads.keys()],
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
