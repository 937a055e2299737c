import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { simpleParser } from 'mailparser';
import { SMTPServer, type SMTPServerDataStream } from 'smtp-server';
import { answerBrowser } from './pages.ts';
import type { ReceivedMail } from './received-mail.ts';
import { type ReceivedSms, type SmsBox, type SmsFault, takeSms } from './sms.ts';

/** Recipients whose SMTP reply is delayed until `release`. */
export interface Held {
  /** The number of recipients that wait for the reply. */
  waiting(): number;
  release(): void;
}

export interface Mailbox {
  /** The value of SMTP_URL. */
  smtpUrl: string;
  /** The address of the page that shows the messages. */
  webUrl: string;
  /** The value of SMS_URL: the mailbox answers as Twilio does. */
  smsUrl: string;
  /** Messages, oldest first. */
  messages: readonly ReceivedMail[];
  /** Messages to an address. */
  to(address: string): ReceivedMail[];
  /** Answers later messages to an address with an SMTP error; without a code, accepts them again. */
  refuse(address: string, code: number | undefined): void;
  /** Answers no recipient with this address before `release` is called, as a slow server. */
  hold(address: string): Held;
  /** SMS, oldest first. */
  sms: readonly ReceivedSms[];
  /** Answers later SMS to a number with an error, or breaks the connection; without a fault, accepts them again. */
  refuseSms(number: string, fault: SmsFault | undefined): void;
  close(): Promise<void>;
}

const host = '127.0.0.1';
// Any account is accepted.
const smsAccount = 'ACmailbox:token';
const messagesMax = 500;
const closeMs = 500;
const bytesMax = 25 * 1_048_576;

/**
 * Starts a mailbox on the loopback address.
 * @param ports free ports by default
 */
export async function startMailbox(ports: { smtp?: number; web?: number } = {}): Promise<Mailbox> {
  const messages: ReceivedMail[] = [];
  const refusals = new Map<string, number>();
  const holds = new Map<string, ReturnType<typeof holdOf>>();
  const box: SmsBox = { messages: [], faults: new Map() };
  let received = 0;
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    size: bytesMax,
    // Clients keep connections open to use them again.
    closeTimeout: closeMs,
    logger: false,
    onAuth: (_auth, _session, callback) => callback(null, { user: 'anyone' }),
    onRcptTo({ address }, _session, callback) {
      const answer = () => {
        const code = refusals.get(address.toLowerCase());
        callback(code === undefined ? null : Object.assign(new Error('refused by the test'), { responseCode: code }));
      };
      const hold = holds.get(address.toLowerCase());
      if (hold) hold.add(answer);
      else answer();
    },
    onData(stream, session, callback) {
      const to = session.envelope.rcptTo.map(({ address }) => address);
      readMail(stream, to).then(
        (mail) => {
          received += 1;
          messages.push({ ...mail, number: received });
          if (messages.length > messagesMax) messages.shift();
          callback();
        },
        (error: Error) => callback(error),
      );
    },
  });
  // Connection errors of clients are ignored.
  smtp.on('error', () => {});
  await new Promise<void>((resolve, reject) => {
    smtp.server.once('error', reject);
    smtp.listen(ports.smtp ?? 0, host, resolve);
  });
  const web = createServer((request, response) => {
    if (!takeSms(request, response, box)) answerBrowser(request, response, { mails: messages, sms: box.messages });
  });
  await listen(web, ports.web ?? 0);
  return {
    smtpUrl: `smtp://${host}:${portOf(smtp.server)}`,
    webUrl: `http://${host}:${portOf(web)}`,
    smsUrl: `http://${smsAccount}@${host}:${portOf(web)}`,
    messages,
    sms: box.messages,
    refuseSms(number, fault) {
      if (fault === undefined) box.faults.delete(number);
      else box.faults.set(number, fault);
    },
    to: (address) => messages.filter((mail) => mail.to.includes(address.toLowerCase())),
    refuse(address, code) {
      if (code === undefined) refusals.delete(address.toLowerCase());
      else refusals.set(address.toLowerCase(), code);
    },
    hold(address) {
      const hold = holdOf(() => holds.delete(address.toLowerCase()));
      holds.set(address.toLowerCase(), hold);
      return hold;
    },
    async close() {
      for (const hold of holds.values()) hold.release();
      web.closeAllConnections();
      await Promise.all([
        new Promise<void>((resolve) => smtp.close(() => resolve())),
        new Promise<void>((resolve) => web.close(() => resolve())),
      ]);
    },
  };
}

function holdOf(ended: () => void): Held & { add(answer: () => void): void } {
  const answers: (() => void)[] = [];
  return {
    add: (answer) => void answers.push(answer),
    waiting: () => answers.length,
    release() {
      ended();
      for (const answer of answers.splice(0)) answer();
    },
  };
}

async function readMail(stream: SMTPServerDataStream, to: string[]): Promise<Omit<ReceivedMail, 'number'>> {
  const mail = await simpleParser(stream, { skipTextToHtml: true, skipTextLinks: true, skipImageLinks: true });
  const invitation = mail.attachments.find(({ contentType }) => contentType === 'text/calendar');
  return {
    messageId: mail.messageId ?? '',
    from: mail.from?.text ?? '',
    to: to.map((address) => address.toLowerCase()),
    subject: mail.subject ?? '',
    text: mail.text ?? '',
    html: mail.html || '',
    ...(invitation && { invitation: invitation.content.toString() }),
    headers: Object.fromEntries(mail.headerLines.map(({ key, line }) => [key, line.slice(key.length + 1).trim()])),
    receivedAt: new Date(),
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
}

function portOf(server: { address(): unknown }): number {
  return (server.address() as AddressInfo).port;
}
