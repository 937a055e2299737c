import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { BodyStream } from '@tandem/contract';
import { fail } from '@tandem/service';
import PostalMime, { type Email } from 'postal-mime';
import type { Tools } from '../../handler.ts';
import { isFresh, type MailReport } from './report.ts';

const signedTimes = { ageMsMax: 300_000, aheadMsMax: 300_000 };
// Headers of a message that is parsed without reading too much of a hostile one.
const limits = { maxNestingDepth: 20, maxHeadersSize: 100_000 };
// Headers and delivery reports are at the beginning, attachments behind them. Parsing a megabyte of tiny parts would take
// seconds.
const readMax = 65_536;

/**
 * Checks the signature of an incoming message while it arrives: `v1=` and the HMAC-SHA256 of `<timestamp>.<body>`.
 * @returns its beginning, which is all of it that is kept in memory
 * @throws ApiError 401 when the signature is wrong or older than 5 minutes
 */
export async function readSigned(secret: string, { chunks, headers }: BodyStream): Promise<Uint8Array> {
  const timestamp = headers['x-tandem-timestamp'] ?? '';
  const [, hex = ''] = /^v1=([0-9a-f]{64})$/.exec(headers['x-tandem-signature'] ?? '') ?? [];
  if (!timestamp || !hex || !isFresh(Number(timestamp) * 1_000, signedTimes)) throw fail('invalid_signature');
  const hmac = createHmac('sha256', secret).update(`${timestamp}.`);
  const kept: Uint8Array[] = [];
  let room = readMax;
  for await (const chunk of chunks) {
    hmac.update(chunk);
    // A copy, because a part of a chunk would keep all of it in memory.
    if (room > 0) kept.push(new Uint8Array(chunk.subarray(0, room)));
    room -= chunk.length;
  }
  if (!timingSafeEqual(Buffer.from(hex, 'hex'), hmac.digest())) throw fail('invalid_signature');
  return Buffer.concat(kept);
}

/**
 * Reads from the beginning of an incoming message whether it is a bounce (RFC 3464), an automatic reply (RFC 3834) or a reply
 * to messages of the platform. Returns no report for other mail.
 * @param at when the message arrived
 * @throws ApiError 422 if it is no message
 */
export async function readInbound(
  { mailer }: Pick<Tools, 'mailer'>,
  bytes: Uint8Array,
  at = new Date(),
): Promise<MailReport[]> {
  const email = await PostalMime.parse(bytes, { ...limits, forceRfc822Attachments: true }).catch(() => undefined);
  if (!email) throw fail('validation_failed', [{ field: 'body', message: 'Must be a message in the MIME format' }]);
  const header = headersOf(email);
  const sourceId = `email-${sourceOf(email, bytes)}`;
  const type = header('content-type');
  if (/^multipart\/report\b/i.test(type) && /report-type="?delivery-status/i.test(type)) {
    const text = reportText(email, bytes);
    const is = bounceOf(text) ?? failureOf(email, header, text);
    const message = mailer.refsIn(text).at(-1);
    // Anyone can write such a report about a message that they got: only the stored recipient is suppressed.
    return is && message ? [{ is, message, recipient: null, at, sourceId }] : [];
  }
  const [message] = [...mailer.refsIn(header('in-reply-to')), ...mailer.refsIn(header('references')).toReversed()];
  if (!message) return [];
  return [{ is: isAutomatic(email, header) ? 'auto_replied' : 'replied', message, recipient: null, at, sourceId }];
}

type Header = (name: string) => string;

function headersOf({ headers }: Email): Header {
  return (name) => headers.find(({ key }) => key === name)?.value ?? '';
}

/** The Message-ID of the incoming message, or else a digest of its beginning: a message that arrives twice counts once. */
function sourceOf({ messageId }: Email, bytes: Uint8Array): string {
  return createHash('sha256')
    .update(messageId ?? bytes)
    .digest('hex')
    .slice(0, 40);
}

const outOfOffice =
  /^\s*((auto(matic|matische)?[- ]?(reply|response|antwort)|out of (the )?office|abwesenheit\w*|absence|réponse automatique|respuesta automática|risposta automatica)\b)/i;

/** Whether software answered (RFC 3834). The subject decides only when no header does. */
function isAutomatic({ subject = '' }: Email, header: Header): boolean {
  const submitted = header('auto-submitted').trim().toLowerCase();
  if (submitted) return !submitted.startsWith('no');
  if (/^(bulk|junk|list|auto_reply)$/i.test(header('precedence').trim())) return true;
  if (['x-autoreply', 'x-autorespond', 'x-auto-response-suppress', 'x-autoresponse'].some((name) => header(name)))
    return header('x-auto-response-suppress') === '' || /autoreply|oof|all/i.test(header('x-auto-response-suppress'));
  if (header('return-path').trim() === '<>') return true;
  return outOfOffice.test(subject);
}

/** The parts of a report about a delivery: its status, and the headers of the message that it is about. */
function reportText({ attachments, text = '' }: Email, bytes: Uint8Array): string {
  const parts = attachments
    .filter(({ mimeType }) => /^(message\/|text\/rfc822-headers)/i.test(mimeType))
    .map(({ content }) =>
      typeof content === 'string' ? content : Buffer.from(content as ArrayBuffer).toString('utf8'),
    );
  return parts.length ? [text, ...parts].join('\n') : Buffer.from(bytes).toString('utf8');
}

/** Whether a report says that the message will never arrive, or that it could not be delivered now. */
function bounceOf(text: string): 'bounced' | 'softly_bounced' | undefined {
  const [, action = ''] = /^action:\s*(\w+)/im.exec(text) ?? [];
  const [, status = ''] = /^status:\s*([245])\.\d{1,3}\.\d{1,3}/im.exec(text) ?? [];
  if (action.toLowerCase() !== 'failed') return undefined;
  // A full mailbox (x.2.2) may have room tomorrow.
  if (/^status:\s*\d\.2\.2\b/im.test(text)) return 'softly_bounced';
  return status === '4' ? 'softly_bounced' : 'bounced';
}

/**
 * Reads a report of which only the header is known, as from Gmail. Exim and Gmail name the addresses that failed there, but not
 * the status: a mailbox may be full, so the bounce counts as a temporary one. A notice of a delay is none.
 */
function failureOf({ subject = '' }: Email, header: Header, text: string): 'softly_bounced' | undefined {
  const isHeaderOnly = !/^action:/im.test(text);
  const isFailure = header('x-failed-recipients') !== '' && !/\bdelay/i.test(subject);
  return isHeaderOnly && isFailure ? 'softly_bounced' : undefined;
}
