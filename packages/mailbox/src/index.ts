// A mail server for development and tests: keeps messages in memory instead of delivering them, and shows them in a browser.
export { type Mailbox, startMailbox } from './mailbox.ts';
export type { ReceivedMail } from './received-mail.ts';
