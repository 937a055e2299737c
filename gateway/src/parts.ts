import type { IncomingMessage } from 'node:http';
import type { CallerSigner } from '@tandem/caller';
import type { ServiceClient } from '@tandem/client/internal';
import type { ResourceType } from '@tandem/contract';
import type { internalUsers, internalViews } from '@tandem/identity-contract';
import type { IdCodec } from '@tandem/ids';
import type { Log, Metrics } from '@tandem/process';
import type { Histogram } from 'prom-client';
import type { Authenticator } from './access/authenticate.ts';
import type { CredentialWatch } from './access/credential-watch.ts';
import type { Principals } from './access/principals.ts';
import type { Refusals } from './access/refusals.ts';
import type { ApiLog } from './api-log/api-log.ts';
import type { Exchange } from './exchange.ts';
import type { Compressor } from './http/compress.ts';
import type { Cors } from './http/headers.ts';
import type { Limiter } from './limits/allowance.ts';
import type { UsageMeter } from './limits/usage.ts';
import type { Match } from './routes.ts';
import type { LinkResponse } from './upstream/link.ts';
import type { Upstream } from './upstream/upstream.ts';

/** Response times of services, by service and outcome. */
export type UpstreamSeconds = Histogram<'upstream' | 'outcome'>;

/** The dependencies of request processing. */
export interface GatewayParts {
  match: (method: string, path: string, tenantHost?: string) => Match;
  /** The domain of a tenant that a Host header names; undefined for a host of the platform. */
  tenantHost: (host: string | undefined) => string | undefined;
  clientIp: (request: IncomingMessage) => string;
  authenticator: Authenticator;
  principals: Principals;
  credentialWatch: CredentialWatch;
  users: ServiceClient<typeof internalUsers>;
  views: ServiceClient<typeof internalViews>;
  /** The service that names the records of each type. */
  nameSources: Map<ResourceType, string>;
  limiter: Limiter;
  usage: UsageMeter;
  refusals: Refusals;
  /** Undefined if calls are not logged. */
  apiLog: ApiLog | undefined;
  anonymous: { perMinute: number; burst: number };
  /** The allowance per address for operations that are called from shared addresses. */
  shared: { perMinute: number; burst: number };
  ids: IdCodec;
  signer: CallerSigner;
  upstreams: Map<string, Upstream>;
  streams: Streams;
  compressor: Compressor;
  pages: Pages;
  cors: Cors;
  log: Log;
  metrics: Metrics;
  upstreamSeconds: UpstreamSeconds;
}

/** A request to a service whose body is streamed in one direction. */
export interface Passage {
  exchange: Exchange;
  /** Upstream path, with internal ids. */
  path: string;
  /** Upstream request headers other than those of the body. */
  signed: Record<string, string>;
}

export interface Streams {
  /** Streams a multipart form to the service and resolves with its response. */
  upload(passage: Passage, parts: GatewayParts): Promise<LinkResponse>;
  /**
   * Forwards server-sent events. Resolves when either side closes the stream or the credential expires.
   * @param check rejects with a GatewayError when the caller may no longer read the stream
   */
  live(passage: Passage, parts: GatewayParts, check: () => Promise<void>): Promise<void>;
  /** Streams the service's response to the client; resolves when it has ended. */
  download(passage: Passage, parts: GatewayParts): Promise<void>;
}

/** A page about the API that the gateway serves itself. */
export interface Page {
  /**
   * Responds to a GET or HEAD request for the page.
   * @throws GatewayError 405 for any other method
   */
  serve(exchange: PageExchange): Promise<void>;
}

/** The parts of a request that a page reads; `headers` holds the headers of every gateway response. */
export type PageExchange = Pick<Exchange, 'request' | 'response' | 'headers' | 'search'>;

export interface Pages {
  /** The page of a path; undefined for every other path, and on the domain of a tenant. */
  find(path: string, tenantHost: string | undefined): Page | undefined;
}
