import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

type Encoding = 'br' | 'gzip';

/** A body as it is sent: with its encoding, unless it is sent as it was. */
interface Encoded {
  body: Buffer | string;
  encoding?: Encoding;
}

/** Smaller bodies fit into one packet as they are. */
export const compressibleMin = 1_024;

// Compression runs in libuv's threads, beside the event loop. What does not find a place is sent as it is: under load,
// bandwidth is cheaper than a queue.
const runningMax = 8;
let running = 0;

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

/** Compresses the body of a response if it is large enough and the client accepts it. */
export async function compress(body: Buffer | string, acceptEncoding: string | undefined): Promise<Encoded> {
  if (acceptEncoding === undefined || body.length < compressibleMin || running >= runningMax) return { body };
  const encoding = preferredEncoding(acceptEncoding);
  if (!encoding) return { body };
  running++;
  try {
    return { body: await compressors[encoding](body), encoding };
  } finally {
    running--;
  }
}

/** What the client prefers of `br` and `gzip` (RFC 9110, section 12.5.3); of equals `br`. */
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
