import type { Readable } from 'node:stream';
import { outgoingGuard } from '@tandem/process';
import nodemailer from 'nodemailer';
import type { Content } from './message.ts';
import { type Attempt, attemptOf } from './retry.ts';

/** One message as the mail server gets it. */
export interface Outgoing {
  /** The part of the Message-ID before the @. */
  idLeft: string;
  from: string;
  to: string;
  createdAt: Date;
  content: Content;
  /** Signs the message for a domain (RFC 6376). */
  dkim?: { domainName: string; keySelector: string; privateKey: string };
}

export interface Transport {
  /** Sends one message; never rejects. */
  send(message: Outgoing): Promise<Attempt>;
  close(): void;
}

// The headers that a DKIM signature covers. RFC 8058 requires both that unsubscribe; a header that is named twice cannot be
// added later.
const headerFieldNames = [
  ...['from', 'from', 'reply-to', 'subject', 'subject', 'date', 'message-id', 'to', 'cc', 'in-reply-to', 'references'],
  ...['mime-version', 'content-type', 'content-transfer-encoding', 'list-unsubscribe', 'list-unsubscribe-post'],
].join(':');
const connectMs = 10_000;
const silenceMs = 30_000;
// Some servers close a connection after a number of messages.
const messagesPerConnection = 100;

/**
 * Connections to the mail server, opened on demand and used again.
 * @param returnPath the address that bounces go to; by default the sender's own
 */
export function createTransport(url: string, connectionsMax: number, returnPath?: string): Transport {
  const pool = nodemailer.createTransport({
    url,
    pool: true,
    maxConnections: connectionsMax,
    maxMessages: messagesPerConnection,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    dnsTimeout: connectMs,
    socketTimeout: silenceMs,
    // A message must not be able to read files or URLs into its body.
    disableFileAccess: true,
    disableUrlAccess: true,
  } as Parameters<typeof nodemailer.createTransport>[0]);
  // Each failed message is reported by its own callback.
  pool.on('error', () => {});
  // Their bodies tell how far a failed attempt got.
  const bodies = new WeakMap<object, Readable>();
  pool.use('stream', (mail, done) => {
    const { message } = mail as unknown as { message: { createReadStream(): Readable } };
    const create = message.createReadStream.bind(message);
    message.createReadStream = () => {
      const body = create();
      bodies.set((mail as unknown as { data: { headers: object } }).data.headers, body);
      return body;
    };
    done();
  });
  return {
    async send({ idLeft, from, to, createdAt, content, dkim }) {
      outgoingGuard.assertMayCall('the mail server');
      const { subject, text, html, replyTo, invitation } = content;
      const headers = { 'Auto-Submitted': 'auto-generated', ...content.headers };
      try {
        const { response } = await pool.sendMail({
          messageId: `<${idLeft}@${domainOf(from)}>`,
          date: createdAt,
          from,
          // An object: an address is never parsed as a list.
          to: { name: '', address: to },
          ...(returnPath !== undefined && { envelope: { from: returnPath, to: [to] } }),
          ...(replyTo !== undefined && { replyTo }),
          subject,
          text,
          html,
          ...(invitation && {
            icalEvent: { method: invitation.method, filename: 'invite.ics', content: invitation.ics },
          }),
          headers,
          ...(dkim && { dkim: { ...dkim, headerFieldNames } }),
        });
        return { outcome: 'sent', response };
      } catch (error) {
        return attemptOf(error, bodies.get(headers)?.readableDidRead);
      }
    },
    close: () => pool.close(),
  };
}

function domainOf(from: string): string {
  return /@([^\s<>@]+?)>?$/.exec(from)?.[1] ?? 'localhost';
}
