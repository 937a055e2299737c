/** Statuses of a call, as Twilio names them. */
export const callStatuses = [
  'queued',
  'initiated',
  'ringing',
  'in-progress',
  'completed',
  'busy',
  'no-answer',
  'failed',
  'canceled',
] as const;
export type CallStatus = (typeof callStatuses)[number];

/** Statuses of a call that has ended. */
export const endedStatuses: ReadonlySet<string> = new Set<CallStatus>([
  'completed',
  'busy',
  'no-answer',
  'failed',
  'canceled',
]);

/** A call to start. */
export interface CallToStart {
  /** A phone number with country code, such as +491701234567. */
  to: string;
  /** The text of the call as TwiML, from `twimlOf`. */
  twiml: string;
  /** The address to which the provider reports the status. Its last part is the only trace of the call that the caller chooses. */
  statusUrl: string;
}

/** The outcome of an attempt to start a call. */
export type StartedCall =
  | { outcome: 'started'; callId: string; status: CallStatus }
  /** The provider will not call this number. */
  | { outcome: 'refused'; error: string }
  /** There is no call: the provider could not be reached, is busy, or refuses the account. */
  | { outcome: 'postponed'; error: string }
  /** The connection ended, or the answer could not be read, after the request was sent: there may be a call. */
  | { outcome: 'uncertain'; error: string };

export interface CallState {
  status: CallStatus;
  /** Seconds from the answer to the end; null while unknown. */
  durationSeconds: number | null;
}

/** A call in the provider's list. */
export interface ListedCall extends CallState {
  callId: string;
  createdAt: Date;
}

/** A status that the provider reports by itself. */
export interface CallReport extends CallState {
  callId: string;
  /** The position of the report among those of its call. */
  sequence: number;
}

/** The provider did not answer, or answered that it cannot. A later call may succeed. */
export class TelephonyUnavailableError extends Error {}

/** A telephone provider. */
export interface TelephonyDriver {
  /** The name of the provider, stored with its calls. */
  provider: string;
  /** False without the settings of an account; then no call can be made. */
  isEnabled: boolean;
  /** How long a call lasts at most after the answer, in seconds. The provider ends it then. */
  talkSecondsMax: number;
  /**
   * Starts a call once. Resolves when the provider has accepted it, which is before it rings. Never throws: every failure is an
   * outcome.
   */
  start(call: CallToStart): Promise<StartedCall>;
  /**
   * The current state of a call; undefined if the provider does not know it.
   * @throws TelephonyUnavailableError
   */
  find(callId: string): Promise<CallState | undefined>;
  /**
   * The latest calls from this account to a number.
   * @throws TelephonyUnavailableError
   */
  list(to: string): Promise<ListedCall[]>;
  /**
   * Ends a call, whether it rings or is answered. One that has ended, or is unknown, is left alone.
   * @throws TelephonyUnavailableError
   */
  hangUp(callId: string): Promise<void>;
  /**
   * Reads a report; undefined for one that says nothing about the status of a call.
   * @param url the complete address at which it arrived
   * @returns 'forged' unless the provider has signed it
   */
  readReport(url: string, body: Uint8Array, signature: string): CallReport | 'forged' | undefined;
}
