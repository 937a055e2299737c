// A mail server for development and tests: keeps messages in memory instead of delivering them, and shows them in a browser.
export { type Mailbox, type ReceivedMail, startMailbox } from './mailbox.ts';
