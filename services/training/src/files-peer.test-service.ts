import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { callerHeader, createCallerSigner } from '@tandem/caller';

/** The files service in tests: the same files for every tenant. */
export interface FilesPeer {
  url: string;
  /** Adds a file, of user 1 unless another one is named; returns its id. */
  add(status?: 'available' | 'quarantined', ownerId?: number): string;
  /** Changes the status of a file. */
  set(id: string, status: 'available' | 'quarantined'): void;
  remove(id: string): void;
  close(): Promise<void>;
}

/** Starts a server with the internal operations of the files service that training calls. */
export async function filesPeer(): Promise<FilesPeer> {
  const files = new Map<string, string>();
  const owners = new Map<string, number>();
  const signer = createCallerSigner(process.env['INTERNAL_SECRETS'] as string);
  const server = http.createServer((request, response) => {
    const [, id = '', link] = /^\/internal\/files\/(\d+)(\/link)?$/.exec(request.url as string) ?? [];
    const caller = signer.verify(
      request.headers[callerHeader] as string,
      request.method as string,
      request.url as string,
    );
    const isFound = caller && (!caller.narrow || caller.narrow.userId === owners.get(id));
    const status = isFound ? files.get(id) : undefined;
    request.resume();
    const send = (code: number, body: object) =>
      response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (!status) send(404, { code: 'not_found' });
    else if (!link) send(200, { data: recordOf(id, status) });
    else if (status === 'quarantined') send(409, { code: 'not_available' });
    else send(200, { data: { url: `https://files.example/${id}`, expiresAt: new Date().toISOString() } });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  let last = 0;
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add(status = 'available', ownerId = 1) {
      last += 1;
      owners.set(String(last), ownerId);
      files.set(String(last), status);
      return String(last);
    },
    set: (id, status) => files.set(id, status),
    remove: (id) => files.delete(id),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function recordOf(id: string, status: string) {
  const now = new Date().toISOString();
  return {
    id,
    filename: 'handbook.pdf',
    contentType: 'application/pdf',
    size: 1,
    entityType: null,
    entityId: null,
    status,
    detectedContentType: 'application/pdf',
    checksumSha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    uploadedBy: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
}
