import { z } from 'zod';

// `Name <address>`; a quoted name may contain any other character.
const sender = /^(?:(?:[^<>"@\r\n]+|"[^"\\\r\n]*") ?<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/;

/** Settings of every service that sends mail. */
export const mailSettings = {
  /** `smtp://user:password@host:587`, or `smtps://` for TLS from the start. Without it no message is sent. */
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'Must be a URL such as smtp://user:password@host:587 or smtps://…:465' })
    .optional(),
  /** The sender of messages: a name and an address that the mail server accepts. */
  MAIL_FROM: z
    .string()
    .regex(sender, 'Must be an address such as Tandem <no-reply@example.com>')
    .default('Tandem <no-reply@tandem.localhost>'),
  /** The address that bounces go to, of the mail server that passes them on to the platform; by default the sender's own. */
  MAIL_RETURN_PATH: z.email('Must be an address such as bounces@example.com').optional(),
  /** How many messages of each kind (account, bulk) a tenant may queue within a day (UTC). */
  MAIL_PER_DAY_MAX: z.coerce.number().int().min(1).max(10_000_000).default(10_000),
};

export type MailSettings = z.output<z.ZodObject<typeof mailSettings>>;
