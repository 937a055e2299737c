import { outgoingGuard } from '@tandem/process';
import { Agent, request } from 'undici';

/** A request to a provider that failed: why, whether the provider is down, and whether it refuses the key only. */
export interface Failure {
  why: string;
  isDown: boolean;
  refusesKey?: boolean;
  /** The status of the response, if there was one. */
  status?: number;
}

/** The text of a response, or the reason for failure. */
export type Posted = { text: string } | ({ text?: never } & Failure);

export type Post = (asked: { body: object; apiKey: string; timeoutMs: number; bytesMax: number }) => Promise<Posted>;

const connectTimeoutMs = 5_000;
// These concern a single request; the next one may succeed.
const requestFaults = [400, 413, 422];
// Invalid key, no credit, no permission, rate limit exceeded.
const keyFaults = [401, 402, 403, 429];

/** Creates a function that sends JSON to one path of a provider. It never throws because of the provider. */
export function createPost(baseUrl: string, path: string): Post {
  const url = `${baseUrl.replace(/\/+$/, '')}/${path}`;
  const agent = new Agent({ connect: { timeout: connectTimeoutMs }, allowH2: false, connections: 64 });
  return async ({ body: sent, apiKey, timeoutMs, bytesMax }) => {
    outgoingGuard.assertMayCall('The AI provider');
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const { statusCode, body } = await request(url, {
        dispatcher: agent,
        method: 'POST',
        signal,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        headers: {
          authorization: `Bearer ${apiKey}`,
          'content-type': 'application/json',
          accept: 'application/json',
        },
        body: JSON.stringify(sent),
      });
      const text = await readText(body, bytesMax);
      // Redirects are not followed, because the key belongs to the configured address only.
      if (statusCode !== 200)
        return {
          why: `provider returned ${statusCode}`,
          isDown: !isRequestFault(statusCode),
          refusesKey: keyFaults.includes(statusCode),
          status: statusCode,
        };
      return text === undefined ? { why: 'response too large', isDown: false } : { text };
    } catch (error) {
      return { why: signal.aborted ? 'timed out' : `unreachable: ${codeOf(error)}`, isDown: true };
    }
  };
}

/** Whether a status says that this request is at fault, and not the provider. */
export function isRequestFault(status: number | undefined): boolean {
  return status !== undefined && requestFaults.includes(status);
}

/** Reads the whole body; undefined when it is too large. Leaving the loop early destroys the connection. */
async function readText(body: AsyncIterable<Buffer>, bytesMax: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > bytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function codeOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return String(code ?? name);
}
