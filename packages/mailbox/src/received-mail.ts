/** A message as a mail client would show it. */
export interface ReceivedMail {
  /** The position in the mailbox, from 1. */
  number: number;
  messageId: string;
  from: string;
  to: string[];
  subject: string;
  text: string;
  html: string;
  /** The iCalendar text of an invitation, if the message has one. */
  invitation?: string;
  headers: Record<string, string>;
  receivedAt: Date;
}
