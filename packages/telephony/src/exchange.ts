import { Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { outgoingGuard } from '@tandem/process';

const timeoutMs = 10_000;
const connectionsMax = 16;
const responseMax = 256 * 1024;

/** A response, or a request without one. `isSent`: the provider may have got the request. */
export type Answer = { status: number; body: unknown } | { error: string; isSent: boolean };

export type Exchange = (
  method: 'GET' | 'POST',
  path: string,
  form?: Record<string, string | string[]>,
) => Promise<Answer>;

/** Sends forms to the provider with basic authentication, each on a connection of its own, and reads JSON. */
export function createExchange({
  baseUrl,
  account,
  token,
}: {
  baseUrl: string;
  account: string;
  token: string;
}): Exchange {
  const isSecure = baseUrl.startsWith('https:');
  // No connection is used twice: one that the provider closes in between could not be told from a lost response.
  const agent = new (isSecure ? HttpsAgent : HttpAgent)({ keepAlive: false, maxSockets: connectionsMax });
  const open = isSecure ? httpsRequest : httpRequest;
  const authorization = `Basic ${Buffer.from(`${account}:${token}`).toString('base64')}`;
  return (method, path, form) => {
    outgoingGuard.assertMayCall('The telephone provider');
    const headers = { authorization, accept: 'application/json', ...(form && contentType) };
    const options: RequestOptions = { method, agent, headers, signal: AbortSignal.timeout(timeoutMs) };
    return exchange((answered) => open(baseUrl + path, options, answered), form && encode(form));
  };
}

const contentType = { 'content-type': 'application/x-www-form-urlencoded' };

function encode(form: Record<string, string | string[]>): string {
  const pairs = Object.entries(form).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  );
  return new URLSearchParams(pairs).toString();
}

type Answered = NonNullable<Parameters<typeof httpRequest>[2]>;

function exchange(open: (answered: Answered) => ReturnType<typeof httpRequest>, form = ''): Promise<Answer> {
  return new Promise((resolve) => {
    let isSent = false;
    const broken = ({ message }: Error) => resolve({ error: message, isSent });
    const request = open((response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > responseMax) response.destroy(new Error('The response is too large'));
        else chunks.push(chunk);
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: parsed(Buffer.concat(chunks).toString()) }),
      );
      response.on('error', broken);
    });
    request.on('error', broken);
    // Emitted once the connection is open and the request was handed to the operating system.
    request.on('finish', () => {
      isSent = true;
    });
    request.end(form);
  });
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
