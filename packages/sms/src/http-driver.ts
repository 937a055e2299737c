import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { outgoingGuard } from '@tandem/process';
import type { SmsAttempt, SmsDriver, SmsMessage } from './driver.ts';
import type { SmsSettings } from './settings.ts';

const timeoutMs = 10_000;
const connectionsMax = 16;
const responseMax = 64 * 1024;
const errorMax = 500;
/**
 * Error codes of Twilio that concern this message: its number is invalid, cannot receive SMS, is in a region that is not
 * enabled, is not verified (trial accounts) or has sent STOP; or its text is empty or too long.
 * https://www.twilio.com/docs/api/errors
 */
const finalCodes = new Set([
  21211, 21214, 21217, 21219, 21265, 21408, 21602, 21604, 21608, 21610, 21612, 21614, 21617, 21635,
]);

/** Sends SMS by a provider with Twilio's API: `POST /2010-04-01/Accounts/{account}/Messages.json`. */
export function createHttpDriver({
  SMS_URL: url,
  SMS_FROM: from,
}: Pick<SmsSettings, 'SMS_URL' | 'SMS_FROM'>): SmsDriver {
  if (url === undefined || from === undefined)
    return { isEnabled: false, send: async () => ({ outcome: 'postponed', error: 'SMS_URL or SMS_FROM is not set' }) };
  const { protocol, username, password, origin } = new URL(url);
  const account = decodeURIComponent(username);
  const target = `${origin}/2010-04-01/Accounts/${encodeURIComponent(account)}/Messages.json`;
  const isSecure = protocol === 'https:';
  // No connection is used twice: one that the provider closes in between could not be told from a lost response.
  const agent = new (isSecure ? HttpsAgent : HttpAgent)({ keepAlive: false, maxSockets: connectionsMax });
  const open = isSecure ? httpsRequest : httpRequest;
  const headers = {
    authorization: `Basic ${Buffer.from(`${account}:${decodeURIComponent(password)}`).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
    accept: 'application/json',
  };
  return {
    isEnabled: true,
    send(message) {
      outgoingGuard.assertMayCall('The SMS provider');
      const options = { method: 'POST', agent, headers, signal: AbortSignal.timeout(timeoutMs) };
      return attempt((answered) => open(target, options as RequestOptions, answered), formOf(message, from));
    },
  };
}

function formOf({ to, text, statusUrl }: SmsMessage, from: string): string {
  const sender = from.startsWith('MG') ? { MessagingServiceSid: from } : { From: from };
  const report = statusUrl === undefined ? {} : { StatusCallback: statusUrl };
  return new URLSearchParams({ To: to, Body: text, ...sender, ...report }).toString();
}

type Answered = NonNullable<Parameters<typeof httpRequest>[2]>;

function attempt(open: (answered: Answered) => ClientRequest, form: string): Promise<SmsAttempt> {
  return new Promise((resolve) => {
    let isWritten = false;
    const broken = ({ message }: Error) => {
      const error = message.slice(0, errorMax);
      resolve({ outcome: 'postponed', error, ...(isWritten && { isUncertain: true }) });
    };
    const request = open((response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size <= responseMax) chunks.push(chunk);
      });
      response.on('end', () => resolve(outcomeOf(response.statusCode ?? 0, Buffer.concat(chunks).toString())));
      response.on('error', broken);
    });
    request.on('error', broken);
    // Emitted once the connection is open and the request was handed to the operating system.
    request.on('finish', () => {
      isWritten = true;
    });
    request.end(form);
  });
}

function outcomeOf(status: number, body: string): SmsAttempt {
  const { sid, code, message } = parsed(body);
  if (status >= 200 && status < 300) return { outcome: 'sent', response: String(sid ?? '') };
  const error = [status, code, message].filter(Boolean).join(' ').slice(0, errorMax);
  const isFinal = status >= 400 && status < 500 && finalCodes.has(Number(code));
  // Anything else is temporary, or ends when an operator corrects the credentials or the sender.
  return isFinal ? { outcome: 'refused', error } : { outcome: 'postponed', error };
}

function parsed(body: string): { sid?: unknown; code?: unknown; message?: unknown } {
  try {
    return (JSON.parse(body) ?? {}) as object;
  } catch {
    return {};
  }
}
