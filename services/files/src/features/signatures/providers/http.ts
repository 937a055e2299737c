import { createGuardedFetch, createTarget } from '@tandem/outgoing';
import { documentLimits } from '../pdf/document.ts';
import { ProviderError } from './provider.ts';

const timeoutMs = 60_000;
// A signed document is larger than the original by its certificate and fonts.
const responseMax = documentLimits.bytes * 2;

/** Calls the API of a provider, and downloads from the addresses that it returns. */
export interface ProviderHttp {
  /** Sends JSON and returns the JSON of the response. */
  call(method: string, path: string, body?: unknown): Promise<unknown>;
  /** Sends bytes to an address that the provider returned. */
  put(url: string, bytes: Uint8Array): Promise<void>;
  download(url: string): Promise<Uint8Array>;
  close(): Promise<void>;
}

/**
 * Creates the calls of one provider. The operator configured its address, which may be private; addresses in its responses
 * must be public unless they have the same origin.
 */
export function providerHttp(name: string, baseUrl: string, headers: Record<string, string>): ProviderHttp {
  const own = createGuardedFetch({ target: createTarget({ allowPrivate: true }), name, timeoutMs, responseMax });
  const others = createGuardedFetch({ target: createTarget({ allowPrivate: false }), name, timeoutMs, responseMax });
  const root = baseUrl.replace(/\/+$/, '');
  const fetchFor = (url: string) => (new URL(url).origin === new URL(root).origin ? own.fetch : others.fetch);
  const checked = (response: Response, what: string) => {
    if (!response.ok) throw new ProviderError(`${name} answered ${response.status} to ${what}`, response.status);
    return response;
  };
  return {
    async call(method, path, body) {
      const response = await own.fetch(`${root}${path}`, {
        method,
        headers: {
          ...headers,
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return checked(response, `${method} ${path}`).json();
    },
    async put(url, bytes) {
      const type = { 'content-type': 'application/pdf' };
      await checked(
        await fetchFor(url)(url, { method: 'PUT', headers: type, body: bytes }),
        'the upload',
      ).arrayBuffer();
    },
    async download(url) {
      const response = checked(await fetchFor(url)(url, { method: 'GET' }), 'the download');
      return new Uint8Array(await response.arrayBuffer());
    },
    async close() {
      await Promise.all([own.close(), others.close()]);
    },
  };
}
