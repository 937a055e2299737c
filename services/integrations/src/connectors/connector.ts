import type { AuthType, ConnectorCategory, ConnectorKey, OauthProvider } from '@tandem/integrations-contract';
import type { z } from 'zod';
import type { Call, FieldMapping, Secret, Sockets } from './calling.ts';
import type { Sync } from './sync.ts';

/** The account of a connection at the provider. */
export interface Account {
  id: string;
  name: string | null;
}

/** Why a call failed. */
export type CallFailure =
  | 'credentials_rejected'
  | 'provider_unavailable'
  | 'request_rejected'
  | 'blocked_address'
  | `status_${number}`;

export class CallError extends Error {
  readonly failure: CallFailure;
  /** The earliest time at which the system accepts another call, if it names one. */
  readonly retryAt: Date | undefined;
  /** The status of the response; null if there was none. */
  readonly status: number | null;
  /** The parsed JSON of the response, which may tell more than its status. */
  readonly body: unknown;
  /** Whether the response was larger than a response may be, so that a request for less can succeed. */
  readonly isTooLarge: boolean;

  constructor(
    failure: CallFailure,
    options: { retryAt?: Date | undefined; status?: number | null; body?: unknown; isTooLarge?: boolean } = {},
  ) {
    const { retryAt, status, body, isTooLarge = false } = options;
    super(failure);
    this.failure = failure;
    this.retryAt = retryAt;
    this.status = status ?? null;
    this.body = body;
    this.isTooLarge = isTooLarge;
  }
}

/** An event as webhooks receive it. */
export interface Envelope {
  id: string;
  type: string;
  createdAt: string;
  data: Record<string, unknown>;
}

/** An event to act on, as a config says. */
export interface Action {
  event: Envelope;
  settings: Record<string, unknown>;
  fieldMappings: readonly FieldMapping[];
}

/** A system that tenants can connect. */
export interface Connector {
  key: ConnectorKey;
  name: string;
  category: z.output<typeof ConnectorCategory>;
  authType: z.output<typeof AuthType>;
  /** The provider that authorizes its connections, for `oauth2`. */
  provider: OauthProvider | null;
  /** The scopes that an authorization requests by default. */
  scopes: readonly string[];
  /** The settings of a config, with `events` if the connector acts on events. */
  settings: z.ZodObject;
  /** The credentials that a user enters; null for `oauth2`. */
  credentials: z.ZodType<Secret> | null;
  /** The headers that authenticate a request. For `oauth2`, the secret is the access token. */
  headersOf(secret: Secret): Record<string, string>;
  /** The address of the user's own system, which is checked when it is stored, and the field that names it. */
  ownAddress?(secret: Secret): { field: string; url: string };
  /** Why credentials are refused in this deployment; undefined if they are not. */
  refusal?(secret: Secret, sockets: Pick<Sockets, 'allowsPlain'>): { field: string; message: string } | undefined;
  /** Makes the cheapest documented call that changes nothing; returns the account if the response names it. */
  probe(call: Call, secret: Secret, sockets: Sockets): Promise<Account | null>;
  /** Acts on an event. It may happen twice. */
  act?(call: Call, secret: Secret, action: Action): Promise<void>;
  /** Reads and writes records. A connector acts on events, or syncs records. */
  sync?: Sync;
  /** Why a field cannot have the name of a mapping; undefined if it can. */
  nameError?(name: string): string | undefined;
}

/** The header of a bearer token (RFC 6750), by which most systems authenticate. */
export function bearer({ accessToken }: Secret): Record<string, string> {
  return { authorization: `Bearer ${String(accessToken)}` };
}

/** Reads a text of a response; null if there is none. Longer texts than an account has are cut. */
export function textIn(body: unknown, field: string): string | null {
  const value = (body as Record<string, unknown> | null | undefined)?.[field];
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  // PostgreSQL cannot store NUL.
  return String(value).replaceAll('\0', '').slice(0, 255) || null;
}

/** The account of a response, by the names of its fields. */
export function accountIn(body: unknown, fields: { id: string; name: string }): Account | null {
  const id = textIn(body, fields.id);
  return id === null ? null : { id, name: textIn(body, fields.name) };
}
