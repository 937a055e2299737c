// Sends e-mail messages from a queue: a row per message in PostgreSQL, sent over SMTP by jobs.
export { type Letter, renderLetter } from './letter.ts';
export { createMailer, type Delivery, type Mailer } from './mailer.ts';
export type { Message } from './message.ts';
export type { MessageRef } from './message-ref.ts';
export { type Attempt, nextAttempt } from './retry.ts';
export { type MailSettings, mailSettings } from './settings.ts';
export { mailStyle } from './style.ts';
export { withoutLinks } from './without-links.ts';
