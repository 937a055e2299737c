import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** Stub of the files service: serves the content of the files that a test adds, for every tenant. */
export async function filesPeer() {
  const files = new Map<string, { content: Buffer; filename: string; status: string }>();
  let held: Promise<void> | undefined;
  let reading = 0;
  const server = http.createServer(async (request, response) => {
    const [, id = '', part] = /^\/internal\/files\/(\d+)(\/content)?$/.exec(request.url as string) ?? [];
    const file = files.get(id);
    if (!file) {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ code: 'not_found' }));
    } else if (part) {
      reading += 1;
      await held;
      reading -= 1;
      response.writeHead(200, { 'content-type': 'text/csv' });
      response.end(file.content);
    } else {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ data: recordOf(id, file) }));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Adds a file; resolves to its id. */
    add(content: string | Buffer, { filename = 'leads.csv', status = 'available' } = {}): string {
      const id = String(files.size + 1);
      files.set(id, { content: Buffer.from(content as string), filename, status });
      return id;
    },
    /** How many files are being read, while `hold` keeps them. */
    reading: () => reading,
    /** Sends no content until the result is called. */
    hold(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return () => {
        held = undefined;
        resolve();
      };
    },
    remove: (id: string) => files.delete(id),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve(undefined)));
    },
  };
}

function recordOf(id: string, { content, filename, status }: { content: Buffer; filename: string; status: string }) {
  const now = new Date().toISOString();
  return {
    id,
    filename,
    contentType: 'text/csv',
    size: content.length,
    entityType: null,
    entityId: null,
    status,
    detectedContentType: null,
    checksumSha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    uploadedBy: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
}
