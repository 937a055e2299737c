// The calls of connectors to the systems that they connect.
import type { GuardedConnect } from '@tandem/outgoing';

/** A request of a connector to the system that it connects. */
export interface CallRequest {
  url: string;
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
}

export interface CallAnswer {
  status: number;
  /** The parsed JSON of the response; undefined if it is something else. */
  body: unknown;
}

/**
 * Sends a request with the authentication of a connection.
 * @throws CallError when there is no response, or one with a status that shows a failure
 */
export type Call = (request: CallRequest) => Promise<CallAnswer>;

/** Connections of protocols other than HTTP. */
export interface Sockets {
  connect: GuardedConnect;
  /** Whether connections without TLS are allowed: on a developer's machine, and in tests. */
  allowsPlain: boolean;
}

/** The credentials of a connection, which each request carries; their body follows `credentials` of the connector. */
export type Secret = Record<string, unknown>;

/** A field of an event that is sent, and its name. */
export interface FieldMapping {
  from: string;
  to: string;
}
