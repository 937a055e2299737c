import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a provider received. */
interface Received {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/** A server that answers as Documenso (`/api/v1/documents`) and DocuSeal (`/submissions`) do. */
export interface ProviderServer {
  url: string;
  received: Received[];
  /** The document that downloads return. */
  signed: Buffer;
  /** Answers with this status instead, while it is set. */
  failsWith: number | undefined;
  /** Answers 503 to the next request of this path, after it took effect. */
  failsOnceAt: string | undefined;
  /** Answers the next download, with the document of that time, only when the test calls `release`. */
  holdsDownload: boolean;
  release: (() => void) | undefined;
  /** Whether everybody has signed. */
  isCompleted: boolean;
  close(): Promise<void>;
}

export const secret = 'a-secret-of-the-webhook-of-the-provider';

export async function startProviders(): Promise<ProviderServer> {
  const state: Pick<
    ProviderServer,
    'received' | 'signed' | 'failsWith' | 'failsOnceAt' | 'holdsDownload' | 'release' | 'isCompleted'
  > = {
    received: [],
    signed: Buffer.from(''),
    failsWith: undefined,
    failsOnceAt: undefined,
    holdsDownload: false,
    release: undefined,
    isCompleted: false,
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url: path = '', headers } = request;
    state.received.push({ method, path, headers, body: Buffer.concat(chunks) });
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    if (state.failsWith) return void response.writeHead(state.failsWith).end('{"message":"broken"}');
    if (path === state.failsOnceAt) {
      state.failsOnceAt = undefined;
      return void response.writeHead(503).end('{"message":"timeout"}');
    }
    if (path === '/signed.pdf') {
      const { signed, holdsDownload } = state;
      state.holdsDownload = false;
      if (holdsDownload)
        await new Promise<void>((resolve) => {
          state.release = resolve;
        });
      return void response.writeHead(200, { 'content-type': 'application/pdf' }).end(signed);
    }
    const body = method === 'POST' ? JSON.parse(Buffer.concat(chunks).toString()) : undefined;
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify(answer(method, path, { origin, body, isCompleted: state.isCompleted })));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(state, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  });
}

interface Recipients {
  recipients: { name: string; email: string; role: string }[];
}

interface Answering {
  origin: string;
  body: unknown;
  isCompleted: boolean;
}

function answer(method: string, path: string, { origin, body, isCompleted }: Answering): object {
  const key = `${method} ${path}`;
  if (key === 'POST /api/v1/documents') {
    const recipients = (body as Recipients).recipients.map((one, index) => ({ ...one, recipientId: 50 + index }));
    return { uploadUrl: `${origin}/upload`, documentId: 10, recipients };
  }
  if (key === 'GET /api/v1/documents/10/download') return { downloadUrl: `${origin}/signed.pdf` };
  if (key.startsWith('GET /submitters?')) return { data: [] };
  if (key === 'POST /submissions/pdf') return { id: 77, submitters: [] };
  if (key === 'GET /submissions/77/documents')
    return { id: 77, documents: [{ name: 'contract', url: `${origin}/signed.pdf` }] };
  if (key === 'GET /api/v1/documents/10') return { id: 10, status: isCompleted ? 'COMPLETED' : 'PENDING' };
  if (key === 'GET /submissions/77') return { id: 77, status: isCompleted ? 'completed' : 'pending' };
  return { id: 10 };
}

/** The header by which DocuSeal signs an event. */
export function docusealSignature(body: string, at = Math.floor(Date.now() / 1_000)): string {
  return `${at}.${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`;
}
