export interface SmsMessage {
  /** A phone number with country code, such as +491701234567. */
  to: string;
  text: string;
  /** Where the provider reports what became of the message. */
  statusUrl?: string;
}

/** The outcome of an attempt to send an SMS. */
export type SmsAttempt =
  /** `response`: the id of the message at the provider. */
  | { outcome: 'sent'; response: string }
  /** The provider refused this message for good: the number or the text is not accepted. */
  | { outcome: 'refused'; error: string }
  /**
   * The provider refused it for now, or could not be reached. `isUncertain`: the connection ended after the request was
   * sent, so the provider may have accepted the message.
   */
  | { outcome: 'postponed'; error: string; isUncertain?: true };

/** Sends SMS. Twilio itself answers STOP and START, and adds what a country requires. */
export interface SmsDriver {
  /** False without settings of a provider; then nothing may be sent. */
  isEnabled: boolean;
  /** Sends a message once. Never throws: every failure is an outcome. */
  send(message: SmsMessage): Promise<SmsAttempt>;
}
