import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

// S3 lists 1,000; few, so that tests need few uploads.
const uploadsListedAtOnce = 2;

/**
 * A server on loopback that implements the part of the S3 API that a store needs. It has what s3rver lacks
 * (`s3rver.test-server.ts`): lists of uploads and parts, the end of an upload in parts without an object, and checksums. It
 * verifies no signature, which s3rver does.
 */
export async function startS3() {
  const objects = new Map<string, Buffer>();
  const uploads = new Map<string, { path: string; parts: Map<number, Buffer> }>();
  let started = 0;

  async function respond(request: IncomingMessage, response: ServerResponse) {
    const { pathname, searchParams: query } = new URL(request.url as string, 'http://s3');
    const body = await read(request);
    const xml = (text: string) => response.writeHead(200, { 'content-type': 'application/xml' }).end(text);
    const missing = (code: string) => response.writeHead(404).end(`<Error><Code>${code}</Code></Error>`);
    const problem = accessProblem(request, query, body);
    if (problem) return response.writeHead(403).end(`<Error><Code>${problem}</Code></Error>`);
    if (query.has('uploads') && request.method === 'POST') {
      const id = `u${++started}`;
      uploads.set(id, { path: pathname, parts: new Map() });
      return xml(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
    }
    if (query.has('uploads')) return xml(listUploads(pathname, query));
    const uploadId = query.get('uploadId');
    if (uploadId !== null) {
      const upload = uploads.get(uploadId);
      if (!upload || upload.path !== pathname) return missing('NoSuchUpload');
      if (request.method === 'PUT') {
        upload.parts.set(Number(query.get('partNumber')), body);
        return response.writeHead(200, { etag: `"part-${query.get('partNumber')}"` }).end();
      }
      const parts = [...upload.parts].sort(([a], [b]) => a - b);
      if (request.method === 'GET') {
        const listed = parts.map(
          ([number, { length }]) =>
            `<Part><PartNumber>${number}</PartNumber><Size>${length}</Size><ETag>"part-${number}"</ETag></Part>`,
        );
        return xml(`<ListPartsResult><IsTruncated>false</IsTruncated>${listed.join('')}</ListPartsResult>`);
      }
      uploads.delete(uploadId);
      if (request.method === 'DELETE') return response.writeHead(204).end();
      const named = [...body.toString().matchAll(/<PartNumber>(\d+)</g)].map(([, number]) => Number(number));
      objects.set(pathname, Buffer.concat(parts.filter(([number]) => named.includes(number)).map(([, part]) => part)));
      return xml('<CompleteMultipartUploadResult><ETag>"whole"</ETag></CompleteMultipartUploadResult>');
    }
    if (request.method === 'DELETE') {
      objects.delete(pathname);
      return response.writeHead(204).end();
    }
    const source = request.headers['x-amz-copy-source'];
    if (request.method === 'PUT' && source !== undefined) {
      const copied = objects.get(`/${decodeURIComponent(String(source)).replace(/^\//, '')}`);
      if (!copied) return missing('NoSuchKey');
      objects.set(pathname, copied);
      return xml('<CopyObjectResult><ETag>"whole"</ETag></CopyObjectResult>');
    }
    if (request.method === 'PUT') {
      objects.set(pathname, body);
      return response.writeHead(200, { etag: '"whole"' }).end();
    }
    if (query.get('list-type') === '2') {
      const bucket = `${pathname.replace(/\/$/, '')}/`;
      const keys = [...objects.keys()]
        .map((key) => key.slice(bucket.length))
        .filter((key) => key.startsWith(query.get('prefix') ?? ''))
        .slice(0, Number(query.get('max-keys') ?? 1_000));
      const contents = keys.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('');
      return xml(`<ListBucketResult><KeyCount>${keys.length}</KeyCount>${contents}</ListBucketResult>`);
    }
    const found = objects.get(pathname);
    if (!found) return missing('NoSuchKey');
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    const part = start === undefined ? found : found.subarray(Number(start), Number(end) + 1);
    const type = query.get('response-content-type') ?? 'application/octet-stream';
    const disposition = query.get('response-content-disposition') ?? 'inline';
    response.writeHead(start === undefined ? 200 : 206, {
      'content-length': part.length,
      'content-type': type,
      'content-disposition': disposition,
    });
    response.end(request.method === 'HEAD' ? undefined : part);
  }

  function listUploads(pathname: string, query: URLSearchParams): string {
    const bucket = `${pathname.replace(/\/$/, '')}/`;
    const [afterKey, afterId] = [query.get('key-marker') ?? '', query.get('upload-id-marker') ?? ''];
    const listed = [...uploads]
      .filter(([, { path }]) => path.startsWith(bucket + (query.get('prefix') ?? '')))
      .map(([id, { path }]) => ({ id, key: path.slice(bucket.length) }))
      .filter(({ id, key }) => key > afterKey || (key === afterKey && id > afterId))
      .toSorted((one, other) => compare(one.key, other.key) || compare(one.id, other.id));
    const page = listed.slice(0, uploadsListedAtOnce);
    const last = page.at(-1);
    const next = `<NextKeyMarker>${last?.key}</NextKeyMarker><NextUploadIdMarker>${last?.id}</NextUploadIdMarker>`;
    const isTruncated = listed.length > page.length;
    return `<ListMultipartUploadsResult><IsTruncated>${isTruncated}</IsTruncated>${isTruncated ? next : ''}${page
      .map(({ id, key }) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`)
      .join('')}</ListMultipartUploadsResult>`;
  }

  const server = createServer((request, response) => void respond(request, response));
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

/** Why a request is refused: it has no signature, an expired one, or another body than the signed headers declare. */
function accessProblem({ headers }: IncomingMessage, query: URLSearchParams, body: Buffer): string | undefined {
  const checksum = headers['x-amz-checksum-sha256'];
  if (checksum !== undefined && checksum !== createHash('sha256').update(body).digest('base64')) return 'BadDigest';
  if (headers.authorization?.startsWith('AWS4-HMAC-SHA256 ')) return undefined;
  if (!query.has('X-Amz-Signature')) return 'AccessDenied';
  const missing = query
    .get('X-Amz-SignedHeaders')
    ?.split(';')
    .find((name) => headers[name] === undefined);
  return missing && 'SignatureDoesNotMatch';
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
