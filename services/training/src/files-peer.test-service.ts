import { createHash } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { callerHeader, createCallerSigner } from '@tandem/caller';

/** The files service in tests: the same files for every tenant. */
export interface FilesPeer {
  url: string;
  /** Adds a file, of user 1 unless another one is named; returns its id. */
  add(status?: 'available' | 'quarantined', options?: { ownerId?: number; content?: Buffer }): string;
  /** Replaces the content of a file, as a new version does. */
  replace(id: string, content: Buffer): void;
  /** Changes the status of a file. */
  set(id: string, status: 'available' | 'quarantined'): void;
  remove(id: string): void;
  close(): Promise<void>;
}

/** Starts a server with the internal operations of the files service that training calls. */
export async function filesPeer(): Promise<FilesPeer> {
  const files = new Map<string, { status: string; content: Buffer; earlier?: Buffer[] }>();
  const owners = new Map<string, number>();
  const signer = createCallerSigner(process.env['INTERNAL_SECRETS'] as string);
  const server = http.createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url as string, 'http://files');
    const [, id = '', action] = /^\/internal\/files\/(\d+)(?:\/(link|content|content\/part))?$/.exec(pathname) ?? [];
    const caller = signer.verify(request.headers[callerHeader] as string, request.method as string, pathname);
    const isFound = caller && (!caller.narrow || caller.narrow.userId === owners.get(id));
    const file = isFound ? files.get(id) : undefined;
    request.resume();
    const send = (code: number, body: object) =>
      response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const [start, length] = [Number(searchParams.get('start')), Number(searchParams.get('length'))];
    if (!file) send(404, { code: 'not_found' });
    else if (!action) send(200, { data: recordOf(id, file) });
    else if (file.status === 'quarantined') send(409, { code: 'not_available' });
    else if (action === 'content') response.writeHead(200, { 'content-type': 'application/zip' }).end(file.content);
    else if (action === 'content/part') {
      const contents = [file.content, ...(file.earlier ?? [])];
      const known = contents.find((content) => checksumOf(content) === searchParams.get('checksum'));
      if (!known) send(409, { code: 'not_available' });
      else response.writeHead(200, { 'content-type': 'application/zip' }).end(known.subarray(start, start + length));
    } else send(200, { data: { url: `https://files.example/${id}`, expiresAt: new Date().toISOString() } });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  let last = 0;
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add(status = 'available', { ownerId = 1, content = Buffer.from('x') } = {}) {
      last += 1;
      owners.set(String(last), ownerId);
      files.set(String(last), { status, content });
      return String(last);
    },
    replace(id, content) {
      const { content: before, earlier = [] } = files.get(id) as { content: Buffer; earlier?: Buffer[] };
      files.set(id, { status: 'available', content, earlier: [before, ...earlier] });
    },
    set: (id, status) => files.set(id, { content: Buffer.from('x'), ...files.get(id), status }),
    remove: (id) => files.delete(id),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function checksumOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function recordOf(id: string, { status, content }: { status: string; content: Buffer }) {
  const now = new Date().toISOString();
  return {
    id,
    filename: 'handbook.pdf',
    contentType: 'application/pdf',
    size: content.length,
    entityType: null,
    entityId: null,
    status,
    detectedContentType: 'application/pdf',
    checksumSha256: checksumOf(content),
    uploadedBy: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
}
