/** The outcome of an attempt to send a message. */
export type Attempt =
  | { outcome: 'sent'; response: string }
  /** The server refused this message for good. */
  | { outcome: 'refused'; error: string }
  /** The server refused it for now, or could not be reached. */
  | { outcome: 'postponed'; error: string; isUncertain?: true };

// A busy or unreachable server is tried often at first: most outages and greylisting end within minutes.
const delaysSeconds = [2, 15, 60, 300, 900, 1_800, 3_600];

/** The time of the next attempt; undefined if the message would be too late by then. */
export function nextAttempt(attempts: number, notAfter: Date, now = new Date()): Date | undefined {
  const seconds = delaysSeconds[Math.min(attempts, delaysSeconds.length) - 1] ?? 0;
  const at = new Date(now.getTime() + seconds * 1_000);
  return at < notAfter ? at : undefined;
}

/**
 * Classifies an error of nodemailer. `isUncertain`: the connection ended after content was sent and before the server
 * answered, so the server may have accepted the message. Only a 5xx answer to the recipient or the content concerns the message itself;
 * refused credentials or a closed server do not, and end when an operator acts.
 */
export function attemptOf(error: unknown, contentBegan = false): Attempt {
  const { code, responseCode, response, message } = error as Error & {
    code?: string;
    responseCode?: number;
    response?: string;
  };
  const text = (response ?? message).slice(0, 500);
  const concernsMessage = code === 'EENVELOPE' || code === 'EMESSAGE';
  const isFinal = concernsMessage && (responseCode === undefined || responseCode >= 500);
  if (isFinal) return { outcome: 'refused', error: text };
  const isUncertain = contentBegan && responseCode === undefined;
  return { outcome: 'postponed', error: text, ...(isUncertain && { isUncertain }) };
}
