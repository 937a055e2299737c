import type { LeadRecord } from '../facts.ts';
import type { MessageEnd } from './message-rows.ts';

/** The result of a node that needed something outside of the database. */
export type Outcome =
  /** The execution continues. */
  | {
      is: 'done' | 'skipped' | 'uncertain';
      input: object;
      result: object;
      skipReason?: string;
      branch?: string;
      message?: MessageEnd;
      /** The lead after the change of the node. */
      lead?: LeadRecord;
      /** The workflow in which the lead is enrolled when the step is recorded. */
      enroll?: number;
      /** The users who are notified when the step is recorded. */
      notify?: { userIds: number[]; message: string };
    }
  /** It tries again later, and stays at the node until then. */
  | { is: 'postponed'; until: Date; reason: string; message?: MessageEnd; isFault?: true }
  /** The execution fails. */
  | { is: 'failed'; input: object; error: string; message?: MessageEnd }
  /** The workflow or its campaign was paused meanwhile. */
  | { is: 'paused' };
