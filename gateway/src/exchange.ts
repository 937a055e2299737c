import type { IncomingMessage, ServerResponse } from 'node:http';
import type { IdPath } from '@tandem/contract';
import type { Trace } from '@tandem/process';
import type { Authenticated } from './access/authenticate.ts';
import type { Allowance } from './limits/allowance.ts';
import type { Route } from './routes.ts';

/** One request and its processing state. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  path: string;
  search: string;
  ip: string;
  /** The domain of a tenant that the request names as its host. */
  tenantHost?: string | undefined;
  requestId: string;
  trace: Trace;
  /** Response headers collected so far. */
  headers: Record<string, string>;
  route?: Route;
  auth?: Authenticated | undefined;
  /** The user on whose behalf a key acts. */
  actingId?: number | undefined;
  allowance?: Allowance;
  /** The tenant's calls this month, including this one: X-API-Usage-Current for API keys. */
  usage?: number | undefined;
  /** The positions of the ids that the response names. */
  include?: IdPath[] | undefined;
  code?: string;
  /** The JSON body of the request as the client sent it, for the API log. */
  received?: Buffer;
  /** The JSON body of the response before its compression, for the API log. */
  sent?: Buffer | string;
  /** Start of an event stream, by performance.now(). Metrics exclude its duration, which depends on the client. */
  streamBegan?: number;
}
