import { createHash } from 'node:crypto';

/** A call to make. Requests with the same key are the same call. */
export interface Call {
  key: string;
  leadId: number;
  phone: string;
  attempt: number;
  goal: string | null;
  script: string | null;
  tone: string | null;
  /** The `input` of the request that started the run. */
  input: Record<string, unknown> | null;
}

export const callOutcomes = ['answered', 'no_answer', 'busy', 'failed'] as const;
export type CallOutcome = (typeof callOutcomes)[number];

export interface Called {
  outcome: CallOutcome;
  durationSeconds: number;
  isSimulated: boolean;
}

/** A telephone line. */
export interface Telephony {
  /**
   * Resolves when the call is over.
   * @param signal aborts a call that takes too long; the result of a call that goes on is ignored
   */
  place(call: Call, signal: AbortSignal): Promise<Called>;
}

// Of ten calls six are answered.
const lots: readonly CallOutcome[] = [
  ...Array<CallOutcome>(6).fill('answered'),
  ...(['no_answer', 'no_answer', 'busy', 'failed'] as const),
];
const talkSecondsMax = 300;

/** A line that calls nobody. The outcome follows from the lead and the number of the attempt, so tests can predict it. */
export const simulatedLine: Telephony = {
  async place({ leadId, attempt }) {
    const [first = 0, second = 0] = createHash('sha256').update(`${leadId} ${attempt}`).digest();
    const outcome = lots[first % lots.length] as CallOutcome;
    const durationSeconds = outcome === 'answered' ? 20 + Math.floor((second / 256) * talkSecondsMax) : 0;
    return { outcome, durationSeconds, isSimulated: true };
  },
};
