import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CallerSigner } from '@tandem/caller';
import type { ServiceClient } from '@tandem/client/internal';
import type { internalUsers } from '@tandem/identity-contract';
import type { IdCodec } from '@tandem/ids';
import type { Log, Metrics, Trace } from '@tandem/process';
import type { Authenticated, Authenticator } from './access/authenticate.ts';
import type { Principals } from './access/principals.ts';
import type { Cors } from './http/headers.ts';
import type { Allowance, Limiter } from './limits/allowance.ts';
import type { UsageMeter } from './limits/usage.ts';
import type { UpstreamSeconds } from './observe.ts';
import type { Match, Route } from './routes.ts';
import type { LinkReply } from './upstream/link.ts';
import type { Upstream } from './upstream/upstream.ts';

/** Everything a request meets on its way. */
export interface GatewayParts {
  match: (method: string, path: string) => Match;
  clientIp: (request: IncomingMessage) => string;
  authenticator: Authenticator;
  principals: Principals;
  users: ServiceClient<typeof internalUsers>;
  limiter: Limiter;
  usage: UsageMeter;
  anonymous: { perMinute: number; burst: number };
  ids: IdCodec;
  signer: CallerSigner;
  upstreams: Map<string, Upstream>;
  streams: Streams;
  pages: Pages;
  cors: Cors;
  log: Log;
  metrics: Metrics;
  upstreamSeconds: UpstreamSeconds;
}

/** One request and what has been found out about it so far. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  path: string;
  search: string;
  ip: string;
  requestId: string;
  trace: Trace;
  /** The headers of the answer, as far as they are known. */
  headers: Record<string, string>;
  route?: Route;
  auth?: Authenticated | undefined;
  allowance?: Allowance;
  /** Calls of the tenant's month, this one included: for keys, as the header says. */
  usage?: number | undefined;
  code?: string;
}

/** One request to a service that is too large to be held whole, in one of its directions. */
export interface Passage {
  exchange: Exchange;
  /** Where to, with ids instead of codes. */
  path: string;
  /** The headers that the service gets beside those of the body. */
  signed: Record<string, string>;
}

export interface Streams {
  /** Passes a form on as it comes in, and resolves to the service's answer. */
  form(passage: Passage, parts: GatewayParts): Promise<LinkReply>;
  /** Passes an answer on as it comes out; it is finished when this resolves. */
  answer(passage: Passage, parts: GatewayParts): Promise<void>;
}

/** A page about the API that the gateway serves itself. */
export interface Page {
  /**
   * Answers a GET or HEAD request for the page.
   * @throws ApiError 405 for any other method
   */
  serve(exchange: PageExchange): Promise<void>;
}

/** The parts of a request that a page reads; `headers` are those that every answer of the gateway has. */
export type PageExchange = Pick<Exchange, 'request' | 'response' | 'headers' | 'search'>;

export interface Pages {
  /** The page of a path; undefined for every other path. */
  find(path: string): Page | undefined;
}
