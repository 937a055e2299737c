import { createHash } from 'node:crypto';

export const callOutcomes = ['answered', 'no_answer', 'busy', 'failed'] as const;
export type CallOutcome = (typeof callOutcomes)[number];

/** How a call ended. */
export interface EndedCall {
  outcome: CallOutcome;
  durationSeconds: number;
  isSimulated: boolean;
  /** The id at the provider. */
  callId?: string | null;
  /** The reason of a failure, if it is not in the outcome. */
  error?: { code: string; message: string };
}

// Six of ten calls are answered.
const outcomeDistribution: readonly CallOutcome[] = [
  ...Array<CallOutcome>(6).fill('answered'),
  ...(['no_answer', 'no_answer', 'busy', 'failed'] as const),
];
const talkSecondsMax = 300;

/** The call of the sandbox: none is made. The outcome is derived from lead and attempt, so it is predictable in tests. */
export function simulateCall({ leadId, attempt }: { leadId: number; attempt: number }): EndedCall {
  const [first = 0, second = 0] = createHash('sha256').update(`${leadId} ${attempt}`).digest();
  const outcome = outcomeDistribution[first % outcomeDistribution.length] as CallOutcome;
  const durationSeconds = outcome === 'answered' ? 20 + Math.floor((second / 256) * talkSecondsMax) : 0;
  return { outcome, durationSeconds, isSimulated: true };
}
