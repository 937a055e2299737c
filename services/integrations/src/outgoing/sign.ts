import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';
const secretBytes = 32;
const hintLength = 4;

/** Generates a signing secret. */
export function newSecret(): string {
  return prefix + randomBytes(secretBytes).toString('base64');
}

/** Normalises a secret chosen by the customer; the prefix is optional. */
export function asSecret(input: string): string {
  return prefix + Buffer.from(input.replace(prefix, ''), 'base64').toString('base64');
}

/** Last characters of a secret, to help its owner recognise it. */
export function secretHint(secret: string): string {
  return secret.replace(/=+$/, '').slice(-hintLength);
}

export interface Message {
  /** Id of the envelope. */
  id: string;
  event: string;
  delivery: string;
  attempt: number;
  environment: string;
  body: Uint8Array;
  /** Unix seconds of this attempt. Receivers reject signatures older than 5 minutes, so each retry is signed again. */
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

// Built for every attempt, because a Headers object would lowercase the names (spec v1.18.0).
const headerTable: readonly [name: string, value: (message: Message, macs: readonly string[]) => string][] = [
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

/** Request headers of one attempt, with the letter case of the spec. */
export function headersOf(message: Message): [name: string, value: string][] {
  const macs = signatures(message);
  const headers = headerTable.map(([name, value]): [string, string] => [name, value(message, macs)]);
  return message.isTest ? [...headers, ['X-Service-Test', 'true']] : headers;
}
