import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';
const secretBytes = 32;
const hintLength = 4;

/** A new secret. */
export function newSecret(): string {
  return prefix + randomBytes(secretBytes).toString('base64');
}

/** A secret of the customer's own in the form we show and store; the prefix may be missing. */
export function asSecret(given: string): string {
  return prefix + Buffer.from(given.replace(prefix, ''), 'base64').toString('base64');
}

/** The end of a secret, by which its owner recognises it. */
export function secretHint(secret: string): string {
  return secret.replace(/=+$/, '').slice(-hintLength);
}

export interface Message {
  /** The id of the envelope. */
  id: string;
  event: string;
  delivery: string;
  attempt: number;
  environment: string;
  body: Uint8Array;
  /** Unix seconds of this attempt: receivers refuse an old signature (5 minutes), so a retry is signed anew. */
  timestamp: number;
  /** The current secret first. */
  secrets: readonly string[];
  isTest?: boolean;
}

/** HMAC-SHA256 over `{id}.{t}.{body}`, one per secret, in base64. */
export function signatures({ id, timestamp, body, secrets }: Message): string[] {
  return secrets.map((secret) =>
    createHmac('sha256', Buffer.from(secret.slice(prefix.length), 'base64'))
      .update(`${id}.${timestamp}.`)
      .update(body)
      .digest('base64'),
  );
}

// Written out for every attempt: a stored Headers object would come back with its names in lower case (spec v1.18.0).
const table: readonly [name: string, value: (message: Message, macs: readonly string[]) => string][] = [
  ['Content-Type', () => 'application/json'],
  ['User-Agent', () => 'svc-webhooks/1'],
  ['webhook-id', ({ id }) => id],
  ['webhook-timestamp', ({ timestamp }) => String(timestamp)],
  ['webhook-signature', (_, macs) => macs.map((mac) => `v1,${mac}`).join(' ')],
  [
    'X-Service-Signature',
    ({ id, timestamp }, macs) => [`t=${timestamp}`, `id=${id}`, ...macs.map((mac) => `v1=${mac}`)].join(','),
  ],
  ['X-Service-Event', ({ event }) => event],
  ['X-Service-Delivery', ({ delivery }) => delivery],
  ['X-Service-Attempt', ({ attempt }) => String(attempt)],
  ['X-Service-Environment', ({ environment }) => environment],
];

/** The headers of one attempt, in the case they are sent in. */
export function headersOf(message: Message): [name: string, value: string][] {
  const macs = signatures(message);
  const headers = table.map(([name, value]): [string, string] => [name, value(message, macs)]);
  return message.isTest ? [...headers, ['X-Service-Test', 'true']] : headers;
}
