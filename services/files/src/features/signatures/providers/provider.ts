import type { WholeRequest } from '../whole-request.ts';

/** The document and the people that a provider is asked to get signatures from. */
export interface Submission extends WholeRequest {
  document: Uint8Array;
  filename: string;
  /** By which the provider's events name the request. */
  externalId: string;
}

/** An event of a provider, in the same shape for all of them. */
export interface ProviderEvent {
  externalId: string | undefined;
  /** The id of the request at the provider. */
  ref: string | undefined;
  type: 'viewed' | 'signed' | 'declined' | 'completed' | 'cancelled';
  /** The person; undefined for events of the whole request. */
  email?: string | undefined;
  reason?: string | undefined;
}

/** A service that collects signatures. Its methods call it, so they are used in jobs only. */
export interface SignatureProviderClient {
  /**
   * Creates the request at the provider; returns its id there. A repetition after a failure may create it again only as long
   * as nobody was asked to sign.
   */
  create(submission: Submission): Promise<string>;
  /** Asks the people of a created request to sign, unless `create` did. Must be repeatable. */
  send(ref: string): Promise<void>;
  withdraw(ref: string): Promise<void>;
  /** Whether everybody has signed, so that there is a signed document. */
  isCompleted(ref: string): Promise<boolean>;
  /** The signed document. */
  download(ref: string): Promise<Uint8Array>;
  /** Whether an event is from the provider. */
  isAuthentic(body: Uint8Array, headers: Record<string, string>): boolean;
  /** Reads the body of an event; undefined if it tells nothing about a signature. */
  read(body: unknown): ProviderEvent | undefined;
}

/** Whether everybody has signed a request at its provider. One that the provider does not have any more was not completed. */
export async function isCompletedAt(provider: SignatureProviderClient, ref: string): Promise<boolean> {
  return provider.isCompleted(ref).catch((error: unknown) => {
    if (isMissing(error)) return false;
    throw error;
  });
}

/** The provider answered that the request is not valid, or with something else than its API. */
export class ProviderError extends Error {
  /** The HTTP status of the answer. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

/** Whether the provider answered that it does not have the request. */
export function isMissing(error: unknown): boolean {
  return error instanceof ProviderError && error.status === 404;
}
