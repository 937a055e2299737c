import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

type Encoding = 'br' | 'gzip';

/** A response body; `encoding` is absent if it is not compressed. */
interface Encoded {
  body: Buffer | string;
  encoding?: Encoding;
}

/** Smaller bodies fit into one packet uncompressed. */
export const compressibleMin = 1_024;

// Compression runs on libuv's thread pool. Above this limit bodies are sent uncompressed: under load, bandwidth is
// cheaper than a queue.
const runningMax = 8;

const compressors: Record<Encoding, (body: Buffer | string) => Promise<Buffer>> = {
  br(body) {
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: 1,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_LGWIN]: 18,
    };
    return promisify(brotliCompress)(body, { params });
  },
  gzip: (body) => promisify(gzip)(body, { level: 1 }),
};

/** Compresses the responses of one process. */
export class Compressor {
  #running = 0;

  /** Compresses a body if it is large enough and the client accepts it. */
  async compress(body: Buffer | string, acceptEncoding: string | undefined): Promise<Encoded> {
    if (acceptEncoding === undefined || body.length < compressibleMin || this.#running >= runningMax) return { body };
    const encoding = preferredEncoding(acceptEncoding);
    if (!encoding) return { body };
    this.#running++;
    try {
      return { body: await compressors[encoding](body), encoding };
    } finally {
      this.#running--;
    }
  }
}

/** The preferred encoding of an Accept-Encoding header (RFC 9110, section 12.5.3); `br` wins ties. */
export function preferredEncoding(acceptEncoding: string): Encoding | undefined {
  const weights = new Map<string, number>();
  for (const item of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)) || 0);
  }
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  const [br, gzipped, identity] = [weightOf('br'), weightOf('gzip'), weights.get('identity') ?? 0];
  const best = Math.max(br, gzipped);
  if (best === 0 || best < identity) return undefined;
  return br === best ? 'br' : 'gzip';
}
