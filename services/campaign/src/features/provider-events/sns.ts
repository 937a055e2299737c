import { createVerify, X509Certificate } from 'node:crypto';
import { createGuardedFetch, createTarget } from '@tandem/outgoing';
import { fail } from '@tandem/service';
import { z } from 'zod';
import { isFresh } from './report.ts';

/** A message of Amazon SNS: a notification, or the request to confirm a subscription. */
export const SnsMessage = z.object({
  Type: z.enum(['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation']),
  MessageId: z.string(),
  TopicArn: z.string(),
  Message: z.string(),
  Timestamp: z.string(),
  Subject: z.string().nullish(),
  SubscribeURL: z.string().optional(),
  Token: z.string().optional(),
  SignatureVersion: z.enum(['1', '2']),
  Signature: z.string(),
  SigningCertURL: z.string(),
});
export type SnsMessage = z.output<typeof SnsMessage>;

export interface Sns {
  /** @throws ApiError 401 when the signature is wrong or too old, 503 when the certificate cannot be fetched */
  check(message: SnsMessage): Promise<void>;
  /** Confirms a subscription. */
  confirm(message: SnsMessage): Promise<void>;
  close(): Promise<void>;
}

const host = /^sns\.[a-z0-9-]{3,32}\.amazonaws\.com(\.cn)?$/;
const timeoutMs = 5_000;
// The time is that of the publication, and SNS repeats a message to a web address for up to an hour after it.
const signedTimes = { ageMsMax: 60 * 60_000, aheadMsMax: 60 * 60_000 };
const certificatesMax = 20;

/**
 * Creates the verification of SNS messages.
 * @param origin the only origin of certificates and confirmations, for a local SNS; by default the hosts of Amazon over https
 */
export function createSns(origin: string | undefined): Sns {
  const target = createTarget({ allowPrivate: origin !== undefined });
  const client = createGuardedFetch({ target, name: 'Amazon SNS', timeoutMs });
  const certificates = new Map<string, X509Certificate>();
  const isAllowed = (text: string | undefined) => {
    const url = text === undefined ? null : URL.parse(text);
    if (!url) return false;
    if (origin !== undefined) return url.origin === origin;
    return url.protocol === 'https:' && host.test(url.host) && !url.username && !url.password;
  };
  const read = async (url: string) => {
    const response = await client.fetch(url, {}).catch(() => undefined);
    if (!response?.ok) throw fail('provider_unreachable');
    return response.text();
  };
  const certificateOf = async (url: string) => {
    const known = certificates.get(url);
    if (known && new Date(known.validTo) > new Date()) return known;
    const certificate = parse(await read(url));
    if (certificates.size >= certificatesMax) certificates.clear();
    certificates.set(url, certificate);
    return certificate;
  };
  return {
    async check(message) {
      const { SigningCertURL: url, SignatureVersion: version, Signature: signature } = message;
      if (!isFresh(Date.parse(message.Timestamp), signedTimes)) throw fail('invalid_signature');
      if (!isAllowed(url) || !new URL(url).pathname.endsWith('.pem')) throw fail('invalid_signature');
      const { publicKey } = await certificateOf(url);
      const verify = createVerify(version === '1' ? 'RSA-SHA1' : 'RSA-SHA256').update(canonical(message));
      if (!verify.verify(publicKey, signature, 'base64')) throw fail('invalid_signature');
    },
    async confirm({ SubscribeURL: url }) {
      if (url === undefined || !isAllowed(url)) throw fail('invalid_signature');
      await read(url);
    },
    close: () => client.close(),
  };
}

function parse(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw fail('invalid_signature');
  }
}

/** The text that SNS signs: names and values of these fields, each on its own line. */
function canonical(message: SnsMessage): string {
  const names =
    message.Type === 'Notification'
      ? (['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'] as const)
      : (['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'] as const);
  return names
    .filter((name) => message[name] !== undefined && message[name] !== null)
    .map((name) => `${name}\n${message[name]}\n`)
    .join('');
}
