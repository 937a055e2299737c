import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** An SMS that was sent to the mailbox. */
export interface ReceivedSms {
  /** The id that the sender got, in Twilio's form. */
  sid: string;
  account: string;
  from: string;
  to: string;
  text: string;
  /** Where a provider would report what became of the message. */
  statusUrl: string | null;
  receivedAt: Date;
}

/** How the mailbox answers SMS to a number: with an error of the API, or by breaking the connection. */
export type SmsFault = { status: number; code?: number } | 'broken';

export interface SmsBox {
  messages: ReceivedSms[];
  faults: Map<string, SmsFault>;
}

const messagesMax = 500;
const path = /^\/2010-04-01\/Accounts\/([^/]+)\/Messages\.json$/;

/**
 * Answers a request to send an SMS as Twilio does, and keeps the message.
 * @returns false for any other request
 */
export function takeSms(request: IncomingMessage, response: ServerResponse, box: SmsBox): boolean {
  const [, account] = path.exec(request.url ?? '') ?? [];
  // A web page can post a form to this machine, but not with credentials.
  const isOurs = /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(request.headers.host ?? '');
  if (request.method !== 'POST' || account === undefined || !isOurs) return false;
  answer(request, response, { account, box }).catch(() => response.destroy());
  return true;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { account, box }: { account: string; box: SmsBox },
): Promise<void> {
  const form = new URLSearchParams(await text(request));
  const to = form.get('To') ?? '';
  const from = form.get('From') ?? form.get('MessagingServiceSid') ?? '';
  const fault = box.faults.get(to);
  if (fault === 'broken') {
    response.destroy();
    return;
  }
  if (fault) return reply(response, fault.status, { code: fault.code, message: 'refused by the test' });
  const credentials = Buffer.from(request.headers.authorization?.replace(/^Basic /, '') ?? '', 'base64').toString();
  if (!credentials.startsWith(`${decodeURIComponent(account)}:`))
    return reply(response, 401, { code: 20003, message: 'Authenticate' });
  if (!/^\+[1-9]\d{6,14}$/.test(to)) return reply(response, 400, { code: 21211, message: "Invalid 'To' Phone Number" });
  const body = form.get('Body') ?? '';
  if (!body) return reply(response, 400, { code: 21602, message: 'Message body is required' });
  const sid = `SM${String(Date.now()).padStart(16, '0')}${String(box.messages.length).padStart(16, '0')}`;
  box.messages.push({
    sid,
    account,
    from,
    to,
    text: body,
    statusUrl: form.get('StatusCallback'),
    receivedAt: new Date(),
  });
  if (box.messages.length > messagesMax) box.messages.shift();
  reply(response, 201, { sid, status: 'queued', to, from, body, error_code: null });
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ status, ...body }));
}
