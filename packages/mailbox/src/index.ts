// A mail server, and a provider of SMS, for development and tests: keeps messages in memory instead of delivering them, and shows them in a browser.
export { type Mailbox, startMailbox } from './mailbox.ts';
export type { ReceivedMail } from './received-mail.ts';
export type { ReceivedSms, SmsFault } from './sms.ts';
