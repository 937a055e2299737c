import { z } from 'zod';

/** The content of a message, as stored (encrypted) until it is sent. */
export const Content = z.object({
  subject: z.string(),
  text: z.string(),
  html: z.string(),
  replyTo: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  /** An invitation for calendars (RFC 6047): shown by mail clients, and attached as a file. */
  invitation: z.object({ method: z.enum(['REQUEST', 'CANCEL']), ics: z.string() }).optional(),
});
export type Content = z.output<typeof Content>;

/**
 * - `account`: asked for or needed by one person, such as a password reset. Has jobs and connections of its own, so
 *   that it never waits behind bulk mail.
 * - `bulk`: one of many, such as a campaign or a digest.
 */
export type MailKind = 'account' | 'bulk';

/** A message to queue. */
export interface Message {
  kind: MailKind;
  /** The name of the sender; `default` is MAIL_FROM. */
  sender?: string;
  /** The topic of the message, such as `password_reset`, for operators. */
  template: string;
  to: string;
  content: Content;
  /** Identifies the message in `platform.mail`; random by default. */
  ref?: string;
  /** The message is not sent after this time: one day from now by default, at most three days. */
  notAfter?: Date;
}
