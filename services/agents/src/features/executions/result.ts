import type { AgentActionValue } from '@tandem/agents-contract';
import type { Performed, Refused } from '../actions/perform-action.ts';
import type { Risk } from '../actions/risk.ts';
import type { CallChange } from '../calls/phone-call.ts';
import type { ExecutionRecord, Step } from './execution.ts';
import type { Advice } from './recommend.ts';

/** Outcome of an attempt. */
export interface AttemptOutcome {
  /** The calls of tools before the step. */
  trace?: Step[];
  step: Step;
  output: Record<string, unknown>;
  advice?: Advice;
  source?: ExecutionRecord['source'];
  usage?: ExecutionRecord['usage'];
  /** The outcome of an approved action. */
  effect?: Performed | Refused;
  /** Time of the next attempt. */
  retryAt?: Date;
}

/** An action that requires an approval before the agent takes it. */
export interface Proposal {
  action: AgentActionValue;
  rationale: string | null;
  risk: Risk;
  /** The assignee of the lead, who should decide. */
  assignee: number | null;
  /** The recommendation from which the action comes, with the step that made it. */
  advice?: Advice;
  steps?: Step[];
  source?: ExecutionRecord['source'];
  usage?: ExecutionRecord['usage'];
}

/** The result of one run of the job of an execution. */
export type Result =
  | { is: 'attempted'; outcome: AttemptOutcome; call?: CallChange }
  | { is: 'skipped'; reason: string }
  | { is: 'postponed'; until: Date; call?: CallChange }
  /** A call is in progress, and its end is reported. Without one the execution was cancelled. */
  | { is: 'calling'; call?: CallChange }
  | { is: 'proposed'; proposal: Proposal };
